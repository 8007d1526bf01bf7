"""Who changes a file elsewhere keeps others on this machine out: by locks on files here, one for each path there."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator

LOCK_SECONDS = 30.0
"""How long somebody waits for a lock."""

_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""How long somebody waits before the next attempt; the last one again and again."""


@contextlib.contextmanager
def locked(folder: str, filesystem: str, paths: Iterator[str]) -> Iterator[None]:
    """Hold the locks of some paths. All who ask take them in the same order, so nobody waits for each other.

    Args:
        folder: Where the locks are.
        tree: The name of the tree that the paths belong to.
        paths: The paths.

    Raises:
        TimeoutError: somebody else has held one of them for too long.
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
            text = f"Somebody else has been changing it for {LOCK_SECONDS:g} seconds; try again later"
            raise TimeoutError(errno.ETIMEDOUT, text, path)
        time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
        tries += 1


def _taken(handle: int, lock: str) -> bool:
    """Whether the lock is ours, and on the file that others see: who had it before may have removed that one."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = os.stat(lock)
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL):
            return True  # a file system without locks: the look right before a change still holds
        os.close(handle)
        raise
    ours = os.fstat(handle)
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def _release(lock: str, handle: int) -> None:
    with contextlib.suppress(OSError):
        os.unlink(lock)
    os.close(handle)
