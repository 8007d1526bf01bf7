"""Reads regular files up to a limit, and no pipes and devices, which could block forever."""

from __future__ import annotations

import errno
import os
import stat


def read_regular_file(file: str, limit: int) -> bytes:
    """Return the content of a file, up to one byte beyond the limit.

    Raises:
        OSError: it cannot be read, or is not a regular file.
    """
    # Opening a pipe blocks, and opening a device may have effects, so check before; check again after opening.
    _require_regular(os.stat(file))
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _require_regular(os.fstat(descriptor))
        parts = []
        missing = limit + 1
        while missing and (part := os.read(descriptor, min(missing, 1 << 16))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _require_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a regular file")
