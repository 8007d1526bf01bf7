"""Cuts text and identifiers into the words that a search compares."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_LONGEST = 40
"""Longer runs are keys, hashes and noise; nobody searches for them."""
_WHOLE = 12
"""Up to this length a word that was cut is a name (GitHub, OAuth2); beyond, it is a sentence without blanks."""
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
"""Scripts that are written without blanks; each pair of neighbours counts as a word there."""


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
    for run in _RUN.findall(_plain(text)):
        parts = _parts(run)
        if len(parts) < 2:
            yield None, parts
            continue
        whole = run.lower() if len(run) <= _WHOLE and run.isascii() else None
        yield whole, [part for part in parts if len(part) > 1 or part.isdigit()]


def _plain(text: str) -> str:
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(it for it in decomposed if not unicodedata.combining(it)))


def _parts(run: str) -> list[str]:
    if run.islower() and run.isascii() and run.isalpha():
        return [run] if len(run) <= _LONGEST else []
    parts: list[str] = []
    for part in _PART.findall(run):
        if _UNSPACED.match(part):
            parts += [part[at : at + 2] for at in range(max(1, min(len(part), _LONGEST) - 1))]
        elif len(part) <= _LONGEST:
            parts.append(part.lower())
    return parts
