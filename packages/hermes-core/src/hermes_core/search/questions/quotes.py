"""What stands in quotes, a title or a message, is what a tool is to work on, and says little about which tool it is."""

from __future__ import annotations

import re

from hermes_core.search.questions.asking import asks, begins
from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.words import split

_MARKS = (
    r"```[^`]{1,2000}```",
    r"`[^`\n]{1,400}`",
    r"(?<!\w)\"[^\"]{1,400}\"(?!\w)",
    r"(?<!\w)'[^'\n]{2,400}'(?!\w)",
    r"‘[^‘’\n]{2,400}’(?!\w)",
    r"“[^“”]{1,400}”",
    r"„[^„“”]{1,400}[“”]",
    r"«[^«»]{1,400}»",
    r"‹[^‹›]{1,400}›",
    r"「[^「」]{1,400}」",
)
QUOTED = re.compile("|".join(_MARKS))
"""What stands in quotes, marks included. An inch, 13\", opens none."""
_SIGNS = "\"'`“”‘’„«»‹›「」"
_ENDS = re.compile(r"[,.;:!?](?:\s|$)")
_ENOUGH = 2
"""Telling words outside of quotes that say what is wanted. Where there are fewer, the quotes say it."""


def unquoted(text: str) -> str | None:
    """A text without what stands in quotes.

    None if nothing stands in quotes, if nothing telling stands outside of them, or if what is wanted is quoted.
    """
    rest = QUOTED.sub(" ", text)
    if rest == text:
        return None
    telling = (word for word in split(rest) if word.isalpha() and word not in STOP_WORDS and word not in FILLERS)
    if len(set(telling)) < _ENOUGH:
        return None
    orders = any(begins(it[0].strip(_SIGNS)) for it in QUOTED.finditer(text))
    return None if orders and not any(map(asks, _ENDS.split(rest))) else rest


def stressed(text: str) -> str:
    """A text in which what stands outside of quotes comes twice, and so counts twice."""
    rest = unquoted(text)
    return text if rest is None else f"{rest} {text}"
