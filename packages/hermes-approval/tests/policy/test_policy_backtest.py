"""New rules on old calls: every flip is found, and what cannot be judged is counted."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from hermes_approval.policy.backtest import backtest
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet


def book(*rules: dict[str, Any]) -> RuleSet:
    found, problems = read_rules({"rules": list(rules)}, file="c.yaml", line_of=lambda steps: 1)
    assert not problems, problems
    return found


def entry(command: str = "ls", **more: Any) -> dict[str, Any]:
    return {
        "tool": "terminal",
        "toolset": "shell",
        "effects": ["exec"],
        "source": "application",
        "args": {"command": command},
        "session_kind": "interactive",
        "origin": "direct",
        "at": "2024-05-03T12:00:00",
        "decision": "allowed",
        **more,
    }


PUSHES = {"tool": "terminal", "args": {"command": {"glob": "git push*"}}}
NO_PUSHES = {"name": "no-pushes", "action": "deny", "match": PUSHES}
ASK_PUSHES = {"name": "ask-pushes", "action": "ask", "match": PUSHES}


def test_every_flip_is_listed_with_all_of_its_calls() -> None:
    calls = [entry("ls"), entry("git push 1", id="a"), entry("git status"), entry("git push 2"), entry("git push 1")]
    found = backtest(book(ASK_PUSHES), book(NO_PUSHES), calls)
    assert (found.judged, found.changed, found.skipped, len(found.flips)) == (5, 3, {}, 1)
    flip = found.flips[0]
    assert (flip.before, flip.after, flip.by, flip.count) == ("ask", "deny", ("no-pushes",), 3)
    assert flip.calls == [calls[1], calls[3], calls[4]]
    told = found.as_dict()["flips"][0]
    assert [call["args"]["command"] for call in told["calls"]] == ["git push 1", "git push 2", "git push 1"]
    assert told["calls"][0] == {"id": "a", "at": calls[1]["at"], "tool": "terminal", "args": calls[1]["args"]}
    limited = found.as_dict(limit=1)["flips"][0]
    assert (limited["count"], len(limited["calls"])) == (3, 1)


def test_a_rule_that_is_gone_is_named_as_the_cause() -> None:
    found = backtest(book(NO_PUSHES), RuleSet(), [entry("git push")])
    assert [(flip.before, flip.after, flip.by) for flip in found.flips] == [("deny", None, ("no-pushes",))]


@pytest.mark.parametrize(
    ("rule", "cut", "unsure"),
    [
        (NO_PUSHES, ["command"], True),
        (NO_PUSHES, ["*"], True),
        (NO_PUSHES, "damaged", True),
        (NO_PUSHES, [5], True),
        (NO_PUSHES, ["note"], False),
        (NO_PUSHES, [], False),
        ({"name": "r", "action": "deny", "match": {"args": {"*": {"glob": "git*"}}}}, ["note"], True),
        ({**NO_PUSHES, "match": {"tool": "terminal"}, "unless": {"args": {"note": "x"}}}, ["note"], True),
        ({"name": "r", "action": "deny", "match": {"tool": "terminal"}}, ["*"], False),
        ({**NO_PUSHES, "match": {"tool": "other", "args": {"command": "x"}}}, ["*"], False),
    ],
)
def test_a_call_is_not_judged_by_what_was_cut(rule: dict[str, Any], cut: object, unsure: bool) -> None:
    record = entry("git push", args_cut=cut)
    for before, after in ((RuleSet(), book(rule)), (book(rule), RuleSet())):
        found = backtest(before, after, [record])
        assert (found.judged, found.unsure) == ((0, (record,)) if unsure else (1, ()))
        assert found.as_dict()["unsure"]["count"] == unsure
        if unsure:
            assert found.flips == ()


def test_the_same_word_from_another_rule_is_no_flip() -> None:
    assert backtest(book(NO_PUSHES), book({**NO_PUSHES, "name": "other"}), [entry("git push")]).flips == ()


def test_frequent_flips_come_first() -> None:
    deletes = {"name": "no-deletes", "action": "deny", "match": {"args": {"command": {"glob": "rm *"}}}}
    calls = [entry("rm x"), entry("git push"), entry("git push")]
    found = backtest(RuleSet(), book(deletes, NO_PUSHES), calls)
    assert [(flip.by, flip.count) for flip in found.flips] == [(("no-pushes",), 2), (("no-deletes",), 1)]


def test_a_rule_in_shadow_flips_nothing() -> None:
    assert backtest(RuleSet(), book({**NO_PUSHES, "shadow": True}), [entry("git push")]).flips == ()


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("text", "it is not a record"),
        ({}, "it names no tool"),
        (entry(tool=5), "it names no tool"),
        (entry(args=None), "its arguments were not kept"),
        (entry(args="[too large]"), "its arguments were not kept"),
        (entry(toolset=5), "its toolset is not a text"),
        (entry(origin=["x"]), "its origin is not a text"),
        (entry(effects="exec"), "its effects are not a list of words"),
        (entry(effects=[5]), "its effects are not a list of words"),
        (entry(at=None), "it does not say when"),
        (entry(at="yesterday"), "it does not say when"),
        (entry(at=10**30), "it does not say when"),
        (entry(at=True), "it does not say when"),
    ],
)
def test_a_record_that_cannot_be_judged_is_counted_and_left_out(record: Any, reason: str) -> None:
    found = backtest(RuleSet(), book(NO_PUSHES), [record, entry("git push"), record])
    assert (found.judged, found.skipped, len(found.flips)) == (1, {reason: 2}, 1)


def test_records_may_leave_out_what_is_usual_and_write_times_as_they_like() -> None:
    night = book({"name": "night", "action": "deny", "match": {"time": {"after": "22:00"}, "source": "application"}})
    for at in ("2024-05-03T23:00:00", "2024-05-03 23:00:00.5", time.mktime((2024, 5, 3, 23, 0, 0, 0, 0, -1))):
        assert len(backtest(RuleSet(), night, [{"tool": "x", "args": {}, "at": at}]).flips) == 1


def test_a_backtest_is_json() -> None:
    data = backtest(RuleSet(), book(NO_PUSHES), [entry("git push"), {}]).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["flips"][0]["count"] == 1


def test_ten_thousand_calls_and_fifty_rules_take_a_moment() -> None:
    def rules(action: str) -> list[dict[str, Any]]:
        return [
            {
                "name": f"r{number}",
                "action": action,
                "match": {
                    "tool": f"tool_{number % 10}" if number % 2 else "tool_*",
                    "args": {"command": {"glob": f"git*push*{number}"}, "branch": {"regex": f"^x.*{number}$"}},
                },
            }
            for number in range(50)
        ]

    calls = [
        entry(tool=f"tool_{number % 10}", args={"command": f"git push {number % 70}", "branch": f"x-{number % 70}"})
        for number in range(10_000)
    ]
    before, after = book(*rules("ask")), book(*rules("deny"))
    started = time.process_time()
    found = backtest(before, after, calls)
    assert time.process_time() - started < 5  # well under one in fact
    assert found.judged == 10_000
    assert found.flips
