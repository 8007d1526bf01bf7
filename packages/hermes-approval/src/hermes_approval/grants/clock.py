"""Tells the time by which grants expire: it never goes back, whatever is done to the system's clock."""

from __future__ import annotations

import time
from collections.abc import Callable


class SteadyClock:
    """Seconds since 1970 that only grow: at least as fast as the process's own time passes.

    Args:
        clock: The clock that can be set; the system's when it is not given.
    """

    __slots__ = ("_clock", "_latest", "_since")

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._latest = float("-inf")
        self._since = time.monotonic()

    def __call__(self) -> float:
        """What time it is."""
        if self._clock is not None:  # a clock of somebody's own has nothing to do with the time that passes
            self._latest = max(self._clock(), self._latest)
            return self._latest
        before, self._since = self._since, time.monotonic()
        self._latest = max(time.time(), self._latest + self._since - before)
        return self._latest
