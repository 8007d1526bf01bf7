"""A rule that can be read and will not do what was meant is warned about, with its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.policy.call_facts import ToolFacts, ToolLike
from hermes_approval.policy.rule_reader import read_rules
from hermes_core import Tool, tool
from hermes_core.config.setting_problems import ConfigProblem
from hermes_core.tools.tool_spec import ToolSpec
from hermes_files.yaml_document import parse_document

RULE = "policy:\n  rules:\n    - name: it\n      action: {action}\n"


def spec(name: str, toolset: str, *arguments: str, **more: Any) -> ToolSpec:
    schema = {"type": "object", "properties": {argument: {"type": "string"} for argument in arguments}}
    aliases = more.pop("argument_aliases", {})
    return ToolSpec(name=name, toolset=toolset, parameters=schema | more, argument_aliases=aliases)


TOOLS: Mapping[str, ToolLike] = {
    each.name: each
    for each in (
        spec("terminal", "shell", "command", "workdir", additionalProperties=False),
        spec("write_file", "file", "path", "content", argument_aliases={"file_path": "path"}),
        spec("fetch_page", "web", "url"),
        spec("open_ended", "mcp", "query", additionalProperties=True),
        spec("combined", "mcp", "query", anyOf=[{"required": ["query"]}]),
    )
}


def warnings_of(text: str, tools: Any = TOOLS, action: str = "deny") -> list[ConfigProblem]:
    document = parse_document(Path("config.yaml"), RULE.format(action=action) + text)
    book, problems = read_rules(
        document.data["policy"], file="config.yaml", line_of=document.line_of, known_tools=tools
    )
    assert len(book.rules) == 1, [str(problem) for problem in problems]
    assert {problem.level for problem in problems} <= {"warning"}
    return problems


@pytest.mark.parametrize(
    ("match", "key", "words", "near"),
    [
        ("tool: terminal\n        args: {comand: ls}", "args.comand", "has this argument", ("command",)),
        ("tool: [terminal, fetch_page]\n        args: {path: x}", "args.path", "has this argument", ()),
        ("toolset: file\n        args: {path.name: x}", 'args."path.name"', "everything within 'path'", ("path",)),
        ("toolset: file\n        args: {pth.name: x}", 'args."pth.name"', "has this argument", ("path",)),
        ("tool: write_file\n        args: {file_path: x}", "args.file_path", "another name of 'path'", ("path",)),
        ("session: cron\n        toolset: shel", "toolset", "no tool has the toolset 'shel'", ("shell",)),
        ("session: cron\n        toolset: [web, 'zzz*']", "toolset", "no tool has the toolset 'zzz*'", ()),
        ("session: cron\n        toolset: web_tools", "toolset", "'web_tools' is an old name", ("web",)),
    ],
)
def test_a_name_that_nobody_bears_is_warned_about(match: str, key: str, words: str, near: tuple[str, ...]) -> None:
    (problem,) = warnings_of(f"      match:\n        {match}\n")
    assert (problem.line, problem.key) == (7, f"policy.rules[0].match.{key}")
    assert words in problem.reason
    assert problem.nearest == near


@pytest.mark.parametrize(
    "match",
    [
        "{tool: terminal, args: {command: ls}}",
        "{tool: [terminal, write_file], args: {path: x}}",
        "{args: {anything: x}}",
        "{tool: open_ended, args: {anything: x}}",
        "{tool: [terminal, combined], args: {anything: x}}",
        '{tool: terminal, args: {"*": x}}',
        "{toolset: 'sh*', args: {command: x}}",
        "{source: whoever, toolset: shell, args: {workdir: x}}",
    ],
)
def test_a_name_that_somebody_bears_or_may_bear_is_fine(match: str) -> None:
    assert warnings_of(f"      match: {match}") == []


def test_without_the_tools_themselves_names_of_arguments_are_not_looked_at() -> None:
    text = "      match: {tool: terminal, toolset: x, args: {nobody: x}}"
    assert warnings_of(text, None) == []
    assert warnings_of(text, ["terminal"]) == []
    assert [it.key for it in warnings_of(text, {"terminal": ToolFacts("terminal", "shell")})] == [
        "policy.rules[0].match.toolset"
    ]


def test_a_toolset_with_an_old_name_that_a_tool_bears_is_fine() -> None:
    tools = {"old": spec("old", "web_tools", "url")}
    assert warnings_of("      match: {toolset: web_tools, args: {url: x}}", tools) == []


def test_the_arguments_of_an_exception_are_those_of_the_tools_that_the_rule_is_about() -> None:
    text = "      match: {tool: terminal}\n      unless: {args: {path: {under: /srv}}}"
    (problem,) = warnings_of(text)
    assert (problem.line, problem.key) == (6, "policy.rules[0].unless.args.path")


def test_declared_tools_are_understood() -> None:
    @tool(toolset="dice")
    def roll(sides: int = 6) -> str:
        """Roll a die."""
        return str(sides)

    anything = Tool.from_schema({"name": "anything", "parameters": {"type": "object"}}, lambda args: "")
    tools = {"roll": roll.spec, "anything": anything.spec}
    (problem,) = warnings_of("      match: {tool: roll, args: {side: 6}}", tools)
    assert problem.nearest == ("sides",)
    assert warnings_of("      match: {tool: anything, args: {side: 6}}", tools) == []


@pytest.mark.parametrize(
    ("matcher", "key", "words"),
    [
        ('{host: ".example.org"}', "host", "write '*.example.org'"),
        ('[{host: [a.org, ".example.org"]}]', "host", "write '*.example.org'"),
        ("{under: ~/projects/*}", "under", "name the directory"),
        ("{under: [/srv, $HOME/.ssh]}", "under", "variables are not"),
        ("{under: '${HOME}/.ssh'}", "under", "variables are not"),
        ('{regex: "\\bsudo\\b"}', "regex", "control character '\\x08'"),
        ('{glob: ["a*", "\\b*"]}', "glob", "control character '\\x08'"),
    ],
)
@pytest.mark.parametrize("action", ["deny", "allow"])
def test_a_word_that_can_never_hold_is_warned_about(matcher: str, key: str, words: str, action: str) -> None:
    text = f"      match:\n        args:\n          x: {matcher}\n"
    (problem,) = warnings_of(text, None, action)
    assert (problem.line, problem.key) == (7, f"policy.rules[0].match.args.x.{key}")
    assert words in problem.reason
    (problem,) = warnings_of(f"      match: {{tool: '*'}}\n      unless: {{args: {{x: {matcher}}}}}", None, action)
    assert problem.key == f"policy.rules[0].unless.args.x.{key}"


@pytest.mark.parametrize(
    "matcher", ["{regex: '\\bsudo\\b'}", '{regex: "a\\tb\\n"}', "{glob: 'a*[b]'}", "{contains: $HOME}"]
)
def test_words_that_only_look_odd_are_fine(matcher: str) -> None:
    assert warnings_of(f"      match: {{args: {{x: {matcher}}}}}", None) == []


@pytest.mark.parametrize(
    ("unless", "words"),
    [
        ("{tool: '*'}", "holds for every call"),
        ("{tool: [a, '*'], session: '*'}", "holds for every call"),
        ("{tool: terminal, args: {x: 1}}", "is the same as match"),
    ],
)
def test_an_exception_that_leaves_nothing_over_is_warned_about(unless: str, words: str) -> None:
    (problem,) = warnings_of(f"      match: {{tool: terminal, args: {{x: 1}}}}\n      unless: {unless}", None)
    assert (problem.line, problem.key) == (6, "policy.rules[0].unless")
    assert words in problem.reason


def test_an_exception_that_leaves_something_over_is_fine() -> None:
    for unless in ("{tool: '*', session: cron}", "{tool: terminal}", "{effect: read}"):
        assert warnings_of(f"      match: {{args: {{x: 1}}}}\n      unless: {unless}", None) == []
