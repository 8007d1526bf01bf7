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
