"""Places in a text that somebody may have meant who quoted something that is not in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from hermes_tools_terminal.editing.fuzzy.likeness import BlockLikeness
from hermes_tools_terminal.editing.fuzzy.page import Page
from hermes_tools_terminal.editing.fuzzy.quote import core

MOST: Final = 3
"""How many places are shown."""

LEAST: Final = 0.3
"""How alike they must be at least."""

AROUND: Final = 2
"""How many lines are shown before and after each."""

_LONGEST_BLOCK = 20
"""How many lines of a quote are compared and shown."""

_LONGEST_LINE = 200
"""How many letters of a line are shown."""

_WORDS_LOOKED_UP = 8
"""How many words of a quote are looked up in the text, the longest first."""

_TOO_COMMON = 300
"""What stands in a text more often than that leads nowhere."""

_PLACES_COMPARED = 12
"""How many places are compared with the quote, those with the most of its rare words first."""

_WORD: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Preview:
    """A place that may be meant.

    Attributes:
        line: The number of its first line.
        likeness: How alike it is, from 0 to 1.
        text: Its lines and those around them, each with its number.
    """

    line: int
    likeness: float
    text: str


def previews(page: Page, wanted: str) -> tuple[Preview, ...]:
    """The places of a text that are most like a quote, best first.

    Args:
        page: The whole text.
        wanted: The quote.
    """
    lines = core(wanted)[:_LONGEST_BLOCK]
    likeness = BlockLikeness("\n".join(lines))
    compared = []
    for place in _places(page, lines):
        there = "\n".join(page.plain_lines[place : place + len(lines)])
        compared.append((-likeness.of(there[: 2 * len(likeness.wanted) + 200]), place))
    chosen: list[tuple[float, int]] = []
    for unlikeness, place in sorted(compared):
        apart = all(abs(place - other) >= len(lines) for _, other in chosen)
        if -unlikeness > LEAST and apart and len(chosen) < MOST:
            chosen.append((-unlikeness, place))
    return tuple(Preview(place + 1, alike, _shown(page, place, len(lines))) for alike, place in chosen)


def _places(page: Page, wanted: list[str]) -> list[int]:
    """Where the quote would begin, by words that it shares with the text: the rare ones say more than the others."""
    where: dict[str, int] = {}
    for index, line in enumerate(wanted):
        for word in _WORD.findall(line):
            where.setdefault(word, index)
    votes: Counter[int] = Counter()
    for word in sorted(where, key=lambda word: (-len(word), word))[:_WORDS_LOOKED_UP]:
        places = page.plain_lines_with(word, _TOO_COMMON)
        for place in places:
            votes[max(0, place - where[word])] += _TOO_COMMON // len(places)
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    return [place for place, _ in ranked[:_PLACES_COMPARED]]


def _shown(page: Page, place: int, count: int) -> str:
    first = max(0, place - AROUND)
    lines = page.lines[first : place + count + AROUND]
    return "\n".join(f"{first + index + 1}|{_cut(line)}" for index, line in enumerate(lines))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}... [{len(line)} characters]"
