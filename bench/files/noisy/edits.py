"""Turn consecutive releases of a project, or the commits of a repository, into single edits."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Final

from hermes_editing.diff import matching_blocks

_LANGUAGES: Final = (
    "c cc cfg cpp css go h hpp html java js jsx json md mjs py pyi pyx rb rs rst scss sh toml ts tsx txt"
)
SUFFIXES: Final = frozenset(f".{name}" for name in f"{_LANGUAGES} vue yaml yml".split(" "))
LARGEST_FILE: Final = 200_000
LONGEST_HUNK: Final = 40
PER_FILE: Final = 6
PER_PAIR: Final = 120
"""At most so many edits of one file and of one pair of releases, so that no project outweighs the others."""

_RELEASE: Final = re.compile(r"(.+?)-v?(\d[\w.+!-]*?)(?:-py\d.*)?\.(?:tar\.gz|tgz|whl|zip)")

Files = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of one file.

    Attributes:
        project: The project it comes from.
        path: The file.
        lines: All lines of the file before the edit.
        at: The index of the first quoted line.
        lead: The quoted lines before the change.
        removed: The lines that the change removes.
        added: The lines that it adds in their place.
        trail: The quoted lines behind the change.
        ended: True when the quote ends with a line feed.
    """

    project: str
    path: str
    lines: tuple[str, ...]
    at: int
    lead: tuple[str, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]
    trail: tuple[str, ...]
    ended: bool


def read_edits(directory: Path, seed: int) -> list[Edit]:
    """Read every edit of a directory.

    Args:
        directory: Release archives such as `name-1.2.tar.gz`, and clones of git repositories.
        seed: Decides how much context each edit quotes, and which edits are taken from a large release.
    """
    rng = random.Random(seed)
    edits: list[Edit] = []
    for project, before, after in _versions(directory):
        found: list[Edit] = []
        changed = sorted(path for path, text in after.items() if path in before and before[path] != text)
        rng.shuffle(changed)
        for path in changed:
            hunks = _hunks(before[path].split("\n"), after[path].split("\n"))
            for hunk in rng.sample(hunks, min(PER_FILE, len(hunks))):
                edit = _quote(project, path, before[path], hunk, rng)
                found += [edit] if edit else []
            if len(found) >= PER_PAIR:
                break
        edits += found[:PER_PAIR]
    return edits


def _versions(directory: Path) -> Iterator[tuple[str, Files, Files]]:
    releases: dict[str, list[tuple[tuple[int, ...], Path]]] = {}
    for path in sorted(directory.iterdir()):
        if (path / ".git").exists():
            yield from _commits(path)
        elif found := _RELEASE.fullmatch(path.name):
            version = tuple(int(part) for part in re.findall(r"\d+", found[2]))
            releases.setdefault(found[1], []).append((version, path))
    for project, archives in sorted(releases.items()):
        read = (_archive(path) for _, path in sorted(archives))
        yield from ((project, before, after) for before, after in pairwise(read))


def _archive(path: Path) -> Files:
    files: Files = {}
    if path.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                _take(files, info.filename, info.file_size, functools.partial(archive.read, info))
        return files
    with tarfile.open(path) as archive:
        for member in archive:
            handle = archive.extractfile(member) if member.isfile() else None
            if handle is not None:
                name = member.name.partition("/")[2]  # the first part has the version in it
                _take(files, name, member.size, handle.read)
    return files


def _commits(repository: Path) -> Iterator[tuple[str, Files, Files]]:
    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True).stdout

    for line in git("log", "--no-merges", "--format=%H %P").decode().splitlines():
        commit, _, parent = line.partition(" ")
        before: Files = {}
        after: Files = {}
        for path in git("diff", "--name-only", "--diff-filter=M", parent, commit).decode().splitlines()[:20] * bool(
            parent
        ):
            for files, version in ((before, parent), (after, commit)):
                data = git("show", f"{version}:{path}")
                _take(files, path, len(data), functools.partial(bytes, data))
        yield repository.name, before, after


def _take(files: Files, name: str, size: int, read: Callable[[], bytes]) -> None:
    if PurePosixPath(name).suffix not in SUFFIXES or size > LARGEST_FILE:
        return
    try:
        text = read().decode()
    except UnicodeDecodeError:
        return
    if max(map(len, text.split("\n"))) < 500:  # a longer line was written by a program
        files[name] = text.replace("\r\n", "\n")


_Hunk = tuple[int, int, list[str]]
"""The first and the last index of removed lines, and the added lines."""


def _hunks(before: list[str], after: list[str]) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    line = other = 0
    for start, start_after, size in [*matching_blocks(before, after), (len(before), len(after), 0)]:
        if (line < start or other < start_after) and max(start - line, start_after - other) <= LONGEST_HUNK:
            hunks.append((line, start, after[other:start_after]))
        line, other = start + size, start_after + size
    return hunks


def _quote(project: str, path: str, text: str, hunk: _Hunk, rng: random.Random) -> Edit | None:
    """Quote a hunk with up to three lines of context on each side, and more where it is not unique."""
    lines = text.split("\n")
    start, end, added = hunk
    first, last = max(0, start - rng.randint(0, 3)), min(len(lines), end + rng.randint(0, 3))
    while True:
        old = "\n".join(lines[first:last])
        if old.strip() and text.count(old) == 1 and (start > first or last > end or end > start):
            break
        if start - first > 8 or (first == 0 and last == len(lines)):
            return None
        first, last = max(0, first - 1), min(len(lines), last + 1)
    edit = Edit(
        project=project,
        path=path,
        lines=tuple(lines),
        at=first,
        lead=tuple(lines[first:start]),
        removed=tuple(lines[start:end]),
        added=tuple(added),
        trail=tuple(lines[end:last]),
        ended=last < len(lines) and (rng.random() < 0.25 or (first, last, added) == (start, end, [])),
    )
    return None if edit.removed == edit.added else edit
