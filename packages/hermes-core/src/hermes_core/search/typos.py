"""Known words that a mistyped or shortened one may stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

_MOST = 6
"""Known words that one unknown word may stand for; beyond, it stands for nothing in particular."""
_SHORTEST = 3
_MISTYPED = 4
"""From this length on, a word with one letter wrong is still recognisable."""


class Spelling:
    """The words of tools' names, ready to be looked up by their beginning, or with one mistake."""

    def __init__(self, words: Iterable[str]) -> None:
        self._sorted = sorted({it for it in words if len(it) >= _SHORTEST})
        self._alike: dict[tuple[int, str], list[str]] = {}
        for word in self._sorted:
            for key in {(len(word), word[0]), (len(word), "…" + word[-1])}:
                self._alike.setdefault(key, []).append(word)

    def near(self, word: str) -> list[str]:
        """The known words with one mistake, else those that begin the same."""
        if len(word) < _SHORTEST:
            return []
        return self._mistyped(word)[:_MOST] or self._begun(word)

    def _mistyped(self, word: str) -> list[str]:
        """A mistake spoils the beginning or the end, not both: only words that share one of them are looked at."""
        if len(word) < _MISTYPED:
            return []
        found: dict[str, None] = {}
        for length in (len(word), len(word) - 1, len(word) + 1):
            for key in ((length, word[0]), (length, "…" + word[-1])):
                for known in self._alike.get(key, ()):
                    if one_mistake(word, known):
                        found[known] = None
        return list(found)

    def _begun(self, word: str) -> list[str]:
        at = bisect_left(self._sorted, word)
        found = [it for it in self._sorted[at : at + _MOST + 1] if it.startswith(word)]
        if len(found) > _MOST:
            return []
        if not found and at and len(self._sorted[at - 1]) > _MISTYPED and word.startswith(self._sorted[at - 1]):
            return [self._sorted[at - 1]]
        return found


def one_mistake(word: str, other: str) -> bool:
    """Whether one letter is missing, added, wrong, or has changed places with its neighbour."""
    if word == other or abs(len(word) - len(other)) > 1:
        return word == other
    start = 0
    shorter = min(len(word), len(other))
    while start < shorter and word[start] == other[start]:
        start += 1
    left, right = word[start:], other[start:]
    if len(left) == len(right):
        swapped = left[1:2] + left[:1] + left[2:]
        return left[1:] == right[1:] or swapped == right
    return left[1:] == right if len(left) > len(right) else left == right[1:]
