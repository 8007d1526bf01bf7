"""What stands in quotes, a title or a message, is what a tool is to work on, and says little about which tool it is."""

from __future__ import annotations

import re

from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.words import split

QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|`[^`\n]{1,400}`|(?<!\w)'[^'\n]{2,400}'(?!\w)")
_ENOUGH = 2
"""Telling words outside of quotes that say what is wanted. Where there are fewer, the quotes say it."""


def unquoted(text: str) -> str | None:
    """A text without what stands in quotes; None if there is nothing in quotes, or nothing telling outside of them."""
    rest = QUOTED.sub(" ", text)
    if rest == text:
        return None
    telling = (word for word in split(rest) if word.isalpha() and word not in STOP_WORDS and word not in FILLERS)
    return rest if len(set(telling)) >= _ENOUGH else None


def stressed(text: str) -> str:
    """A text in which what stands outside of quotes comes twice, and so counts twice."""
    rest = unquoted(text)
    return text if rest is None else f"{rest} {text}"
