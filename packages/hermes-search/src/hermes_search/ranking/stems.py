"""Reduces the forms of an English word to one stem: *creates*, *creating* and *creation* match each other."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


def read_table(file: str) -> dict[str, str]:
    """Return the words before a colon in the lines of a file, by each word after it."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    lines = (line.split(": ") for line in text.splitlines())
    return {form: word for word, forms in lines for form in forms.split()}


WRITTEN_OUT = {form: word for short, word in read_table("abbreviations.txt").items() for form in (short, f"{short}s")}
"""The words for abbreviations and their plurals."""
_VOWELS = frozenset("aeiouy")
_OPEN = frozenset("wxyaeiou")
_ARTICLE = "ال"
"""The Arabic article, which is written as the beginning of a word."""
_IRREGULAR = read_table("irregular_forms.txt")
_LOOK_ALIKES = """
apartment archer author banner basement bother broker brother business career carrier center charter comment
community container contention corner counter customer department dresser edition element evening executive expensive
factor father flower folder former garment hammer income incoming ladder letter majority master matter mission mother
number officer opposite passion pavement plane portion positive poster production publication question rating receiver
rubber section sector segment server setting shoulder shower statement stocking summer tender theme ticker trailer
training united university version wedding
"""
_WHOLE = frozenset(_LOOK_ALIKES.split())
"""Words that only look like forms of others: a customer is not custom, and a university not a universe."""
_SUFFIXES = (
    ("ifications", "ify"), ("ification", "ify"), ("ization", "ize"), ("isation", "ize"), ("ational", "ate"),
    ("fulness", "ful"), ("ousness", "ous"), ("ations", "ate"), ("ation", "ate"), ("ators", "ate"), ("ator", "ate"),
    ("izer", "ize"), ("iser", "ize"), ("ise", "ize"), ("ingly", ""), ("edly", ""), ("tion", "t"), ("sion", "s"),
    ("ments", ""), ("ment", ""), ("ness", ""), ("ity", ""), ("ers", ""), ("er", ""), ("ors", ""), ("or", ""),
    ("ive", ""), ("able", ""), ("ible", ""), ("ally", "al"), ("ly", ""), ("ist", ""),
)  # fmt: skip
"""Endings and their replacements; the longer of two that fit comes first."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem that the forms of a word share; it need not be a word."""
    word = WRITTEN_OUT.get(word, word)
    if word.startswith(_ARTICLE) and len(word) > 4:
        return word.removeprefix(_ARTICLE)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return _IRREGULAR.get(word, word)
    known = _IRREGULAR.get(word)
    if known is not None:
        return _bare(known)
    word = _singular(word)
    if word in _WHOLE:
        return word
    word = _base(word)
    if word in _WHOLE:
        return word
    known = _IRREGULAR.get(word) or _IRREGULAR.get(word + "e")
    if known is not None:
        return _bare(known)
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if len(rest) >= 4 or (len(rest) == 3 and (instead or suffix == "ment")):
                word = _undoubled(rest) + instead
            break
    return _bare(word)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _base(word: str) -> str:
    """Return a word without the ending of a participle, if the rest can be a word."""
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and not _VOWELS.isdisjoint(rest):
            if len(rest) == 3 and rest[0] not in _VOWELS and rest[1] in _VOWELS and rest[2] not in _OPEN:
                return rest + "e"  # hiking, filed; but not buying, adding, eating
            return _undoubled(rest)
    return word


def _undoubled(word: str) -> str:
    """Return *run* for *runn*, but not *ad* for *add*."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lszaeiou" else word


def _bare(word: str) -> str:
    """Remove a final `e` or `ate` and a doubled last letter, and replace a final `y` with `i`."""
    if len(word) > 6 and word.endswith(("ate", "at")):
        word = word.removesuffix("e")[:-2]
    elif len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    if len(word) > 4 and word[-1] == word[-2] and word[-1] in "ls":
        word = word[:-1]
    return word
