"""Reads and writes the files of a mailbox, and trusts only files that no other user could have written."""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hermes_files.atomic import temporary_name, write_atomic

REQUEST, ANSWER = ".request", ".answer"
_LARGEST = 64 * 1024 * 1024
"""Arguments may be large, but a larger file is not a request."""
_ABANDONED_SECONDS = 3600.0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def prepare(folder: Path) -> None:
    """Make the directory if it is missing.

    Raises:
        PermissionError: it belongs to another user, or others may write to it.
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not is_private(folder):
        raise PermissionError(
            f"{folder} is not used for approvals: other users may write to it. Make it yours with `chmod 700 {folder}`."
        )


def is_private(folder: Path) -> bool:
    """Return True if the directory exists and no other user can put files into it."""
    try:
        facts = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & _OTHERS_WRITE


def requests(folder: Path) -> list[str]:
    """Return the names of all requests without their suffix, oldest first."""
    return [name.removesuffix(REQUEST) for name in _names(folder) if name.endswith(REQUEST)]


def sweep(folder: Path) -> None:
    """Remove answers without a request, and abandoned temporary files."""
    if not is_private(folder):
        return
    for name in _names(folder):
        path = folder / name
        if name.endswith(ANSWER):
            unwanted = not os.path.lexists(folder / f"{name.removesuffix(ANSWER)}{REQUEST}")
        else:
            unwanted = name.startswith(".") and name.endswith(".tmp") and _age(path) > _ABANDONED_SECONDS
        if unwanted:
            remove(path)


def read(path: Path) -> dict[str, Any] | None:
    """Return the object in a file; None if there is none, or others could have written it."""
    try:
        # Neither block on a pipe nor follow a link with the right name.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & _OTHERS_WRITE
        if not ours or facts.st_size > _LARGEST:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            value = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        os.close(descriptor)
    return value if isinstance(value, dict) else None


def write_new(path: Path, value: dict[str, Any]) -> bool:
    """Write a new file for the owner only; False if it already exists."""
    temporary = path.with_name(temporary_name())
    write_atomic(temporary, json.dumps(value, default=str).encode())
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        remove(temporary)
    return True


def remove(path: Path) -> None:
    """Remove a file if possible."""
    with suppress(OSError):
        path.unlink()


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _age(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        return 0.0
