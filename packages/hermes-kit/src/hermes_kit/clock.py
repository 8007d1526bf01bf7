"""A clock that stands still until a test moves it, so that no test waits for a cache to grow old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import inspection

if TYPE_CHECKING:
    from hermes_core import Hermes


class FakeClock:
    """Call it for the time in seconds. It only moves when it is told to, and never backwards."""

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start

    def __call__(self) -> float:
        return self._now

    def advance(self, seconds: float) -> float:
        """Let time pass, and say what the clock shows then.

        Raises:
            ValueError: the seconds are negative; a monotonic clock does not go back.
        """
        if seconds < 0:
            raise ValueError(f"a monotonic clock cannot go back {-seconds:g} s")
        self._now += seconds
        return self._now


def set_clock(host: Hermes, clock: FakeClock) -> None:
    """Let the cached answers of a host's availability checks age by this clock."""
    inspection.set_clock(host, clock)
