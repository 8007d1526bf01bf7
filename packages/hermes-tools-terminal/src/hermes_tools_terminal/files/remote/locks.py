"""Lock remote files against other local processes, by one local lock file for each remote path."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterator

from hermes_tools_terminal.files.local.locks import try_lock

LOCK_SECONDS = 30.0
"""How long to wait for a lock."""

_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""How long to wait before each further attempt; the last value is repeated."""


@contextlib.contextmanager
def locked(folder: str, filesystem: str, paths: Iterator[str]) -> Iterator[None]:
    """Lock some paths. Everyone locks them in the same order, which prevents deadlocks.

    Raises:
        TimeoutError: A lock was held for too long.
    """
    by_name = {_name(filesystem, path): path for path in paths}
    deadline = time.monotonic() + LOCK_SECONDS
    with contextlib.ExitStack() as held:
        if by_name:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        for name in sorted(by_name):
            lock = os.path.join(folder, name)
            held.callback(_release, lock, _acquire(lock, deadline, by_name[name]))
        yield


def _name(filesystem: str, path: str) -> str:
    return hashlib.sha256(f"{filesystem}\0{path}".encode("utf-8", "surrogatepass")).hexdigest()[:40] + ".lock"


def _acquire(lock: str, deadline: float, path: str) -> int:
    tries = 0
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if _taken(handle, lock):
            return handle
        os.close(handle)
        if time.monotonic() > deadline:
            text = f"Another process has locked the file for {LOCK_SECONDS:g} seconds; try again later"
            raise TimeoutError(errno.ETIMEDOUT, text, path)
        time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
        tries += 1


def _taken(handle: int, lock: str) -> bool:
    """Return whether the lock is ours and on the current file: its last holder may have removed that one."""
    if not try_lock(handle):
        return False
    try:
        there = os.stat(lock)
    except FileNotFoundError:
        return False
    ours = os.fstat(handle)
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def _release(lock: str, handle: int) -> None:
    with contextlib.suppress(OSError):
        os.unlink(lock)
    os.close(handle)
