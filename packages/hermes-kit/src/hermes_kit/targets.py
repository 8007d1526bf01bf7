"""Finds the plugins that a command is about, by plugin, distribution, package, directory or file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from hermes_core import ConfigError
from hermes_core.errors import did_you_mean
from hermes_core.inspection import (
    GROUP,
    Candidate,
    file_candidate,
    find_files,
    find_installed,
    find_project_files,
    home_folder,
    installed_candidate,
)
from hermes_files.installed_packages import InstalledEntryPoint, normalize
from hermes_kit.project import Project, read_project
from hermes_schemas import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One plugin that was found.

    Attributes:
        candidate: The plugin, not loaded yet.
        module: The module of its entry point; empty for a single file.
        siblings: Every plugin of its distribution, including itself, with its module.
        project: The directory of its project, if it was found there.
    """

    candidate: Candidate
    module: str = ""
    siblings: dict[str, str]
    project: Path | None = None


def find_targets(word: str | None) -> list[Target]:
    """Return the plugins that a word names; by default those of the project in the current directory.

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
    return Target(candidate=file_candidate(path, "file"), siblings={})


def _in_files(word: str) -> Iterator[Target]:
    home = home_folder()
    for candidate in (*find_files(home), *find_project_files(home)):
        if candidate.name == word:
            yield Target(candidate=candidate, siblings={})


def _in_project(folder: str) -> list[Target]:
    project = read_project(os.path.expanduser(folder))
    project.make_importable()
    declared = _declared(project)
    return [_target(candidate, declared, project.folder) for candidate in declared]


def _in_project_here(word: str) -> list[Target]:
    """Find a plugin of the project in the current directory, before an installed copy."""
    try:
        project = read_project(os.curdir)
    except ConfigError:  # there is no project here
        return []
    declared = _declared(project)
    found = _matching(declared, word)
    if found:
        project.make_importable()
    return [_target(candidate, declared, project.folder) for candidate in found]


def _declared(project: Project) -> list[Candidate]:
    entries = (
        InstalledEntryPoint(GROUP, name, value, project.name, project.version)
        for name, value in sorted(project.plugins.items())
    )
    return [installed_candidate(entry, origin="project") for entry in entries]


def _installed(word: str) -> Iterator[Target]:
    installed = find_installed()
    for candidate in _matching(installed, word):
        yield _target(candidate, [each for each in installed if each.distribution == candidate.distribution])


def _matching(candidates: list[Candidate], word: str) -> list[Candidate]:
    """Return the plugins of that name, else those of the distribution of that name, else those of the package."""
    tried = (
        [each for each in candidates if is_it(each, word)] for is_it in (_is_plugin, _is_distribution, _is_package)
    )
    return next(filter(None, tried), [])


def _is_plugin(candidate: Candidate, word: str) -> bool:
    return candidate.name == word


def _is_distribution(candidate: Candidate, word: str) -> bool:
    return candidate.distribution is not None and normalize(candidate.distribution) == normalize(word)


def _is_package(candidate: Candidate, word: str) -> bool:
    return f"{_module(candidate)}.".startswith(f"{word}.")


def _target(candidate: Candidate, siblings: list[Candidate], project: Path | None = None) -> Target:
    return Target(
        candidate=candidate,
        module=_module(candidate),
        siblings={each.name: _module(each) for each in siblings if _module(each)},
        project=project,
    )


def _module(candidate: Candidate) -> str:
    value = candidate.reference[1] if candidate.reference else ""
    return value.partition("[")[0].partition(":")[0].strip()


def _refuse(word: str) -> NoReturn:
    installed = find_installed()
    known = {each.name for each in installed} | {each.distribution for each in installed if each.distribution}
    raise click.UsageError(
        f"There is no plugin, distribution, package or directory {word!r}." + did_you_mean(nearest(word, known)),
        ctx=click.get_current_context(silent=True),
    )
