"""Finds where the words of a command lead through symbolic links, so that a swapped link is noticed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

MOST_MATCHES = 1_000
"""Files that a pattern may match; links among more are not looked for."""

_MOST_PIECES = 2_000
_LONGEST_PATH = 4_096
_WORDS = re.compile(r"[^\s'\"`;,(){}<>|&$]+")
_VALUE = re.compile(r"[=:]")


class TooMany(Exception):  # noqa: N818 - a signal to the caller, never shown
    """Raised when there are more paths than can be looked at."""


class Links:
    """Looks for symbolic links on the way to paths. One that was looked at is not looked at again."""

    def __init__(self) -> None:
        self._plain: set[str] = set()
        self._bases: dict[str, str] = {}
        self._pieces = 0

    def targets(self, cwd: str, text: str, *, pattern: bool = False) -> Iterator[tuple[str, str]]:
        """The paths in a word that lead somewhere else by a link: each as it is written, and where it leads.

        Args:
            cwd: The directory that relative paths start at.
            text: The word; options, assignments, lists and code are searched for paths.
            pattern: Whether the shell replaces it by the names of the files that match.

        Raises:
            TooMany: there are too many paths to look at.
        """
        base = self._bases.get(cwd) or self._bases.setdefault(cwd, os.path.realpath(cwd))
        for piece in dict.fromkeys(_pieces(text)):
            self._pieces += 1
            if self._pieces > _MOST_PIECES:
                raise TooMany
            for path in _matches(base, piece) if pattern else (piece,):
                target = self._target(base, path)
                if target:
                    yield path, target

    def _target(self, base: str, path: str) -> str:
        """Where a path leads; empty when no link is on the way."""
        at = "" if path.startswith("/") else base.rstrip("/")
        for name in path.split("/"):
            if name in ("", "."):
                continue
            if name == "..":
                return self._resolved(base, path)
            at = f"{at}/{name}"
            if at in self._plain:
                continue
            if _is_link(at):
                return self._resolved(base, path)
            self._plain.add(at)
        return ""

    @staticmethod
    def _resolved(base: str, path: str) -> str:
        whole = os.path.join(base, path)
        target = os.path.realpath(whole)
        return "" if target == os.path.normpath(whole) else target


def _pieces(text: str) -> Iterator[str]:
    """Everything in a word that may be a path."""
    if len(text) > _LONGEST_PATH or _WORDS.fullmatch(text) is None:
        for found in _WORDS.finditer(text):  # code, or a name with blanks in it
            yield from _pieces(found.group()[:_LONGEST_PATH])
        if len(text) > _LONGEST_PATH:
            return
    if not text.startswith("-"):
        yield text
    elif len(text) > 2 and text[1] != "-":
        yield text[2:]  # as in -Cdirectory
    if text.startswith("@"):
        yield text[1:]  # as in --data @file
    if _VALUE.search(text):
        yield from filter(None, _VALUE.split(text)[1 if text.startswith("-") else 0 :])


def _matches(base: str, pattern: str) -> Iterable[str]:
    import glob

    found = []
    for path in glob.iglob(pattern, root_dir=base):
        found.append(path)
        if len(found) > MOST_MATCHES:
            raise TooMany
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0]
    return [*([fixed] if fixed else []), *found]


def _is_link(path: str) -> bool:
    try:
        return os.path.islink(path)
    except ValueError:  # a NUL character: no file has such a name
        return False
