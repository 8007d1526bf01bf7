"""Which lines of two texts are the same ones, found in about the time that it takes to read them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

Block = tuple[int, int, int]
"""Where equal lines begin in one text and in the other, and how many."""

_SMALL: Final = 10_000
"""Up to which product of their lengths two stretches are compared line by line if nothing holds them together."""

_DEEPEST: Final = 12
"""How often stretches are cut into smaller ones: what is left then counts as changed."""


def same_lines(before: list[str], after: list[str]) -> list[Block]:
    """Stretches of equal lines, in the order of both texts.

    Lines that each side has only once hold the two together; between them the same is done again.

    Args:
        before: The lines of one text.
        after: The lines of the other.
    """
    found: list[Block] = []
    _compare(before, after, (0, 0), 0, found)
    return found


def _compare(before: list[str], after: list[str], at: tuple[int, int], depth: int, found: list[Block]) -> None:
    begin = _equal(before, after)
    if begin:
        found.append((*at, begin))
        before, after, at = before[begin:], after[begin:], (at[0] + begin, at[1] + begin)
    end = _equal(reversed(before), reversed(after))
    before, after = before[: len(before) - end], after[: len(after) - end]
    if before and after and depth < _DEEPEST:
        _compare_between(before, after, at, depth, found)
    if end:
        found.append((at[0] + len(before), at[1] + len(after), end))


def _compare_between(before: list[str], after: list[str], at: tuple[int, int], depth: int, found: list[Block]) -> None:
    held = _held(before, after)
    if not held and len(before) * len(after) <= _SMALL:
        for line, other, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()[:-1]:
            found.append((at[0] + line, at[1] + other, size))
    if not held:
        return
    line = other = 0
    last = (-1, -1)
    end = (len(before), len(after))
    for place in [*held, end]:
        if place == end or place != (last[0] + 1, last[1] + 1):  # a line right behind one is found together with it
            _compare(before[line : place[0]], after[other : place[1]], (at[0] + line, at[1] + other), depth + 1, found)
            line, other = place
        last = place


def _held(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """The longest row of lines that each side has once, in the order of both."""
    once = {line for line, number in Counter(before).items() if number == 1}
    once &= {line for line, number in Counter(after).items() if number == 1}
    where = {line: index for index, line in enumerate(after) if line in once}
    pairs = [(index, where[line]) for index, line in enumerate(before) if line in once]
    ends: list[int] = []  # of all rows of each length, the one that ends earliest in `after`: where
    rows: list[int] = []  # and with which pair
    earlier: list[int] = []
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        earlier.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        rows[length : length + 1] = [number]
    row = []
    number = rows[-1] if rows else -1
    while number >= 0:
        row.append(pairs[number])
        number = earlier[number]
    return row[::-1]


def _equal(before: Iterable[str], after: Iterable[str]) -> int:
    number = 0
    for line, other in zip(before, after, strict=False):
        if line != other:
            break
        number += 1
    return number
