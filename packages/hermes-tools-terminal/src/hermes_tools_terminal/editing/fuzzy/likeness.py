"""Measure how alike two texts are."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

SMALL_BLOCK: Final = 40_000
"""Up to which product of their lengths two blocks are compared letter by letter."""

_WORDS: Final = re.compile(r"\w+")


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

    @cached_property
    def _stretches(self) -> SequenceMatcher[str]:
        return SequenceMatcher(None, "", self.wanted, autojunk=False)

    @cached_property
    def _words(self) -> Words:
        return Words(self.wanted)


def _most(size: int, other: int) -> float:
    """How alike two texts can be at most, by their lengths."""
    return 2 * min(size, other) / (size + other)
