"""Writes a file whole or not at all."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from hermes_core.files.leftovers import remove_leftovers_now_and_then, temporary_name


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write through a temporary file beside the target, so that a crash or a full disk leaves no half file.

    The file is a new one with exactly this mode. A symbolic link at `path` is replaced by it; what the link pointed
    to stays as it was. Missing folders are made, the last one for the owner only. Temporary files that killed
    processes left there are removed.

    Raises:
        OSError: nothing was written; a file that was there is still as it was. The error names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Without the target's name: together they could be longer than a file name may be.
    temporary = path.with_name(temporary_name())
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
        with os.fdopen(descriptor, "wb") as file:
            with suppress(OSError):  # a file system without locks
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
    remove_leftovers_now_and_then(str(path.parent))
