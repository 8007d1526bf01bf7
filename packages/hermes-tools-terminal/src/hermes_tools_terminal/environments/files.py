"""Files of a place: on this machine by system calls, elsewhere through a shell."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import NamedTuple, Protocol


class FileInfo(NamedTuple):
    """What is known of a file.

    Attributes:
        kind: `file`, `folder`, `link` or `other`.
        size: In bytes.
        mode: Its permissions.
        changed: When its content last changed, in seconds.
    """

    kind: str
    size: int
    mode: int
    changed: float


class Files(Protocol):
    """A place's files. Everything raises `OSError`, as on this machine."""

    def read(self, path: str, offset: int = 0, size: int = -1) -> bytes:
        """Some of a file's bytes, or all."""

    def write(self, path: str, data: bytes) -> None:
        """Put something into a file, which is there as a whole or not at all."""

    def info(self, path: str) -> FileInfo:
        """What a path is; a link is followed."""

    def names(self, path: str) -> list[str]:
        """What a folder holds, sorted."""

    def remove(self, path: str) -> None:
        """Remove one file."""


class LocalFiles:
    """The files of this machine."""

    def read(self, path: str, offset: int = 0, size: int = -1) -> bytes:
        """Some of a file's bytes, or all."""
        # Not waiting matters for pipes alone: nobody may ever write into one.
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            file.seek(offset)
            return file.read(size)

    def write(self, path: str, data: bytes) -> None:
        """Write beside it, then put it in its place; devices and pipes are written into."""
        path = os.path.realpath(path)
        try:
            before = os.stat(path)
        except FileNotFoundError:
            before = None
        if before is not None and not stat.S_ISREG(before.st_mode):
            with open(os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK), "wb", buffering=0) as file:
                file.write(data)
            return
        folder = os.path.dirname(path)
        # A name by which others see whose it is, and remove it when this process was killed.
        beside = os.path.join(folder, f".hermes-{os.getpid()}-{os.urandom(8).hex()}.tmp")
        # A new file gets what the umask leaves; what replaces one is nobody else's until it has that one's mode.
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if before else 0o666)
        try:
            with open(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
                if before is not None:
                    _take_after(handle, before)
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise

    def info(self, path: str) -> FileInfo:
        """What a path is; a link is followed."""
        found = os.stat(path)
        kind = "file" if stat.S_ISREG(found.st_mode) else "folder" if stat.S_ISDIR(found.st_mode) else "other"
        return FileInfo(kind, found.st_size, stat.S_IMODE(found.st_mode), found.st_mtime)

    def names(self, path: str) -> list[str]:
        """What a folder holds, sorted."""
        return sorted(os.listdir(path))

    def remove(self, path: str) -> None:
        """Remove one file."""
        os.unlink(path)


def _take_after(handle: int, before: os.stat_result) -> None:
    """Give a file the owner and the mode of the one that it replaces."""
    with contextlib.suppress(OSError):  # only root can give files away
        if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))
