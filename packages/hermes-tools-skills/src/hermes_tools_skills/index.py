"""Find the skills below a directory, and read each SKILL.md again only when it has changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hermes_tools_skills.skill import FILES, Origin, Skill, SkillError, load_skill, skill_file

STATE_DIRECTORIES = (".hub", ".archive", ".staging")
"""Directories of a root that hold no skills: installed origins, old skills, and changes that are not complete."""

EXCLUDED = frozenset(
    (
        *STATE_DIRECTORIES,
        *(".git", ".github", ".hg", ".svn", ".venv", "venv", "site-packages", "node_modules"),
        *("__pycache__", ".cache", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
    )
)
"""Directories that are not searched, neither for skills nor for resources."""

_MAX_DEPTH = 6
_MAX_DIRECTORIES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A directory with skills.

    Attributes:
        path: The directory; it may not exist.
        origin: Where it comes from.
        plugin: The plugin that ships it, empty for all others.
    """

    path: Path
    origin: Origin
    plugin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProblem:
    """A path that is not used as a skill, and the reason."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


_Stamp = tuple[int, int, int, int]


@dataclass(slots=True)
class SkillIndex:
    """Reads roots. It caches what each SKILL.md says while its size, times and inode stay the same.

    The cache saves time only. Whether a skill may be used is decided from its files, each time.
    """

    _cache: dict[tuple[str, Root], tuple[_Stamp, Skill | str]] = field(default_factory=dict)

    def read(self, root: Root) -> Iterator[Skill | LoadProblem]:
        """Yield the skills below a root, and the paths that cannot be used, in no particular order."""
        top = os.path.realpath(root.path)
        waiting = [(top, 0)]
        visited = 0
        while waiting:
            directory, depth = waiting.pop()
            visited += 1
            if visited > _MAX_DIRECTORIES:
                reason = f"It has more than {_MAX_DIRECTORIES:,} directories: the others were not searched."
                yield LoadProblem(path=root.path, reason=reason)
                return
            is_own_root = directory == top and root.origin == "home"
            if not is_own_root and (known := self._known(directory, root)) is not None:
                yield known
                continue
            try:
                with os.scandir(directory) as entries:
                    found = {entry.name: entry for entry in entries}
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                yield LoadProblem(path=Path(directory), reason=f"It cannot be read: {error.strerror}.")
                continue
            file = skill_file(directory, found)
            if file is not None and not is_own_root:
                yield self._load(file, top, root)
                continue
            for name, entry in found.items():
                if entry.is_dir(follow_symlinks=False):
                    if depth < _MAX_DEPTH and name not in EXCLUDED:
                        waiting.append((entry.path, depth + 1))
                elif entry.is_symlink() and entry.is_dir() and not is_inside(os.path.realpath(entry.path), top):
                    reason = "It is a link to another directory. Add that one to skills.external_dirs instead."
                    yield LoadProblem(path=Path(entry.path), reason=reason)

    def _known(self, directory: str, root: Root) -> Skill | None:
        """Return the skill that a directory contained before, if its file is still the same."""
        file = f"{directory}/{FILES[0]}"
        cached = self._cache.get((file, root))
        if cached is None or isinstance(cached[1], str):
            return None
        try:
            return cached[1] if _stamp(os.lstat(file)) == cached[0] else None
        except OSError:
            return None

    def _load(self, file: str, top: str, root: Root) -> Skill | LoadProblem:
        path = Path(file)
        try:
            status = os.lstat(file)
            is_link = stat.S_ISLNK(status.st_mode)
            if is_link and not is_inside(os.path.realpath(file), os.path.dirname(file)):
                return LoadProblem(path=path, reason="It is a link to a file outside of the skill.")
        except OSError as error:
            return LoadProblem(path=path, reason=f"It cannot be read: {error.strerror}.")
        stamp = _stamp(status)
        cached = self._cache.get((file, root))
        if cached is None or cached[0] != stamp:
            try:
                loaded: Skill | str = load_skill(path, root=Path(top), origin=root.origin, plugin=root.plugin)
            except SkillError as error:
                loaded = error.reason
            cached = stamp, loaded
            if not is_link:
                self._cache[file, root] = cached
        return LoadProblem(path=path.parent, reason=cached[1]) if isinstance(cached[1], str) else cached[1]


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def is_inside(path: str, directory: str) -> bool:
    """Return whether a resolved path is below a resolved directory."""
    return path.startswith(directory.rstrip(os.sep) + os.sep)
