"""Times two ways of doing a thing side by side, so that a slow or busy machine slows both."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from time import perf_counter, process_time
from timeit import Timer
from typing import Any

REPEATS = 9
"""Enough for one undisturbed round of each side on a machine that does other things too."""

_SHORTER = 10
"""Statements run in so many shorter rounds for each repeat: another process interrupts some of them, but not all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. Times are seconds of one run; a limit of None means that the line only informs."""

    what: str
    against: str
    ours: float
    baseline: float
    limit: float | None = None

    @property
    def ratio(self) -> float:
        """How many times the baseline we take."""
        return self.ours / self.baseline

    @property
    def verdict(self) -> str:
        """`ok` or `over` where there is a limit."""
        if self.limit is None:
            return ""
        return "ok" if self.ratio <= self.limit else "over"

    def as_json(self) -> dict[str, object]:
        """The line for other programs."""
        return {
            "what": self.what,
            "against": self.against,
            "ours_us": self.ours * 1e6,
            "baseline_us": self.baseline * 1e6,
            "ratio": self.ratio,
            "limit": self.limit,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many of some lines were judged in some way, and how many there may or must be."""

    what: str
    count: int
    of: int
    at_least: float | None = None
    at_most: float | None = None

    @property
    def share(self) -> float:
        """The part of the whole."""
        return self.count / self.of if self.of else 0.0

    @property
    def limit(self) -> str:
        """The bound in words; empty when the line only informs."""
        if self.at_least is not None:
            return f">= {self.at_least:.0%}"
        return "" if self.at_most is None else f"<= {self.at_most:.0%}"

    @property
    def verdict(self) -> str:
        """`ok` or `over` where there is a limit."""
        if not self.limit:
            return ""
        within = self.share >= (self.at_least or 0.0) and self.share <= (1.0 if self.at_most is None else self.at_most)
        return "ok" if within else "over"

    def as_json(self) -> dict[str, object]:
        """The line for other programs."""
        return {
            "what": self.what,
            "count": self.count,
            "of": self.of,
            "share": self.share,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "verdict": self.verdict,
        }


@contextmanager
def collector_off() -> Iterator[None]:
    """Disable garbage collection during measurements, because its cost would count for an arbitrary side."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fastest(sides: Mapping[str, Callable[[], float]], repeats: int = REPEATS) -> dict[str, float]:
    """Run each side in turn, `repeats` times over, and keep the best time that each reported."""
    best = dict.fromkeys(sides, float("inf"))
    with collector_off():
        for _ in range(repeats):
            for name, run in sides.items():
                best[name] = min(best[name], run())
    return best


def statements(names: Mapping[str, Any], number: int, *, repeats: int = REPEATS, **sides: str) -> dict[str, float]:
    """Measure the processor time of statements. Being statements, they pay for no function around them.

    Args:
        names: The names that the statements use.
        number: How often a statement runs for each repeat.
        repeats: How often all statements run in turn.
        **sides: The statements.
    """
    rounds = min(number, _SHORTER)
    runs = number // rounds

    def runner(statement: str) -> Callable[[], float]:
        timer = Timer(statement, globals=dict(names), timer=process_time)
        return lambda: timer.timeit(runs) / runs

    return fastest({name: runner(statement) for name, statement in sides.items()}, repeats * rounds)


def once(function: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Return the time of a single run."""
    started = clock()
    function()
    return clock() - started


def numbered(prefix: str) -> Iterator[str]:
    """Names that no other has."""
    return (f"{prefix}_{number}" for number in count())
