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
    """The parameters of the ranking.

    Attributes:
        fields: What a word is worth where it stands, in the order of `fields.FIELDS`.
        lengths: How much a field longer than the average takes from its words: 0 nothing, 1 in proportion.
        saturation: How soon a word that comes again adds nothing.
        synonyms: What a synonym is worth beside the word itself.
        topics: What a word of the same topic is worth.
        joined: What two words of the question are worth where a tool writes them as one.
        parts: What a part of a name counts that is known as a whole: *hub* where GitHub was said.
        near: What a word is worth that merely begins the same, or has one letter wrong.
        quoted: What a word counts that stands in quotes only.
        fillers: What words of asking (show, make, want) are worth.
        numbers: What a number is worth.
        hints: What a word is worth for what a question shows without naming it: an address, an amount.
        names: What a word is worth that is no common word of English: a product, a service.
        saying: How far a word counts less that says little in any text, by the length of its vector; 0 not at all.
        typical: The length of the vector of a word that counts in full.
        name: How much a name adds whose words were all asked for.
        whole: What a tool gets that has all words of a short question, wherever they stand; of what they could give.
        usage: How much the tool that is called most gets on top, when it is said how often tools are called.
        meaning: What the likeness of what words mean is worth beside a full score by words.
        vectors: What the likeness of vectors is worth.
        need: How much more both kinds of likeness are worth where no word matches: 1 for twice as much.
        confidence: How much of all the words of a question is expected to match.
        doubt: How far a score is doubted when less matches: 0 not at all, 1 in proportion.
        clash: What a tool loses that does something else than is wanted: deletes what the question asks to see.
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
"""The first characters of group keys, which no word has."""


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
    """One group each. A synonym stands in a line with its own; a topic's name stands before a colon."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    yield from (line for line in text.splitlines() if line.strip())


@dataclass(slots=True)
class Posting:
    """The tools that have a word, by number, in rising order.

    Attributes:
        tools: Their numbers.
        worth: What the word adds to the score of each (BM25F).
        places: The fields it stands in, one bit each.
        rarity: The word's inverse document frequency.
    """

    tools: array[int] = field(default_factory=lambda: array("I"))
    worth: array[float] = field(default_factory=lambda: array("f"))
    places: bytearray = field(default_factory=bytearray)
    rarity: float = 0.0

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
    """Return the inverse document frequency of a word that so many of all tools have."""
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
