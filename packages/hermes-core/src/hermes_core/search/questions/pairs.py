"""Neighbours in a question that mean more than each of them: *how far* asks for a distance, *turn off* for an end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hermes_core.search.stems import stem
from hermes_core.search.stopwords import STOP_WORDS

_MOST = 96
"""Words of a question whose neighbours are looked at, the first ones."""
_OPENING = frozenset({"how", "what", "when", "where", "which", "who", "whose", "why"})
"""Words that are dropped alone, and begin what is asked with the next: *how much*, *who won*, *where is*."""
_PLAIN = STOP_WORDS - _OPENING


def pairs(words: Sequence[str]) -> list[str]:
    """The pairs of neighbours out of which at least one says something, as the table of meanings writes them."""
    found = (it for it in pairwise(words[:_MOST]) if it[0] not in _PLAIN or it[1] not in _PLAIN)
    return [f"{stem(first)} {stem(second)}" for first, second in found]
