"""The filesystem interface of the file tools: its types, its errors and the protocol `FileSystem`."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, NamedTuple, Protocol

Kind = Literal["file", "folder", "pipe", "socket", "device", "other", "missing"]


class Stamp(NamedTuple):
    """Which version of a file it is: two looks that give equal stamps saw the same content.

    Attributes:
        device: Where it lies, by the place's own count; 0 where nobody tells.
        inode: Which file of that device it is.
        size: In bytes.
        changed: When its content last changed, in nanoseconds; in whole seconds where the place knows no better.
        touched: When anything of it last changed, such as its mode, in nanoseconds.
    """

    device: int
    inode: int
    size: int
    changed: int
    touched: int


class FileInfo(NamedTuple):
    """What a path led to, at the moment of the look.

    Attributes:
        asked: The path as it was asked for, made absolute; links in it are not followed.
        path: Where it leads: absolute, without links, `.` or `..`. For what is missing, where it would be.
        kind: What is there.
        stamp: Which version; None for what is missing.
        mode: Its permissions.
        owner: The number of its owner.
        group: The number of its group.
        links: How many names the file has.
    """

    asked: str
    path: str
    kind: Kind
    stamp: Stamp | None = None
    mode: int = 0
    owner: int = 0
    group: int = 0
    links: int = 1


class Lines(NamedTuple):
    """Some lines of a file.

    Attributes:
        data: Their bytes as they are in the file, line ends included; lines longer than asked for are cut. A line's end
            is its line feed, which a cut line keeps; a carriage return before it is part of the line.
        cut: How many bytes each cut line really has, line end excluded: its number to its size.
        total: How many lines the file has; None when that was not counted. What follows the last line feed is a line.
        more: Whether lines follow.
    """

    data: bytes
    cut: dict[int, int]
    total: int | None
    more: bool


class ChangedError(OSError):
    """A file is not the one that was found any more: it was changed, replaced, moved or turned into a link."""


class FileSystem(Protocol):
    """The files of one place. Everything blocks, may be called from any thread and raises `OSError` as Python does.

    What was found is what is used. A path that leads elsewhere by then raises `ChangedError`: links are followed by
    `find` alone, so what was judged cannot be swapped for something else.

    Attributes:
        kind: The place's name in the settings, such as `docker`.
        name: The place itself, the same in another process: `local`, `ssh:me@host:22`, ...
    """

    kind: str
    name: str

    def find(self, path: str, *, base: str) -> FileInfo:
        """Where a path leads.

        Args:
            path: Absolute, from the home with `~`, or relative.
            base: The folder that a relative one starts at.

        Raises:
            OSError: nobody can tell: links in a circle, a folder that may not be entered, a file where a folder should
                be.
        """

    def read(self, found: FileInfo, offset: int = 0, size: int = -1) -> bytes:
        """Some bytes of a regular file, or all."""

    def chunks(self, found: FileInfo) -> Iterator[bytes]:
        """A regular file's bytes, one piece after another: for files that do not fit into memory."""

    def lines(self, found: FileInfo, first: int, count: int, *, longest: int) -> Lines:
        """Lines of a regular file.

        Args:
            found: The file.
            first: The number of the first line; lines are counted from 1 and end with a line feed.
            count: How many at most.
            longest: How many bytes of each line at most.
        """

    def names(self, found: FileInfo) -> list[str]:
        """What a folder holds, sorted."""

    def upward(self, folder: str, name: str, *, most: int) -> list[tuple[str, bytes]]:
        """The regular files of a name in a folder and those above it, the nearest first: each folder and content.

        Files that cannot be read, that are bigger, or that are out of bounds are left out.

        Args:
            folder: The folder, absolute and without links; it need not be there.
            name: The name of the files.
            most: How many bytes a file may have.
        """

    def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
        """Give a file new content, as a whole or not at all; missing folders are made. What it is now.

        Mode and owner stay. It outlives a power cut: the file and its folder are on the disk when this returns. A file
        that has other names, as `Found.links` tells, is parted from them: they keep the old content, because writing
        into what is there could end half-way.

        Args:
            found: A regular file, or what is missing.
            data: The content.
            mode: The permissions of a file that is made; what the place gives new files when it is None.

        Raises:
            ChangedError: it is not what was found.
        """

    def remove(self, found: FileInfo) -> None:
        """Remove a regular file.

        Raises:
            ChangedError: it is not what was found.
        """

    def locked(self, *found: FileInfo) -> AbstractContextManager[None]:
        """Keep others who ask for the same files here out, threads and processes alike, for the length of a block.

        Raises:
            TimeoutError: somebody else has held one of them for too long.
        """


_ELSEWHERE = frozenset({errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV, errno.ENXIO})
"""What the system says when a path that was free of links leads elsewhere, or to something else, by now."""

_MOST_NAMED = 300
"""How many characters of a path stand in a message: a path that is too long is what the message is about."""

_WHAT = {"pipe": "a named pipe", "socket": "a socket", "device": "a device"}


def os_error(number: int, path: str, text: str = "") -> OSError:
    """An error of the system about a path, of the class that Python has for its number.

    Args:
        number: The system's number.
        path: What it is about.
        text: What happened, if it can be said better than the system does.
    """
    named = path if len(path) <= _MOST_NAMED else f"{path[:_MOST_NAMED]}..."
    return OSError(number, text or os.strerror(number), named)


def changed_error(path: str, how: str) -> ChangedError:
    """The error for a file that is not what was found any more."""
    return ChangedError(errno.ESTALE, f"The file {how} since it was looked at; read it again before going on", path)


def not_regular_error(found: FileInfo) -> OSError:
    """Why something that was found cannot be used as a regular file."""
    if found.kind == "missing":
        return os_error(errno.ENOENT, found.path)
    if found.kind == "folder":
        return os_error(errno.EISDIR, found.path)
    what = _WHAT.get(found.kind, "nothing with content")
    return os_error(errno.EINVAL, found.path, f"Not a regular file but {what}")


@contextmanager
def errors_about(path: str, *, moved: bool = False, text: str = "") -> Iterator[None]:
    """Let errors of a block name a path.

    Args:
        path: What the block is about.
        moved: Whether a path that leads elsewhere means that a file was changed.
        text: Added to what the system says.
    """
    try:
        yield
    except ChangedError:
        raise
    except OSError as error:
        number = error.errno or errno.EIO
        if moved and number in _ELSEWHERE:
            raise changed_error(path, "was moved, removed or turned into a link") from error
        if isinstance(error.filename, str) and error.filename.startswith("/"):
            raise  # it names something nearer
        said = error.strerror or os.strerror(number)
        raise os_error(number, path, f"{said}; {text}" if text else said) from error
