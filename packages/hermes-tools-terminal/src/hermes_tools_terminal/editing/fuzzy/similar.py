"""The ways of searching that guess: between equal first and last lines, and by how many lines are alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hermes_tools_terminal.editing.fuzzy.likeness import BlockLikeness, LineLikeness, Work
from hermes_tools_terminal.editing.fuzzy.page import NOTHING, Hits, Page
from hermes_tools_terminal.editing.fuzzy.quote import Quote

ONLY_CANDIDATE: Final = 0.50
AMONG_OTHERS: Final = 0.70
"""How alike the lines between equal first and last lines must be, if there is one such place or several."""

ALIKE_LINE: Final = 0.80
"""How alike two lines must be to count as the same one."""

LOOKED_UP: Final = 8
"""How many lines of a quote are looked up in the text, the longest first."""

PIECES: Final = 16
"""Into how many pieces all of them together are cut for that; a line into two to eight."""

TOO_COMMON: Final = 500
"""What stands in a text more often than that leads nowhere."""

_WORD: Final = re.compile(r"\w")


def block_anchor(page: Page, quote: Quote) -> Hits:
    """Where its first and last lines stand as far from each other as in it, and what is between them is alike.

    Raises:
        TooMuchWorkError: there are too many such places to compare them all.
    """
    wanted, lines = quote.core, page.plain_lines
    if len(wanted) < 2:
        return NOTHING
    work = Work()
    places = []
    for place in _all(lines, wanted[0], len(lines) - len(wanted) + 1):
        work.take(10)
        if lines[place + len(wanted) - 1] == wanted[-1]:
            places.append(place)
    least = AMONG_OTHERS if len(places) > 1 else ONLY_CANDIDATE
    likeness = BlockLikeness("\n".join(wanted[1:-1]))
    found = []
    for place in places:
        work.take(2 * len(wanted))
        if likeness.reaches("\n".join(lines[place + 1 : place + len(wanted) - 1]), least, work):
            found.append(place)
    return _hits(page, quote, found)


def context_aware(page: Page, quote: Quote) -> Hits:
    """Where at least half of its lines, and half of those that have words, are alike to the text's.

    Only places are looked at where a piece of one of its longest lines stands in the right line.

    Raises:
        TooMuchWorkError: there are too many such places to compare them all.
    """
    wanted = quote.core
    telling = [index for index, line in enumerate(wanted) if _WORD.search(line)]
    work = Work()
    compared = _Comparison(wanted, telling, page.plain_lines, work)
    last = len(page.plain_lines) - len(wanted)
    places = {place for place in _places(page, wanted, telling, work) if 0 <= place <= last}
    return _hits(page, quote, [place for place in sorted(places) if compared.alike(place)])


class _Comparison:
    """Compares the lines of a quote with as many of a text."""

    def __init__(self, wanted: list[str], telling: list[int], lines: list[str], work: Work) -> None:
        self._wanted = wanted
        self._telling = frozenset(telling)
        self._lines = lines
        self._work = work
        self._likeness: dict[str, LineLikeness] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def alike(self, place: int) -> bool:
        others, telling = len(self._wanted) // 2, len(self._telling) // 2  # how many lines may be unlike
        index = 0
        for index, wanted in enumerate(self._wanted):
            line = self._lines[place + index]
            if wanted == line or self._line_alike(wanted, line):
                continue
            others -= 1
            telling -= index in self._telling
            if others < 0 or telling < 0:
                break
        self._work.take(20 + 6 * index)
        return others >= 0 and telling >= 0

    def _line_alike(self, wanted: str, line: str) -> bool:
        if not wanted or not line:  # a blank line is only like blank ones
            return False
        known = self._known.get((wanted, line))
        if known is None:
            likeness = self._likeness.setdefault(wanted, LineLikeness(wanted))
            known = self._known[wanted, line] = likeness.reaches(line, ALIKE_LINE, self._work)
        return known


def _places(page: Page, wanted: list[str], telling: list[int], work: Work) -> Iterator[int]:
    """Where the quote would begin if a piece of its line belonged there."""
    distinct = {wanted[index]: index for index in reversed(telling)}
    looked_up = sorted(distinct, key=lambda line: (-len(line), distinct[line]))[:LOOKED_UP]
    for line in looked_up:
        for piece in pieces_of(line, PIECES // len(looked_up)):
            lines = page.plain_lines_with(piece, TOO_COMMON)
            work.take(10 * len(lines))
            yield from (place - distinct[line] for place in lines)


def pieces_of(line: str, most: int) -> list[str]:
    """A line in pieces of at least three letters; the last may overlap the one before it.

    Args:
        line: The line.
        most: How many at most; never more than eight, nor less than two.
    """
    size = max(3, -(-len(line) // max(2, min(most, 8))))
    starts = range(0, max(1, len(line) - size + 1), size)
    cut = [line[start : start + size] for start in starts]
    return cut if starts[-1] + size >= len(line) else [*cut, line[-size:]]


def _all(lines: list[str], wanted: str, end: int) -> Iterator[int]:
    place = -1
    while True:
        try:
            place = lines.index(wanted, place + 1, max(end, 0))
        except ValueError:
            return
        yield place


def _hits(page: Page, quote: Quote, places: list[int]) -> Hits:
    spans = []
    free = 0
    for place in places:
        if place >= free:
            spans.append(page.span(place, len(quote.core), with_end=quote.with_end))
            free = place + len(quote.core)
    return Hits(tuple(spans), len(places) > 1)
