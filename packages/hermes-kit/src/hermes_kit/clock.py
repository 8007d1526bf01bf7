"""A clock that only moves when a test moves it, so that no test waits until a cache expires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import inspection

if TYPE_CHECKING:
    from hermes_core import Hermes


class FakeClock:
    """Returns the time in seconds when called. It only moves on `advance`, and never backwards."""

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start

    def __call__(self) -> float:
        return self._now

    def advance(self, seconds: float) -> float:
        """Move the clock, and return the new time.

        Raises:
            ValueError: the seconds are negative.
        """
        if seconds < 0:
            raise ValueError(f"a monotonic clock cannot go back {-seconds:g} s")
        self._now += seconds
        return self._now


def set_clock(host: Hermes, clock: FakeClock) -> None:
    """Use this clock for the expiry of a host's cached availability checks."""
    inspection.set_clock(host, clock)
