"""Known words that a mistyped or shortened one may stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from hermes_core.search.words import is_unspaced

_MOST = 6
"""Known words that one unknown word may stand for; beyond, it stands for nothing in particular."""
_SHORTEST = 3
_MISTYPED = 4
"""From this length on, a word with one letter wrong is still recognisable."""
_LOOKED_AT = 500
"""Known words of one length and beginning, or end, that are compared letter by letter; more is made to take time."""
_ENDING = 3
"""Letters in which the forms of a word differ, in languages whose endings are not known here."""
_BEGINNING = 5
"""Letters that such forms share at least."""


class Spelling:
    """Known words, ready to be looked up by their beginning, or with one mistake."""

    def __init__(self, words: Iterable[str]) -> None:
        self._sorted = sorted({it for it in words if len(it) >= _SHORTEST or is_unspaced(it)})
        self._alike: dict[tuple[int, str], list[str]] = {}
        for word in self._sorted:
            for key in _ends(word, len(word)):
                self._alike.setdefault(key, []).append(word)

    def near(self, word: str) -> list[str]:
        """The known words with one mistake, else those that begin the same."""
        if len(word) < _SHORTEST and not is_unspaced(word):
            return []
        return self._mistyped(word)[:_MOST] or self._begun(word)

    def akin(self, word: str) -> list[str]:
        """The known words that differ in their ends alone, as the forms of one word do."""
        start = word[: max(_BEGINNING, len(word) - _ENDING)]
        if len(word) < _BEGINNING:
            return []
        at = bisect_left(self._sorted, start)
        found = [it for it in self._sorted[at : at + 4 * _MOST] if it.startswith(start)]
        return [it for it in found if len(it) - len(start) <= _ENDING + 1][:_MOST]

    def _mistyped(self, word: str) -> list[str]:
        """A mistake spoils the beginning or the end, not both: only words that share one of them are looked at."""
        if len(word) < _MISTYPED:
            return []
        found: dict[str, None] = {}
        for length in (len(word), len(word) - 1, len(word) + 1):
            for key in _ends(word, length):
                for known in self._alike.get(key, [])[:_LOOKED_AT]:
                    if one_mistake(word, known):
                        found[known] = None
        return list(found)

    def _begun(self, word: str) -> list[str]:
        at = bisect_left(self._sorted, word)
        found = [it for it in self._sorted[at : at + _MOST + 1] if it.startswith(word)]
        if len(found) > _MOST:
            return found[:_MOST] if is_unspaced(word) else []
        if not found and at and len(self._sorted[at - 1]) > _MISTYPED and word.startswith(self._sorted[at - 1]):
            return [self._sorted[at - 1]]
        return found


def _ends(word: str, length: int) -> tuple[tuple[int, str], tuple[int, str]]:
    """Beginning and end, one of which a word of some length shares with this one if there is one mistake between them.

    As long as that allows, so that few words share either: a mistake in the middle of seven letters leaves three.
    """
    whole = min(3, max(1, (length - 1) // 2))
    return (length, word[:whole]), (length, "…" + word[-whole:])


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
