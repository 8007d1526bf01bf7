"""Which pages are wanted: what a model wrote, made plain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MOST_URLS = 5

_SEVERAL = re.compile(r"(?:,|(?<![\s,]))\s++(?=https?://)", re.IGNORECASE)
"""It begins where the spaces begin, and nowhere within them: long runs would take for ever."""
_AROUND = " \t\r\n\f\v<>\"'`"
_BARE = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#].*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be read.

    Attributes:
        urls: The URLs, each once, as they were written.
        notes: What was mended or left out.
    """

    urls: tuple[str, ...]
    notes: tuple[str, ...] = ()


def wanted_of(urls: Iterable[str]) -> Wanted:
    """The first URLs of a list, each once.

    Args:
        urls: What was asked for: URLs, several in one text, some without https, some twice.
    """
    written = [part.strip(_AROUND) for text in urls for part in _SEVERAL.split(text)]
    mended = [f"https://{url}" if _BARE.fullmatch(url[:2_000]) else url for url in written]
    distinct = list(dict.fromkeys(url for url in mended if url))
    notes = []
    if mended != written:
        notes.append("https:// was put before what had no scheme.")
    if len(distinct) > MOST_URLS:
        left = len(distinct) - MOST_URLS
        notes.append(f"Only the first {MOST_URLS} URLs were read; ask for the other {left} in another call.")
    return Wanted(urls=tuple(distinct[:MOST_URLS]), notes=tuple(notes))
