"""Knows protected files by what they are and not by their name, so that a hard link hides nothing."""

import os
import time
from collections.abc import Iterable, Iterator

from hermes_guard.paths.canonical import Surroundings, expand, rooted

# Looking at every protected file takes about a millisecond. Package managers that link all files would pay it each
# time; a secret that is younger than this is found a moment later.
_SECONDS = 1.0
# Keys have names of their own choosing; nobody has more than this in one folder.
_MOST_KEYS = 64

_Identity = tuple[int, int]


class Identities:
    """Which protected files exist, by device and number, for the homes and workspaces judged lately."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[float, dict[_Identity, list[str]]]] = {}

    def names(self, status: os.stat_result, known_files: Iterable[str], around: Surroundings) -> list[str]:
        """The protected names of a file; none for an ordinary one."""
        key = (around.home, around.workspace)
        now = time.monotonic()
        until, found = self._known.get(key, (0.0, {}))
        if now >= until:
            found = _identities(known_files, around)
            if len(self._known) > 16:  # many workspaces: forget, rather than grow
                self._known.clear()
            self._known[key] = (now + _SECONDS, found)
        return found.get((status.st_dev, status.st_ino), [])


def _identities(known_files: Iterable[str], around: Surroundings) -> dict[_Identity, list[str]]:
    found: dict[_Identity, list[str]] = {}
    for path in _paths(known_files, around):
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            continue  # it is not there
        found.setdefault((status.st_dev, status.st_ino), []).append(path)
    return found


def _paths(known_files: Iterable[str], around: Surroundings) -> Iterator[str]:
    for name in known_files:
        yield expand(name, around.home)
    if around.workspace:
        yield rooted(".env", around)
    folder = f"{around.home}/.ssh"
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry, _ in zip(entries, range(_MOST_KEYS), strict=False))
    except (OSError, ValueError):
        return
