"""The filesystem interface of the file tools: its types, its errors and the protocol `FileSystem`."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, NamedTuple, Protocol

Kind = Literal["file", "folder", "pipe", "socket", "device", "other", "missing"]


class Stamp(NamedTuple):
    """Identifies the version of a file: equal stamps mean equal content.

    Attributes:
        device: The device number; 0 if unknown.
        inode: The inode number.
        size: The size in bytes.
        changed: The modification time in nanoseconds, in whole seconds where that is all the environment knows.
        touched: The time of the last change to content or metadata, in nanoseconds.
    """

    device: int
    inode: int
    size: int
    changed: int
    touched: int


class FileInfo(NamedTuple):
    """What a path resolved to at one moment.

    Attributes:
        asked: The requested path, made absolute; symbolic links are not resolved.
        path: The resolved path: absolute, without symbolic links, `.` or `..`; of a missing file, where it would be.
        kind: The type of the file.
        stamp: The version; None if the file is missing.
        mode: The permissions.
        owner: The user id of the owner.
        group: The group id.
        links: The number of hard links.
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
        data: The bytes of the lines, line endings included; long lines are truncated but keep their line feed.
        cut: The real size of each truncated line in bytes, without its line feed, by line number.
        total: The number of lines in the file, counting text after the last line feed; None if not counted.
        more: Whether more lines follow.
    """

    data: bytes
    cut: dict[int, int]
    total: int | None
    more: bool


class ChangedError(OSError):
    """Raised when a file is no longer the one that was found: changed, replaced, moved or now a link."""


class FileSystem(Protocol):
    """The files of one environment. All methods block, are thread-safe and raise `OSError` as Python does.

    Only `find` follows symbolic links. All other methods use exactly the file that was found and raise `ChangedError`
    if the path now leads elsewhere, so a file cannot be swapped after it was approved.

    Attributes:
        kind: The environment's name in the settings, such as `docker`.
        name: Identifies the filesystem across processes: `local`, `ssh:me@host:22`, ...
    """

    kind: str
    name: str

    def find(self, path: str, *, base: str) -> FileInfo:
        """Resolve a path.

        Raises:
            OSError: The path cannot be resolved, such as a circle of links or a directory without access.
        """

    def read(self, found: FileInfo, offset: int = 0, size: int = -1) -> bytes:
        """Return the content of a regular file, or a part of it."""

    def lines(self, found: FileInfo, first: int, count: int, *, longest: int) -> Lines:
        """Return lines of a regular file.

        Args:
            found: The file.
            first: The number of the first line, starting at 1; lines end with a line feed.
            count: The maximum number of lines.
            longest: The maximum number of bytes per line.
        """

    def names(self, found: FileInfo) -> list[str]:
        """Return the sorted names in a directory."""

    def upward(self, folder: str, name: str, *, limit: int) -> list[tuple[str, bytes]]:
        """Return the directory and content of each file with a name in a directory and its parents, nearest first.

        Unreadable, larger and forbidden files are skipped.

        Args:
            folder: An absolute path without symbolic links; the directory may be missing.
            name: The file name.
            limit: The maximum size in bytes.
        """

    def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
        """Replace the content of a file atomically, create missing directories, and return the new file.

        Mode and owner are kept. The file and its directory are flushed to disk. Other hard links to the file keep the
        old content, because writing in place could stop midway. Raise `ChangedError` if the file has changed.

        Args:
            found: A regular or missing file.
            data: The content.
            mode: The permissions of a new file; None for the default.
        """

    def remove(self, found: FileInfo) -> None:
        """Remove a regular file. Raise `ChangedError` if the file has changed."""

    def locked(self, *found: FileInfo) -> AbstractContextManager[None]:
        """Lock files against other threads and processes that do the same. Raise `TimeoutError` after a long wait."""


_ELSEWHERE = frozenset({errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV, errno.ENXIO})
"""Error numbers that mean that a path without links now leads elsewhere or to something else."""

_MAX_NAMED = 300
"""How many characters of a path a message shows: the path may be too long."""

_WHAT = {"pipe": "a named pipe", "socket": "a socket", "device": "a device"}


_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def kind_of(mode: int) -> Kind:
    """Return the type of a file from its `st_mode`."""
    return _KINDS.get(stat.S_IFMT(mode), "other")


def encode_path(path: str) -> bytes:
    """Encode a path. Raise `OSError` if the path is invalid."""
    if not path:
        raise os_error(errno.EINVAL, path, "The path is empty")
    if "\0" in path:
        raise os_error(errno.EINVAL, path.replace("\0", "\\0"), "A path cannot contain NUL bytes")
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        shown = path.encode(errors="backslashreplace").decode()
        raise os_error(errno.EILSEQ, shown, "The path has characters that are not allowed in file names") from None


def tidy_path(path: str) -> str:
    """Normalize an absolute path, but keep `..`, whose meaning depends on links."""
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def is_beneath(path: str, root: str) -> bool:
    """Return whether a path is a directory or inside it; both without symbolic links."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def os_error(number: int, path: str, text: str = "") -> OSError:
    """Create an `OSError` about a path; its class follows from the number, its text by default too."""
    named = path if len(path) <= _MAX_NAMED else f"{path[:_MAX_NAMED]}..."
    return OSError(number, text or os.strerror(number), named)


def changed_error(path: str, how: str) -> ChangedError:
    """Create the error for a file that is no longer what was found."""
    return ChangedError(errno.ESTALE, f"The file {how} since it was last checked; read it again first", path)


def not_regular_error(found: FileInfo) -> OSError:
    """Create the error for something that is not a regular file."""
    if found.kind == "missing":
        return os_error(errno.ENOENT, found.path)
    if found.kind == "folder":
        return os_error(errno.EISDIR, found.path)
    what = _WHAT.get(found.kind, "something without content")
    return os_error(errno.EINVAL, found.path, f"Not a regular file but {what}")


@contextmanager
def errors_about(path: str, *, moved: bool = False, text: str = "") -> Iterator[None]:
    """Add a path to the errors of a block; `moved` means that a path which leads elsewhere was changed."""
    try:
        yield
    except ChangedError:
        raise
    except OSError as error:
        number = error.errno or errno.EIO
        if moved and number in _ELSEWHERE:
            raise changed_error(path, "was moved, removed or turned into a link") from error
        if isinstance(error.filename, str) and error.filename.startswith("/"):
            raise  # it names a more specific path
        said = error.strerror or os.strerror(number)
        raise os_error(number, path, f"{said}; {text}" if text else said) from error
