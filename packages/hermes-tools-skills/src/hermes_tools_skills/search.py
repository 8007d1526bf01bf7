"""Search skills by words in their names, tags, categories and descriptions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes_tools_skills.skill import Skill

_WORD = re.compile(r"\w+")
_MAX_WORDS = 20
_NAME_WEIGHT, _TAG_WEIGHT, _CATEGORY_WEIGHT, _DESCRIPTION_WEIGHT = 8, 4, 3, 1


def search_skills(skills: Sequence[Skill], query: str) -> list[Skill]:
    """Return the skills that contain any word of a query, those that match more words and in shorter fields first."""
    words = list(dict.fromkeys(_WORD.findall(query.casefold())))[:_MAX_WORDS]
    scored = [(_score(skill, words), -number) for number, skill in enumerate(skills)]
    return [skills[-number] for score, number in sorted(scored, reverse=True) if score > (0, 0)]


def _score(skill: Skill, words: Sequence[str]) -> tuple[int, int]:
    fields = (
        (_NAME_WEIGHT, skill.name.casefold()),
        (_TAG_WEIGHT, " ".join(skill.tags).casefold()),
        (_CATEGORY_WEIGHT, skill.category.casefold()),
        (_DESCRIPTION_WEIGHT, skill.description.casefold()),
    )
    scores = [max((weight for weight, text in fields if word in text), default=0) for word in words]
    return sum(score > 0 for score in scores), sum(scores)
