"""Counts the lines of big files after their first lines were given out, so that the next look knows the total."""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from hermes_tools_terminal.files.local.line_index import LineIndex
from hermes_tools_terminal.files.local.looking import stamp_of
from hermes_tools_terminal.files.local.scanning import count

_MOST_BYTES = 1 << 35
"""Files beyond are not counted unasked: it would keep a disk busy for minutes."""

_GRACE_SECONDS = 0.02
"""How long nobody may have read anything before it goes on: threads take turns, and a reader would wait for each."""

_LONGEST_GRACE = 5.0
"""How long it gives way in all; then it goes on though somebody reads without end."""


class Counter:
    """Counts in the background, one file at a time; others are when they are read again. It ends with the program.

    Attributes:
        used: When somebody has read something last, by the monotonic clock.
    """

    def __init__(self) -> None:
        self.used = 0.0
        self._free = threading.Semaphore(1)
        self._process = os.getpid()

    def start(self, handle: int, index: LineIndex) -> None:
        """Start to count a file, unless one is counted already. Never fails.

        Args:
            handle: The file; it may be closed afterwards.
            index: What is known of it, where the total will be.
        """
        if self._process != os.getpid():  # the thread of the process that this one was forked from is not here
            self._process, self._free = os.getpid(), threading.Semaphore(1)
        if index.stamp.size > _MOST_BYTES or not self._free.acquire(blocking=False):
            return
        own = -1
        try:
            own = os.dup(handle)
            _thread.start_new_thread(self._count, (own, index))  # not waiting for it to begin is what makes it quick
        except (OSError, RuntimeError):  # no handle or no thread left
            self._done(own)

    def _count(self, handle: int, index: LineIndex) -> None:
        try:
            with suppress(OSError):
                count_into(handle, index.stamp.size, index, *index.last(), self._giving_way())
        finally:
            self._done(handle)

    def _giving_way(self) -> Callable[[], None]:
        until = time.monotonic() + _LONGEST_GRACE

        def give_way() -> None:
            while (now := time.monotonic()) < until and now - self.used < _GRACE_SECONDS:
                time.sleep(_GRACE_SECONDS)

        return give_way

    def _done(self, handle: int) -> None:
        if handle >= 0:
            os.close(handle)
        self._free.release()


COUNTER = Counter()
"""One for the process: all trees share the interpreter that its thread takes turns of."""


def count_into(
    handle: int, end: int, index: LineIndex, place: int, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """Count a file's lines to the end; the index learns the total.

    Args:
        handle: The file.
        end: Where it ends.
        index: What is known of it.
        place: Where to start.
        passed: How many line feeds there are before.
        give_way: Called before each piece is looked at.
    """
    total = count(handle, place, end, index, passed, give_way)
    learn(handle, index, total)
    return total


def learn(handle: int, index: LineIndex, total: int) -> None:
    """Let an index know a total, if the file has stayed the same while it was counted."""
    if stamp_of(os.fstat(handle)) == index.stamp:
        index.total = total
