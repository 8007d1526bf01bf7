"""Goes through the files of a folder as ripgrep does, and never through a link.

It runs in other places too, whatever Python they have: only the standard library, and no newer syntax than 3.8.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from hermes_tools_terminal.searching.ignoring import NAMES, parents, read_folder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not waiting matters for pipes alone, and those are closed at once.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# What has a longer path cannot be opened by it; other programs do not find it either.
LONGEST = 4093


class Listed(NamedTuple):
    """The files of one folder.

    Attributes:
        handle: The folder, open until the next one is asked for.
        prefix: What stands before the names in a path from the searched folder on.
        names: The files' names.
    """

    handle: int
    prefix: bytes
    names: list[bytes]


def walk(top: int, root: bytes, *, hidden: bool) -> Iterator[Listed]:
    """All files below a folder that are not left out.

    Left out are links, whatever is no regular file, `.git`, names that begin with a dot unless they are asked for, and
    what the ignore files of the folder, of those in it and of those above it say.

    Args:
        top: The folder, open.
        root: Its path, absolute and without links.
        hidden: Whether names that begin with a dot are let in.
    """
    rules = parents(root)
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
                yield Listed(handle, prefix, files)
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
