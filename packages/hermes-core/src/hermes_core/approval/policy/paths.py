"""Whether a path lies within a folder, whatever way it is spelt."""

from __future__ import annotations

import os
from collections.abc import Callable

from hermes_core.approval.policy.mistake import Mistake, shown

_MAX_PATH = 16_384
"""No system opens a longer one; Linux stops at 4,096 bytes."""


def compile_under(folder: str, *, strict: bool) -> Callable[[str], bool]:
    """A function that says whether a path is a folder or lies in it.

    `~`, `..`, `.` and double slashes are worked out, and symbolic links are followed. A relative path starts where the
    process stands. Programs disagree about `link/..`: some take both words out, others follow the link first. With
    `strict`, for a rule that guards the folder, one way of reading that leads into it is enough; else all must.

    Raises:
        Mistake: there can be no such folder.
    """
    try:
        lexical = _spelt_out(folder)
        real = _real(lexical)
    except (ValueError, OSError) as error:
        raise Mistake(f"is {shown(folder)}, not a folder: {error}.", example="{under: ~/.ssh}") from None

    def is_under(text: str) -> bool:
        if "\0" in text:  # readers disagree about where such a path ends
            return strict
        try:
            path = _spelt_out(text)
            if len(path) > _MAX_PATH:
                return False
            if strict and _within(path, lexical):
                return True
            inside = _within(_real(path), real)
            if inside is strict or ".." not in text or len(text) > _MAX_PATH:
                return inside
            return _within(_real(os.path.expanduser(text)), real)
        except (ValueError, OSError):  # a character that no file name can hold
            return strict

    return is_under


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _spelt_out(path: str) -> str:
    return os.path.normcase(os.path.abspath(os.path.expanduser(path)))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
