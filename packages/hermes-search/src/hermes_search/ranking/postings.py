"""The inverted index: for each word, the tools that contain it, and what it adds to their scores."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from hermes_search.ranking.stems import stem
from hermes_search.ranking.tool_fields import FIELDS, Fields


@dataclass(frozen=True, slots=True)
class Weights:
    """The ranking parameters.

    Attributes:
        fields: The weight of a word in each of `tool_fields.FIELDS`.
        lengths: How much less a word counts in a longer field: 0 for no difference, 1 for proportional.
        saturation: How soon repetitions of a word add nothing.
        synonyms: The weight of a synonym.
        topics: The weight of a word of the same topic.
        joined: The weight of two words of the question that a tool writes as one.
        parts: The weight of a part of a known name: *hub* in GitHub.
        near: The weight of a word with the same beginning, or with one wrong letter.
        quoted: The weight of a word that is only in quotes.
        fillers: The weight of words of asking (show, make, want).
        numbers: The weight of a number.
        hints: The weight of a word for something that the question shows, such as an address or an amount.
        names: The weight of a word that is not common English, such as a product or a service.
        saying: How much less a word counts that says little, by the length of its vector; 0 for no difference.
        typical: The length of the vector of a word that counts in full.
        name: How much a tool gains if the question has all words of its name.
        whole: How much a tool gains that has all words of a short question in any field.
        usage: How much the most frequently called tool gains, if usage is known.
        meaning: The weight of similarity by word vectors.
        vectors: The weight of similarity by embeddings.
        need: How much more similarity counts if no word matches: 1 for twice as much.
        confidence: The expected share of the words of a question that match.
        doubt: How much a score is doubted if fewer words match: 0 for not at all, 1 for proportional.
        clash: How much a tool loses if it does something that was not requested, such as deleting.
    """

    fields: tuple[float, ...] = (2.8, 2.5, 2.4, 0.6, 0.6, 0.35)
    lengths: tuple[float, ...] = (0.8, 0.3, 0.6, 0.7, 0.6, 0.6)
    saturation: float = 1.2
    synonyms: float = 0.3
    topics: float = 0.35
    joined: float = 0.5
    parts: float = 0.1
    near: float = 0.6
    quoted: float = 0.5
    fillers: float = 0.2
    numbers: float = 0.3
    hints: float = 0.4
    names: float = 2.0
    saying: float = 0.5
    typical: float = 0.9
    name: float = 0.4
    whole: float = 0.4
    usage: float = 0.1
    meaning: float = 2.0
    vectors: float = 1.4
    need: float = 1.0
    confidence: float = 0.6
    doubt: float = 0.5
    clash: float = 0.3


SYNONYM, TOPIC = "=", "~"
"""The first characters of group keys. No word has them."""


@lru_cache(maxsize=1)
def groups() -> dict[str, tuple[str, ...]]:
    """Return the synonym groups and topics of each stem."""
    found: dict[str, dict[str, None]] = {}
    for number, line in enumerate(_lines("synonyms.txt")):
        for word in line.split():
            found.setdefault(stem(word), {})[f"{SYNONYM}{number}"] = None
    for line in _lines("topics.txt"):
        head, _, words = line.partition(": ")
        for word in [head, *words.split()]:
            found.setdefault(stem(word), {})[f"{TOPIC}{head}"] = None
    return {word: tuple(names) for word, names in found.items()}


def _lines(file: str) -> Iterator[str]:
    """Yield the lines of a file: synonyms in one line each, or a topic before a colon."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    yield from (line for line in text.splitlines() if line.strip())


@dataclass(slots=True)
class Posting:
    """The tools that have a word, by number, in ascending order.

    Attributes:
        tools: Their numbers.
        worth: What the word adds to the score of each (BM25F).
        places: The fields that contain it, one bit each.
        rarity: The word's inverse document frequency.
    """

    tools: array[int] = field(default_factory=lambda: array("I"))
    worth: array[float] = field(default_factory=lambda: array("f"))
    places: bytearray = field(default_factory=bytearray)
    rarity: float = 0.0

    def places_in(self, tool: int) -> int:
        """Return the fields of one tool that have the word, as bits."""
        at = bisect_left(self.tools, tool)
        return self.places[at] if at < len(self.tools) and self.tools[at] == tool else 0


def build(tools: Sequence[Fields], weights: Weights) -> dict[str, Posting]:
    """Return the postings of every word and every group in these tools."""
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
    """Return the inverse document frequency of a word that `having` of `total` tools have."""
    return math.log(1.0 + (total - having + 0.5) / (having + 0.5))


def _average(tools: Sequence[Fields], place: int) -> float:
    return max(1.0, sum(len(it.words[place]) for it in tools) / max(1, len(tools)))


def _share(weights: Weights, averages: list[float], place: int, length: int) -> float:
    """Return the weight of one word in a field of this length."""
    slope = weights.lengths[place]
    return weights.fields[place] / (1.0 - slope + slope * length / averages[place])


def _weigh(posting: Posting, total: int, saturation: float) -> None:
    """Convert weighted counts to scores: rare words add more, repeated ones less."""
    posting.rarity = rarity(len(posting.tools), total)
    top = posting.rarity * (saturation + 1.0)
    posting.worth = array("f", [top * count / (count + saturation) for count in posting.worth])
