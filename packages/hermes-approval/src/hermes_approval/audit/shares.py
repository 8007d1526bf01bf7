"""Divides room among values: who needs little gets all of it, and the others share what is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii as escaped

LEAST = 64
"""What each value gets in any case, if it needs so much: enough to tell what it was."""

PUNCTUATION = 4
"""Commas, colons and brackets around a value."""

EMPTY = frozenset({dict, list, tuple})
"""The types whose values take next to nothing when they are empty."""

_NUMBER = 40
_WORD = 6
_UNKNOWN = 1 << 30


def need_of(value: object, longest: int) -> int:
    """About how many bytes a value takes, without looking into it."""
    if isinstance(value, str):
        length = str.__len__(value)
        if length <= LEAST:
            return len(escaped(value)) + PUNCTUATION
        return min(length, longest) * (1 if str.isascii(value) else 6) + PUNCTUATION
    if value is None or isinstance(value, bool) or (type(value) in EMPTY and not value):
        return _WORD
    return _NUMBER if isinstance(value, int | float) else _UNKNOWN


def number_that_fits(needs: Iterable[int], room: int) -> int:
    """How many of these can get at least what each gets in any case."""
    number = 0
    for need in needs:
        room -= need
        if room < 0:
            break
        number += 1
    return number


def smallest_first(needs: Sequence[int]) -> list[int]:
    """The order in which values get their shares: what a small one leaves goes to those behind it."""
    return sorted(range(len(needs)), key=needs.__getitem__)
