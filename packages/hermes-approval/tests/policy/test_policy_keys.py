"""What rules can ask of a call: every key and every matcher, read from a real `config.yaml`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_approval.policy.call_facts import Subject, ToolFacts
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
from hermes_core import Hermes, hookimpl, tool
from hermes_files.yaml_document import parse_document

TERMINAL = ToolFacts("terminal", "shell", frozenset({"exec", "write"}))


def book(text: str) -> RuleSet:
    document = parse_document(Path("config.yaml"), text)
    found, problems = read_rules(document.data["policy"], file="config.yaml", line_of=document.line_of)
    assert not problems, [str(problem) for problem in problems]
    return found


def rule(match: str, *, action: str = "deny", more: str = "") -> RuleSet:
    return book(f"policy:\n  rules:\n    - name: it\n      action: {action}\n      match: {match}\n{more}")


def holds(match: str, args: dict[str, Any] | None = None, **facts: Any) -> bool:
    return len(rule(match).judge(Subject(TERMINAL, args or {}, **facts))) == 1


def holds_mildly(match: str, args: dict[str, Any]) -> bool:
    return len(rule(match, action="allow").judge(Subject(TERMINAL, args))) == 1


@pytest.mark.parametrize(
    ("match", "facts", "expected"),
    [
        ("{tool: terminal}", {}, True),
        ("{tool: term}", {}, False),
        ("{tool: 'term*'}", {}, True),
        ("{tool: '*'}", {}, True),
        ("{tool: [read_file, terminal]}", {}, True),
        ("{tool: [read_file, 'web_*']}", {}, False),
        ("{toolset: shell}", {}, True),
        ("{toolset: 'sh?ll'}", {}, True),
        ("{toolset: web}", {}, False),
        ("{source: application}", {}, True),
        ("{source: application}", {"source": "hermes-tools-web"}, False),
        ("{source: 'hermes-*'}", {"source": "hermes-tools-web"}, True),
        ("{effect: exec}", {}, True),
        ("{effect: [network, write]}", {}, True),
        ("{effect: [network, spend]}", {}, False),
        ("{session: cron}", {"session_kind": "cron"}, True),
        ("{session: [batch, cron]}", {"session_kind": "interactive"}, False),
        ("{origin: nested}", {"origin": "nested"}, True),
        ("{origin: nested}", {"origin": "direct"}, False),
        ("{tool: terminal, effect: exec, session: cron}", {"session_kind": "cron"}, True),
        ("{tool: terminal, effect: spend, session: cron}", {"session_kind": "cron"}, False),
    ],
)
def test_each_key_compares_one_fact_and_all_keys_must_hold(match: str, facts: dict[str, Any], expected: bool) -> None:
    assert holds(match, **facts) is expected


@pytest.mark.parametrize(
    ("matcher", "value", "expected"),
    [
        # equality is JSON's
        ("main", "main", True),
        ("main", "Main", False),
        ("5", 5, True),
        ("5", 5.0, True),
        ("5", "5", False),
        ("1", True, False),
        ("true", True, True),
        ("true", 1, False),
        ("null", None, True),
        ("[main, master]", "master", True),
        ("[main, master]", "dev", False),
        # globs cover the whole text, across lines
        ("{glob: 'git push*main*'}", "git push origin main", True),
        ("{glob: 'git push*main*'}", "cd x; git push origin main", False),
        ("{glob: '*push*'}", "a\ngit push\nb", True),
        ("{glob: 'a?c'}", "abc", True),
        ("{glob: '[xy]*'}", "yes", True),
        ("{glob: '[xy]*'}", "no", False),
        ("{glob: [a*, b*]}", "bc", True),
        ("{glob: '*é*'}", "café", True),
        ("{glob: '5*'}", 55, False),
        # regular expressions search anywhere
        ("{regex: 'push.*main'}", "git push origin main", True),
        ("{regex: '^push'}", "git push", False),
        ("{regex: '(?i)MAIN$'}", "push main\n", True),
        ("{regex: 'x'}", 5, False),
        # parts, sets, sizes, absence
        ("{contains: --force}", "git push --force", True),
        ("{contains: --force}", "git push", False),
        ("{contains: [a, b]}", "xbx", True),
        ("{in: [1, two, null]}", "two", True),
        ("{in: [1, two]}", 1.0, True),
        ("{in: [1, two]}", True, False),
        ("{over: 3}", 4, True),
        ("{over: 3}", 3, False),
        ("{over: 3}", "long", True),
        ("{over: 1}", ["a", "b"], True),
        ("{over: 1}", {"a": 1, "b": 2}, True),
        ("{below: 3}", 2.5, True),
        ("{below: 3}", "abc", False),
        ("{below: 3}", True, False),
        ("{below: 3}", None, False),
        ("{over: 1, below: 5}", 3, True),
        ("{over: 1, below: 5}", 7, False),
        ("{over: 1}", float("nan"), True),
        ("{missing: true}", None, True),
        ("{missing: true}", "", False),
        ("{missing: false}", "x", True),
        # what is within counts, at any depth, keys included
        ("{contains: evil}", ["fine", ["evil"]], True),
        ("{contains: evil}", {"a": {"b": ["evil"]}}, True),
        ("{contains: evil}", {"evil": 1}, True),
        ("main", ["dev", "main"], True),
        ("{glob: 'a*'}", [], False),
    ],
)
def test_each_matcher_judges_an_argument(matcher: str, value: Any, expected: bool) -> None:
    assert holds(f"{{args: {{x: {matcher}}}}}", {"x": value}) is expected


def test_an_argument_that_is_not_given_fits_nothing_but_missing() -> None:
    for matcher in ("main", "null", "{glob: '*'}", "{regex: '.*'}", "{below: 5}"):
        assert not holds(f"{{args: {{x: {matcher}}}}}", {})
    assert holds("{args: {x: {missing: true}}}", {})
    assert not holds("{args: {x: {missing: false}}}", {})


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"a": "x", "b": "secret"}, True),
        ({"deep": [{"list": [["secret"]]}]}, True),
        ({"deep": {"a secret key": 1}}, True),
        ({"secret": "the names of arguments are the tool's own"}, False),
        ({"a": 5, "b": None, "c": []}, False),
        ({}, False),
    ],
)
def test_a_star_looks_into_every_argument(args: dict[str, Any], expected: bool) -> None:
    assert holds('{args: {"*": {contains: secret}}}', args) is expected


def test_a_star_finds_numbers_and_sizes_as_well() -> None:
    assert holds('{args: {"*": 7}}', {"a": [1, {"b": 7}]})
    assert holds('{args: {"*": {over: 1000}}}', {"a": ["x" * 1001]})
    assert not holds('{args: {"*": {over: 1000}}}', {"a": ["x" * 1000]})


@pytest.mark.parametrize(
    ("matcher", "args", "expected"),
    [
        ("{glob: '/work/*'}", {"a": "/work/a", "b": "/work/b"}, True),
        ("{glob: '/work/*'}", {"a": "/work/a", "b": "/etc/passwd"}, False),
        ("{glob: '/work/*'}", {"a": "/work/a", "deep": [{"b": "/etc/passwd"}]}, False),
        ("{glob: '/work/*'}", {"a": "/work/a", "deep": [{"b": "/work/b"}]}, True),
        ("{glob: '/work/*'}", {}, False),
        ("{glob: '/work/*'}", {"a": []}, False),
        # true, false and null are no texts; a number might be put into one
        ("{glob: '/work/*'}", {"a": "/work/a", "b": True, "c": None}, True),
        ("{glob: '/work/*'}", {"b": True, "c": None}, False),
        ("{glob: '/work/*'}", {"a": "/work/a", "b": 5}, False),
        ("{regex: '^a'}", {"a": "ab", "b": "ba"}, False),
        ("{contains: a}", {"a": "ab", "b": "b"}, False),
        ("{under: /srv}", {"a": "/srv/x", "b": "/srv/../etc"}, False),
        ("{under: /srv}", {"a": "/srv/x", "b": False}, True),
        ("{host: example.org}", {"a": "https://example.org", "b": "https://evil.com"}, False),
        ("{host: example.org}", {"a": "https://example.org", "b": 2130706433}, False),
        # equality is about every value
        ("main", {"a": "main", "b": ["main"]}, True),
        ("main", {"a": "main", "b": None}, False),
        ("{in: [1, null]}", {"a": 1, "b": None}, True),
        ("{in: [1, 2]}", {"a": 1, "b": True}, False),
        # so are sizes, where there is one
        ("{below: 5}", {"a": 1, "b": "abc", "c": None}, True),
        ("{below: 5}", {"a": 1, "b": "abcdef"}, False),
        ("{below: 5}", {"a": 1, "b": float("nan")}, False),
        ("{over: 1, below: 5}", {"a": 2, "b": 4}, True),
        ("{over: 1, below: 5}", {"a": 2, "b": 7}, False),
    ],
)
def test_where_holding_lets_a_call_go_a_star_means_all_of_them(
    matcher: str, args: dict[str, Any], expected: bool
) -> None:
    assert holds_mildly(f'{{args: {{"*": {matcher}}}}}', args) is expected
    rules = rule("{tool: terminal}", more=f'      unless: {{args: {{"*": {matcher}}}}}\n')
    assert (rules.judge(Subject(TERMINAL, args)).action is None) is expected


def test_in_doubt_a_rule_takes_the_stricter_side() -> None:
    mixed = {"paths": ["/work/a", "/etc/passwd"]}
    assert holds("{args: {paths: {glob: '/etc/*'}}}", mixed)
    assert not holds_mildly("{args: {paths: {glob: '/work/*'}}}", mixed), "one path outside is enough"
    assert holds_mildly("{args: {paths: {glob: '/work/*'}}}", {"paths": ["/work/a", "/work/b"]})
    assert not holds_mildly("{args: {paths: {glob: '/work/*'}}}", {"paths": []})
    too_long = {"command": "x" * 1_000_001}
    assert holds("{args: {command: {regex: evil}}}", too_long)
    assert not holds_mildly("{args: {command: {regex: fine}}}", too_long)
    half = {"command": "fine \ud800"}
    assert holds("{args: {command: {regex: evil}}}", half)
    assert not holds_mildly("{args: {command: {regex: fine}}}", half)
    odd = {"url": "\u00a0http://169.254.169.0xfe/"}
    assert holds("{args: {url: {host: 169.254.169.254}}}", odd)
    assert not holds_mildly("{args: {url: {host: 169.254.169.254}}}", odd)
    assert holds("{args: {path: {under: /nowhere}}}", {"path": "file:///nowhere/x"})
    assert not holds_mildly("{args: {path: {under: /nowhere}}}", {"path": "file:///nowhere/x"})


def test_an_exception_of_a_deny_must_hold_for_every_item() -> None:
    rules = rule("{tool: terminal}", more="      unless: {args: {paths: {glob: '/work/*'}}}\n")
    assert rules.judge(Subject(TERMINAL, {"paths": ["/work/a"]})).action is None
    assert rules.judge(Subject(TERMINAL, {"paths": ["/work/a", "/etc/shadow"]})).action == "deny"
    assert rules.judge(Subject(TERMINAL, {})).action == "deny"


def test_unless_holds_as_a_whole() -> None:
    rules = rule("{effect: exec}", more="      unless: {session: cron, args: {command: ls}}\n")
    assert rules.judge(Subject(TERMINAL, {"command": "ls"})).action == "deny"
    assert rules.judge(Subject(TERMINAL, {"command": "rm"}, session_kind="cron")).action == "deny"
    assert rules.judge(Subject(TERMINAL, {"command": "ls"}, session_kind="cron")).action is None


def test_time_is_the_time_of_the_call() -> None:
    match = '{time: {after: "22:00", before: "06:00"}}'
    assert holds(match, when=datetime(2024, 5, 3, 23, 0))
    assert not holds(match, when=datetime(2024, 5, 3, 12, 0))
    either = '{time: [{before: "01:00"}, {after: "23:00"}]}'
    assert holds(either, when=datetime(2024, 5, 3, 23, 30))
    assert not holds(either, when=datetime(2024, 5, 3, 12, 0))


def test_a_subject_is_made_of_a_call_in_the_pipeline() -> None:
    seen: list[Subject] = []

    @tool(toolset="dice", effects={"write"})
    def roll(sides: int = 6) -> str:
        """Roll a die."""
        return str(sides)

    class Watcher:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> None:
            seen.append(Subject.of(call))

    with Hermes(plugins=[Watcher()], tools=[roll]) as hermes:
        hermes.call("roll", {"sides": 4})
    subject = seen[0]
    assert (subject.tool.name, subject.tool.toolset, subject.tool.effects) == ("roll", "dice", frozenset({"write"}))
    assert dict(subject.args) == {"sides": 4}
    assert (subject.source, subject.session_kind, subject.origin) == ("application", "interactive", "direct")
    assert abs((datetime.now() - subject.when).total_seconds()) < 60


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
EVERYTHING = book(
    """
policy:
  rules:
    - {name: a, action: deny, match: {args: {x: {glob: '*a[b-c]?*'}}}}
    - {name: b, action: ask, match: {args: {x: {regex: '(a+)+\\b$'}}}}
    - {name: c, action: deny, match: {args: {x: {under: ~/.ssh}}}, unless: {args: {x: {under: /tmp}}}}
    - {name: d, action: deny, match: {args: {x: {host: ['*.example.org', 'bücher.de', '::1']}}}}
    - {name: e, action: allow, match: {args: {x: {host: example.org}}}}
    - {name: f, action: ask, match: {args: {x: {over: 3, below: 10}}}}
    - {name: g, action: ask, match: {args: {x: {missing: true}}}}
    - {name: h, action: ask, match: {args: {x: [1, a, null, true, {in: [1.5, b]}]}}}
    - {name: i, action: deny, match: {args: {"*": {contains: e}}}}
    - {name: j, action: deny, match: {args: {"*": {under: /etc}}}}
    - {name: k, action: allow, match: {args: {"*": {host: '*'}}}, lifts: ['policy.*']}
    - {name: l, action: deny, match: {args: {"*": {regex: '^\\s*$|\\Bx'}, y: {over: 1}}}}
"""
)


@given(args=st.dictionaries(st.sampled_from(["x", "y", "z"]) | st.text(), json_values, max_size=4))
def test_judging_never_raises_whatever_the_arguments_are(args: dict[str, Any]) -> None:
    verdicts = EVERYTHING.judge(Subject(TERMINAL, args))
    assert verdicts.action in (None, "allow", "ask", "deny")
    assert verdicts.findings() is not None


@pytest.mark.parametrize("text", ["\x00", "\ud800", "~", "~nobody-of-that-name/x", "//", "http://[", "x" * 70_000])
def test_odd_texts_are_judged_like_others(text: str) -> None:
    verdicts = EVERYTHING.judge(Subject(TERMINAL, {"x": text, "y": [text, {text: text}]}))
    assert verdicts.action in (None, "allow", "ask", "deny")


def test_arguments_may_nest_as_deep_as_they_like() -> None:
    value: Any = "evil"
    for _ in range(20_000):
        value = [value]
    assert holds('{args: {"*": {contains: evil}}}', {"a": value})
    assert holds("{args: {a: evil}}", {"a": value})


def test_more_values_than_anybody_writes_count_as_a_doubt() -> None:
    many = {"a": [0] * 1_000_001}
    assert holds('{args: {"*": {contains: evil}}}', many)
    assert not holds_mildly("{args: {a: 0}}", many)
