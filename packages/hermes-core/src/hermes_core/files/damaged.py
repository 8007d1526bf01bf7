"""Moves state files that cannot be read out of the way, so that nothing in them is lost."""

from __future__ import annotations

import os
from itertools import count

MOVED = "%s is damaged (%s). It was moved to %s, and a new one is started."


def set_aside(path: str | os.PathLike[str], why: object) -> str:
    """Rename a damaged file to `NAME.broken`, or with a number when that is taken, and log a warning about it.

    Returns:
        Where the file is now.

    Raises:
        OSError: it cannot be renamed.
    """
    from hermes_core.logs import log  # `logging` takes time to import

    target = rename_aside(path)
    log.warning(MOVED, os.fspath(path), why, target)
    return target


def rename_aside(path: str | os.PathLike[str]) -> str:
    """The same without a word, for callers that hold a lock and log later.

    Raises:
        OSError: it cannot be renamed.
    """
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
