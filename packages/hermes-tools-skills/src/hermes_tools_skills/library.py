"""All skills that a session may use: where they are found, which of them is meant, and which are hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_core.errors import ToolInputError, did_you_mean
from hermes_schemas import nearest
from hermes_tools_skills.index import LoadProblem, Root, SkillIndex
from hermes_tools_skills.skill import Skill

FOLDER = "skills"
"""The directory in `$HERMES_HOME`."""

_MAX_CANDIDATES = 20


class SkillNotFoundError(ToolInputError):
    """Raised when no skill has a name, or several have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The skills of a library.

    Attributes:
        skills: The skills that models may see, sorted by category and name.
        hidden: The skills that only users see, by id, with the reason.
        problems: Paths that are not used, and skills that hide others.
    """

    skills: tuple[Skill, ...]
    hidden: Mapping[str, str]
    problems: tuple[LoadProblem, ...]

    @property
    def categories(self) -> dict[str, int]:
        """The number of skills in each category; the empty category is that of skills without one."""
        return dict(sorted(Counter(skill.category for skill in self.skills).items()))


class Library:
    """The skills of some roots.

    Args:
        home: `$HERMES_HOME`.
        roots: The directories; the skills of a project override others with the same name.
        disabled: The names of skills that models cannot see.
        problems: Problems of the roots themselves.
        index: Caches what was read.
    """

    def __init__(
        self,
        home: Path,
        roots: Iterable[Root],
        *,
        disabled: Iterable[str] = (),
        problems: Iterable[LoadProblem] = (),
        index: SkillIndex | None = None,
    ) -> None:
        self.home = home
        self.roots = tuple(roots)
        self._disabled = frozenset(disabled)
        self._problems = tuple(problems)
        self._index = index or SkillIndex()

    @property
    def directory(self) -> Path:
        """The directory of the skills that models may change."""
        return self.home / FOLDER

    def all_skills(self) -> tuple[list[Skill], list[LoadProblem]]:
        """Return all skills, including hidden ones, and problems."""
        found = [each for root in self.roots for each in self._index.read(root)]
        skills = [each for each in found if isinstance(each, Skill)]
        return skills, [*self._problems, *(each for each in found if isinstance(each, LoadProblem))]

    def listing(self) -> Listing:
        """Return what models may see, and what they may not."""
        skills, problems = self.all_skills()
        hidden: dict[str, str] = {}
        projects = {skill.name: skill for skill in skills if skill.origin == "project"}
        visible = []
        for skill in skills:
            if reason := self._hidden(skill):
                hidden[skill.id] = reason
            elif skill.origin != "project" and (other := projects.get(skill.name)) and not self._hidden(other):
                hidden[skill.id] = f"overridden by {other.id}"
                problems.append(LoadProblem(path=skill.directory, reason=f"The project overrides it with {other.id}."))
            else:
                visible.append(skill)
        visible.sort(key=lambda skill: (skill.category, skill.name, str(skill.directory)))
        return Listing(skills=tuple(visible), hidden=hidden, problems=tuple(problems))

    def _hidden(self, skill: Skill) -> str:
        if self._disabled and not self._disabled.isdisjoint((skill.name, skill.directory.name, skill.id)):
            return "disabled by skills.disabled"
        return "" if skill.model_invocation else "disabled for models by its frontmatter"

    def find(self, name: str, *, for_user: bool = False) -> Skill:
        """Return the skill with a name: that of the skill or its directory, `category/name`, or an id.

        Args:
            name: The name.
            for_user: Whether to search the skills that are hidden from models, too.

        Raises:
            SkillNotFoundError: No skill has the name, or several have it.
        """
        skills: Iterable[Skill] = self.all_skills()[0] if for_user else self.listing().skills
        skills = list(skills)
        wanted = name.strip().removesuffix("/")
        exact = [skill for skill in skills if skill.id == wanted]
        found = exact or [skill for skill in skills if wanted in _names(skill)]
        if len(found) == 1:
            return found[0]
        if found:
            candidates = [describe_candidate(skill) for skill in found[:_MAX_CANDIDATES]]
            ids = ", ".join(each["id"] for each in candidates)
            raise SkillNotFoundError(
                f"{len(found)} skills are named {wanted!r}: {ids}.", hint="Use an id.", candidates=candidates
            )
        near = nearest(wanted, [each for skill in skills for each in (skill.name, skill.id)], 3)
        raise SkillNotFoundError(
            f"There is no skill {wanted!r}.{did_you_mean(list(dict.fromkeys(near)))}",
            hint="skills_list shows the skills of a category, and searches with query.",
        )


def _names(skill: Skill) -> set[str]:
    names = {skill.name, skill.directory.name}
    return names | {f"{prefix}{name}" for prefix in (f"{skill.category}/", f"{skill.category}:") for name in names}


def describe_candidate(skill: Skill) -> dict[str, str]:
    """Describe one of several skills with the same name."""
    return {"id": skill.id, "path": str(skill.directory), "description": skill.description[:200]}
