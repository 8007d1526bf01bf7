"""Finds the plugins that a command is about, however somebody named them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from hermes_core.errors import ConfigError, did_you_mean
from hermes_core.plugins import sources
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.entry_points import InstalledEntryPoint, installed_entry_points
from hermes_core.plugins.names import normalize

if TYPE_CHECKING:
    from hermes_core.plugins.working_copy import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One plugin that was found.

    Attributes:
        candidate: The plugin, not loaded yet.
        module: What its entry point names; empty for a single file.
        siblings: Every plugin of its distribution, itself included, with the module of each.
        project: The folder of its project, when it was found there.
    """

    candidate: Candidate
    module: str = ""
    siblings: dict[str, str]
    project: Path | None = None


def find_targets(word: str | None) -> list[Target]:
    """The plugins that a word names; without one, those of the project in the current folder.

    Raises:
        click.UsageError: there are none.
        ConfigError: the project cannot be used.
    """
    if word is None:
        return _in_project(os.curdir)
    if word.endswith(".py"):
        return [_file(word)]
    if os.sep in word or word in (os.curdir, os.pardir):
        return _in_project(word)
    found = _in_project_here(word) or list(_installed(word)) or list(_in_files(word))
    if not found and os.path.isdir(word):
        return _in_project(word)
    if not found:
        _refuse(word)
    return found


def _file(word: str) -> Target:
    path = os.path.abspath(os.path.expanduser(word))
    if not os.path.isfile(path):
        raise click.UsageError(f"There is no file {word!r}.", ctx=click.get_current_context(silent=True))
    return Target(candidate=sources.file_candidate(path, "file"), siblings={})


def _in_files(word: str) -> Iterator[Target]:
    from hermes_core.config.home import home_folder

    home = home_folder()
    for candidate in (*sources.find_files(home), *sources.find_project_files(home)):
        if candidate.name == word:
            yield Target(candidate=candidate, siblings={})


# -- of a project ----------------------------------------------------------------------------------------------------


def _in_project(folder: str) -> list[Target]:
    from hermes_core.plugins.working_copy import read_project

    project = read_project(os.path.expanduser(folder))
    project.make_importable()
    entries = _entries(project)
    return [_target(entry, entries, project.folder) for entry in entries]


def _in_project_here(word: str) -> list[Target]:
    """What somebody means who stands in a project and names one of its plugins: the code at hand, not the installed."""
    from hermes_core.plugins.working_copy import read_project

    try:
        project = read_project(os.curdir)
    except ConfigError:  # there is no project here, or none that is meant
        return []
    entries = _entries(project)
    found = _matching(entries, word)
    if found:
        project.make_importable()
    return [_target(entry, entries, project.folder) for entry in found]


def _entries(project: Project) -> list[InstalledEntryPoint]:
    return [
        InstalledEntryPoint(sources.GROUP, name, value, project.name, project.version)
        for name, value in sorted(project.plugins.items())
    ]


# -- installed -------------------------------------------------------------------------------------------------------


def _installed(word: str) -> Iterator[Target]:
    entries = sorted(installed_entry_points((sources.GROUP,)), key=lambda entry: entry.name)
    for entry in _matching(entries, word):
        yield _target(entry, [each for each in entries if each.distribution == entry.distribution])


def _matching(entries: list[InstalledEntryPoint], word: str) -> list[InstalledEntryPoint]:
    """The plugins of that name; else those of the distribution of that name; else those of the package."""
    tried = (
        [entry for entry in entries if is_it(entry, word)] for is_it in (_is_plugin, _is_distribution, _is_package)
    )
    return next(filter(None, tried), [])


def _is_plugin(entry: InstalledEntryPoint, word: str) -> bool:
    return entry.name == word


def _is_distribution(entry: InstalledEntryPoint, word: str) -> bool:
    return entry.distribution is not None and normalize(entry.distribution) == normalize(word)


def _is_package(entry: InstalledEntryPoint, word: str) -> bool:
    return f"{_module(entry)}.".startswith(f"{word}.")


def _target(entry: InstalledEntryPoint, siblings: list[InstalledEntryPoint], project: Path | None = None) -> Target:
    return Target(
        candidate=sources.installed_candidate(entry, origin="project" if project else sources.INSTALLED),
        module=_module(entry),
        siblings={each.name: _module(each) for each in siblings if _module(each)},
        project=project,
    )


def _module(entry: InstalledEntryPoint) -> str:
    return entry.value.partition("[")[0].partition(":")[0].strip()


def _refuse(word: str) -> NoReturn:
    from hermes_core.schemas.nearest import nearest

    entries = installed_entry_points((sources.GROUP,))
    known = {entry.name for entry in entries} | {entry.distribution for entry in entries if entry.distribution}
    raise click.UsageError(
        f"There is no plugin, distribution, package or folder {word!r}." + did_you_mean(nearest(word, known)),
        ctx=click.get_current_context(silent=True),
    )
