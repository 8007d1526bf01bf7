"""Things of which each takes microseconds, measured in turn: what the scheduler does to one it does to the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median

from bench.harness import collector_off


def in_turn(sides: Mapping[str, Callable[[], float]], rounds: int, *, baseline: str = "bare") -> dict[str, float]:
    """Run each side in turn, many times over.

    Processes that talk to each other are faster or slower by half, for seconds, by the processors that they happen to
    be on. So the best of all times says little; each round is compared with itself.

    Args:
        sides: Each gives the seconds that it took.
        rounds: How often; a first one is not counted.
        baseline: The side that the others are compared with.

    Returns:
        The baseline's median, and for every other side the median of its ratios to the baseline, times that.
    """
    times: dict[str, list[float]] = {name: [] for name in sides}
    with collector_off():
        for _ in range(rounds + 1):
            for name, run in sides.items():
                times[name].append(run())
    usual = median(times[baseline][1:])
    return {
        name: usual * median(one / bare for one, bare in zip(took[1:], times[baseline][1:], strict=True))
        for name, took in times.items()
    }
