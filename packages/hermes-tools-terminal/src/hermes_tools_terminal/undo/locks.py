"""Locks on files of the store, which a process that dies lets go of."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 180.0
"""How long others are waited for: hundreds of commands take turns, and on a busy machine that takes minutes."""

_PAUSE = 0.0005
_LONGEST_PAUSE = 0.05
_HAS_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}


@contextmanager
def held(path: str, seconds: float = SECONDS) -> Iterator[int]:
    """Hold the lock of a file, which is made when there is none, for the length of a block; gives the opened file.

    Raises:
        TimeoutError: somebody else has held it all the time.
        OSError: the file cannot be opened.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        deadline, pause = time.monotonic() + seconds, _PAUSE
        while not take(handle):
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process has held this lock for too long", path)
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        yield handle
    finally:
        os.close(handle)


def take(handle: int, *, shared: bool = False) -> bool:
    """Lock an opened file if nobody else has; where the file system knows no locks, nobody has."""
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _HAS_NO_LOCKS:
            raise
    return True
