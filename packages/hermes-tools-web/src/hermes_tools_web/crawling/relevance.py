"""Which links come first, by the words of what the user wants to know."""

from __future__ import annotations

import re
from urllib.parse import unquote

_WORD = re.compile(r"\w+")
# Scripts without spaces: words are not told apart there, but pairs of characters are nearly as good.
_DENSE = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")
_SAID_OFTEN = (
    "a about all also an and any are as at be by can could do does each everything extract find for from get give has "
    "have how http https i if in information into is it its list look me my of on only or page pages please read see "
    "show site tell that the their them there these they this to us want was we web website what when where which who "
    "why will with www you your"
)
_STOP_WORDS = frozenset(_SAID_OFTEN.split())
_ENDINGS = (
    *("ations", "ation", "ating", "ated", "ates", "ate", "ings", "ing", "ments", "ment"),
    *("ers", "ies", "er", "ed", "es", "s", "e", "y"),
)
_SHORTEST_STEM = 4
_MOST_CHARS = 4000
_MOST_PAGE_CHARS = 20_000
_TEXT_WEIGHT, _URL_WEIGHT, _TITLE_WEIGHT = 3, 2, 1


class Relevance:
    """How well a link fits to instructions, by their words alone.

    Args:
        instructions: What the user wants to know; empty fits to nothing, and then all links are alike.
    """

    def __init__(self, instructions: str) -> None:
        self._words = stems(instructions) - _STOP_STEMS

    def score(self, *, text: str, url: str, title: str = "") -> int:
        """How many of the words a link has: in its text, its URL, and the title of the page that it is on."""
        if not self._words:
            return 0
        told = _TEXT_WEIGHT * len(self._words & stems(text)) + _TITLE_WEIGHT * len(self._words & stems(title))
        return told + _URL_WEIGHT * len(self._words & stems(unquote(url.partition("://")[2].partition("/")[2])))

    def coverage(self, *, title: str, text: str) -> int:
        """How many of the words a page has: in its title and its text."""
        if not self._words:
            return 0
        said = stems(text, _MOST_PAGE_CHARS)
        return len(self._words & said) + _TITLE_WEIGHT * len(self._words & stems(title))


def stems(text: str, most: int = _MOST_CHARS) -> frozenset[str]:
    """The words of a text without their endings, as far as endings of English go.

    Args:
        text: Any text.
        most: How many characters of it are read.
    """
    short = text[:most].casefold().replace("_", " ")
    found = {_stem(word) for word in _WORD.findall(short) if len(word) > 1}
    for run in _DENSE.findall(short):
        found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


_STOP_STEMS = frozenset(map(_stem, _STOP_WORDS)) | _STOP_WORDS
