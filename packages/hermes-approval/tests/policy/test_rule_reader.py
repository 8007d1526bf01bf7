"""Every mistake in a rule is found at once, with its line, its key and what was probably meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_approval.policy.call_facts import ToolFacts
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
from hermes_approval.settings_schema import EXAMPLE_RULE, POLICY_SECTION
from hermes_core.config.config import Config
from hermes_core.config.setting_problems import ConfigProblem
from hermes_files.yaml_document import parse_document

HEAD = "policy:\n  rules:\n    - name: it\n"


def read(text: str, known_tools: Any = None) -> tuple[RuleSet, list[ConfigProblem]]:
    document = parse_document(Path("config.yaml"), text)
    return read_rules(
        document.data.get("policy"), file="config.yaml", line_of=document.line_of, known_tools=known_tools
    )


def only_problem(text: str, known_tools: Any = None) -> ConfigProblem:
    _, problems = read(text, known_tools)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("policy: 5", 1, "policy", "is 5, not a section"),
        ("policy:\n  rulez: []", 2, "policy.rulez", "no such key. Did you mean 'rules'?"),
        ("policy:\n  nonsense: []", 2, "policy.nonsense", "The keys are shadow, rules."),
        ("policy:\n  shadow: maybe", 2, "policy.shadow", "is 'maybe', not true or false"),
        ("policy:\n  rules: {}", 2, "policy.rules", "not a list of rules"),
        ("policy:\n  rules:\n    - deny", 3, "policy.rules[0]", "is 'deny', not a rule"),
    ],
)
def test_a_section_that_cannot_be_read_is_told_with_its_line(text: str, line: int, key: str, words: str) -> None:
    problem = only_problem(text)
    assert (problem.level, problem.file, problem.line, problem.key) == ("error", "config.yaml", line, key)
    assert words in str(problem)


GOOD = HEAD + "      action: deny\n      match: {tool: terminal}\n"  # lines 1 to 5


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        # the parts of a rule
        (HEAD + "      match: {tool: x}", 3, "action", "is required: allow, ask or deny"),
        (HEAD + "      match: {tool: x}\n      action: denny", 5, "action", "Did you mean 'deny'?"),
        (HEAD + "      match: {tool: x}\n      action: [deny]", 5, "action", "is ['deny']: allow, ask or deny"),
        (HEAD + "      action: deny", 3, "match", "is required. To match every call write tool: '*'"),
        (HEAD + "      action: deny\n      match: {}", 5, "match", "is {}, not keys to compare. To match every call"),
        (HEAD + "      action: deny\n      match: terminal", 5, "match", "is 'terminal', not keys to compare"),
        (GOOD + "      unless: {}", 6, "unless", "is {}, not keys to compare"),
        (GOOD + "      reason: [a]", 6, "reason", "is ['a'], not a text"),
        (GOOD + "      shadow: 1", 6, "shadow", "is 1, not true or false"),
        (GOOD + "      lifts: [x]", 6, "lifts", "only a rule with action allow can have lifts"),
        (GOOD + "      lift: [x]", 6, "lift", "Did you mean 'lifts'?"),
        (GOOD + "      not_match: {tool: x}", 6, "not_match", "there is no such key"),
        (GOOD + "      5: x", 6, "[5]", "there is no such key"),
        (GOOD + "      examples: [a]", 6, "examples", "is ['a'], not examples"),
        (GOOD + "      examples:\n        matches: []", 7, "examples.matches", "Did you mean 'match'"),
        (GOOD + "      examples:\n        match: 5", 7, "examples.match", "is 5, not a list of texts"),
        (GOOD + "      examples:\n        match:\n          - a: 1", 8, "examples.match[0]", "needs quotes"),
        # the keys of a condition
        (HEAD + "      action: ask\n      match:\n        tol: x", 6, "match.tol", "Did you mean 'tool'"),
        (HEAD + "      action: ask\n      match:\n        zzz: x", 6, "match.zzz", "The keys are tool, toolset"),
        (HEAD + "      action: ask\n      match:\n        tool: 5", 6, "match.tool", "is 5, not a name"),
        (HEAD + "      action: ask\n      match:\n        tool: []", 6, "match.tool", "is an empty list"),
        (HEAD + "      action: ask\n      match:\n        effect: wrte", 6, "match.effect", "Did you mean 'write'?"),
        (HEAD + "      action: ask\n      match:\n        args: x", 6, "match.args", "not arguments with matchers"),
        (HEAD + "      action: ask\n      match:\n        args: {5: x}", 6, "match.args[5]", "put it in quotes"),
        (HEAD + "      action: ask\n      match:\n        time: {after: 22:00}", 6, "match.time.after", "in quotes"),
        (GOOD + "      unless:\n        tool: x\n        sesion: y", 8, "unless.sesion", "Did you mean 'session'?"),
    ],
)
def test_a_mistake_in_a_rule_is_told_with_its_line(text: str, line: int, key: str, words: str) -> None:
    problem = only_problem(text)
    dot = "" if key.startswith("[") else "."
    assert (problem.level, problem.line, problem.key) == ("error", line, f"policy.rules[0]{dot}{key}")
    assert words in str(problem)


@pytest.mark.parametrize(
    ("matcher", "key", "words"),
    [
        ("{globb: x}", "x.globb", "there is no such matcher. Did you mean 'glob'?"),
        ("{zzz: x}", "x.zzz", "The matchers are glob, regex, under"),
        ("{5: x}", "x[5]", "there is no such matcher"),
        ("{}", "x", "is an empty object"),
        ("[]", "x", "is an empty list"),
        ("[[a]]", "x[0]", "not a value or a matcher"),
        ("[ok, {regex: '('}]", "x[1].regex", "not a regular expression"),
        ("{glob: 5}", "x.glob", "is 5, not a text"),
        ("{glob: ''}", "x.glob", "not a text"),
        ("{glob: []}", "x.glob", "is an empty list"),
        ("{regex: 5}", "x.regex", "not a text"),
        ("{regex: '(a)\\1'}", "x.regex", "refers back to a group"),
        ("{regex: 'a(?=b)'}", "x.regex", "looks ahead or behind"),
        ("{under: 5}", "x.under", "not a text"),
        ("{host: 'https://x'}", "x.host", "is not a host"),
        ("{host: []}", "x.host", "is an empty list"),
        ("{in: x}", "x.in", "not a list of values"),
        ("{in: []}", "x.in", "not a list of values"),
        ("{in: [{a: 1}]}", "x.in", "not a value or a matcher"),
        ("{contains: 5}", "x.contains", "not a text"),
        ("{missing: maybe}", "x.missing", "is 'maybe'"),
        ("{over: x}", "x.over", "is 'x', not a number"),
        ("{over: true}", "x.over", "not a number"),
        ("{below: .nan}", "x.below", "not a number"),
    ],
)
def test_a_matcher_that_cannot_be_is_told_with_its_line(matcher: str, key: str, words: str) -> None:
    text = HEAD + f"      action: ask\n      match:\n        tool: terminal\n        args:\n          x: {matcher}"
    problem = only_problem(text)
    assert (problem.line, problem.key) == (8, f"policy.rules[0].match.args.{key}")
    assert words in str(problem)


def test_a_star_cannot_be_missing() -> None:
    problem = only_problem(HEAD + '      action: ask\n      match: {args: {"*": {missing: true}}}')
    assert "an argument has to be named" in str(problem)


@pytest.mark.parametrize("name", ["", "5", "a b", "[a]", "~", "'-x'"])
def test_a_rule_needs_a_name_that_findings_can_bear(name: str) -> None:
    problem = only_problem(f"policy:\n  rules:\n    - action: deny\n      match: {{tool: x}}\n      name: {name}")
    assert (problem.line, problem.key) == (5, "policy.rules[0].name")
    assert "a name of letters" in problem.reason


def test_two_rules_cannot_share_a_name() -> None:
    problem = only_problem(GOOD + "    - {name: it, action: ask, match: {tool: x}}")
    assert (problem.line, problem.key) == (6, "policy.rules[1].name")
    assert "config.yaml:3" in problem.reason


def test_all_mistakes_are_told_at_once_and_a_broken_rule_is_not_in_the_book() -> None:
    found, problems = read(
        """
policy:
  rules:
    - name: broken
      action: denny
      match: {tol: x, args: {a: {globb: x}, b: {over: x}}}
    - name: good
      action: deny
      match: {tool: terminal}
    - {name: [odd], action: ask, match: {tool: x}, lifts: 5}
"""
    )
    assert [(problem.line, problem.key) for problem in problems] == [
        (5, "policy.rules[0].action"),
        (6, "policy.rules[0].match.tol"),
        (6, "policy.rules[0].match.args.a.globb"),
        (6, "policy.rules[0].match.args.b.over"),
        (10, "policy.rules[2].name"),
        (10, "policy.rules[2].lifts"),
    ]
    assert [(rule.name, rule.place) for rule in found.rules] == [("good", "config.yaml:7")]


def test_names_that_do_not_exist_are_warned_about() -> None:
    text = """
policy:
  rules:
    - name: ask-first
      action: ask
      match: {tool: terminl}
    - name: ok
      action: allow
      match: {tool: ['term*', 'zzz*'], origin: nestd, session: crn}
      lifts: [policy.ask-frist, 'policy.*', delete.recursive]
"""
    found, problems = read(text, ["terminal", "read_file"])
    assert {problem.level for problem in problems} == {"warning"}
    assert [(problem.line, problem.nearest) for problem in problems] == [
        (6, ("terminal",)),
        (9, ()),
        (9, ("nested",)),
        (9, ("cron",)),
        (10, ("policy.ask-first",)),
    ]
    assert len(found.rules) == 2, "the tool may come tomorrow"


def test_other_kinds_of_sessions_are_no_mistake() -> None:
    assert read(HEAD + "      action: ask\n      match: {session: telegram}")[1] == []


def test_no_section_is_an_empty_book() -> None:
    for text in ("", "policy:", "policy: {}", "policy: {rules: }"):
        found, problems = read(text)
        assert (found.rules, found.shadow, problems) == ((), False, [])


# -- examples ----------------------------------------------------------------------------------------------------

PUSHES = """
policy:
  rules:
    - name: no-pushes
      action: deny
      match: {tool: terminal, args: {command: {glob: "git push*"}}}
      examples:
        match:
          - 'terminal {"command": "git push"}'
          - %s
        not_match:
          - terminal command=ls
          - %s
"""


def test_examples_that_hold_are_silent() -> None:
    found, problems = read(PUSHES % ("terminal command='git push x'", "read_file path=x"))
    assert problems == []
    assert found.rules[0].examples.match[1] == "terminal command='git push x'"


def test_an_example_that_does_not_match_names_the_rule_the_example_and_the_key() -> None:
    problem = only_problem(PUSHES % ("terminal command=ls", "x"))
    assert (problem.line, problem.key) == (10, "policy.rules[0].examples.match[1]")
    assert problem.reason == (
        "rule 'no-pushes' does not match its example 'terminal command=ls': "
        "args.command does not match glob 'git push*'."
    )


def test_an_example_that_should_not_match_and_does_is_a_mistake() -> None:
    problem = only_problem(PUSHES % ("""'terminal {"command": "git push"}'""", "\"terminal command='git push'\""))
    assert (problem.line, problem.key) == (13, "policy.rules[0].examples.not_match[1]")
    assert "matches \"terminal command='git push'\", which is under not_match" in problem.reason


def test_an_example_that_is_no_call_is_a_mistake() -> None:
    problem = only_problem(PUSHES % ("'terminal {oops'", "x"))
    assert problem.line == 10
    assert "cannot be read as JSON" in problem.reason


def test_a_rule_whose_examples_fail_is_not_in_the_book() -> None:
    found, _ = read(PUSHES % ("terminal command=ls", "x"))
    assert found.rules == ()


def example_rule(match: str, more: str = "") -> str:
    return HEAD + f"      action: ask\n      match: {match}\n{more}      examples: {{match: [terminal x=1]}}\n"


def test_examples_take_for_granted_what_they_cannot_tell() -> None:
    granted = '{session: cron, origin: nested, source: mine, time: {after: "22:00"}, toolset: shell, effect: exec}'
    assert read(example_rule(granted))[1] == []
    assert read(example_rule("{tool: terminal}", "      unless: {session: interactive}\n"))[1] == []
    problem = only_problem(example_rule("{tool: terminal}", "      unless: {args: {x: 1}}\n"))
    assert "unless holds: args.x 1" in problem.reason


def test_examples_know_the_effects_of_known_tools() -> None:
    tools = {"terminal": ToolFacts("terminal", "shell", frozenset({"exec"}))}
    assert read(example_rule("{effect: exec, toolset: shell}"), tools)[1] == []
    problem = only_problem(example_rule("{effect: network}"), tools)
    assert "effect is 'exec', the rule requires 'network'" in problem.reason


# -- the section for `hermes config` -------------------------------------------------------------------------------


def test_the_section_has_defaults_and_descriptions() -> None:
    assert POLICY_SECTION.defaults() == {"shadow": False, "rules": []}
    for key in ("shadow", "rules"):
        part = POLICY_SECTION.find((key,))
        assert part is not None
        assert part["description"]


def test_the_example_of_the_section_is_a_good_rule(tmp_path: Path) -> None:
    config = Config(tmp_path, sections=[POLICY_SECTION], environ={})
    config.set("policy.rules", [EXAMPLE_RULE])
    assert config.problems() == []
    found, problems = read((tmp_path / "config.yaml").read_text())
    assert problems == []
    assert found.rules[0].name == "no-pushes-to-main"


def test_the_section_refuses_what_has_the_wrong_type(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("policy:\n  shadow: maybe\n  rules:\n    - {name: a, action: denny}\n")
    config = Config(tmp_path, sections=[POLICY_SECTION], environ={})
    assert [problem.line for problem in config.problems()] == [2, 4]
