"""The library of a session or command: its roots, from the settings, the current project and plugins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_tools_skills import bundled
from hermes_tools_skills.index import LoadProblem, Root, SkillIndex
from hermes_tools_skills.library import FOLDER, Library
from hermes_tools_skills.scanner import ContentError
from hermes_tools_skills.settings import SkillsSettings

if TYPE_CHECKING:
    from hermes_core import Hermes, ToolContext

PROVIDERS = "skills"
"""The extension point of plugins that ship skills: a provider is the path of a directory with skills."""

PROJECT_FOLDER = os.path.join(".agents", "skills")
_STATE = "hermes_skills_index"


def library_for_call(ctx: ToolContext) -> Library:
    """Return the library of a session; what was read is cached until the session ends."""
    settings = ctx.settings(FOLDER, SkillsSettings)
    problems = []
    if (index := ctx.session.state.get(_STATE)) is None:
        index = ctx.session.state[_STATE] = SkillIndex()
        problems = _seed(ctx.home, settings)
    return make_library(ctx.home, settings, ctx.providers(PROVIDERS), index=index, problems=problems)


def library_for_host(hermes: Hermes) -> Library:
    """Return the library of a command. Raises `ConfigError` if the settings are invalid."""
    settings = hermes.config.model(FOLDER, SkillsSettings)
    problems = _seed(hermes.home, settings)
    return make_library(hermes.home, settings, hermes.providers(PROVIDERS), problems=problems)


def _seed(home: Path, settings: SkillsSettings) -> list[LoadProblem]:
    """Copy the bundled skills. A home that cannot be written is a problem, but other skills can still be used."""
    if not settings.bundled:
        return []
    try:
        bundled.seed(home / FOLDER)
    except (OSError, ContentError) as error:
        return [LoadProblem(path=home / FOLDER, reason=f"The bundled skills could not be copied: {error}.")]
    return []


def make_library(
    home: Path,
    settings: SkillsSettings,
    providers: Mapping[str, Any],
    *,
    index: SkillIndex | None = None,
    problems: Iterable[LoadProblem] = (),
) -> Library:
    """Return the library for some settings."""
    roots: list[Root] = []
    found = list(problems)
    if (project := find_project()) is not None:
        if is_trusted(project, settings.trusted_projects):
            roots.append(Root(path=project / PROJECT_FOLDER, origin="project"))
        else:
            reason = "The project is not trusted, so its skills are not used. Run 'hermes skills trust' to use them."
            found.append(LoadProblem(path=project / PROJECT_FOLDER, reason=reason))
    roots.append(Root(path=home / FOLDER, origin="home"))
    for given in settings.external_dirs:
        path = Path(os.path.expandvars(os.path.expanduser(given)))
        if path.is_dir():
            roots.append(Root(path=path, origin="configured"))
        else:
            found.append(LoadProblem(path=path, reason="skills.external_dirs names it, but it is not a directory."))
    if settings.user_skills:
        roots.append(Root(path=Path(os.path.expanduser("~")) / PROJECT_FOLDER, origin="user"))
    for name in sorted(providers):
        provided = providers[name]
        if isinstance(provided, str | os.PathLike) and os.path.isdir(provided):
            roots.append(Root(path=Path(provided), origin="plugin", plugin=name))
        else:
            found.append(LoadProblem(path=Path(name), reason="The plugin's skills are not a directory."))
    unique = {os.path.realpath(root.path): root for root in reversed(roots)}
    return Library(
        home,
        [root for root in roots if unique[os.path.realpath(root.path)] is root],
        disabled=settings.disabled,
        problems=found,
        index=index,
    )


def find_project() -> Path | None:
    """Return the current directory if it contains skills of a project."""
    try:
        project = Path.cwd()
    except OSError:  # it was removed
        return None
    is_home = os.path.realpath(project) == os.path.realpath(os.path.expanduser("~"))
    return project if os.path.isdir(project / PROJECT_FOLDER) and not is_home else None


def is_trusted(project: Path, trusted: Iterable[str]) -> bool:
    """Return whether the settings name a project."""
    paths = [os.path.expanduser(each) for each in trusted]
    return os.path.realpath(project) in {os.path.realpath(path) for path in paths if os.path.isabs(path)}
