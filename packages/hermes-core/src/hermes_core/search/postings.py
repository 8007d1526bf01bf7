"""The inverted index: for each word the tools that have it, and what it is worth there, worked out in advance."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from hermes_core.search.fields import FIELDS, Fields
from hermes_core.search.lanes import Lanes
from hermes_core.search.synonyms import groups
from hermes_core.search.weights import Weights

FINE = 4_095
"""The steps in which the worth of a common word is kept."""


@dataclass(slots=True)
class Posting:
    """The tools that have a word, by number, in rising order.

    Attributes:
        tools: Their numbers.
        worth: What the word adds to the score of each (BM25F).
        places: The fields it stands in, one bit each.
        rarity: The word's inverse document frequency.
        most: The highest of `worth`.
    """

    tools: array[int] = field(default_factory=lambda: array("I"))
    worth: array[float] = field(default_factory=lambda: array("f"))
    places: bytearray = field(default_factory=bytearray)
    rarity: float = 0.0
    most: float = 0.0
    _spread: int = 0

    def spread(self, lanes: Lanes) -> int:
        """What the word is worth to all tools, a lane for each, `FINE` for the most.

        It is kept, because common words are asked for often.
        """
        if not self._spread:
            numbers = array("I", bytes(4 * lanes.size))
            share = FINE / self.most
            for tool, value in zip(self.tools, self.worth, strict=True):
                numbers[tool] = round(value * share)
            self._spread = lanes.joined(numbers)
        return self._spread

    def places_in(self, tool: int) -> int:
        """The fields of one tool that have the word, as bits; 0 when none has."""
        at = bisect_left(self.tools, tool)
        return self.places[at] if at < len(self.tools) and self.tools[at] == tool else 0


def build(tools: Sequence[Fields], weights: Weights) -> dict[str, Posting]:
    """The postings of every word, and of every group that `synonyms` knows, of these tools."""
    averages = [_average(tools, place) for place in range(len(FIELDS))]
    postings: dict[str, Posting] = {}
    known = groups()
    for number, tool in enumerate(tools):
        found: dict[str, float] = {}
        places: dict[str, int] = {}
        for place, words in enumerate(tool.words):
            share = _share(weights, averages, place, len(words))
            for word in words:
                found[word] = found.get(word, 0.0) + share
                places[word] = places.get(word, 0) | 1 << place
        for word, count in list(found.items()):
            for group in known.get(word, ()):
                found[group] = found.get(group, 0.0) + count
                places[group] = places.get(group, 0) | places[word]
        for word, count in found.items():
            posting = postings.get(word)
            if posting is None:
                posting = postings[word] = Posting()
            posting.tools.append(number)
            posting.worth.append(count)
            posting.places.append(places[word])
    for posting in postings.values():
        _weigh(posting, len(tools), weights.saturation)
    return postings


def rarity(having: int, total: int) -> float:
    """How telling a word is that so many out of all tools have."""
    return math.log(1.0 + (total - having + 0.5) / (having + 0.5))


def _average(tools: Sequence[Fields], place: int) -> float:
    return max(1.0, sum(len(it.words[place]) for it in tools) / max(1, len(tools)))


def _share(weights: Weights, averages: list[float], place: int, length: int) -> float:
    """What one word counts in a field of this length."""
    slope = weights.lengths[place]
    return weights.fields[place] / (1.0 - slope + slope * length / averages[place])


def _weigh(posting: Posting, total: int, saturation: float) -> None:
    """Turn weighted counts into what they add to a score: rare words more, repeated ones ever less."""
    posting.rarity = rarity(len(posting.tools), total)
    top = posting.rarity * (saturation + 1.0)
    posting.worth = array("f", [top * count / (count + saturation) for count in posting.worth])
    posting.most = max(posting.worth)
