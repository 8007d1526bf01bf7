"""How fast a site is asked: one request after the other has begun, and slower when the site says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

_MAX_DELAY = 10.0
"""What a robots.txt asks for beyond this is not waited for: a crawl would never end."""
_MAX_PAUSE = 30.0
"""A site that wants to be left alone for longer is left alone."""
_FIRST_PAUSE = 2.0
_MIN_SLOW = 0.5
"""The delay of a site that was asked too often, however short the one before was."""
_MAX_REFUSALS = 3
"""After so many answers in a row that say "too many requests", a site is left alone."""


class Throttle:
    """The time between requests to one site.

    Args:
        seconds: The least time between the beginnings of two requests.
        clock: Tells the time in seconds.
        sleep: Waits for some seconds.

    Attributes:
        seconds: The least time as it is now: a site can ask for more.
    """

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
        """Keep to a longer time, as robots.txt asks for."""
        self.seconds = max(self.seconds, min(seconds or 0.0, _MAX_DELAY))

    def now(self) -> float:
        """The time, by the clock of the pace."""
        return self._clock()

    async def wait_turn(self) -> None:
        """Wait until the next request may begin."""
        async with self._queue:
            # Looked at again after each wait: meanwhile the site may have asked for a pause.
            while (left := self._free_at - self._clock()) > 0:
                await self._sleep(left)
            self.begun()

    def begun(self) -> None:
        """Count a request that begins without waiting, such as the next step of a redirect."""
        self._free_at = max(self._clock(), self._free_at) + self.seconds

    def accepted(self) -> None:
        """Take note that the site answers."""
        self._refusals = 0

    def refused(self, retry_after: float | None, *, begun: float, is_asked_too_often: bool = True) -> bool:
        """Make a pause, since the site can take no more requests; whether it is to be left alone.

        Args:
            retry_after: How long it wants to be left alone; None when it did not say.
            begun: When the request began: refusals of requests that were under way already count as one.
            is_asked_too_often: Whether that is why; then it is asked more slowly from now on.
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
