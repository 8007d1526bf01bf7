"""Two ways to open a path without following any link: in one call where the kernel can, step by step elsewhere."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable
from functools import cache

Opener = Callable[[int, str, int], int]
"""Opens a path below an open folder: the folder, the path, flags; the new handle, closed when programs are started."""

STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How folders are opened on the way: where the system has it, so that being allowed to pass is enough."""

_OPENAT2 = 437
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 16
"""How often the kernel is asked again while folders move about under it."""


def open_strictly(folder: int, path: str, flags: int) -> int:
    """Open a path by the better way of the two that this machine has.

    Args:
        folder: The folder that it starts at.
        path: Relative, without `..`; `.` is the folder itself.
        flags: As for `os.open`; nothing is created.

    Raises:
        OSError: ELOOP or ENOTDIR when there is a link on the way.
    """
    return (open_at_once if can_open_at_once() else open_by_steps)(folder, path, flags)


def open_at_once(folder: int, path: str, flags: int) -> int:
    """Open a path by `openat2`; step by step when a filter of system calls is in the way."""
    name = os.fsencode(path)
    for _ in range(_TRIES):
        handle = _openat2()(folder, name, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
        if handle >= 0:
            return handle
        if -handle not in (errno.EINTR, errno.EAGAIN):
            break
    if -handle in (errno.ENOSYS, errno.EPERM, errno.EAGAIN):
        return open_by_steps(folder, path, flags)
    raise OSError(-handle, os.strerror(-handle), path)


def open_by_steps(folder: int, path: str, flags: int) -> int:
    """Open a path folder by folder, each without following links."""
    *steps, last = path.split("/")
    if ".." in (*steps, last):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    here = folder
    try:
        for name in steps:
            deeper = os.open(name, STEP, dir_fd=here)
            if here != folder:
                os.close(here)
            here = deeper
        return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
    finally:
        if here != folder:
            os.close(here)


@cache
def can_open_at_once() -> bool:
    """Whether the kernel knows `openat2` and lets us call it."""
    if sys.platform != "linux":
        return False
    root = os.open("/", STEP)
    try:
        handle = _openat2()(root, b".", STEP)
    finally:
        os.close(root)
    if handle >= 0:
        os.close(handle)
    return handle >= 0


@cache
def _openat2() -> Callable[[int, bytes, int], int]:
    """The system call: a handle, or the negative number of an error."""
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)

    def openat2(folder: int, name: bytes, flags: int) -> int:
        how = struct.pack("=QQQ", flags, 0, _NO_MAGIC_LINKS | _NO_LINKS | _BENEATH)
        handle = int(call(_OPENAT2, folder, name, how, len(how)))
        return handle if handle >= 0 else -ctypes.get_errno()

    return openat2
