"""Files of a place: on this machine by system calls, elsewhere through a shell."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileInfo:
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
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(size)

    def write(self, path: str, data: bytes) -> None:
        """Write beside it, then put it in its place."""
        import tempfile

        path = os.path.realpath(path)
        handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=f".{os.path.basename(path)}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
            except FileNotFoundError:
                umask = os.umask(0)
                os.umask(umask)
                os.chmod(beside, 0o666 & ~umask)
            os.replace(beside, path)
        except BaseException:
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
