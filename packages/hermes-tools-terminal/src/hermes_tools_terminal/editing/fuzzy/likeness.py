"""How alike two texts are, and how much work may go into finding out."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

SMALL_BLOCK: Final = 40_000
"""Up to which product of their lengths two blocks are compared letter by letter."""

SMALL_LINE: Final = 1_000_000
"""Up to which product of their lengths two lines are compared letter by letter, which is far cheaper."""

WORK: Final = 400_000
"""How much work one search for similar text may take: some milliseconds, whatever the texts are."""

_WORDS: Final = re.compile(r"\w+")


class TooMuchWorkError(Exception):
    """Raised when more would have to be compared than there is work for."""


class Work:
    """What is left of the work for one search.

    Args:
        left: How much it is; a unit is about thirty nanoseconds.
    """

    def __init__(self, left: int = WORK) -> None:
        self.left = left

    def take(self, units: int) -> None:
        """Take some of it.

        Raises:
            TooMuchWorkError: there is not so much left.
        """
        self.left -= units
        if self.left < 0:
            raise TooMuchWorkError


class Words:
    """The words of a text, compared with those of others: a measure for texts too long for a better one.

    Args:
        wanted: The text.
    """

    def __init__(self, wanted: str) -> None:
        self._size = len(wanted)
        self._words = Counter(_WORDS.findall(wanted))

    def of(self, other: str) -> float:
        """The share of words that both have, in any order, and no more than their lengths allow."""
        words = Counter(_WORDS.findall(other))
        total = words.total() + self._words.total()
        return min(_most(len(other), self._size), 2 * (words & self._words).total() / total if total else 0.0)


class BlockLikeness:
    """How alike blocks of lines are to a given one: by common stretches of letters, or by words if they are long.

    Args:
        wanted: The given block.
    """

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def of(self, other: str) -> float:
        """From 0 for nothing in common to 1 for the same text."""
        if other == self.wanted:
            return 1.0
        if len(other) * len(self.wanted) > SMALL_BLOCK:
            return self._words.of(other)
        self._stretches.set_seq1(other)
        return self._stretches.ratio()

    def reaches(self, other: str, least: float, work: Work) -> bool:
        """Whether a block is at least so much alike.

        Args:
            other: The block.
            least: From 0 to 1.
            work: What pays for it.

        Raises:
            TooMuchWorkError: that is not enough.
        """
        if other == self.wanted:
            return True
        work.take(40 + len(other))
        if _most(len(other), len(self.wanted)) < least:
            return False
        letters = len(other) * len(self.wanted)
        work.take(300 + (letters if letters <= SMALL_BLOCK else 4 * len(other)))
        return self.of(other) >= least

    @cached_property
    def _stretches(self) -> SequenceMatcher[str]:
        return SequenceMatcher(None, "", self.wanted, autojunk=False)

    @cached_property
    def _words(self) -> Words:
        return Words(self.wanted)


class LineLikeness:
    """How alike lines are to a given one: by the most letters that both have in order, or by words if they are long.

    Args:
        wanted: The given line.
    """

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def of(self, other: str) -> float:
        """From 0 for nothing in common to 1 for the same text."""
        if len(other) * len(self.wanted) > SMALL_LINE:
            return self._words.of(other)
        # All columns of the usual table at once: a bit is 0 where one more letter is shared than in the column before.
        row = whole = (1 << len(self.wanted)) - 1
        for letter in other:
            shared = row & self._places.get(letter, 0)
            row = (row + shared) | (row - shared)
        shared_letters = len(self.wanted) - (row & whole).bit_count()
        return 2 * shared_letters / (len(other) + len(self.wanted))

    def reaches(self, other: str, least: float, work: Work) -> bool:
        """Whether a line is at least so much alike.

        Args:
            other: The line.
            least: From 0 to 1.
            work: What pays for it.

        Raises:
            TooMuchWorkError: that is not enough.
        """
        if other == self.wanted:
            return True
        work.take(30)
        if _most(len(other), len(self.wanted)) < least:
            return False
        long = len(other) * len(self.wanted) > SMALL_LINE
        work.take(4 * len(other) if long else 40 + len(other) * (10 + len(self.wanted) // 100))
        return self.of(other) >= least

    @cached_property
    def _places(self) -> dict[str, int]:
        """For each letter, a bit for each of its places."""
        places: dict[str, int] = {}
        for index, letter in enumerate(self.wanted):
            places[letter] = places.get(letter, 0) | 1 << index
        return places

    @cached_property
    def _words(self) -> Words:
        return Words(self.wanted)


def _most(size: int, other: int) -> float:
    """How alike two texts can be at most, by their lengths."""
    return 2 * min(size, other) / (size + other)
