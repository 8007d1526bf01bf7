"""Score tools by the words of a question, and examine the best more closely."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from hermes_search.ranking.postings import SYNONYM, TOPIC, Posting, Weights, groups
from hermes_search.ranking.query import Term
from hermes_search.ranking.tool_fields import FIELDS

CLOSER = 64
"""The minimum number of best tools that are examined more closely."""
_COMMON = 0.5
"""A word that a larger share of tools has only counts if there is no rarer one."""
_LONG = 160
"""A question whose rarest word is in more tools is not specific."""
_SYNONYM_COVERS = 0.6
"""How much a synonym covers of a word of a name."""

Name = tuple[tuple[str, float], ...]
"""The stems of a name, each with its share."""


def score(terms: Sequence[Term], postings: Mapping[str, Posting], total: int) -> dict[int, float]:
    """Return the scores of the terms for each tool that has one of them."""
    rare = [term for term in terms if len(postings[term.key].tools) <= total * _COMMON] or terms
    scores: dict[int, float] = {}
    for term in rare:
        worth = term.worth
        if worth:
            posting = postings[term.key]
            for tool, value in zip(posting.tools, posting.worth, strict=True):
                scores[tool] = scores.get(tool, 0.0) + worth * value
    return scores


def complete(keys: Sequence[str], postings: Mapping[str, Posting]) -> list[int]:
    """Return the tools that have all these words in any field; none if even the rarest word is common."""
    found = sorted((postings[key] for key in keys), key=lambda it: len(it.tools))
    if not found or len(found[0].tools) > _LONG:
        return []
    return [tool for tool in found[0].tools if all(it.places_in(tool) for it in found[1:])]


def best(scores: Mapping[int, float], limit: int) -> list[int]:
    """Return the numbers of the best tools, the lowest first of equal ones."""
    if len(scores) > 8 * limit:
        # Finding the bar first is many times cheaper than sorting all.
        bar = heapq.nlargest(limit, scores.values())[-1]
        numbers = [tool for tool, value in scores.items() if value >= bar]
    else:
        numbers = list(scores)
    return sorted(numbers, key=lambda tool: (-scores[tool], tool))[:limit]


def name_of_words(words: Sequence[str], postings: Mapping[str, Posting]) -> Name:
    """Return the distinct stems of a name with their shares of the whole; rare words have larger shares."""
    rarities = {word: postings[word].rarity for word in words}
    total = sum(rarities.values())
    return tuple((word, rarity / total) for word, rarity in rarities.items()) if total else ()


def measure_coverage(name: Name, worths: Mapping[str, float], asked: frozenset[str]) -> float:
    """Return the share of a name that the question asks for: *delete comment* covers all of `delete_comment`.

    Args:
        name: The stems of the name, with their shares.
        worths: The weights of the words of the question, by stem.
        asked: Their synonym groups.
    """
    found = 0.0
    known = groups()
    for word, share in name:
        if word in worths:
            found += share * min(1.0, 2.0 * worths[word])
        elif word in known and not asked.isdisjoint(known[word]):
            found += share * _SYNONYM_COVERS
    return found


def boost_named(
    scores: dict[int, float],
    candidates: Sequence[int],
    terms: Sequence[Term],
    names: Sequence[Name],
    weights: Weights,
) -> None:
    """Raise the scores of candidates by how much of their names is asked for."""
    worths = {term.key: term.worth for term in terms if term.key[0] not in (SYNONYM, TOPIC)}
    asked = frozenset(term.key for term in terms if term.key[0] == SYNONYM)
    for tool in candidates:
        scores[tool] *= 1.0 + weights.name * measure_coverage(names[tool], worths, asked)


def explain(tool: int, terms: Sequence[Term], postings: Mapping[str, Posting]) -> tuple[str, ...]:
    """Describe where a tool matched, field by field, in the words of the question."""
    return _explained(tool, [term for term in terms if not term.part], postings) or _explained(tool, terms, postings)


def _explained(tool: int, terms: Sequence[Term], postings: Mapping[str, Posting]) -> tuple[str, ...]:
    places: dict[int, list[str]] = {}
    direct: set[str] = set()
    related: dict[str, None] = {}
    for term in terms:
        bits = postings[term.key].places_in(tool)
        if not bits:
            continue
        if term.key[0] in (SYNONYM, TOPIC):
            related[term.asked] = None
            continue
        direct.add(term.asked)
        place = (bits & -bits).bit_length() - 1  # the first field counts most
        if term.asked not in places.setdefault(place, []):
            places[place].append(term.asked)
    lines = [f"{FIELDS[place]}: {', '.join(words)}" for place, words in sorted(places.items())]
    others = [word for word in related if word not in direct]
    return (*lines, f"related: {', '.join(others)}") if others else tuple(lines)
