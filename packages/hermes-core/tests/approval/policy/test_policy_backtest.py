"""New rules on old calls: every flip is found, and what cannot be judged is counted."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from hermes_core.approval.policy.backtest import backtest
from hermes_core.approval.policy.book import RuleBook
from hermes_core.approval.policy.reading import read_rules


def book(*rules: dict[str, Any]) -> RuleBook:
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


def test_every_flip_is_listed_with_its_first_and_last_call() -> None:
    calls = [entry("ls"), entry("git push 1"), entry("git status"), entry("git push 2"), entry("git push 3")]
    found = backtest(book(ASK_PUSHES), book(NO_PUSHES), calls)
    assert (found.judged, found.skipped, len(found.flips)) == (5, {}, 1)
    flip = found.flips[0]
    assert (flip.before, flip.after, flip.by, flip.count) == ("ask", "deny", ("no-pushes",), 3)
    assert (flip.first, flip.last) == (calls[1], calls[4])
    assert found.lines() == [
        "5 calls judged, 3 would change.",
        "3 x ask -> deny by no-pushes; first: 2024-05-03T12:00:00 terminal",
    ]


def test_a_rule_that_is_gone_is_named_as_the_cause() -> None:
    found = backtest(book(NO_PUSHES), RuleBook(), [entry("git push")])
    assert [(flip.before, flip.after, flip.by) for flip in found.flips] == [("deny", None, ("no-pushes",))]
    assert "deny -> no rule" in found.lines()[1]


def test_the_same_word_from_another_rule_is_no_flip() -> None:
    assert backtest(book(NO_PUSHES), book({**NO_PUSHES, "name": "other"}), [entry("git push")]).flips == ()


def test_frequent_flips_come_first() -> None:
    deletes = {"name": "no-deletes", "action": "deny", "match": {"args": {"command": {"glob": "rm *"}}}}
    calls = [entry("rm x"), entry("git push"), entry("git push")]
    found = backtest(RuleBook(), book(deletes, NO_PUSHES), calls)
    assert [(flip.by, flip.count) for flip in found.flips] == [(("no-pushes",), 2), (("no-deletes",), 1)]


def test_a_rule_in_shadow_flips_nothing_unless_it_is_asked_for() -> None:
    shadow = book({**NO_PUSHES, "shadow": True})
    calls = [entry("git push")]
    assert backtest(RuleBook(), shadow, calls).flips == ()
    found = backtest(RuleBook(), shadow, calls, as_if_in_force=True)
    assert [(flip.before, flip.after, flip.by) for flip in found.flips] == [(None, "deny", ("no-pushes",))]


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
    found = backtest(RuleBook(), book(NO_PUSHES), [record, entry("git push"), record])
    assert (found.judged, found.skipped, len(found.flips)) == (1, {reason: 2}, 1)
    assert found.lines()[-1] == f"2 entries skipped: {reason}."


def test_records_may_leave_out_what_is_usual_and_write_times_as_they_like() -> None:
    night = book({"name": "night", "action": "deny", "match": {"time": {"after": "22:00"}, "source": "application"}})
    for at in ("2024-05-03T23:00:00", "2024-05-03 23:00:00.5", time.mktime((2024, 5, 3, 23, 0, 0, 0, 0, -1))):
        assert len(backtest(RuleBook(), night, [{"tool": "x", "args": {}, "at": at}]).flips) == 1


def test_a_backtest_is_json() -> None:
    data = backtest(RuleBook(), book(NO_PUSHES), [entry("git push"), {}]).as_dict()
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
    started = time.perf_counter()
    found = backtest(before, after, calls)
    assert time.perf_counter() - started < 5  # well under one in fact
    assert found.judged == 10_000
    assert found.flips
