"""Adds up what the words of a question are worth to each tool, and looks closer at the best."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from hermes_core.search.fields import FIELDS
from hermes_core.search.postings import Posting
from hermes_core.search.query import Term
from hermes_core.search.synonyms import SYNONYM, TOPIC, groups
from hermes_core.search.weights import Weights

CLOSER = 64
"""How many of the best are looked at closer, at least."""
_COMMON = 0.5
"""A word that more than this share of the tools has tells them apart no more; it counts only when nothing else does."""
_LONG = 128
"""From this many tools on, a posting is worth the thought whether all of it is needed."""
_CROWD, _ENOUGH = 800, 200
"""A word of so many tools brings in no more of them when enough are there by rarer words: it tells those apart."""
_MANY = 256
"""Tools with one word that are looked through for the others."""
_SYNONYM_COVERS = 0.6
"""How far a synonym stands for a word of a name."""


def score(
    terms: Sequence[Term], postings: Mapping[str, Posting], total: int, most: int, weights: Weights
) -> dict[int, float]:
    """The scores of the tools that have any of the terms, by number.

    Terms that can add most come first. As soon as the others together cannot lift a tool that has none so far among the
    best, they are added up only for the tools that are in the running; that leaves out what nobody would see.
    """
    telling = [term for term in terms if len(postings[term.key].tools) <= total * _COMMON] or list(terms)
    telling.sort(key=lambda term: -term.worth * postings[term.key].most)
    left = sum(term.worth * postings[term.key].most for term in telling)
    scores: dict[int, float] = {}
    closed = False
    for term in telling:
        posting = postings[term.key]
        worth = term.worth
        if not closed and len(posting.tools) > _LONG and len(scores) >= most:
            reach = left * (1.0 + weights.name)
            # The highest is found many times faster than the last of the best, and mostly is not reached either.
            closed = reach < max(scores.values()) and reach < heapq.nlargest(most, scores.values())[-1]
        if len(posting.tools) > _LONG and (closed or (len(posting.tools) > _CROWD and len(scores) > _ENOUGH)):
            values = posting.by_tool(total)
            for tool in scores:
                scores[tool] += worth * values[tool]
        elif not scores:
            scores = {tool: worth * value for tool, value in zip(posting.tools, posting.worth, strict=True)}
        else:
            for tool, value in zip(posting.tools, posting.worth, strict=True):
                if tool in scores:
                    scores[tool] += worth * value
                elif not closed:
                    scores[tool] = worth * value
        left -= worth * posting.most
    return scores


def complete(keys: Sequence[str], postings: Mapping[str, Posting]) -> list[int]:
    """The tools that have all these words, wherever they stand; none when even the rarest is in many."""
    found = sorted((postings[key] for key in keys), key=lambda it: len(it.tools))
    if not found or len(found[0].tools) > _MANY:
        return []
    return [tool for tool in found[0].tools if all(it.places_in(tool) for it in found[1:])]


def best(scores: Mapping[int, float], most: int) -> list[int]:
    """The numbers of the best tools; of equals, the one with the lowest."""
    if len(scores) > 8 * most:
        # Finding the bar first is many times cheaper than comparing pairs all the way.
        bar = heapq.nlargest(most, scores.values())[-1]
        numbers = [tool for tool, value in scores.items() if value >= bar]
    else:
        numbers = list(scores)
    return sorted(numbers, key=lambda tool: (-scores[tool], tool))[:most]


def covered(
    name: Sequence[str], worths: Mapping[str, float], asked: frozenset[str], postings: Mapping[str, Posting]
) -> float:
    """How much of a name the question asks for, 0 to 1: *delete comment* covers `delete_comment`, not the others.

    Args:
        name: The stems of the name.
        worths: What the words of the question are worth, by stem.
        asked: The groups of synonyms that they are in.
        postings: The index.
    """
    total = found = 0.0
    known = groups()
    for word in name:
        rarity = postings[word].rarity
        total += rarity
        if word in worths:
            found += rarity * min(1.0, 2.0 * worths[word])
        elif not asked.isdisjoint(known.get(word, ())):
            found += rarity * _SYNONYM_COVERS
    return found / total if total else 0.0


def boosted(
    scores: dict[int, float],
    candidates: Sequence[int],
    terms: Sequence[Term],
    names: Sequence[Sequence[str]],
    postings: Mapping[str, Posting],
    weights: Weights,
) -> None:
    """Raise the scores of candidates by how much of their names is asked for."""
    worths = {term.key: term.worth for term in terms if term.key[0] not in (SYNONYM, TOPIC)}
    asked = frozenset(term.key for term in terms if term.key[0] == SYNONYM)
    for tool in candidates:
        scores[tool] *= 1.0 + weights.name * covered(names[tool], worths, asked, postings)


def explain(tool: int, terms: Sequence[Term], postings: Mapping[str, Posting]) -> tuple[str, ...]:
    """Where a tool matched, field by field, in the words of the question; parts of names where nothing else did."""
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
