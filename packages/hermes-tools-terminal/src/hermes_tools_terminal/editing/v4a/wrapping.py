"""What models put around a patch that does not belong to it: code fences and here-documents."""

from __future__ import annotations

import re

_FENCE = re.compile(r"(`{3,}|~{3,})[^`~]*")
_HERE = re.compile(r"(?:apply_patch[ \t]*)?<<-?[ \t]*(['\"]?)(\w+)\1")


def unwrapped(lines: list[str]) -> tuple[int, int]:
    """Where the patch itself begins and ends among the lines of a text."""
    first, end = _first(lines, 0, len(lines)), len(lines)
    for _ in range(2):  # one in the other
        closing = _closing(lines[first].strip()) if first < end else None
        if closing is None:
            break
        last = _last(lines, first, end)
        if last > first and lines[last].strip() == closing:
            end = last
        first = _first(lines, first + 1, end)
    return first, end


def unpadded(lines: list[str], first: int, end: int) -> list[str]:
    """Return the lines of a text without the indent that a whole patch has, and without blanks around its markers.

    Args:
        lines: The lines.
        first: Where the patch begins.
        end: Where it ends.
    """
    if first >= end or not lines[first].lstrip().startswith("***"):
        return lines
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    body = lines[first:end]
    if indent and all(line.startswith(indent) or not line.strip() for line in body):
        body = [line[len(indent) :] for line in body]
    last = _last(body, 0, len(body))
    for index in {0, last}:
        if body[index].lstrip().startswith(("*** Begin Patch", "*** End Patch")):
            body[index] = body[index].strip()
    return [*lines[:first], *body, *lines[end:]]


def _closing(opening: str) -> str | None:
    """The last line that belongs to such a first one."""
    if fence := _FENCE.fullmatch(opening):
        return fence[1]
    if here := _HERE.fullmatch(opening):
        return here[2]
    return None


def _first(lines: list[str], first: int, end: int) -> int:
    while first < end and not lines[first].strip():
        first += 1
    return first


def _last(lines: list[str], first: int, end: int) -> int:
    """The last line that is not blank. What is blank behind it stays: it may be context."""
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end - 1
