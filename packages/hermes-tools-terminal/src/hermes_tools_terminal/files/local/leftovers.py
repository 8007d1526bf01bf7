"""Limits how often folders are searched for temporary files of killed processes."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections import OrderedDict
from contextlib import suppress

from hermes_files.atomic import remove_leftovers

_SHARE = 50
"""Looking through a folder takes at most one part of so many of our time, however many files are in it."""

_MOST_FOLDERS = 256
"""Of how many folders it is remembered when they were looked through."""


def hold(handle: int) -> None:
    """Show that a waiting file is being written; this ends with the process that does."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Sweeper:
    """Removes what dead processes have left in folders."""

    def __init__(self) -> None:
        self._next: OrderedDict[tuple[int, int], float] = OrderedDict()
        self._lock = threading.Lock()

    def sweep(self, folder: int) -> None:
        """Remove what dead processes have left in a folder, unless it was looked through a moment ago. Never fails.

        Args:
            folder: Its handle, of whatever kind.
        """
        seen = os.fstat(folder)
        key, now = (seen.st_dev, seen.st_ino), time.monotonic()
        with self._lock:
            if now < self._next.get(key, 0.0):
                return
        remove_leftovers(folder)
        with self._lock:
            after = time.monotonic()
            self._next[key] = after + (after - now) * _SHARE
            self._next.move_to_end(key)
            if len(self._next) > _MOST_FOLDERS:
                self._next.popitem(last=False)
