"""Shows of a long page what fits to the question, when there is no room for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hermes_tools_web.crawling.relevance import Relevance
from hermes_tools_web.room import fitted, size_of

_BLOCKS = "\n\n"
_GAP = "\n\n[…]\n\n"


def fitting_parts(text: str, relevance: Relevance, most: int) -> str:
    """The parts of a text that fit best, in their order, and its beginning; the beginning alone when none fits.

    Args:
        text: Any text, in paragraphs.
        relevance: What the user wants to know.
        most: What the parts may cost.
    """
    blocks = text.split(_BLOCKS)
    scores = [relevance.coverage(title="", text=block) for block in blocks]
    first_cost = size_of(blocks[0]) + size_of(_GAP)
    if first_cost > most or not any(scores[1:]):
        return fitted(text, most)
    chosen, left = {0}, most - first_cost
    for place in sorted(range(1, len(blocks)), key=lambda at: (-scores[at], at)):
        price = size_of(blocks[place]) + size_of(_GAP)
        if price <= left:
            chosen.add(place)
            left -= price
        elif not scores[place]:
            break  # what fits to nothing is there to read on, not in pieces
    return _joined(blocks, sorted(chosen))


def _joined(blocks: Sequence[str], places: Sequence[int]) -> str:
    parts = [blocks[places[0]]]
    for before, place in pairwise(places):
        parts += [_BLOCKS if place == before + 1 else _GAP, blocks[place]]
    return "".join(parts)
