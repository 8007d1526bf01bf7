"""Recognizes protected files by device and inode number, so that a hard link cannot hide them."""

import os
import time
from collections.abc import Iterable, Iterator

from hermes_guard.paths.canonical_paths import Surroundings, expand

# Checking every protected file takes some milliseconds. Package managers that link all files would pay that each time;
# a newer secret is found one interval later.
_SECONDS = 1.0
# Keys and hooks can have any name; a directory rarely holds more of them than this.
_MAX_ENTRIES = 64
_FOLDERS_AT_HOME = (
    ".ssh",
    ".gnupg/private-keys-v1.d",
    ".config/autostart",
    ".config/systemd/user",
    ".local/bin",
    "bin",
)
_FOLDERS_IN_PROJECTS = (".git/hooks", ".husky", ".githooks", ".claude", ".claude/hooks", ".vscode", ".cursor")
# The maximum number of levels searched for the root of a repository; each level is a system call.
_MAX_FOLDERS = 16

# With more files than this, the agent's home contains results and sandboxes rather than settings.
_MAX_IN_HOME = 4_000
# Directories with the agent's own output, which does not affect its behavior.
_CROWDED = frozenset({"results", "sandboxes", "scratch", "skills", "memories", "hermes-agent"})

_Identity = tuple[int, int]


class Identities:
    """The protected files that exist, by device and inode number, for recently judged homes and projects."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str, str], tuple[float, dict[_Identity, list[str]]]] = {}

    def names(self, path: str, status: os.stat_result, known_files: Iterable[str], around: Surroundings) -> list[str]:
        """Return the protected names of the file at a path; none for an ordinary file."""
        project = _project(path)
        key = (around.home, around.hermes, around.workspace, project)
        now = time.monotonic()
        until, found = self._known.get(key, (0.0, {}))
        if now >= until:
            found = _identities(known_files, around, project)
            if len(self._known) > 16:  # clear the cache instead of letting it grow
                self._known.clear()
            self._known[key] = (now + _SECONDS, found)
        return found.get((status.st_dev, status.st_ino), [])


def _project(path: str) -> str:
    """Return the nearest parent directory that is a repository; empty when there is none."""
    folder = path
    for _ in range(_MAX_FOLDERS):
        folder = folder.rpartition("/")[0]
        if not folder:
            return ""
        try:
            os.lstat(f"{folder}/.git")
        except (OSError, ValueError):
            continue
        return folder
    return ""


def _identities(known_files: Iterable[str], around: Surroundings, project: str) -> dict[_Identity, list[str]]:
    found: dict[_Identity, list[str]] = {}
    for path in _paths(known_files, around, project):
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            continue  # it does not exist
        found.setdefault((status.st_dev, status.st_ino), []).append(path)
    return found


def _paths(known_files: Iterable[str], around: Surroundings, project: str) -> Iterator[str]:
    projects = [folder for folder in dict.fromkeys((around.workspace, project)) if folder.startswith("/")]
    for name in known_files:
        if name.startswith(("/", "~")):
            yield expand(name, around.home)
        else:
            yield from (f"{folder}/{name}" for folder in projects)
    for name in _FOLDERS_AT_HOME:
        yield from _entries(f"{around.home}/{name}")
    for folder in projects:
        for name in _FOLDERS_IN_PROJECTS:
            yield from _entries(f"{folder}/{name}")
    yield from _linked_files(around.hermes)


def _linked_files(home: str) -> Iterator[str]:
    """Yield the files of the agent's home that have several hard links, the topmost first."""
    waiting = [home] if home.startswith("/") else []
    left = _MAX_IN_HOME
    for folder in waiting:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _CROWDED or folder != home:
                            waiting.append(entry.path)
                    elif entry.stat(follow_symlinks=False).st_nlink > 1:
                        yield entry.path
        except (OSError, ValueError):
            continue


def _entries(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False))
    except (OSError, ValueError):
        return
