"""Lets threads have something one after the other, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_SECONDS = 0.1
"""How soon somebody who waits notices that their turn is not wanted any more."""


class Turns:
    """A queue of threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def turn(self, cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for the turn and hold it for the length of a block; False when it was cancelled before it came."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            yield self._wait(ticket, cancelled)
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _wait(self, ticket: object, cancelled: Callable[[], bool]) -> bool:
        while not cancelled():
            with self._changed:
                if self._queue[0] is ticket:
                    return True
                self._changed.wait(_LOOK_SECONDS)
        return False
