"""Reads a question: which words to look for, and what each is worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hermes_core.search.meanings import meanings
from hermes_core.search.postings import Posting, rarity
from hermes_core.search.questions.hints import hints
from hermes_core.search.questions.pairs import pairs
from hermes_core.search.questions.quotes import unquoted
from hermes_core.search.stems import stem
from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.synonyms import SYNONYM, groups
from hermes_core.search.weights import Weights
from hermes_core.search.words import cut

_LONGEST = 4_000
"""Characters of a question that are read: whoever sends more sends a document, and its beginning says what it is."""
_MOST = 48
"""Different words of a question that are looked for: of a long one the first and the last, where wishes are."""
_OWN = 0.4
"""What a word keeps at least of its own worth when it has groups."""
_STRANGE = 0.3
"""How far a word is missed that neither a tool nor a dictionary has."""
_UNKNOWN = 8
"""Unknown words for which a likely spelling is sought."""
_SHORT = range(2, 5)
"""Telling words of a question of which a tool may well have all."""
_CAPITALS = re.compile(r"\b(?:CAN|IT|US|WHO)\b")
"""What is no word of little meaning when it is written in capitals: an office, a network, a country."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something to look for in the index.

    Attributes:
        key: The stem or group as the index has it.
        worth: What it is worth in this question.
        asked: The word of the question that it stands for.
        part: Whether that is only a part of a name that is known as a whole.
    """

    key: str
    worth: float
    asked: str
    part: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question, read.

    Attributes:
        terms: What to look for; all of it is in the index.
        promise: What a tool would score at most that has all its words, those included that no tool has.
        stems: The stems of its words, also of those that no tool has; twice if other words are in quotes.
        pairs: Its pairs of neighbours.
        whole: The keys of all its telling words, if it is short and each of them is in the index.
    """

    terms: list[Term]
    promise: float
    stems: list[str]
    pairs: list[str]
    whole: tuple[str, ...] = ()


def read_query(
    text: str, postings: Mapping[str, Posting], total: int, near: Callable[[str], list[str]], weights: Weights
) -> Query:
    """Read a question to an index of so many tools.

    Args:
        text: The question.
        postings: The index.
        total: How many tools it has.
        near: Keys of the index that a word may stand for which is no key itself.
        weights: The ranker's parameters.
    """
    words, minor = _words(text[:_LONGEST], postings)
    capitals = set() if text.isupper() else {it.lower() for it in _CAPITALS.findall(text[:_LONGEST])}
    outside = unquoted(text[:_LONGEST])
    quoted = set() if outside is None else set(words).difference(_words(outside, postings)[0])
    meant = [word for word in words if word not in STOP_WORDS or word in capitals] or words
    terms: dict[str, Term] = {}
    unknown = 0
    promise = 0.0
    stems: list[str] = []
    for word in _ends(list(dict.fromkeys(meant))):
        key = stem(word)
        if not word.isalnum() and key not in postings:
            continue  # a smile that no tool has is no part of the question
        worth = _worth(word, key, weights)
        if word in quoted:
            worth *= weights.quoted
        if word in minor:
            worth *= weights.parts
        else:
            stems += [key] if word in quoted or not quoted else [key, key]
        promise += worth * (postings[key].rarity if key in postings else _missing(key, total))
        if key in postings:
            terms.setdefault(key, Term(key, worth, word, word in minor))
        elif unknown < _UNKNOWN:
            unknown += key not in meanings()
            for guess in near(word):
                terms.setdefault(guess, Term(guess, worth * weights.near, word))
        _add_groups(terms, key, worth, word, postings, weights)
    for word in hints(text[:_LONGEST], postings):
        key = stem(word)
        stems.append(key)
        if key in postings:
            terms.setdefault(key, Term(key, weights.hints, word))
    _add_joined(terms, words, postings, weights)
    return Query(
        terms=list(terms.values()),
        promise=promise * (weights.saturation + 1.0),
        stems=stems,
        pairs=pairs(words),
        whole=_whole(meant, minor, postings),
    )


def _ends(words: list[str]) -> list[str]:
    return words if len(words) <= _MOST else [*words[: _MOST // 2], *words[-_MOST // 2 :]]


def _whole(words: list[str], minor: set[str], postings: Mapping[str, Posting]) -> tuple[str, ...]:
    telling = (word for word in words if word not in FILLERS and word not in minor and word.isalnum())
    keys = dict.fromkeys(map(stem, telling))
    return tuple(keys) if len(keys) in _SHORT and all(key in postings for key in keys) else ()


def _words(text: str, postings: Mapping[str, Posting]) -> tuple[list[str], set[str]]:
    """The words of a question, and those of them that are only parts of a name that is known as a whole."""
    words: list[str] = []
    parts_only: set[str] = set()
    alone: set[str] = set()
    for whole, parts in cut(text):
        key = "" if whole is None else stem(whole)
        known = bool(key) and (key in postings or key in meanings() or key in groups())
        if whole is not None and known:
            words.append(whole)
        (parts_only if known else alone).update(parts)
        words += parts
    return words, parts_only - alone


def _worth(word: str, key: str, weights: Weights) -> float:
    """How much a word is likely to say about the tool that is wanted."""
    if word in FILLERS:
        return weights.fillers
    if word.isdigit():
        return weights.numbers
    said = meanings().weight(key)
    return min(1.0, said / weights.typical) ** weights.saying if said else weights.names


def _missing(key: str, total: int) -> float:
    """What a word would have been worth that no tool has. Nobody expects a tool to know the name of a customer."""
    return rarity(0, total) * (1.0 if key in meanings() else _STRANGE)


def _add_groups(
    terms: dict[str, Term], key: str, worth: float, word: str, postings: Mapping[str, Posting], weights: Weights
) -> None:
    """Look for the groups of a word, too.

    A tool that has the word is in its groups as well. What they add is taken from the word, so that words do not count
    more for having synonyms.
    """
    added = 0.0
    for group in groups().get(key, ()):
        share = worth * (weights.synonyms if group[0] == SYNONYM else weights.topics)
        before = terms.get(group)
        if group in postings and (before is None or before.worth < share):
            terms[group] = Term(group, share, word)
            added += share * postings[group].rarity
    own = terms.get(key)
    if added and own is not None and own.asked == word:
        left = own.worth - added / postings[key].rarity
        terms[key] = Term(key, max(_OWN * own.worth, left), word, own.part)


def _add_joined(terms: dict[str, Term], words: list[str], postings: Mapping[str, Posting], weights: Weights) -> None:
    """*Data base* finds what is written `database`."""
    for first, second in pairwise(words[:_MOST]):
        if first in STOP_WORDS or second in STOP_WORDS:
            continue
        key = stem(first + second)
        if key in postings:
            terms.setdefault(key, Term(key, weights.joined, f"{first} {second}"))
