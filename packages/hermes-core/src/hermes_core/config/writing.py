"""Changes the user's files under a lock, whole or not at all."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_core.config.document import Document, parse_document, read_document
from hermes_core.config.dotenv import parse_dotenv, with_variable, without_variable
from hermes_core.config.texts import MAX_BYTES, read_text
from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError
from hermes_core.files import file_lock, write_atomic

_LOCK_SECONDS = 10.0
"""A change takes milliseconds: who waits longer waits for something that hangs."""


def rewrite_document(
    file: Path,
    edit: Callable[[Document], str | None],
    check: Callable[[Document, Document], None],
) -> None:
    """Read the file, edit its text and write it, while nobody else does the same.

    Args:
        file: The file; a link is followed, and stays a link.
        edit: Makes the new text out of what the file says now; None when there is nothing to change.
        check: Is given what the file says before and after, and raises when that must not be written.

    Raises:
        ConfigError: the file is broken, locked or cannot be written; it is as it was.
    """
    with _locked(file) as target:
        before = read_document(file)
        text = edit(before)
        if text is None or text == before.text:
            return
        after = parse_document(file, text)
        check(before, after)
        _write(file, target, text, mode=None)


def set_variable(file: Path, name: str, value: str) -> None:
    """Set a variable in `.env`.

    Raises:
        ConfigError: the file is broken, locked or cannot be written; it is as it was.
    """
    if "\0" in value:
        raise ConfigError("the value holds a NUL character, which no variable can.", key=name)
    with _locked(file) as target:
        text = with_variable(file, read_text(file) or "", name, value)
        held = {each.name: each.value for each in parse_dotenv(file, text)}
        if held.get(name) != value:
            raise ConfigError("the value cannot be written to this file.", file=str(file), key=name)
        _write(file, target, text, mode=0o600)


def drop_variables(file: Path, names: Iterable[str]) -> bool:
    """Take variables out of `.env`; False when none was there.

    Raises:
        ConfigError: the file is broken, locked or cannot be written; it is as it was.
    """
    if read_text(file) is None:
        return False
    with _locked(file) as target:
        before = text = read_text(file) or ""
        for name in names:
            text = without_variable(file, text, name)
        if text != before:
            _write(file, target, text, mode=0o600)
        return text != before


@contextmanager
def _locked(file: Path) -> Iterator[Path]:
    """Hold the lock of the file that a path leads to, through all links: two homes may share one file."""
    refuse_inside("Settings cannot be changed")
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:  # which of them depends on the version of Python
        raise ConfigError("cannot be changed (its links lead in a circle).", file=str(file)) from error
    try:
        with file_lock(target, timeout=_LOCK_SECONDS):
            yield target
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"cannot be changed ({reason}). Nothing was changed.", file=str(file)) from error


def _write(file: Path, target: Path, text: str, *, mode: int | None) -> None:
    data = text.encode("utf-8")
    if len(data) > MAX_BYTES:
        raise ConfigError(f"would be larger than {MAX_BYTES:,} bytes. Nothing was changed.", file=str(file))
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
    write_atomic(target, data, mode=mode)
