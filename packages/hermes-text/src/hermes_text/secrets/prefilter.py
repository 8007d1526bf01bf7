"""Finds the parts of a text that may contain a secret, so that slow patterns skip the rest."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["flat", "lines_with", "long_words"]

_SHORTEST = 11
"""The length of the shortest run that can contain a key: `eyJ` and eight more."""

_IN_RUNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=~%"
_KINDS = bytes(97 if code in _IN_RUNS else 32 for code in range(256))


def flat(text: str) -> bytes:
    """Encode a text with one byte per character, so that positions are the same in both."""
    return text.encode("ascii", "replace")


def long_words(text: bytes, shortest: int = _SHORTEST) -> bytes:
    """Return the runs of a flat text that are long enough for a key, separated by blanks."""
    kinds = text.translate(_KINDS)
    run = b"a" * shortest
    found = []
    start = kinds.find(run)
    while start >= 0:
        end = kinds.find(b" ", start)
        if end < 0:
            end = len(kinds)
        found.append(text[start:end])
        start = kinds.find(run, end)
    return b" ".join(found)


def lines_with(lowered: bytes, words: Iterable[tuple[bytes, bytes, int]]) -> list[tuple[int, int]]:
    """Return the start and end of each line of a flat text that has one of some words before one of some signs.

    Args:
        lowered: The text, in lower case.
        words: Each word, the signs after it, and their maximum distance; without signs the word is enough.
    """
    found: dict[int, int] = {}
    for word, signs, reach in words:
        at = lowered.find(word)
        while at >= 0:
            end = at + len(word)
            if not signs or any(sign in lowered[end : end + reach] for sign in signs.split()):
                begin = lowered.rfind(b"\n", 0, at) + 1
                end = lowered.find(b"\n", end)
                if end < 0:
                    end = len(lowered)
                found[begin] = end
            at = lowered.find(word, end)
    return sorted(found.items())
