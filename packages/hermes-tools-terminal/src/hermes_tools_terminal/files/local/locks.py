"""Lock local directories, so that threads and processes change files one at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from hermes_tools_terminal.files.filesystem import ChangedError, os_error
from hermes_tools_terminal.files.local.confined_open import AllowedRoots

LOCK_SECONDS = 180.0
"""How long to wait for a lock: a hundred commands in one directory may queue for minutes on a busy machine."""

MAX_HELD = 128
"""The maximum number of locks at once: each needs a handle. The check before a change protects the others."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05

_UNABLE = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.EBADF, errno.ENOSYS})
"""Error numbers of filesystems without locks. The check right before a change must do there."""

_held = threading.local()
"""The directories that this thread has locked; it may lock them again."""


@contextmanager
def locked(allowed_roots: AllowedRoots, paths: Iterable[str]) -> Iterator[None]:
    """Lock some directories, or the nearest existing parents. Raise `TimeoutError` if a lock was held for too long."""
    deadline = time.monotonic() + LOCK_SECONDS
    with ExitStack() as stack:
        folders: dict[tuple[int, int], tuple[int, str]] = {}
        for path in sorted(set(paths))[:MAX_HELD]:
            handle = _nearest(allowed_roots, path)
            if handle is not None:
                stack.callback(os.close, handle)
                seen = os.fstat(handle)
                folders.setdefault((seen.st_dev, seen.st_ino), (handle, path))
        for key, (handle, path) in sorted(folders.items()):  # in one order, to prevent deadlocks
            stack.enter_context(_hold(key, handle, path, deadline))
        yield


def _nearest(allowed_roots: AllowedRoots, path: str) -> int | None:
    while True:
        try:
            return allowed_roots.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except ChangedError:
            if path == "/" or path in allowed_roots.roots:
                return None
            path = os.path.dirname(path)
        except PermissionError:
            return None  # not readable: the check right before a change must do


@contextmanager
def _hold(key: tuple[int, int], handle: int, path: str, deadline: float) -> Iterator[None]:
    depths: dict[tuple[int, int], int] = _held.__dict__.setdefault("depths", {})
    if key not in depths:
        wait_for_lock(handle, path, deadline)
    depths[key] = depths.get(key, 0) + 1
    try:
        yield
    finally:
        depths[key] -= 1
        if not depths[key]:
            del depths[key]
            with suppress(OSError):  # closing it does the same
                fcntl.flock(handle, fcntl.LOCK_UN)


def wait_for_lock(handle: int, path: str, deadline: float) -> None:
    """Lock an open file or directory; raise `TimeoutError` after the deadline."""
    pause = _FIRST_PAUSE
    while not try_lock(handle):
        if time.monotonic() > deadline:
            text = f"Another process has held this lock for {LOCK_SECONDS:.0f} seconds; try again later"
            raise os_error(errno.ETIMEDOUT, path, text)
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def try_lock(handle: int, *, shared: bool = False) -> bool:
    """Lock an open file or directory if it is free; a filesystem without locks counts as free."""
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
    return True
