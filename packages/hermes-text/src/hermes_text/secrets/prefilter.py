"""Finds quickly where in a text a secret may be: patterns need not look at the rest, which is nearly all of it."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["flat", "lines_with", "long_words"]

_SHORTEST = 11
"""Characters of the shortest run in which a key lies: `eyJ` and eight more."""

_IN_RUNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=~%"
_KINDS = bytes(97 if code in _IN_RUNS else 32 for code in range(256))


def flat(text: str) -> bytes:
    """A text with one byte for each character, so that places in one are places in the other."""
    return text.encode("ascii", "replace")


def long_words(text: bytes, shortest: int = _SHORTEST) -> bytes:
    """Collect the runs of a flat text that are long enough to hold a key, with blanks between them."""
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
    """The lines of a flat text in which certain words are followed by certain signs: where each begins and ends.

    Args:
        lowered: The text, in lower case.
        words: Each word, the signs of which one has to follow, and within how many characters; no signs for none.
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
