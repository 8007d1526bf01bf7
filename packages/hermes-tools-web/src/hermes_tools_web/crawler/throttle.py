"""Limit the request rate to one site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

_MAX_DELAY = 10.0
"""A longer delay from robots.txt is ignored: the crawl would never end."""
_MAX_PAUSE = 30.0
"""A site that asks for a longer pause is left alone."""
_FIRST_PAUSE = 2.0
_MIN_SLOW = 0.5
"""The minimum delay after the site answered "too many requests"."""
_MAX_REFUSALS = 3
"""After this many refusals in a row, the site is left alone."""


class Throttle:
    """The delay between requests to one site; the site can raise `seconds`."""

    def __init__(
        self,
        seconds: float,
        *,
        clock: Callable[[], float] = anyio.current_time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._sleep = sleep
        self._queue = anyio.Lock()
        self._free_at = self._slowed_at = float("-inf")
        self._refusals = 0

    def raise_delay(self, seconds: float | None) -> None:
        """Raise the delay to that of robots.txt."""
        self.seconds = max(self.seconds, min(seconds or 0.0, _MAX_DELAY))

    def now(self) -> float:
        """Return the time."""
        return self._clock()

    async def wait_turn(self) -> None:
        """Wait until the next request may start."""
        async with self._queue:
            # Checked again after each wait: the site may have asked for a pause meanwhile.
            while (left := self._free_at - self._clock()) > 0:
                await self._sleep(left)
            self.begun()

    def begun(self) -> None:
        """Count a request that starts without waiting, such as a redirect."""
        self._free_at = max(self._clock(), self._free_at) + self.seconds

    def accepted(self) -> None:
        """Record that the site answers."""
        self._refusals = 0

    def refused(self, retry_after: float | None, *, begun: float, is_asked_too_often: bool = True) -> bool:
        """Pause after a refusal; return whether to leave the site alone.

        `begun` is when the request started: concurrent refusals count as one. If it is asked too often, the request
        rate is lowered from then on.
        """
        pause = _FIRST_PAUSE ** (self._refusals + 1) if retry_after is None else retry_after
        if pause > _MAX_PAUSE:
            return True
        now = self._clock()
        self._free_at = max(self._free_at, now + pause)
        if begun < self._slowed_at:
            return False
        self._slowed_at = now
        self._refusals += 1
        if is_asked_too_often:
            self.seconds = max(self.seconds, min(2 * self.seconds, _MAX_DELAY), _MIN_SLOW)
        return self._refusals >= _MAX_REFUSALS
