"""What .gitignore, .ignore and .rgignore leave out, by the rules that ripgrep follows.

It runs in other places too, whatever Python they have: only the standard library, and no newer syntax than 3.8.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from hermes_tools_terminal.search.globs import GlobError, compile_glob

NAMES = (b".rgignore", b".ignore", b".gitignore")
"""The files that say what to leave out; what the first ones say counts before what the others say."""

_LARGEST = 4 << 20


class _Line(NamedTuple):
    """One line of such a file: what it matches, whether it lets in again, and whether it means folders alone."""

    matches: re.Pattern[bytes]
    lets_in: bool
    folders: bool


class IgnoreRules:
    """What the ignore files of one folder, and of those above it, say about what is in it.

    Args:
        path: The folder, absolute.
        above: The nearest folder above that says something.
        files: The content of its ignore files, in the order of `NAMES`; None for those that are not there.
        is_repository: Whether a repository of git begins here.
    """

    def __init__(
        self, path: bytes, above: IgnoreRules | None, files: Sequence[bytes | None], is_repository: bool
    ) -> None:
        self._above = above
        self._start = len(path.rstrip(b"/")) + 1
        self._rules = [read_lines(content) if content is not None else [] for content in files]
        self._is_repository = is_repository
        self._in_repository: bool = is_repository or (above is not None and above._in_repository)

    def leaves_out(self, path: bytes, is_folder: bool) -> bool:
        """Whether something in it is left out.

        Args:
            path: What it is, absolute.
            is_folder: Whether it is a folder.
        """
        said: list[bool | None] = [None] * len(NAMES)
        folder: IgnoreRules | None = self
        git = self._in_repository
        while folder is not None:
            for number, rules in enumerate(folder._rules):
                if rules and said[number] is None and (git or number != len(NAMES) - 1):
                    said[number] = _said(rules, path[folder._start :], is_folder)
            git = git and not folder._is_repository  # the rules of one repository do not reach into another
            folder = folder._above
        return next((answer for answer in said if answer is not None), False)


def _said(rules: list[_Line], path: bytes, is_folder: bool) -> bool | None:
    for line in reversed(rules):
        if (is_folder or not line.folders) and line.matches.match(path):
            return not line.lets_in
    return None


def read_lines(content: bytes) -> list[_Line]:
    """The lines of an ignore file that say something; those that are no globs are left out."""
    found = []
    for raw in content.split(b"\n"):
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            break  # ripgrep reads no further either
        line = _read_line(text[:-1] if text.endswith("\r") else text)  # noqa: FURB188 - Python 3.8 has no removesuffix
        if line is not None:
            found.append(line)
    return found


def _read_line(text: str) -> _Line | None:
    if text.startswith("#"):
        return None
    if not text.endswith("\\ "):
        text = text.rstrip()
    lets_in = text.startswith("!")
    text = text[1:] if lets_in or text.startswith(("\\!", "\\#")) else text
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
        text += "/*"  # what is in the folder, and not the folder
    try:
        return _Line(compile_glob(text), lets_in, folders)
    except GlobError:
        return None


def read_folder(path: bytes, above: IgnoreRules | None, names: Container[bytes]) -> IgnoreRules | None:
    """A folder of this machine; the one above when it says nothing itself.

    Args:
        path: Where it is, absolute.
        above: The nearest folder above that says something.
        names: What is in it.
    """
    files = [_content(os.path.join(path, name)) if name in names else None for name in NAMES]
    if b".git" not in names and not any(files):
        return above
    return IgnoreRules(path, above, files, b".git" in names)


def _content(path: bytes) -> bytes | None:
    try:
        # Not waiting matters for pipes alone: nobody may ever write into one.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return None


def rules_above(root: bytes) -> IgnoreRules | None:
    """What the folders above a searched one say about what is in it; None for nothing.

    Args:
        root: The searched folder, absolute and without links.
    """
    above: IgnoreRules | None = None
    for folder in parent_directories(root):
        names = {name for name in (b".git", *NAMES) if os.path.lexists(os.path.join(folder, name))}
        above = read_folder(folder, above, names)
    return above


def parent_directories(root: bytes) -> list[bytes]:
    """The folders above one, the topmost first."""
    parts = [part for part in root.split(b"/") if part]
    return [b"/" + b"/".join(parts[:depth]) for depth in range(len(parts))]


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not waiting matters for pipes alone, and those are closed at once.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# What has a longer path cannot be opened by it; other programs do not find it either.
LONGEST = 4093


class DirectoryFiles(NamedTuple):
    """The files of one folder.

    Attributes:
        handle: The folder, open until the next one is asked for.
        prefix: What stands before the names in a path from the searched folder on.
        names: The files' names.
    """

    handle: int
    prefix: bytes
    names: list[bytes]


def walk(top: int, root: bytes, *, hidden: bool) -> Iterator[DirectoryFiles]:
    """All files below a folder that are not left out.

    Left out are links, whatever is no regular file, `.git`, names that begin with a dot unless they are asked for, and
    what the ignore files of the folder, of those in it and of those above it say.

    Args:
        top: The folder, open.
        root: Its path, absolute and without links.
        hidden: Whether names that begin with a dot are let in.
    """
    rules = rules_above(root)
    waiting = [(b"", rules)]
    base = root.rstrip(b"/") + b"/"
    while waiting:
        prefix, above = waiting.pop()
        try:
            handle = open_beneath(top, prefix[:-1], _FOLDER) if prefix else os.dup(top)
        except OSError:
            continue  # it is gone, or not ours to look into
        try:
            entries = _entries(handle)
            here = read_folder(base + prefix, above, {name for name, _, _ in entries if name in _SPEAKING})
            files = []
            for name, is_folder, is_file in entries:
                if not (is_folder or is_file) or name == b".git" or (name[:1] == b"." and not hidden):
                    continue
                if len(prefix) + len(name) > LONGEST:
                    continue
                if here is not None and here.leaves_out(base + prefix + name, is_folder):
                    continue
                if is_folder:
                    waiting.append((prefix + name + b"/", here))
                else:
                    files.append(name)
            if files:
                yield DirectoryFiles(handle, prefix, files)
        finally:
            os.close(handle)


_SPEAKING = frozenset((b".git", *NAMES))


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
    """Open something below a folder without following any link on the way; its descriptor.

    Args:
        top: The folder, open.
        path: From there on, without `..`.
        flags: How the last part is opened.

    Raises:
        OSError: it is not there, or a link is on the way.
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
    """Open a regular file below a folder; its descriptor.

    Args:
        top: The folder, open.
        path: From there on.

    Raises:
        OSError: it is not there, is no regular file, or a link is on the way.
    """
    handle = open_beneath(top, path)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is no regular file")
    return handle
