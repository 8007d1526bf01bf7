"""Splits text and identifiers into searchable words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

_EMOJI = r"[\u2600-\u27bf\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
_RUN = re.compile(rf"[^\W_]+|{_EMOJI}")
_PART = re.compile(rf"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+|{_EMOJI}")
_LONGEST = 40
"""Longer words are keys, hashes and noise that no one searches for."""
_WHOLE = 12
"""Up to this length, a split word is a name (GitHub, OAuth2); longer ones are sentences without blanks."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts with few or no blanks, in which each pair of neighboring characters counts as a word."""
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i"}
)
"""Letters that do not decompose into a plain letter and an accent, although people write them as plain letters."""
_DROPPED = frozenset({"Mn", "Mc", "Me", "Cf"})
"""Accents, vowel signs and invisible marks: writers use them inconsistently, and they would split words."""
_SIGNED = re.compile(r"(?<![^\W_])([CcFfJj])(\+\+|#)(?![+#])")
_SIGNS = {"++": "pp", "#": "sharp"}
"""Languages whose names differ only in their signs: C++ is cpp, C# is csharp."""
_TO_DO = re.compile(r"(?i)(?<![^\W_])to-do(s?)(?![^\W_])")
"""*To-do*: both parts alone are stop words."""
_GROWTH = 4
"""How much longer a text may become by decomposition; one character can stand for 18."""
_BLANK = "\u200b"
"""A zero-width space, which separates words."""


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, in order: `createIssue` is create and issue.

    A short split word is also returned as a whole: `GitHub` is git, hub and github; `k8s` stays k8s. Accents are
    dropped, so that *cafe* finds *café*.
    """
    words: list[str] = []
    for whole, parts in cut(text):
        if whole is not None:
            words.append(whole)
        words += parts
    return words


def cut(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the words of a text, each with the whole word it was split from, or None: `GitHub` is github, with git and
    hub.
    """
    text = _plain(text)
    if "#" in text or "+" in text:
        text = _SIGNED.sub(lambda found: _SIGNS[found[2]].join((found[1], " ")), text)
    if "o-d" in text.lower():
        text = _TO_DO.sub(r"todo\1", text)
    for run in _RUN.findall(text):
        parts = _parts(run)
        if len(parts) < 2:
            yield None, parts
            continue
        whole = run.lower() if len(run) <= _WHOLE and run.isascii() else None
        yield whole, [part for part in parts if len(part) > 1 or part.isdigit()]


def _plain(text: str) -> str:
    if text.isascii():
        return text
    category = unicodedata.category
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    kept = (
        it for it in decomposed[: _GROWTH * len(text)] if it.isascii() or it == _BLANK or category(it) not in _DROPPED
    )
    return unicodedata.normalize("NFC", "".join(kept))


def is_unspaced(word: str) -> bool:
    """Return True for a word from a script that is written without spaces."""
    return _UNSPACED.match(word) is not None


def _parts(run: str) -> list[str]:
    if run.islower() and run.isascii() and run.isalpha():
        return [run] if len(run) <= _LONGEST else []
    parts: list[str] = []
    for part in _PART.findall(run):
        if _UNSPACED.match(part):
            parts += [part[at : at + 2] for at in range(max(1, len(part) - 1))]
        elif len(part) <= _LONGEST:
            several = len(part) > 2 and part[-1] == "s" and part[:-1].isupper()  # URLs, PRs
            parts.append(part[:-1].lower() if several else part.lower())
    return parts


def read_words(file: str) -> frozenset[str]:
    """Return the words in a file."""
    return frozenset(Path(__file__).with_name(file).read_text(encoding="utf-8").split())


_PARTICLES = "away down off out over up"
"""*Sign in* and *sign out*, or *turn up* and *turn off*, differ only in these."""

STOP_WORDS = read_words("stop_words.txt")
"""Dropped everywhere except in names: a tool may be called `who_am_i`."""

FILLERS = read_words("filler_words.txt").union(_PARTICLES.split())
"""Words that people use around a request. They also occur in names of tools, so they count a little."""


_LIMIT = 6
"""The maximum number of known words that replace an unknown word."""
_SHORTEST = 3
_MISTYPED = 4
"""The minimum length of a word that is recognized with one wrong letter."""
_LOOKED_AT = 500
"""How many known words with one length and beginning, or end, are compared, to limit the time."""
_ENDING = 3
"""In how many letters the forms of a word differ, in languages whose endings are not known here."""
_BEGINNING = 5
"""The minimum number of letters that such forms share."""


class Spelling:
    """Looks up known words by their beginning, or with one misspelling."""

    def __init__(self, words: Iterable[str]) -> None:
        self._sorted = sorted({it for it in words if len(it) >= _SHORTEST or is_unspaced(it)})
        self._alike: dict[tuple[int, str], list[str]] = {}
        for word in self._sorted:
            for key in _ends(word, len(word)):
                self._alike.setdefault(key, []).append(word)

    def near(self, word: str) -> list[str]:
        """Return the known words with one misspelling, or else those with the same beginning."""
        if len(word) < _SHORTEST and not is_unspaced(word):
            return []
        return self._mistyped(word)[:_LIMIT] or self._begun(word)

    def akin(self, word: str) -> list[str]:
        """Return the known words that differ only in their endings, as forms of one word do."""
        start = word[: max(_BEGINNING, len(word) - _ENDING)]
        if len(word) < _BEGINNING:
            return []
        at = bisect_left(self._sorted, start)
        found = [it for it in self._sorted[at : at + 4 * _LIMIT] if it.startswith(start)]
        return [it for it in found if len(it) - len(start) <= _ENDING + 1][:_LIMIT]

    def _mistyped(self, word: str) -> list[str]:
        """Compare only words with the same beginning or end: a misspelling changes only one of them."""
        if len(word) < _MISTYPED:
            return []
        found: dict[str, None] = {}
        for length in (len(word), len(word) - 1, len(word) + 1):
            for key in _ends(word, length):
                for known in self._alike.get(key, [])[:_LOOKED_AT]:
                    if is_misspelling(word, known):
                        found[known] = None
        return list(found)

    def _begun(self, word: str) -> list[str]:
        at = bisect_left(self._sorted, word)
        found = [it for it in self._sorted[at : at + _LIMIT + 1] if it.startswith(word)]
        if len(found) > _LIMIT:
            return found[:_LIMIT] if is_unspaced(word) else []
        if not found and at and len(self._sorted[at - 1]) > _MISTYPED and word.startswith(self._sorted[at - 1]):
            return [self._sorted[at - 1]]
        return found


def _ends(word: str, length: int) -> tuple[tuple[int, str], tuple[int, str]]:
    """Return beginning and end; a word of some length with one misspelling shares one of them.

    They are as long as possible, so that few words share them: a mistake in the middle of seven letters leaves three.
    """
    whole = min(3, max(1, (length - 1) // 2))
    return (length, word[:whole]), (length, "…" + word[-whole:])


def is_misspelling(word: str, other: str) -> bool:
    """Return True if words differ by one missing, added, wrong or swapped letter."""
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
