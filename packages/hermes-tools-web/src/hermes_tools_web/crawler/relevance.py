"""Rate links and pages by the words of the instructions."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import unquote

from hermes_tools_web.text import json_length, truncate_to_json

_WORD = re.compile(r"\w+")
# Scripts without spaces: pairs of characters are nearly as good as words.
_DENSE = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")
_COMMON_WORDS = (
    "a about all also an and any are as at be by can could do does each everything extract find for from get give has "
    "have how http https i if in information into is it its list look me my of on only or page pages please read see "
    "show site tell that the their them there these they this to us want was we web website what when where which who "
    "why will with www you your"
)
_STOP_WORDS = frozenset(_COMMON_WORDS.split())
_ENDINGS = (
    *("ations", "ation", "ating", "ated", "ates", "ate", "ings", "ing", "ments", "ment"),
    *("ers", "ies", "er", "ed", "es", "s", "e", "y"),
)
_MIN_STEM = 4
_MAX_CHARS = 4000
_MAX_PAGE_CHARS = 20_000
_TEXT_WEIGHT, _URL_WEIGHT, _TITLE_WEIGHT = 3, 2, 1


class Relevance:
    """Rates text by the words it shares with the instructions; without instructions, every rating is 0."""

    def __init__(self, instructions: str) -> None:
        self._words = stem_words(instructions) - _STOP_STEMS

    def score(self, *, text: str, url: str, title: str = "") -> int:
        """Rate a link by its text, its URL and the title of its page."""
        if not self._words:
            return 0
        score = _TEXT_WEIGHT * len(self._words & stem_words(text)) + _TITLE_WEIGHT * len(
            self._words & stem_words(title)
        )
        return score + _URL_WEIGHT * len(self._words & stem_words(unquote(url.partition("://")[2].partition("/")[2])))

    def coverage(self, *, title: str, text: str) -> int:
        """Rate a page by its title and text."""
        if not self._words:
            return 0
        words = stem_words(text, _MAX_PAGE_CHARS)
        return len(self._words & words) + _TITLE_WEIGHT * len(self._words & stem_words(title))


def stem_words(text: str, maximum: int = _MAX_CHARS) -> frozenset[str]:
    """Return the words of a text without English suffixes; pairs of characters in scripts without spaces."""
    short = text[:maximum].casefold().replace("_", " ")
    found = {_stem(word) for word in _WORD.findall(short) if len(word) > 1}
    for run in _DENSE.findall(short):
        found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word


_STOP_STEMS = frozenset(map(_stem, _STOP_WORDS)) | _STOP_WORDS


_BLOCKS = "\n\n"
_GAP = "\n\n[…]\n\n"


def select_relevant(text: str, relevance: Relevance, maximum: int) -> str:
    """Select the first and the most relevant paragraphs of a text; only the beginning when none is relevant.

    Blank lines separate paragraphs, and `maximum` is the budget in characters of JSON.
    """
    blocks = text.split(_BLOCKS)
    scores = [relevance.coverage(title="", text=block) for block in blocks]
    first_cost = json_length(blocks[0]) + json_length(_GAP)
    if first_cost > maximum or not any(scores[1:]):
        return truncate_to_json(text, maximum)
    chosen, left = {0}, maximum - first_cost
    for place in sorted(range(1, len(blocks)), key=lambda at: (-scores[at], at)):
        price = json_length(blocks[place]) + json_length(_GAP)
        if price <= left:
            chosen.add(place)
            left -= price
        elif not scores[place]:
            break  # irrelevant paragraphs are shown in sequence, not picked out
    parts = [blocks[0]]
    for before, place in pairwise(sorted(chosen)):
        parts += [_BLOCKS if place == before + 1 else _GAP, blocks[place]]
    return "".join(parts)
