"""Keeps pages to a size that is read in seconds: what lies beyond would be cut from the text anyway."""

from __future__ import annotations

import re

from hermes_tools_web.pages.tags import short_tags

MOST_MARKUP = 6_000_000
MOST_TAGS = 200_000
"""How much markup is read once scripts, comments and pictures in the page are gone."""
_UNREAD = re.compile(
    r"<!--.*?(?:-->|\Z)|<script\b(?![^>]{0,200}(?:ld\+json|math/tex))[^>]{0,3000}>.*?(?:</script\s*>|\Z)"
    r"|<style\b[^>]{0,3000}>[^<]{500000,}+|[ \t\n]{200,}+",
    re.DOTALL | re.IGNORECASE,
)


def trimmed(text: str) -> tuple[str, str]:
    """The markup, or its beginning when there is too much of it.

    Args:
        text: The markup.

    Returns:
        The markup, and a note when some was left out; the note is empty when not.
    """
    if len(text) <= MOST_MARKUP and text.count("<") <= MOST_TAGS:
        return text, ""
    text = _UNREAD.sub(" ", short_tags(text))
    size = len(text)
    end = min(size, MOST_MARKUP, _place_of_tag(text, MOST_TAGS))
    if end >= size:
        return text, ""
    return text[:end], f"The page is very big: only the first {min(99, max(1, end * 100 // size))} % of it were read."


def _place_of_tag(text: str, number: int) -> int:
    place = -1
    for _ in range(number):
        place = text.find("<", place + 1)
        if place < 0:
            return len(text)
    return place
