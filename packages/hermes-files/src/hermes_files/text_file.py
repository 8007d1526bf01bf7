"""Reads files that people write by hand, refuses other files, and changes them under a lock."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from hermes_files import FileError

MAX_BYTES = 1_048_576
"""Settings that people write by hand are smaller."""

_LOCK_SECONDS = 10.0
"""A change takes milliseconds: after a longer wait, the holder of the lock hangs."""


def read_text(file: Path) -> str | None:
    """Read a file without its byte order mark; None when it does not exist.

    Raises:
        FileError: the file cannot be opened, is too large, or is no UTF-8 text.
    """
    try:
        if stat.S_ISFIFO(file.stat().st_mode):  # opening one waits for a writer
            raise FileError("cannot be read (it is a pipe, not a file).", file=str(file))
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror or error}).", file=str(file)) from error
    if len(data) > MAX_BYTES:
        raise FileError(f"is larger than {MAX_BYTES:,} bytes, which no settings are.", file=str(file))
    reason, at = "", data.find(b"\0")
    if at >= 0:
        reason = "holds a NUL character, so it is no text. Nothing was changed; fix the file and try again."
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason, at = f"cannot be read (byte {error.start} is not UTF-8). Save the file as UTF-8.", error.start
    if reason:
        raise FileError(reason, file=str(file), line=data.count(b"\n", 0, at) + 1)
    return text


def rewrite_text(file: Path, edit: Callable[[str], str], *, mode: int | None = None) -> bool:
    """Read a file, edit its text and write it whole, under a lock; return False when nothing changed.

    Args:
        file: The file; a link is followed, and stays a link.
        edit: Returns the new text; if it raises an exception, the file is not changed.
        mode: The mode of the file; the one it has, or 0600, when it is not given.

    Raises:
        FileError: the file is broken, locked or cannot be written; it was not changed.
    """
    from hermes_files.atomic import file_lock, write_atomic

    try:
        target = file.resolve()  # two homes may share one file
    except (OSError, RuntimeError) as error:  # which of them depends on the version of Python
        raise FileError("cannot be changed (its links lead in a circle).", file=str(file)) from error
    try:
        with file_lock(target, timeout=_LOCK_SECONDS):
            before = read_text(file) or ""
            text = edit(before)
            if text == before:
                return False
            data = text.encode("utf-8")
            if len(data) > MAX_BYTES:
                raise FileError(f"would be larger than {MAX_BYTES:,} bytes. Nothing was changed.", file=str(file))
            if mode is None:
                mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
            write_atomic(target, data, mode=mode)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"cannot be changed ({reason}). Nothing was changed.", file=str(file)) from error
    except UnicodeEncodeError as error:
        raise FileError("cannot hold a text that is not Unicode. Nothing was changed.", file=str(file)) from error
    return True
