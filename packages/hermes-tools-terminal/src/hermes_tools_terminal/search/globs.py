"""Translate globs of ripgrep and ignore files into regular expressions over bytes that run in linear time.

It also runs in other environments: only the standard library and syntax of Python 3.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CHOICES = 200
"""How many globs the alternatives of one glob may expand to."""

_STAR = "*"
_FOLDERS = "**"
_ANY = "[^/]*"


class GlobError(ValueError):
    """Raised for an invalid glob."""


def compile_glob(glob: str, ignore_case: bool = False) -> re.Pattern[bytes]:
    """Compile a glob for a whole relative path with slashes.

    `*`, `?` and `[a-z]` match within a name, `**` spans directories, `{a,b}` lists alternatives, a backslash escapes.

    Raises:
        GlobError: it is invalid.
    """
    writer = _Writer()
    choices = "|".join([writer.path(_parts(each)) for each in _expanded(glob)])
    try:
        source = f"(?:{choices})\\Z".encode("utf-8", "surrogateescape")
        return re.compile(source, re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    except (UnicodeEncodeError, re.error) as error:
        raise GlobError(str(error)) from error


def anywhere(glob: str) -> str:
    """Return a glob that matches in any directory; one with a slash is already a path."""
    while glob.startswith("./"):
        glob = glob[2:]
    return glob.lstrip("/") if "/" in glob else "**/" + glob


def _pieces(glob: str) -> Iterator[str]:
    """Yield single characters, escaped characters, and whole sets."""
    at = 0
    while at < len(glob):
        start = at
        if glob[at] == "\\":
            if at + 1 == len(glob):
                raise GlobError("there is a backslash at the end")
            at += 1
        elif glob[at] == "[":
            at += 2 if glob[at + 1 : at + 2] in ("!", "^") else 1
            at = glob.find("]", at + 1)  # a first ] may be a member
            if at < 0:
                raise GlobError("a [ is not closed")
        at += 1
        yield glob[start:at]


def _expanded(glob: str) -> list[str]:
    """Expand the alternatives of a glob."""
    whole = [""]
    branches: list[str] | None = None
    for piece in _pieces(glob):
        if piece == "{":
            if branches is not None:
                raise GlobError("alternatives are nested")
            branches = [""]
        elif piece == "}":
            if branches is None:
                raise GlobError("a } is not opened")
            whole = [before + branch for before in whole for branch in branches]
            if len(whole) > MAX_CHOICES:
                raise GlobError(f"it expands to more than {MAX_CHOICES} globs")
            branches = None
        elif piece == "," and branches is not None:
            branches.append("")
        elif branches is not None:
            branches[-1] += piece
        else:
            whole = [before + piece for before in whole]
    if branches is not None:
        raise GlobError("a { is not closed")
    return whole


def _parts(glob: str) -> list[list[str]]:
    """Return the components of a path: each is a list of expressions and stars, or two stars for any directories."""
    parts: list[list[str]] = [[]]
    for piece in _pieces(glob):
        if piece == "/":
            parts.append([])
        elif piece == "*":
            parts[-1].append(_STAR)
        else:
            parts[-1].append(_one(piece))
    return [[_FOLDERS] if part == [_STAR, _STAR] else part for part in parts]


def _one(piece: str) -> str:
    """Return an expression for one character."""
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        return _set(piece[1:-1])
    return _literal(piece[-1])


def _set(members: str) -> str:
    negated = members[0] in "!^"
    members = members[1:] if negated else members
    found = []
    at = 0
    while at < len(members):
        low, high = members[at], members[at]
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            high = members[at + 2]
            at += 2
        if high < low:
            raise GlobError("a range ends before it begins")
        found.append(_literal(low) if low == high else _literal(low) + "-" + _literal(high))
        at += 1
    return "[" + "^" * negated + "".join(found) + "]"


def _literal(character: str) -> str:
    return character if character.isalnum() or not character.isascii() else "\\" + character


class _Writer:
    """Writes expressions without backtracking into what was matched, so that they run in linear time.

    Each literal between two stars is matched at its first occurrence: if the rest does not match after that, it matches
    after no later one. The same holds for names between `**`.
    """

    def __init__(self) -> None:
        self._groups = 0

    def path(self, parts: list[list[str]]) -> str:
        """Return an expression for a whole path."""
        runs: list[list[list[str]]] = [[]]
        for part in parts:
            if part == [_FOLDERS]:
                runs.append([])
            else:
                runs[-1].append(part)
        if len(runs) == 1:
            return self._names(runs[0])
        first, *middle, last = runs
        found = self._names(first) + "/" if first else ""
        for run in filter(None, middle):
            found += self._atomic_group(f"(?:[^/]*/)*?{self._names(run)}/")
        if last:
            return f"{found}(?:[^/]*/)*{self._names(last)}"
        return f"{found}.*"

    def _names(self, parts: list[list[str]]) -> str:
        return "/".join([self._name(part) for part in parts])

    def _name(self, part: list[str]) -> str:
        chunks: list[list[str]] = [[]]
        for each in part:
            if each == _STAR:
                chunks.append([])
            else:
                chunks[-1].append(each)
        first, *others = ["".join(chunk) for chunk in chunks]
        if not others:
            return first
        *middle, last = others
        kept = [self._atomic_group(f"[^/]*?{chunk}") for chunk in middle if chunk]
        return first + "".join(kept) + _ANY + last

    def _atomic_group(self, expression: str) -> str:
        """Return an atomic group, which Python before 3.11 only has as a lookahead and a backreference."""
        self._groups += 1
        return f"(?=(?P<g{self._groups}>{expression}))(?P=g{self._groups})"
