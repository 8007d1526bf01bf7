"""Removes temporary files that killed processes left behind."""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress
from functools import lru_cache

# Ours alone: the names carry the id of the process that writes the file.
_NAME = re.compile(r"\.hermes-(\d{1,10})-[0-9a-f]{16}\.tmp")
_PAUSE = 60
"""Seconds between two looks into a folder: whoever writes many files lists it once."""


def temporary_name() -> str:
    """Return a name for a file that this process is writing."""
    return f".hermes-{os.getpid()}-{os.urandom(8).hex()}.tmp"


def may_be_leftover(name: str) -> bool:
    """True for a name that only our temporary files have."""
    return name.startswith(".hermes-") and _NAME.fullmatch(name) is not None


def remove_leftovers_now_and_then(folder: str) -> None:
    """Remove the temporary files of dead processes from a folder, at most once a minute. Never raises."""
    _remove_leftovers(folder, int(time.monotonic()) // _PAUSE)


@lru_cache(maxsize=256)
def _remove_leftovers(folder: str, _minute: int) -> None:
    remove_leftovers(folder)


def remove_leftovers(folder: str | int) -> None:
    """Remove the temporary files of dead processes from a folder. Never raises.

    Args:
        folder: Its path, or a handle of any kind. The path is resolved once.
    """
    path, within = (folder, None) if isinstance(folder, str) else (".", folder)
    with suppress(OSError):  # what cannot be listed cannot be cleaned
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=within)
        try:
            with os.scandir(handle) as entries:
                names = [entry.name for entry in entries if may_be_leftover(entry.name)]
            for name in names:
                _remove_if_dead(handle, name)
        finally:
            os.close(handle)


def _remove_if_dead(folder: int, name: str) -> None:
    found = _NAME.fullmatch(name)
    if found is None or _is_alive(int(found[1])):
        return
    with suppress(OSError):  # another process was quicker, or one in another container holds it
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=folder)
        finally:
            os.close(handle)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
