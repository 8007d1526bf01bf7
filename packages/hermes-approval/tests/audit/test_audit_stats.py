"""The numbers of a log: of each tool how often, how it ended, and how long it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from hermes_approval.audit.stats import stats_of

MakeEntry = Callable[..., dict[str, Any]]


def test_calls_are_counted_for_each_tool_in_any_order(entry: MakeEntry) -> None:
    entries = [entry(number, seconds=float(number)) for number in range(101)]
    refused = {"outcome": "refused", "by": "rule", "reason": "no"}
    entries += [entry(200, tool="burn", status="blocked", decision=refused, seconds=0.25)]
    entries += [entry(201, tool="burn", status="error", decision=None, seconds="long")]
    stats = stats_of(reversed(entries))
    assert stats.total == 103
    assert (stats.first, stats.last) == (entries[0]["at"], entries[-1]["at"])
    _, burn = stats.tools
    assert asdict(stats)["tools"][0] == {
        "tool": "look",
        "calls": 101,
        "outcomes": {"allowed": 101},
        "statuses": {"ok": 101},
        "median_seconds": 50.0,
        "p95_seconds": 95.0,
        "last": entries[100]["at"],
    }
    assert burn.outcomes == {"undecided": 1, "refused": 1}
    assert burn.statuses == {"error": 1, "blocked": 1}
    assert (burn.median_seconds, burn.p95_seconds) == (0.25, 0.25)


def test_no_calls_are_no_tools() -> None:
    assert asdict(stats_of([])) == {"total": 0, "first": None, "last": None, "tools": ()}
