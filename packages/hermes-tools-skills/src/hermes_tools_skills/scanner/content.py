"""Reads every file of a skill within limits, without following links, and hashes what it read."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

#: The limits of a skill that can be scanned: the largest public skills have a tenth of that.
MAX_FILES = 4_000
MAX_DEPTH = 24
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_TOTAL_BYTES = 64 * 1024 * 1024

Kind = Literal["file", "link", "other", "unread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file, link or special file of a skill."""

    path: str
    kind: Kind
    mode: int = 0o644
    #: The bytes of a file, or the target of a link.
    data: bytes = b""
    #: Why it was not read.
    reason: str = ""


class ContentError(Exception):
    """Raised when a skill is not a readable directory.

    Attributes:
        path: The skill.
    """

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(f"{path} cannot be scanned: {reason}")


def read_content(root: Path) -> list[Entry]:
    """Read everything below a directory, sorted by path. What exceeds a limit becomes an `unread` entry.

    Raises:
        ContentError: It is not a directory, or cannot be listed.
    """
    try:
        if not root.is_dir():
            raise ContentError(root, "it is not a directory")
        return sorted(_walk(root), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ContentError(root, str(error)) from error


def _walk(root: Path) -> Iterator[Entry]:
    pending, count, total = [(root, "", 0)], 0, 0
    while pending:
        directory, prefix, depth = pending.pop()
        with os.scandir(directory) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for item in found:
            path = prefix + item.name
            count += 1
            if count > MAX_FILES:
                yield Entry(path=path, kind="unread", reason=f"the skill has more than {MAX_FILES} files")
                return
            if item.is_symlink():
                target = os.fsencode(os.readlink(item.path))
                yield Entry(path=path, kind="link", data=target, reason=_escape(root, Path(item.path)))
            elif item.is_dir(follow_symlinks=False):
                if depth >= MAX_DEPTH:
                    yield Entry(path=path, kind="unread", reason=f"it is more than {MAX_DEPTH} directories deep")
                else:
                    pending.append((Path(item.path), f"{path}/", depth + 1))
            else:
                entry = _read(item.path, path, MAX_TOTAL_BYTES - total)
                total += len(entry.data)
                yield entry


def _escape(root: Path, link: Path) -> str:
    """Explain why a link is not a link to a file of the skill; empty when it is."""
    try:
        resolved = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "its target does not exist"
    return "" if resolved.is_relative_to(root.resolve()) else "its target is outside of the skill"


def _read(real: str, path: str, budget: int) -> Entry:
    try:
        # A pipe must not block, and a link that replaced the file must not be followed.
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if stat.S_ISREG(os.lstat(real).st_mode):
            return Entry(path=path, kind="unread", reason=error.strerror or "it cannot be opened")
        return Entry(path=path, kind="other", reason="it is a socket or device")
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return Entry(path=path, kind="other", reason="it is a pipe, socket or device")
        limit = min(MAX_FILE_BYTES, budget)
        if status.st_size > limit:
            # What is not scanned is still hashed, so that accepting it is bound to its content.
            digest = hashlib.file_digest(file, "sha256").digest()
            return Entry(path=path, kind="unread", data=digest, reason=f"{status.st_size:,} bytes cannot be scanned")
        data = file.read(limit + 1)
    if len(data) > limit:
        return Entry(path=path, kind="unread", reason="it grew while it was read")
    return Entry(path=path, kind="file", mode=status.st_mode & 0o7777, data=data)


def hash_entries(entries: list[Entry]) -> str:
    """Return the hash of what was read: sorted paths, whether each is executable, and bytes."""
    digest = hashlib.sha256()
    for entry in entries:
        mode = b"755" if entry.mode & 0o111 else b"644"
        name = os.fsencode(entry.path)
        for part in (name, entry.kind.encode(), mode, entry.data, entry.reason.encode() if not entry.data else b""):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def hash_content(path: Path) -> str:
    """Return the SHA-256 of a skill: sorted relative paths, executable or not, and bytes.

    Other permissions do not count, because they depend on the umask.

    Raises:
        ContentError: It is not a directory, or cannot be read.
    """
    return hash_entries(read_content(path))
