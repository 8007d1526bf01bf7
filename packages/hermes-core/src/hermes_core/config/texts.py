"""Reads a file that people write by hand, and refuses what cannot be one."""

from __future__ import annotations

import stat
from pathlib import Path

from hermes_core.errors import ConfigError

MAX_BYTES = 1_048_576
"""Nobody writes a megabyte of settings by hand: a larger file is some other file."""


def read_text(file: Path) -> str | None:
    """The text of a file, without a byte order mark; None when there is no such file.

    Raises:
        ConfigError: the file cannot be opened, is too large, or is no UTF-8 text.
    """
    try:
        if stat.S_ISFIFO(file.stat().st_mode):  # opening one waits for somebody to write
            raise ConfigError("cannot be read (it is a pipe, not a file).", file=str(file))
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror or error}).", file=str(file)) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"is larger than {MAX_BYTES:,} bytes, which no settings are.", file=str(file))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"cannot be read (byte {error.start} is not UTF-8). Save the file as UTF-8.",
            file=str(file),
            line=data.count(b"\n", 0, error.start) + 1,
        ) from error
    if "\0" in text:
        raise ConfigError(
            "holds a NUL character, so it is no text. Nothing was changed; mend the file and try again.",
            file=str(file),
            line=text.count("\n", 0, text.index("\0")) + 1,
        )
    return text
