"""Precision, recall and F1 of a text against the text that a reader wants, by overlapping groups of four tokens.

The text is decomposed (NFKD) and case-folded, and combining marks are removed, so accents, vowel signs and their order
do not count. A token is a run of letters and digits; in scripts that do not separate words (Chinese, Japanese, Thai,
Lao, Khmer, Burmese) each character is a token. Punctuation, table pipes and list markers are therefore not counted. A
shingle is four tokens in a row, wherever the lines end; a text of fewer tokens is one shingle. A shingle counts as
often as it occurs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

SIZE = 4

# Thai to Tibetan, Burmese, Khmer, kana, Han, compatibility Han, and the planes of rare Han characters.
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")


@dataclass(frozen=True, kw_only=True)
class Match:
    """How well a text, or the average of several, matches the wanted one."""

    precision: float
    recall: float
    f1: float


def tokenize(text: str) -> list[str]:
    """Split a text into normalized tokens."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    if not decomposed.isascii():
        decomposed = "".join(char for char in decomposed if not unicodedata.category(char).startswith("M"))
    return _TOKEN.findall(decomposed)


def count_shingles(text: str) -> Counter[tuple[str, ...]]:
    """Count the shingles of a text."""
    tokens = tokenize(text)
    if len(tokens) <= SIZE:
        return Counter([tuple(tokens)] if tokens else [])
    return Counter(zip(*(tokens[start:] for start in range(SIZE)), strict=False))


def compare(found: str, wanted: str) -> Match:
    """Compare a text with the wanted one. Nothing found is precise, but has no recall."""
    ours, theirs = count_shingles(found), count_shingles(wanted)
    common = (ours & theirs).total()
    precision = common / ours.total() if ours else 1.0
    recall = common / theirs.total() if theirs else 1.0
    both = precision + recall
    return Match(precision=precision, recall=recall, f1=2 * precision * recall / both if both else 0.0)


def average(matches: Iterable[Match]) -> Match:
    """Average each figure over pages; every page counts the same, however long it is."""
    every = list(matches)
    return Match(
        precision=sum(match.precision for match in every) / len(every),
        recall=sum(match.recall for match in every) / len(every),
        f1=sum(match.f1 for match in every) / len(every),
    )


def list_differences(found: str, wanted: str) -> list[str]:
    """List lines that are mostly noise with `+`, then lines that are mostly lost with `-`."""
    return [
        *(f"+ {line}" for line in _lines_without(found, wanted)),
        *(f"- {line}" for line in _lines_without(wanted, found)),
    ]


def _lines_without(text: str, other: str) -> list[str]:
    known, tokens = count_shingles(other), f" {' '.join(tokenize(other))} "

    def is_known(line: str) -> bool:
        shingles = count_shingles(line)
        if len(tokenize(line)) < SIZE:
            return f" {' '.join(tokenize(line))} " in tokens
        return 2 * (shingles & known).total() >= shingles.total()

    return [line.strip() for line in text.split("\n") if tokenize(line) and not is_known(line)]
