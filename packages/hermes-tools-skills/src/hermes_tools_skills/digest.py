"""The digest of a skill: of the path, kind, executable bit and contents of each of its files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

_BLOCK = 1 << 20


def content_digest(directory: str | os.PathLike[str]) -> str:
    """Return the digest of everything in a directory, so that any later change of it is noticed.

    Raises:
        OSError: A file cannot be read.
    """
    digest = sha256()
    for path in sorted(_paths(os.fspath(directory), "")):
        full = os.path.join(directory, path)
        status = os.lstat(full)
        digest.update(f"{path}\0".encode(errors="surrogateescape"))
        if stat.S_ISLNK(status.st_mode):
            digest.update(b"link\0" + os.fsencode(os.readlink(full)) + b"\0")
        elif stat.S_ISREG(status.st_mode):
            digest.update(b"program\0" if status.st_mode & 0o111 else b"file\0")
            digest.update(_file_digest(full))
        else:
            digest.update(b"special\0")
    return f"sha256:{digest.hexdigest()}"


def _paths(directory: str, prefix: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _paths(entry.path, f"{prefix}{entry.name}/")
            else:
                yield f"{prefix}{entry.name}"


def _file_digest(path: str) -> bytes:
    digest = sha256()
    with Path(path).open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()
