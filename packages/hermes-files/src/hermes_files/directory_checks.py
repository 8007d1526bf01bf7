"""Checks directories with state: free space, permissions, and files that crashes left behind."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

_LOW_BYTES = 50_000_000
_LOW_FILES = 1_000
_ABANDONED_SECONDS = 600.0
"""Writing takes less time: an older temporary file was left by a crash."""
_TEMPORARY = re.compile(r"\.(?:hermes-\d+-)?[0-9a-f]{16}\.tmp")
_BROKEN = re.compile(r".+\.broken(?:\.\d+)?")
_MAX_NAMED = 5


class Problem(NamedTuple):
    """A problem or note, and what to do about it."""

    level: Literal["note", "warning", "error"]
    message: str
    remedy: str


def check_space(folder: Path, remedy: str) -> Iterator[Problem]:
    """Check that a few KB can be written to a directory, and how much space is left.

    Args:
        folder: The directory.
        remedy: What to do when it cannot be written, unless the disk is full.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:  # without a name, so that it vanishes even if we are killed
            probe.write(b"\0" * 16_384)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            yield Problem("error", f"the disk is full: {folder} cannot be written", "Free some space.")
        else:
            yield Problem("error", f"{folder} cannot be written ({error.strerror or error})", remedy)
        return
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if free < _LOW_BYTES:
        yield Problem("warning", f"only {free / 1e6:.1f} MB are free in {folder}", "Free some space.")
    elif disk.f_files and disk.f_favail < _LOW_FILES:
        message = f"only {disk.f_favail:,} more files fit on the file system of {folder}"
        yield Problem("warning", message, "Delete files that are not needed: it has few inodes left.")


def check_modes(public: Iterable[Path], private: Iterable[Path]) -> Iterator[Problem]:
    """Report which of some paths other users can change, and which of the private ones they can read."""
    private = frozenset(private)
    for path in (*public, *sorted(private)):
        try:
            facts = path.stat()
        except OSError:
            continue  # missing, or reported where it is read
        mode = "700" if stat.S_ISDIR(facts.st_mode) else "600"
        if facts.st_uid not in (os.geteuid(), 0):
            yield Problem("warning", f"{path} belongs to another user", f"Run: chown {os.geteuid()} {path}")
        elif facts.st_mode & 0o022:
            yield Problem("warning", f"others can change {path}", f"Run: chmod {mode} {path}")
        elif path in private and facts.st_mode & 0o077:
            yield Problem("warning", f"others can read {path}", f"Run: chmod {mode} {path}")


def find_leftovers(folders: Iterable[Path]) -> Iterator[Problem]:
    """Report temporary files of killed processes, and damaged files that were moved aside."""
    abandoned: list[Path] = []
    for path in (path for folder in folders for path in list_files(folder)):
        if _TEMPORARY.fullmatch(path.name) and time.time() - os.lstat(path).st_mtime > _ABANDONED_SECONDS:
            abandoned.append(path)
        elif _BROKEN.fullmatch(path.name):
            yield Problem("note", f"{path} is a damaged file that was moved aside", "Look at it, then delete it.")
    if abandoned:
        more = f" and {len(abandoned) - _MAX_NAMED} more" if len(abandoned) > _MAX_NAMED else ""
        named = ", ".join(map(str, abandoned[:_MAX_NAMED]))
        yield Problem("note", f"temporary files of a process that was killed: {named}{more}", "Delete them.")


def list_files(folder: Path) -> list[Path]:
    """Return the regular files of a directory, sorted; none when it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if os.path.isfile(path))
    except OSError:
        return []
