"""New content waits beside the file that it replaces; what killed processes left there is removed by the next one."""

from __future__ import annotations

import fcntl
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing, suppress

_NAME = re.compile(r"\.hermes-(\d{1,10})-[0-9a-f]{16}\.tmp")

_SHARE = 50
"""Looking through a folder takes at most one part of so many of our time, however many files are in it."""

_MOST_FOLDERS = 256
"""Of how many folders it is remembered when they were looked through."""


def new_name() -> str:
    """A name for content that waits, which tells whose it is."""
    return f".hermes-{os.getpid()}-{os.urandom(8).hex()}.tmp"


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
        with suppress(OSError):  # what cannot be listed cannot be cleaned
            for name in _waiting(folder):
                _remove_dead(folder, name)
        with self._lock:
            after = time.monotonic()
            self._next[key] = after + (after - now) * _SHARE
            self._next.move_to_end(key)
            if len(self._next) > _MOST_FOLDERS:
                self._next.popitem(last=False)


def _waiting(folder: int) -> Iterator[str]:
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        with closing(os.scandir(handle)) as entries:
            for entry in entries:
                if entry.name.startswith(".hermes-") and _NAME.fullmatch(entry.name):
                    yield entry.name
    finally:
        os.close(handle)


def _remove_dead(folder: int, name: str) -> None:
    """Remove a waiting file whose process is gone and which nobody holds, not even in another container."""
    found = _NAME.fullmatch(name)
    if found is None or _lives(int(found[1])):
        return
    with suppress(OSError):  # somebody else was quicker, it is held, or it is not ours
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=folder)
        finally:
            os.close(handle)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
