"""Takes apart a message that asks for several things, so that the tools for each of them are found.

*Book a table for four, then tell Ana where we meet* is about two tools. Taken as one text it is a little like both, and
like neither as much as five tools for tables are. So each wish is searched for by itself, too, and its best tool gets
a place beside the best for the whole. So is the one wish of a long story, with no more of the story than is next to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_core.search.questions.clauses import Clause

MOST = 5
"""Wishes of one message that are looked at, the first ones: each takes as long as a question by itself."""
_NEXT_TO = 160
"""Characters of a story before a wish, or behind it, that are taken to be about it."""
_OWN, _FLATTENED = 0.7, 0.3
"""What the score within a wish counts beside that of the whole message; and how little a short wish counts less."""
_HEAVY, _SURE = 0.2, 0.8
"""A wish must say that much of what the longest says, and its best tool score that much of the best for the whole."""
_BEHIND = 0.001
"""How far behind the best for the whole the best for a wish comes, and that for the next wish behind it."""


def wishes(message: Sequence[Clause]) -> list[str]:
    """What a message of these clauses asks for, each thing with what is said about it.

    Nothing, if the message as it is says it best. What merely tells something belongs to the question that follows, or
    to the last one.
    """
    found: list[str] = []
    current: list[str] = []
    waiting: list[str] = []
    asked = False
    for clause in message:
        if asked and (clause.asks or clause.comes_next):
            found.append(_near(current, waiting if clause.item else []))
            current, asked = [*([] if clause.item else waiting), clause.text], clause.asks
            waiting = []
        elif asked:
            waiting.append(clause.text)
        else:
            current.append(clause.text)
            asked = clause.asks
        if len(found) == MOST:
            return found
    if current:
        found.append(_near(current, waiting) if asked else " ".join(current))
    told = sum(map(len, [*current, *waiting]))
    return found if len(found) > 1 or (found and asked and told > len(found[0]) + _NEXT_TO) else []


def point(message: Sequence[Clause]) -> str:
    """The first clause that asks for something; nothing if none does."""
    return next((clause.text for clause in message if clause.asks), "")


def together(whole: Mapping[int, float], parts: Sequence[tuple[Mapping[int, float], float]]) -> dict[int, float]:
    """The scores for a message as a whole, and for each of its wishes by itself, as one.

    Args:
        whole: What tools score for the whole message.
        parts: What they score for each wish, and what its words could give altogether.
    """
    found = dict(whole)
    top = max(whole.values(), default=0.0)
    heaviest = max((weight for _, weight in parts), default=0.0) or 1.0
    for number, (scores, weight) in enumerate(parts, 1):
        share = _OWN * (weight / heaviest) ** _FLATTENED
        for tool, value in scores.items():
            found[tool] = max(found.get(tool, 0.0), share * value)
        if scores and weight >= _HEAVY * heaviest:
            first = max(scores, key=lambda tool: (scores[tool], -tool))
            if scores[first] >= _SURE * top:
                found[first] = max(found[first], top * (1.0 - _BEHIND * number))
    return found


def _near(told: list[str], behind: list[str]) -> str:
    """A wish, which stands last, with as much of what was told before it, or behind it, as is next to it."""
    before: list[str] = []
    for text in reversed(told[:-1]):
        if sum(map(len, before)) + len(text) > _NEXT_TO:
            break
        before.append(text)
    after = behind[:1] if behind and len(behind[0]) <= _NEXT_TO else []
    return " ".join([*reversed(before), told[-1], *after])
