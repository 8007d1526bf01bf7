"""Writes a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write through a temporary file beside the target, so that a crash or a full disk leaves no half file.

    The file is a new one with exactly this mode. A symbolic link at `path` is replaced by it; what the link pointed
    to stays as it was. Missing folders are made, the last one for the owner only.

    Raises:
        OSError: nothing was written; a file that was there is still as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Without the target's name: together they could be longer than a file name may be.
    temporary = path.with_name(f".{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)  # whatever the umask
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
