"""Giving new lines the indent of the lines that they replace, when they were quoted with another one."""

from __future__ import annotations

import re
from typing import Final

_INDENT: Final = re.compile(r"[ \t]*")


def reindented(old: str, region: str, new: str) -> str:
    """New text, indented as the file is.

    A line whose indent the quote has on one of its lines gets what the file has on that line. Other lines get the first
    line's indent swapped, and those that are indented less than that begin where the file's first line does.

    Args:
        old: The quote.
        region: What it was found to mean.
        new: What shall stand there, indented like the quote.
    """
    quoted, found = old.split("\n"), region.split("\n")
    base, file_base = _first_indent(quoted), _first_indent(found)
    known = _pairs(quoted, found)
    if base == file_base and all(ours == theirs for ours, theirs in known.items()):
        return new
    return "\n".join(_moved(line, base, file_base, known) for line in new.split("\n"))


def _moved(line: str, base: str, file_base: str, known: dict[str, str]) -> str:
    rest = line.lstrip(" \t")
    if not rest:
        return line
    indent = line[: len(line) - len(rest)]
    if indent in known:
        return known[indent] + rest
    return file_base + (line[len(base) :] if indent.startswith(base) else rest)


def _pairs(quoted: list[str], found: list[str]) -> dict[str, str]:
    """Which indent of the quote is which one of the file's, where that is the same on all lines."""
    if len(quoted) != len(found):
        return {}
    pairs: dict[str, str | None] = {}
    for ours, theirs in zip(quoted, found, strict=True):
        if ours.strip() and theirs.strip():
            indent = _indent(theirs)
            pairs[_indent(ours)] = indent if pairs.get(_indent(ours), indent) == indent else None
    return {ours: theirs for ours, theirs in pairs.items() if theirs is not None}


def _first_indent(lines: list[str]) -> str:
    return next((_indent(line) for line in lines if line.strip()), "")


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found.group() if found else ""
