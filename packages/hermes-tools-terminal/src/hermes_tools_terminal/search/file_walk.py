"""Walk the files of a directory without links, leaving out what ignore files exclude, by the rules of ripgrep.

It also runs in other environments: only the standard library and syntax of Python 3.8.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from hermes_tools_terminal.search.globs import GlobError, compile_glob

NAMES = (b".rgignore", b".ignore", b".gitignore")
"""The ignore files, in order of precedence."""

_LARGEST = 4 << 20


class _Line(NamedTuple):
    """A line of an ignore file: what it matches, whether it re-includes, and whether it only matches directories."""

    matches: re.Pattern[bytes]
    includes: bool
    folders: bool


class IgnoreRules:
    """The rules of the ignore files in a directory and those above it.

    Args:
        path: The absolute path of the directory.
        above: The rules of the nearest directory above that has any.
        files: The contents of its ignore files, in the order of `NAMES`; None for missing ones.
        is_repository: Whether it is the root of a git repository.
    """

    def __init__(
        self, path: bytes, above: IgnoreRules | None, files: Sequence[bytes | None], is_repository: bool
    ) -> None:
        self._above = above
        self._start = len(path.rstrip(b"/")) + 1
        self._rules = [read_lines(content) if content is not None else [] for content in files]
        self._is_repository = is_repository
        self._in_repository: bool = is_repository or (above is not None and above._in_repository)

    def ignores(self, path: bytes, is_folder: bool) -> bool:
        """Return whether an absolute path is ignored."""
        decisions: list[bool | None] = [None] * len(NAMES)
        folder: IgnoreRules | None = self
        git = self._in_repository
        while folder is not None:
            for number, rules in enumerate(folder._rules):
                if rules and decisions[number] is None and (git or number != len(NAMES) - 1):
                    decisions[number] = _decision(rules, path[folder._start :], is_folder)
            git = git and not folder._is_repository  # rules do not apply to nested repositories
            folder = folder._above
        return next((answer for answer in decisions if answer is not None), False)


def _decision(rules: list[_Line], path: bytes, is_folder: bool) -> bool | None:
    for line in reversed(rules):
        if (is_folder or not line.folders) and line.matches.match(path):
            return not line.includes
    return None


def read_lines(content: bytes) -> list[_Line]:
    """Parse an ignore file, without invalid globs."""
    found = []
    for raw in content.split(b"\n"):
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            break  # as ripgrep does
        line = _read_line(text[:-1] if text.endswith("\r") else text)  # noqa: FURB188 - Python 3.8 has no removesuffix
        if line is not None:
            found.append(line)
    return found


def _read_line(text: str) -> _Line | None:
    if text.startswith("#"):
        return None
    if not text.endswith("\\ "):
        text = text.rstrip()
    includes = text.startswith("!")
    text = text[1:] if includes or text.startswith(("\\!", "\\#")) else text
    rooted = text.startswith("/")
    text = text[1:] if rooted else text
    folders = text.endswith("/")
    if folders:
        text = text[:-1]
        text = text[:-1] if text.endswith("\\") else text  # noqa: FURB188 - as above
    if not text:
        return None
    if not rooted and "/" not in text and text != "**":
        text = "**/" + text
    if text.endswith("/**"):
        text += "/*"  # the contents of the directory, not the directory itself
    try:
        return _Line(compile_glob(text), includes, folders)
    except GlobError:
        return None


def read_folder(path: bytes, above: IgnoreRules | None, names: Container[bytes]) -> IgnoreRules | None:
    """Read the rules of a local directory with these names; return those above when it has none."""
    files = [_content(os.path.join(path, name)) if name in names else None for name in NAMES]
    if b".git" not in names and not any(files):
        return above
    return IgnoreRules(path, above, files, b".git" in names)


def _content(path: bytes) -> bytes | None:
    try:
        # Do not block on a pipe without a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return None


def rules_above(root: bytes) -> IgnoreRules | None:
    """Return the rules of the directories above a searched one; None when there are none."""
    above: IgnoreRules | None = None
    for folder in parent_directories(root):
        names = {name for name in (b".git", *NAMES) if os.path.lexists(os.path.join(folder, name))}
        above = read_folder(folder, above, names)
    return above


def parent_directories(root: bytes) -> list[bytes]:
    """Return the directories above one, the topmost first."""
    parts = [part for part in root.split(b"/") if part]
    return [b"/" + b"/".join(parts[:depth]) for depth in range(len(parts))]


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking, because opening a pipe without a writer would wait; pipes are closed immediately.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Longer paths cannot be opened; other programs do not find these files either.
LONGEST = 4093


class DirectoryFiles(NamedTuple):
    """The files of a directory.

    Attributes:
        handle: The directory, open until the next one is requested.
        prefix: The path of the directory relative to the searched one, with a slash.
        names: The names of the files.
    """

    handle: int
    prefix: bytes
    names: list[bytes]


def walk(top: int, root: bytes, *, hidden: bool) -> Iterator[DirectoryFiles]:
    """Yield the files below an open directory, given with its absolute real path.

    Omitted are links, special files, `.git`, names that start with a dot unless requested, and what ignore files in
    the directory, below it and above it exclude.
    """
    rules = rules_above(root)
    waiting = [(b"", rules)]
    base = root.rstrip(b"/") + b"/"
    while waiting:
        prefix, above = waiting.pop()
        try:
            handle = open_beneath(top, prefix[:-1], _FOLDER) if prefix else os.dup(top)
        except OSError:
            continue  # it is gone, or not accessible
        try:
            entries = _entries(handle)
            current = read_folder(base + prefix, above, {name for name, _, _ in entries if name in _SPECIAL_NAMES})
            files = []
            for name, is_folder, is_file in entries:
                if not (is_folder or is_file) or name == b".git" or (name[:1] == b"." and not hidden):
                    continue
                if len(prefix) + len(name) > LONGEST:
                    continue
                if current is not None and current.ignores(base + prefix + name, is_folder):
                    continue
                if is_folder:
                    waiting.append((prefix + name + b"/", current))
                else:
                    files.append(name)
            if files:
                yield DirectoryFiles(handle, prefix, files)
        finally:
            os.close(handle)


_SPECIAL_NAMES = frozenset((b".git", *NAMES))


def _entries(handle: int) -> list[tuple[bytes, bool, bool]]:
    try:
        with os.scandir(handle) as found:
            return [
                (os.fsencode(entry.name), entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False))
                for entry in found
            ]
    except OSError:
        return []


def open_beneath(top: int, path: bytes, flags: int = _FILE) -> int:
    """Open a relative path without `..` below a directory without following links; return its descriptor.

    Raises:
        OSError: it does not exist, or a component is a link.
    """
    *folders, name = path.split(b"/")
    handle = os.dup(top)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        return os.open(name, flags, dir_fd=handle)
    finally:
        os.close(handle)


def open_file(top: int, path: bytes) -> int:
    """Open a regular file below a directory; return its descriptor.

    Raises:
        OSError: it does not exist, is no regular file, or a component is a link.
    """
    handle = open_beneath(top, path)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is not a regular file")
    return handle
