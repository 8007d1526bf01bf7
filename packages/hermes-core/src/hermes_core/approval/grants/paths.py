"""Where a path leads, whichever way it is read."""

from __future__ import annotations

import os

_MAX_PATH = 4096
"""Linux opens nothing longer; resolving is quadratic in the number of parts."""


def normal(path: str) -> str | None:
    """An absolute path without `..`, `.`, `//` and a slash at the end; None when it is not absolute, or no path.

    It is a change of text: links are not looked at.
    """
    if not path.startswith("/") or "\0" in path or len(path) > _MAX_PATH:
        return None
    return "/" + os.path.normpath(path).lstrip("/")  # POSIX lets two slashes at the start stand


def within(folder: str, path: str) -> bool:
    """Whether one normal path is the other, or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def leads_into(folder: str, path: str) -> bool:
    """Whether a path ends in a folder when `..` is taken as text, and also when every link is followed first.

    A link inside of the folder that leads out of it does not count as inside, and neither does anything when the
    folder itself has become a link.
    """
    plain = normal(path)
    try:
        return plain is not None and within(folder, real(plain)) and within(folder, real(path))
    except (OSError, ValueError):  # no name that this file system can hold
        return False


def real(path: str) -> str:
    """The path with every link followed, as far as it exists."""
    return "/" + os.path.realpath(path).lstrip("/")
