"""What the ranker believes, in numbers; found on the tuning halves of the sets in `bench/search`."""

from __future__ import annotations

from dataclasses import dataclass


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
        near: What a word is worth that merely begins the same, or has one letter wrong.
        fillers: What words of asking (show, make, want) are worth.
        name: How much a name adds whose words were all asked for.
        usage: How much the tool that is called most gets on top, when it is said how often tools are called.
        meaning: What the likeness of vectors is worth beside a full score by words.
        confidence: How much of all the words of a question must match to make a score full.
    """

    fields: tuple[float, ...] = (3.0, 2.5, 2.0, 0.8, 0.7, 0.35)
    lengths: tuple[float, ...] = (0.8, 0.3, 0.6, 0.7, 0.6, 0.6)
    saturation: float = 1.2
    synonyms: float = 0.35
    topics: float = 0.35
    joined: float = 0.5
    near: float = 0.6
    fillers: float = 0.3
    name: float = 0.5
    usage: float = 0.1
    meaning: float = 0.8
    confidence: float = 0.3
