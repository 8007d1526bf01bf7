"""Writes files atomically, and locks them with locks that end with their process."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import time
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path

__all__ = [
    "MOVED",
    "file_lock",
    "newer_format",
    "remove_leftovers",
    "rename_aside",
    "temporary_name",
    "write_atomic",
]

MOVED = "%s is damaged (%s). It was moved to %s, and a new one is started."
"""What to log after `rename_aside`: the file, what is wrong with it, and its new name."""

_TEMPORARY = re.compile(r"\.hermes-(\d{1,10})-[0-9a-f]{16}\.tmp")
"""The name holds the id of the process that writes the file."""
_CLEANUP_SECONDS = 60
_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


# -- atomic writes -----------------------------------------------------------------------------------------------


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write through a temporary file beside the target, so that a crash or a full disk leaves no partial file.

    The result is a new file with exactly this mode. A symbolic link at `path` is replaced; its target is not changed.
    Missing directories are created, the last one for the owner only. Temporary files of killed processes are removed.

    Raises:
        OSError: nothing was written, and an existing file is unchanged. The error names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Without the target's name: together they could be longer than a file name may be.
    temporary = path.with_name(temporary_name())
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
        with os.fdopen(descriptor, "wb") as file:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(descriptor, mode)  # whatever the umask
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None
        raise
    _remove_leftovers_once(str(path.parent), int(time.monotonic()) // _CLEANUP_SECONDS)


def temporary_name() -> str:
    """Return a name for a file that this process is writing."""
    return f".hermes-{os.getpid()}-{os.urandom(8).hex()}.tmp"


@lru_cache(maxsize=256)
def _remove_leftovers_once(folder: str, _minute: int) -> None:
    remove_leftovers(folder)


def remove_leftovers(folder: str | int) -> None:
    """Remove the temporary files of dead processes from a directory. Never raises.

    Args:
        folder: Its path, or a handle of any kind. The path is resolved once.
    """
    path, within = (folder, None) if isinstance(folder, str) else (".", folder)
    with contextlib.suppress(OSError):  # a directory that cannot be listed cannot be cleaned
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=within)
        try:
            with os.scandir(handle) as entries:
                found = [name for entry in entries if (name := _TEMPORARY.fullmatch(entry.name))]
            for name in found:
                if not _is_alive(int(name[1])):
                    _remove_unlocked(handle, name[0])
        finally:
            os.close(handle)


def _remove_unlocked(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):  # another process was quicker, or one in another container holds it
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


# -- damaged files -----------------------------------------------------------------------------------------------


def rename_aside(path: str | os.PathLike[str]) -> str:
    """Rename a damaged file to `NAME.broken`, or with a number when that is taken. Raises `OSError`."""
    name = os.fspath(path)
    target = next(
        each for number in count() if not os.path.lexists(each := f"{name}.broken{f'.{number}' if number else ''}")
    )
    os.rename(name, target)
    return target


def newer_format(found: object, known: int) -> str:
    """Explain that a newer version wrote a file; empty when `found` is no newer format."""
    if not isinstance(found, int) or isinstance(found, bool) or found <= known:
        return ""
    return f"it was written by a newer version of Hermes (format {found}; this one reads format {known})"


# -- locks -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def file_lock(path: Path, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock of a file during a block.

    It is a kernel lock on a hidden file beside `path`, which is removed at the end. The kernel releases it when the
    process ends, so no lock is ever stale. The lock is not reentrant.

    Raises:
        TimeoutError: one process held it for all of `timeout` seconds; the text names it. The time starts again when
            another process gets the lock, as when hundreds of commands start at once.
        OSError: the file system has no such locks, or is not writable.
    """
    lock = path.with_name(f".{path.name[:200]}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = _acquire(lock, timeout)
    try:
        yield
    finally:
        # Removed while it is held: a process that has opened the old file notices, and opens a new one.
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(descriptor)


def _acquire(lock: Path, timeout: float) -> int:
    pause, holder, deadline = _FIRST_PAUSE, "", 0.0
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC, 0o600)
        try:
            if _lock_now(descriptor, lock):
                with contextlib.suppress(OSError):  # a full disk: the number is only for people
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


def _lock_now(descriptor: int, lock: Path) -> bool:
    """Lock the file, unless it is locked, or is no longer the one at its path."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), lock.lstat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _holder(lock: Path) -> str:
    try:
        pid = lock.read_text(encoding="ascii", errors="replace")[:20].strip()
    except OSError:
        pid = ""
    return f"process {pid}" if pid.isdecimal() else "another process"
