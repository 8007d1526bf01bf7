"""Decide from its files whether a skill may be used now, wherever it is and however it got there."""

from __future__ import annotations

from hermes_tools_skills import bundled
from hermes_tools_skills.installed import find_record, require_unchanged
from hermes_tools_skills.review import TRUST, Review, review_skill
from hermes_tools_skills.skill import Skill

_PASSED = Review(action="allow", verdict="safe")


def review_loaded(skill: Skill) -> Review:
    """Return whether a skill may be used.

    - A skill that the hub installed was scanned then: it must still be the same.
    - An unchanged bundled skill, and a skill of a plugin, is as trusted as the code of its package.
    - Any other skill is scanned, because a model may have written it with other tools.

    Raises:
        SkillError: The skill has changed since it was installed, or the record of installed skills is damaged.
    """
    if skill.origin == "plugin":
        return _PASSED
    if skill.origin == "home":
        if find_record(skill.root, skill.directory) is not None:
            require_unchanged(skill.root, skill.directory)
            return _PASSED
        if bundled.is_unchanged(skill.root, skill.directory):
            return _PASSED
    return review_skill(skill.directory, trust=TRUST)
