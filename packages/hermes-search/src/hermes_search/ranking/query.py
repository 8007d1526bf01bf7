"""Parses a question: which words to look for, and how much each counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from hermes_search.ranking.postings import SYNONYM, Posting, Weights, groups, rarity
from hermes_search.ranking.request_phrases import unquoted
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import word_vectors
from hermes_search.ranking.words import FILLERS, STOP_WORDS, cut

_MAX_PAIRED = 96
"""In how many words of a question, from the first one, pairs are looked up."""
_OPENING = frozenset({"how", "what", "when", "where", "which", "who", "whose", "why"})
"""Words that are dropped alone, but have a meaning before the next word: *how much*, *who won*, *where is*."""
_PLAIN = STOP_WORDS - _OPENING


def pairs(words: Sequence[str]) -> list[str]:
    """Return the pairs of neighboring stems of which at least one is not a stop word."""
    found = (it for it in pairwise(words[:_MAX_PAIRED]) if it[0] not in _PLAIN or it[1] not in _PLAIN)
    return [f"{stem(first)} {stem(second)}" for first, second in found]


_UNIT = (
    r"(?:km|miles?|met(?:er|re)s?|feet|ft|inch(?:es)?|cm|mm|kg|kilos?|lbs?|pounds?|ounces?|oz|grams?|celsius|fahrenheit|"
    r"°[CF]|gallons?|lit(?:er|re)s?|cups?|acres?|hectares?|[kmgt]i?b)"
)
_OF_PEOPLE = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w+"
_OF_PAGES = r"https?://\S+|www\.\S+"
ADDRESSES = re.compile(rf"{_OF_PAGES}|{_OF_PEOPLE}(?:\.\w+)*")
_SHAPES = (
    (_OF_PEOPLE, "email address"),
    (_OF_PAGES, "url website page"),
    (r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", "ip address"),
    (r"-?\d{1,3}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,}", "coordinates latitude longitude location"),
    (r"(?<!\w)\+\d[\d ()/-]{6,}\d", "phone number"),
    (
        r"(?<![\w@/.-])(?:[a-z0-9-]{1,63}\.)+(?:com|org|net|io|dev|app|info|edu|gov|co|de|fr|uk|eu)(?![\w@])",
        "domain website",
    ),
    (r"(?<!\S)#[a-z][\w-]+", "channel tag"),
    (r"\w\.(?:jpe?g|png|gif|webp|heic|tiff?|bmp)\b", "image file"),
    (r"\w\.(?:docx?|pdf|txt|md|odt|rtf)\b", "document file"),
    (r"\w\.(?:xlsx?|csv|tsv|ods)\b", "spreadsheet file"),
    (r"\w\.(?:mp3|wav|flac|ogg|m4a)\b", "audio file"),
    (r"\w\.(?:mp4|mov|avi|mkv|webm)\b", "video file"),
    (r"\w\.(?:zip|tar|t?gz|rar|7z)\b", "archive file"),
    (r"\w\.(?:json|ya?ml|toml|ini|cfg|conf|xml|html?|css|[jt]sx?|py|java|go|rs|cpp|sh|sql|log|ipynb)\b", "file"),
    (r"(?<![\w/.~])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]*)*", "file path"),
    (r"\b\d{1,2}:\d{2}\b", "time"),
    (r"[$€£¥]\s?\d|\d\s?[$€£¥]", "money price"),
    (rf"\d ?{_UNIT} (?:in|to|into) {_UNIT}\b", "convert unit"),
    (r"\d ?[*×÷^] ?\d|\d [-+/x] \d|\w\^\d|\d ?% of \d", "calculate math expression"),
    (r"\d\s?%", "rate percent"),
    (r"\b0x[0-9a-fA-F]{6,}", "crypto wallet address transaction"),
)
_ANY = re.compile("|".join(f"({shape})" for shape, _ in _SHAPES))
_HINTS = [words.split() for _, words in _SHAPES]
_MAX_SHAPES = 8
"""How many shapes are recognized, from the first one."""


def hints(text: str, known: Container[str]) -> list[str]:
    """Return words for things that a text shows: addresses, phone numbers, coordinates, files, amounts, formulas.

    Args:
        text: The text.
        known: Stems that tools have. Booking.com is not a domain if a tool has that name.
    """
    found: dict[str, None] = {}
    for shown in islice(_ANY.finditer(text), _MAX_SHAPES):
        parts = shown[0].lower().split(".")
        if not any(it.isalpha() and len(it) > 2 and stem(it) in known for it in (parts[0], "".join(parts))):
            found.update(dict.fromkeys(_HINTS[(shown.lastindex or 1) - 1]))
    return list(found)


_LONGEST = 4_000
"""How many characters of a question are read: a longer text is a document, and its beginning describes it."""
_LIMIT = 48
"""How many different words of a question are looked up: the first and the last ones, where requests are."""
_OWN = 0.4
"""The minimum share of its weight that a word with groups has."""
_STRANGE = 0.3
"""How much a word counts that neither a tool nor the dictionary has."""
_UNKNOWN = 8
"""For how many unknown words a similar spelling is looked up."""
_SHORT = range(2, 5)
"""How many significant words a short question has."""
_CAPITALS = re.compile(r"\b(?:CAN|IT|US|WHO)\b")
"""Words that are not stop words in capitals: an office, a network, a country."""


@dataclass(frozen=True, slots=True)
class Term:
    """A key to look up in the index.

    Attributes:
        key: The stem or group.
        worth: Its weight in this question.
        asked: The word of the question that it represents.
        part: Whether that word is only a part of a known name.
    """

    key: str
    worth: float
    asked: str
    part: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question.

    Attributes:
        terms: The keys to look up.
        promise: The maximum score of a tool with all its words, including unknown ones.
        stems: The stems of its words, including unknown ones; twice if other words are in quotes.
        pairs: Its pairs of neighboring stems.
        whole: The keys of all its significant words, if it is short and the index has all of them.
    """

    terms: list[Term]
    promise: float
    stems: list[str]
    pairs: list[str]
    whole: tuple[str, ...] = ()


def read_query(
    text: str, postings: Mapping[str, Posting], total: int, near: Callable[[str], list[str]], weights: Weights
) -> Query:
    """Parse a question to an index.

    Args:
        text: The question.
        postings: The index.
        total: The number of tools.
        near: Returns similar keys of the index for an unknown word.
        weights: The ranking parameters.
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
            continue  # an emoji that no tool has
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
            unknown += key not in word_vectors()
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
    return words if len(words) <= _LIMIT else [*words[: _LIMIT // 2], *words[-_LIMIT // 2 :]]


def _whole(words: list[str], minor: set[str], postings: Mapping[str, Posting]) -> tuple[str, ...]:
    significant = (word for word in words if word not in FILLERS and word not in minor and word.isalnum())
    keys = dict.fromkeys(map(stem, significant))
    return tuple(keys) if len(keys) in _SHORT and all(key in postings for key in keys) else ()


def _words(text: str, postings: Mapping[str, Posting]) -> tuple[list[str], set[str]]:
    """Return the words of a question, and those of them that are only parts of a known name."""
    words: list[str] = []
    parts_only: set[str] = set()
    alone: set[str] = set()
    for whole, parts in cut(text):
        key = "" if whole is None else stem(whole)
        known = bool(key) and (key in postings or key in word_vectors() or key in groups())
        if whole is not None and known:
            words.append(whole)
        (parts_only if known else alone).update(parts)
        words += parts
    return words, parts_only - alone


def _worth(word: str, key: str, weights: Weights) -> float:
    """Return how much a word probably says about the requested tool."""
    if word in FILLERS:
        return weights.fillers
    if word.isdigit():
        return weights.numbers
    weight = word_vectors().weight(key)
    return min(1.0, weight / weights.typical) ** weights.saying if weight else weights.names


def _missing(key: str, total: int) -> float:
    """Return the rarity of a word that no tool has. No tool is expected to know the name of a customer."""
    return rarity(0, total) * (1.0 if key in word_vectors() else _STRANGE)


def _add_groups(
    terms: dict[str, Term], key: str, worth: float, word: str, postings: Mapping[str, Posting], weights: Weights
) -> None:
    """Add the groups of a word.

    A tool that has the word is in its groups as well, so their weight is taken from the word: words must not count more
    because they have synonyms.
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
    """Add pairs of words that a tool writes as one: *data base* and `database`."""
    for first, second in pairwise(words[:_LIMIT]):
        if first in STOP_WORDS or second in STOP_WORDS:
            continue
        key = stem(first + second)
        if key in postings:
            terms.setdefault(key, Term(key, weights.joined, f"{first} {second}"))
