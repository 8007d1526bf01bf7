"""Cuts text and identifiers into the words that a search compares."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_EMOJI = r"[\u2600-\u27bf\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
_RUN = re.compile(rf"[^\W_]+|{_EMOJI}")
_PART = re.compile(rf"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+|{_EMOJI}")
_LONGEST = 40
"""Longer runs are keys, hashes and noise; nobody searches for them."""
_WHOLE = 12
"""Up to this length a word that was cut is a name (GitHub, OAuth2); beyond, it is a sentence without blanks."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts that are written without blanks, or nearly so; each pair of neighbours counts as a word there."""
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i"}
)
"""Letters that are no other letter with an accent, and that people write with plain ones, too."""
_DROPPED = frozenset({"Mn", "Mc", "Me", "Cf"})
"""Accents, vowel signs and marks that nobody sees: they come and go with who writes, and would cut words."""
_SIGNED = re.compile(r"(?<![^\W_])([CcFfJj])(\+\+|#)(?![+#])")
_SIGNS = {"++": "pp", "#": "sharp"}
"""Languages whose names differ in their signs alone: C++ is cpp, C# is csharp."""
_TO_DO = re.compile(r"(?i)(?<![^\W_])to-do(s?)(?![^\W_])")
"""A thing that two words are written as which say nothing each."""
_GROWTH = 4
"""How many times as long a text may become by its letters being taken apart; one sign alone stands for 18 letters."""
_BLANK = "\u200b"
"""Nobody sees it either, but it stands between words."""


def split(text: str) -> list[str]:
    """The words of a text in lower case, in order: `createIssue` is create and issue.

    A short word that was cut comes in one piece, too: `GitHub` is git, hub and github; `k8s` stays k8s. Accents are
    dropped, so that *café* is found by *cafe*.
    """
    words: list[str] = []
    for whole, parts in cut(text):
        if whole is not None:
            words.append(whole)
        words += parts
    return words


def cut(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """The words of a text, each with what it was cut out of: `GitHub` is github, with git and hub; or with None."""
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
    """Whether a word is a piece out of a text without blanks."""
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
