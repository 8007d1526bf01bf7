"""What follows from the rules that match: the strictest word wins, and an allow lifts only what it names."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_approval.policy.call_facts import Subject, ToolFacts
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
from hermes_core import Deny, Finding
from hermes_core.calls.policy import Denial, weigh

CALL = Subject(ToolFacts("terminal", "shell", frozenset({"exec"})), {"command": "ls"})
EVERYTHING = {"tool": "*"}


def book(*rules: dict[str, Any], shadow: bool = False) -> RuleSet:
    entries = [{"match": EVERYTHING, **rule} for rule in rules]
    found, problems = read_rules({"rules": entries, "shadow": shadow}, file="c.yaml", line_of=len)
    assert not [problem for problem in problems if problem.level == "error"], problems
    return found


def ask(rule: str, severity: Any = "ask") -> Finding:
    return Finding(rule=rule, severity=severity, reason="r")


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([], None),
        (["allow"], "allow"),
        (["allow", "ask"], "ask"),
        (["ask", "allow"], "ask"),
        (["deny", "ask", "allow"], "deny"),
        (["allow", "deny"], "deny"),
    ],
)
def test_the_strictest_action_wins(actions: list[str], expected: str | None) -> None:
    rules = [{"name": f"r{index}", "action": action} for index, action in enumerate(actions)]
    assert book(*rules).judge(CALL).action == expected


POOL: list[dict[str, Any]] = [
    {"name": "a", "action": "allow"},
    {"name": "b", "action": "allow", "lifts": ["policy.d"]},
    {"name": "c", "action": "allow", "lifts": "policy.*", "shadow": True},
    {"name": "d", "action": "ask"},
    {"name": "e", "action": "ask", "shadow": True},
    {"name": "f", "action": "deny", "shadow": True},
    {"name": "g", "action": "deny", "match": {"tool": "other"}},
    {"name": "h", "action": "deny"},
]


@given(st.permutations(POOL), st.integers(0, len(POOL)))
def test_the_order_of_rules_decides_nothing(rules: list[dict[str, Any]], count: int) -> None:
    chosen = rules[:count]
    ordered = sorted(chosen, key=lambda rule: str(rule["name"]))
    one, other = book(*chosen).judge(CALL), book(*ordered).judge(CALL)
    assert one.action == other.action
    assert {finding.rule for finding in one.findings()} == {finding.rule for finding in other.findings()}
    assert set(one.denials) == set(other.denials)
    assert one.lifts(ask("policy.d")) == other.lifts(ask("policy.d"))


def test_every_rule_that_matched_is_told_in_the_order_of_the_file() -> None:
    verdicts = book(
        {"name": "first", "action": "ask", "reason": "Why."},
        {"name": "none", "action": "deny", "match": {"tool": "other"}},
        {"name": "last", "action": "deny"},
    ).judge(CALL)
    assert [
        (each.rule.name, each.rule.action, each.rule.reason, each.rule.place, each.shadowed) for each in verdicts
    ] == [
        ("first", "ask", "Why.", "c.yaml:3", False),
        ("last", "deny", "The rule 'last' denies this call.", "c.yaml:3", False),
    ]
    assert len(verdicts) == 2
    assert verdicts.denials == (Deny("The rule 'last' denies this call.", rule="policy.last"),)
    assert verdicts.findings() == (
        Finding(rule="policy.first", severity="ask", reason="Why.", effects=frozenset({"exec"})),
    )


def test_the_gate_understands_what_rules_say() -> None:
    denied = book({"name": "no", "action": "deny", "reason": "Not here."}).judge(CALL)
    decision = weigh([Denial(each.rule, each.reason) for each in denied.denials], denied.findings())
    assert decision is not None
    assert (decision.outcome, decision.by, decision.reason) == ("denied-by-policy", "policy.no", "Not here.")
    asked = book({"name": "hm", "action": "ask"}).judge(CALL)
    assert weigh([], asked.findings()) is None, "somebody has to be asked"


@pytest.mark.parametrize(
    ("lifts", "finding", "expected"),
    [
        (["delete.recursive"], ask("delete.recursive"), True),
        (["delete.*"], ask("delete.recursive"), True),
        (["git.*", "delete.*"], ask("delete.recursive"), True),
        ("delete.*", ask("delete.recursive"), True),
        (["delete"], ask("delete.recursive"), False),
        (["*"], ask("anything"), True),
        (["*"], ask("anything", "refuse"), False),
        (["*"], ask("anything", "note"), False),
    ],
)
def test_an_allow_lifts_the_asks_that_it_names_and_never_a_refusal(
    lifts: Any, finding: Finding, expected: bool
) -> None:
    assert book({"name": "ok", "action": "allow", "lifts": lifts}).judge(CALL).lifts(finding) is expected


def test_a_plain_allow_lifts_nothing() -> None:
    verdicts = book({"name": "ok", "action": "allow"}, {"name": "hm", "action": "ask"}).judge(CALL)
    assert not verdicts.lifts(ask("delete.recursive"))
    assert verdicts.action == "ask"


def test_an_allow_can_lift_the_ask_of_a_rule_and_never_a_deny() -> None:
    lifting = {"name": "ok", "action": "allow", "lifts": ["policy.*"]}
    verdicts = book({"name": "hm", "action": "ask"}, lifting).judge(CALL)
    assert (verdicts.action, verdicts.findings()) == ("allow", ())
    verdicts = book({"name": "no", "action": "deny"}, lifting).judge(CALL)
    assert (verdicts.action, len(verdicts.denials)) == ("deny", 1)


def test_an_allow_that_does_not_match_lifts_nothing() -> None:
    lifting = {"name": "ok", "action": "allow", "lifts": ["policy.*"], "match": {"tool": "other"}}
    assert book({"name": "hm", "action": "ask"}, lifting).judge(CALL).action == "ask"


def test_a_rule_in_shadow_only_says_what_it_would_have_done() -> None:
    verdicts = book(
        {"name": "no", "action": "deny", "shadow": True, "reason": "Too early."},
        {"name": "ok", "action": "allow", "shadow": True, "lifts": ["*"]},
        {"name": "hm", "action": "ask"},
    ).judge(CALL)
    assert verdicts.action == "ask"
    assert verdicts.denials == ()
    assert not verdicts.lifts(ask("x"))
    assert [(note.rule, note.severity, note.reason) for note in verdicts.notes()] == [
        ("policy.no", "note", "The rule 'no' would have denied this call: Too early."),
    ]


def test_a_book_in_shadow_shadows_all_its_rules() -> None:
    rules = ({"name": "no", "action": "deny"}, {"name": "hm", "action": "ask"})
    verdicts = book(*rules, shadow=True).judge(CALL)
    assert (verdicts.action, verdicts.denials, verdicts.findings()) == (None, (), ())
    assert [each.shadowed for each in verdicts] == [True, True]
    assert len(verdicts.notes()) == 2


def test_no_rules_have_no_opinion() -> None:
    verdicts = RuleSet().judge(CALL)
    assert (verdicts.action, len(verdicts), verdicts.findings()) == (None, 0, ())


def test_a_tool_is_not_taken_for_another_of_its_name() -> None:
    rules = book({"name": "no", "action": "deny", "match": {"toolset": "shell", "effect": "exec", "source": "mine"}})

    def judged(*facts: Any, source: str = "mine") -> str | None:
        return rules.judge(Subject(ToolFacts("terminal", *facts), {}, source=source)).action

    assert judged("shell", frozenset({"exec"})) == "deny"
    assert judged("web", frozenset({"exec"})) is None
    assert judged("shell", frozenset({"read"})) is None
    assert judged("shell", frozenset({"exec"}), source="other") is None
    assert judged("shell", frozenset({"exec"})) == "deny"


def test_what_is_remembered_of_tools_stays_bounded() -> None:
    rules = book({"name": "no", "action": "deny", "match": {"tool": "t1*"}})
    for number in range(5000):
        expected = "deny" if str(number).startswith("1") else None
        assert rules.judge(Subject(ToolFacts(f"t{number}"), {})).action == expected
    assert len(rules._about) <= 2000


def test_a_tool_that_no_rule_is_about_costs_almost_nothing() -> None:
    rules = book(
        *(
            {"name": f"r{n}", "action": "deny", "match": {"tool": [f"t{n}", f"u{n}*"], "args": {"x": {"regex": "a+"}}}}
            for n in range(50)
        )
    )
    one = book({"name": "it", "action": "deny", "match": {"tool": "terminal", "args": {"command": {"contains": "x"}}}})

    def seconds(judge: Any) -> float:
        started = time.perf_counter()
        for _ in range(2000):
            judge(CALL)
        return time.perf_counter() - started

    fifty_strangers = min(seconds(rules.judge) for _ in range(5))
    one_candidate = min(seconds(one.judge) for _ in range(5))
    assert fifty_strangers < one_candidate
