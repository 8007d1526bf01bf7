"""The results and errors of fuzzy replacement, with suggestions of similar places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Final

from hermes_editing.fuzzy.edit_variants import stripped_lines
from hermes_editing.fuzzy.text_index import Span, TextIndex

SMALL_BLOCK: Final = 40_000
"""The maximum product of lengths for which blocks are compared by character."""

_WORDS: Final = re.compile(r"\w+")


class Words:
    """Compares the words of texts that are too long for a better measure."""

    def __init__(self, wanted: str) -> None:
        self._size = len(wanted)
        self._words = Counter(_WORDS.findall(wanted))

    def of(self, other: str) -> float:
        """Return the share of common words, in any order, limited by the lengths."""
        words = Counter(_WORDS.findall(other))
        total = words.total() + self._words.total()
        return min(_most(len(other), self._size), 2 * (words & self._words).total() / total if total else 0.0)


class BlockLikeness:
    """Compares blocks of lines with a given one: by common substrings, or by words if they are long."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def of(self, other: str) -> float:
        """Return the similarity, from 0 to 1."""
        if other == self.wanted:
            return 1.0
        if len(other) * len(self.wanted) > SMALL_BLOCK:
            return self._words.of(other)
        self._stretches.set_seq1(other)
        return self._stretches.ratio()

    @cached_property
    def _stretches(self) -> SequenceMatcher[str]:
        return SequenceMatcher(None, "", self.wanted, autojunk=False)

    @cached_property
    def _words(self) -> Words:
        return Words(self.wanted)


def _most(size: int, other: int) -> float:
    """Return the maximum similarity for two lengths."""
    return 2 * min(size, other) / (size + other)


LIMIT: Final = 3
"""The maximum number of suggestions."""

LEAST: Final = 0.3
"""The minimum similarity of a suggestion."""

AROUND: Final = 2
"""How many lines of context are shown."""

_LONGEST_BLOCK = 20
"""How many lines of the pattern are compared and shown."""

_LONGEST_LINE = 200
"""How many characters of a line are shown."""

_WORDS_LOOKED_UP = 8
"""How many words of the pattern are looked up, longest first."""

_TOO_COMMON = 300
"""Words that occur more often are ignored."""

_PLACES_COMPARED = 12
"""How many places are compared with the pattern, those with the most rare words first."""

_WORD: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A similar place in a text: the number of its first line, the similarity from 0 to 1, and the numbered lines."""

    line: int
    likeness: float
    text: str


def suggestions(source: TextIndex, wanted: str) -> tuple[Suggestion, ...]:
    """Return the places of a text that are most similar to a pattern, best first."""
    lines = stripped_lines(wanted)[:_LONGEST_BLOCK]
    likeness = BlockLikeness("\n".join(lines))
    compared = []
    for place in _places(source, lines):
        actual = "\n".join(source.plain_lines[place : place + len(lines)])
        compared.append((-likeness.of(actual[: 2 * len(likeness.wanted) + 200]), place))
    chosen: list[tuple[float, int]] = []
    for unlikeness, place in sorted(compared):
        apart = all(abs(place - other) >= len(lines) for _, other in chosen)
        if -unlikeness > LEAST and apart and len(chosen) < LIMIT:
            chosen.append((-unlikeness, place))
    return tuple(Suggestion(place + 1, alike, _format_lines(source, place, len(lines))) for alike, place in chosen)


def _places(source: TextIndex, wanted: list[str]) -> list[int]:
    """Return where the pattern would begin, by the words that it shares with the text; rare words weigh more."""
    where: dict[str, int] = {}
    for index, line in enumerate(wanted):
        for word in _WORD.findall(line):
            where.setdefault(word, index)
    votes: Counter[int] = Counter()
    for word in sorted(where, key=lambda word: (-len(word), word))[:_WORDS_LOOKED_UP]:
        places = source.plain_lines_with(word, _TOO_COMMON)
        for place in places:
            votes[max(0, place - where[word])] += _TOO_COMMON // len(places)
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    return [place for place, _ in ranked[:_PLACES_COMPARED]]


def _format_lines(source: TextIndex, place: int, count: int) -> str:
    first = max(0, place - AROUND)
    lines = source.lines[first : place + count + AROUND]
    return "\n".join(f"{first + index + 1}|{_cut(line)}" for index, line in enumerate(lines))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}... [{len(line)} characters]"


_MAX_LINES: Final = 100
"""How many matches are reported with their line numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Replacements in a text."""

    strategy: str
    spans: Sequence[Span]
    pieces: Sequence[str]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after a replacement.

    Attributes:
        text: The new text.
        count: The number of replacements.
        strategy: How the matches were found: `exact`, `line_numbers`, `escapes`, `typography` or `context`.
        spans: The matches in the old text.
        pieces: The replacement of each.
        repeats: Whether sending the edit again would change the text again.
    """

    text: str
    count: int
    strategy: str
    spans: tuple[Span, ...]
    pieces: tuple[str, ...]
    repeats: bool = False


class NoMatchError(ValueError):
    """Raised when nothing matches."""

    def __init__(self, source: TextIndex, old: str, reason: str = "") -> None:
        self.reason = reason
        self._source = source
        self._old = old
        explanation = f" {reason}" if reason else ""
        super().__init__(
            f"old_string was not found in the file.{explanation} Read the file again and copy the text exactly."
        )

    @cached_property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Similar places, best first; computed on first use."""
        return suggestions(self._source, self._old)


class ManyMatchesError(ValueError):
    """Raised when more than one place matches.

    Attributes:
        count: The number of matches; overlapping ones count only if there are no others.
        lines: The line numbers of the first matches.
    """

    def __init__(self, source: TextIndex, count: int, spans: Sequence[Span], *, similar: bool = False) -> None:
        self.count = count
        starts = sorted(start for start, _ in islice(spans, _MAX_LINES))
        feeds = (source.text.count("\n", *between) for between in pairwise((0, *starts)))
        self.lines = tuple(number + 1 for number in accumulate(feeds))
        at = ", ".join(map(str, self.lines[:10])) + (", ..." if count > 10 else "")
        super().__init__(
            f"Found {count} places that are only similar to old_string, on lines {at}. Copy the one you mean exactly."
            if similar
            else f"Found {count} matches of old_string, on lines {at}. Include more lines around the one you mean, or"
            " set replace_all to change all of them."
        )


class AlreadyAppliedError(ValueError):
    """Raised when the new text is already where the edit would put it."""

    def __init__(self, line: int = 0) -> None:
        self.line = line
        at = f" at line {line}" if line else ""
        super().__init__(f"Already applied: new_string is already in the file{at}. Nothing was changed.")
