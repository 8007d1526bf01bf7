"""Statistics of the audit log: for each tool the number of calls, their results, and their duration."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hermes_approval.audit.reader import outcome_of

UNDECIDED = "undecided"
"""The outcome of calls without a decision, such as those with invalid arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStats:
    """The calls of one tool."""

    tool: str
    calls: int
    outcomes: dict[str, int]
    statuses: dict[str, int]
    median_seconds: float | None
    p95_seconds: float | None
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """All calls; the tool with the most calls comes first."""

    total: int
    first: str | None
    last: str | None
    tools: tuple[ToolStats, ...]


class _Tally:
    __slots__ = ("first", "last", "outcomes", "seconds", "statuses")

    def __init__(self, at: str) -> None:
        self.outcomes: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.seconds = array("d")
        self.first = self.last = at

    def add(self, entry: dict[str, Any]) -> None:
        self.outcomes[outcome_of(entry) or UNDECIDED] += 1
        self.statuses[str(entry.get("status"))] += 1
        seconds = entry.get("seconds")
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and abs(seconds) < 1e12:
            self.seconds.append(seconds)
        self.first = min(self.first, entry["at"])
        self.last = max(self.last, entry["at"])


def stats_of(entries: Iterable[dict[str, Any]]) -> Stats:
    """Count entries, in any order."""
    tallies: dict[str, _Tally] = {}
    for entry in entries:
        tally = tallies.get(entry["tool"])
        if tally is None:
            tally = tallies[entry["tool"]] = _Tally(entry["at"])
        tally.add(entry)
    tools = sorted((_stats(tool, tally) for tool, tally in tallies.items()), key=lambda each: (-each.calls, each.tool))
    return Stats(
        total=sum(each.calls for each in tools),
        first=min((tally.first for tally in tallies.values()), default=None),
        last=max((tally.last for tally in tallies.values()), default=None),
        tools=tuple(tools),
    )


def _stats(tool: str, tally: _Tally) -> ToolStats:
    seconds = sorted(tally.seconds)
    return ToolStats(
        tool=tool,
        calls=tally.statuses.total(),
        outcomes=dict(tally.outcomes.most_common()),
        statuses=dict(tally.statuses.most_common()),
        median_seconds=_quantile(seconds, 0.5),
        p95_seconds=_quantile(seconds, 0.95),
        last=tally.last,
    )


def _quantile(ordered: list[float], part: float) -> float | None:
    if not ordered:
        return None
    position = (len(ordered) - 1) * part
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return round(ordered[low] + (ordered[high] - ordered[low]) * (position - low), 6)
