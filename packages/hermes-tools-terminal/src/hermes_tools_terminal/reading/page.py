"""Lines as a model is shown them: numbered, long ones cut, and no more than fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Page(NamedTuple):
    """Some lines of a text.

    Attributes:
        text: The lines, each with its number and a bar before it.
        shown: How many lines that are.
        cut: The numbers of lines that are longer than what is shown of them.
        full: Whether lines were left out because they did not fit.
    """

    text: str
    shown: int
    cut: tuple[int, ...]
    full: bool


def page(lines: Sequence[str], first: int, *, longest: int, most: int, sizes: Mapping[int, int] | None = None) -> Page:
    """Number lines, as many as fit.

    Args:
        lines: The lines, without their ends.
        first: The number of the first one.
        longest: How many characters of each are shown.
        most: How many characters all of them may take.
        sizes: The real size in bytes of those that were cut before; their numbers are those of the lines.
    """
    known = sizes or {}
    shown = [f"{number}|{line}" for number, line in enumerate(lines, first)]
    cut: list[int] = list(known)
    if known or (shown and len(max(shown, key=len)) > longest):
        cut = []
        for index, line in enumerate(lines):
            number = first + index
            if number in known or len(line) > longest:
                cut.append(number)
                size = f"{known[number]:,} bytes" if number in known else f"{len(line):,} characters"
                shown[index] = f"{number}|{line[:longest]} [... cut: the line has {size}]"
    fitting = _fitting(shown, most)
    return Page("\n".join(shown[:fitting]), fitting, tuple(cut), fitting < len(shown))


def _fitting(lines: Sequence[str], most: int) -> int:
    """How many lines fit into a number of characters; at least one."""
    if sum(map(len, lines)) + len(lines) <= most:
        return len(lines)
    size = 0
    for count, line in enumerate(lines):
        size += len(line) + 1
        if size > most and count:
            return count
    return len(lines)
