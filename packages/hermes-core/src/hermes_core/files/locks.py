"""A lock that processes and threads share, and that dies with its holder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


@contextlib.contextmanager
def file_lock(path: Path, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock of a file for the length of a block.

    The kernel keeps the lock, on a hidden file beside `path` that is removed at the end. It lets go when the holder
    ends in whatever way, so no lock is ever stale. The lock is not reentrant.

    Raises:
        TimeoutError: one process held it for all of `timeout` seconds; the text names it. While the lock goes from
            hand to hand, as when hundreds of commands start at once, nothing is wrong.
        OSError: the file system has no such locks, or nothing may be written there.
    """
    lock = path.with_name(f".{path.name[:200]}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = _acquire(lock, timeout)
    try:
        yield
    finally:
        # Removed while it is held: who opened the old one meanwhile sees that it is gone, and opens anew.
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(descriptor)


def _acquire(lock: Path, timeout: float) -> int:
    pause, holder, deadline = _FIRST_PAUSE, "", 0.0
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC, 0o600)
        try:
            if _try(descriptor, lock):
                with contextlib.suppress(OSError):  # a full disk: the number is only for people, and the lock is ours
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
                return descriptor
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(lock)
            raise
        os.close(descriptor)
        before, holder = holder, _holder(lock)
        if holder != before:
            deadline = time.monotonic() + timeout
        elif time.monotonic() >= deadline:
            raise TimeoutError(errno.ETIMEDOUT, f"{holder} holds the lock; waited {timeout:g} seconds", str(lock))
        time.sleep(min(pause, max(deadline - time.monotonic(), 0)))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _try(descriptor: int, lock: Path) -> bool:
    """Whether the lock is ours now, and the file is still the one that others will open."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), lock.lstat())
    except FileNotFoundError:
        return False


def _holder(lock: Path) -> str:
    try:
        pid = lock.read_text(encoding="ascii", errors="replace")[:20].strip()
    except OSError:
        pid = ""
    return f"process {pid}" if pid.isdecimal() else "another process"
