"""Reads a question: which words to look for, and what each is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hermes_core.search.postings import Posting, rarity
from hermes_core.search.stems import stem
from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.synonyms import SYNONYM, groups
from hermes_core.search.weights import Weights
from hermes_core.search.words import split

_LONGEST = 4_000
"""Characters of a question that are read: whoever sends more sends a document, and its beginning says what it is."""
_MOST = 48
"""Different words of a question that are looked for, the first ones."""
_UNKNOWN = 8
"""Unknown words for which a likely spelling is sought."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something to look for in the index.

    Attributes:
        key: The stem or group as the index has it.
        worth: What it is worth in this question.
        asked: The word of the question that it stands for.
    """

    key: str
    worth: float
    asked: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question, read.

    Attributes:
        terms: What to look for; all of it is in the index.
        promise: What a tool would score at most that has all its words, those included that no tool has.
    """

    terms: list[Term]
    promise: float


def read_query(
    text: str, postings: Mapping[str, Posting], total: int, near: Callable[[str], list[str]], weights: Weights
) -> Query:
    """Read a question to an index of so many tools.

    Args:
        text: The question.
        postings: The index.
        total: How many tools it has.
        near: Known words that an unknown one may stand for.
        weights: The ranker's parameters.
    """
    words = split(text[:_LONGEST])
    meant = [word for word in words if word not in STOP_WORDS] or words
    terms: dict[str, Term] = {}
    unknown = 0
    promise = 0.0
    for word in list(dict.fromkeys(meant))[:_MOST]:
        key = stem(word)
        worth = weights.fillers if word in FILLERS else 1.0
        promise += worth * (postings[key].rarity if key in postings else rarity(0, total))
        if key in postings:
            terms.setdefault(key, Term(key, worth, word))
        elif key not in groups() and unknown < _UNKNOWN:
            unknown += 1
            for guess in near(word):
                terms.setdefault(stem(guess), Term(stem(guess), worth * weights.near, word))
        _add_groups(terms, key, worth, word, postings, weights)
    _add_joined(terms, words, postings, weights)
    return Query(list(terms.values()), promise * (weights.saturation + 1.0))


def _add_groups(
    terms: dict[str, Term], key: str, worth: float, word: str, postings: Mapping[str, Posting], weights: Weights
) -> None:
    for group in groups().get(key, ()):
        share = worth * (weights.synonyms if group[0] == SYNONYM else weights.topics)
        before = terms.get(group)
        if group in postings and (before is None or before.worth < share):
            terms[group] = Term(group, share, word)


def _add_joined(terms: dict[str, Term], words: list[str], postings: Mapping[str, Posting], weights: Weights) -> None:
    """*Data base* finds what is written `database`."""
    for first, second in pairwise(words[:_MOST]):
        key = stem(first + second)
        if key in postings:
            terms.setdefault(key, Term(key, weights.joined, f"{first} {second}"))
