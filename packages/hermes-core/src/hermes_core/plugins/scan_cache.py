"""Remembers what a scan of the installed distributions found, for as long as nothing it depends on has changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence

FORMAT = 1
"""Raised when the content of a cache file changes its shape or its meaning."""
RACY_NS = 2_000_000_000
"""How old a time stamp must be to be trusted: file systems round them, FAT to two seconds."""
KEPT_FILES = 16
"""Enough for the environments and working folders of one user; the oldest beyond that go."""
LARGEST_FILE = 8 << 20
"""A cache of this size was not written by us."""

_PREFIX = "entry-points-"
_PRIME = 2**64 - 59
# O_NONBLOCK: a FIFO in the place of a file must not hold up the scan.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

State = list[int]
"""Modification time, inode and size: a list, because that is what JSON gives back."""
Row = list[str | None]
"""One remembered entry point: group, name, value, distribution, version, folder, problem."""


def state_of(path: str) -> State | None:
    """What tells one content of a file or folder from the next; None when there is nothing to look at."""
    try:
        return _state_from(os.stat(path))
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None


def _state_from(status: os.stat_result) -> State:
    return [status.st_mtime_ns, status.st_ino, status.st_size]


def read_file(path: str, limit: int) -> tuple[bytes, State]:
    """At most one byte more than the limit, and the state that the file had before it was read."""
    descriptor = os.open(path, _READ_FLAGS)
    try:
        state = _state_from(os.fstat(descriptor))
        parts = []
        missing = limit + 1
        while missing and (part := os.read(descriptor, min(missing, 1 << 16))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts), state
    finally:
        os.close(descriptor)


class ScanCache:
    """The remembered answer to one question: which entry points of these groups do these folders hold?

    The states of the folders are taken when the cache is made, hence before the scan: a change during the scan then
    makes the answer outdated instead of wrong.
    """

    __slots__ = ("_file", "_folder", "_is_newer", "_question", "_started", "_states")

    def __init__(self, folder: str, *, groups: Sequence[str], path: Sequence[str]) -> None:
        self._folder = folder
        self._is_newer = False
        self._file = os.path.join(folder, f"{_PREFIX}{_digest([sys.version, *groups, '', *path]):016x}.json")
        self._started = time.time_ns()
        self._states = [state_of(entry) for entry in path]
        self._question = [FORMAT, sys.version, list(groups), list(path), self._states]

    def load(self) -> list[Row] | None:
        """The remembered answer, or None when there is none that still holds."""
        import json  # here, because a scan without a cache can do without

        try:
            content = json.loads(read_file(self._file, LARGEST_FILE)[0])
        except OSError:
            return None
        except (ValueError, RecursionError) as error:  # RecursionError: a foreign file of nothing but brackets
            self._set_aside(error)
            return None
        question = content.get("question") if isinstance(content, dict) else None
        if isinstance(question, list) and question and isinstance(question[0], int) and question[0] > FORMAT:
            self._is_newer = True
            return None
        if not isinstance(content, dict) or content.get("question") != self._question:
            return None
        watched, answer = content.get("watched"), content.get("answer")
        if not isinstance(watched, dict) or any(state_of(path) != state for path, state in watched.items()):
            return None
        return answer if isinstance(answer, list) and all(map(_is_row, answer)) else None

    def save(self, answer: list[Row], watched: Mapping[str, State | None]) -> None:
        """Remember an answer and the files it was read from, unless one of them had changed a moment before the scan.

        Such a file may have changed again, during the scan, without a new time stamp (git calls it racily clean).
        """
        import json

        if self._is_newer:
            return  # a newer version of Hermes wrote the file, and reads it again
        youngest = max((state[0] for state in (*self._states, *watched.values()) if state), default=0)
        if self._started - youngest < RACY_NS:
            return
        content = json.dumps({"question": self._question, "watched": watched, "answer": answer})
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._replace(content.encode())
            _remove_oldest(self._folder)
        except (OSError, ValueError):  # a read-only home only means that there is no cache
            pass

    def _set_aside(self, why: Exception) -> None:
        from hermes_core.files.damaged import set_aside

        try:
            set_aside(self._file, why)
        except (OSError, ValueError):  # a read-only home, or a NUL in its name: there is no cache, either
            pass

    def _replace(self, content: bytes) -> None:
        temporary = f"{self._file}.{os.getpid()}.{time.perf_counter_ns()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(temporary, self._file)
        except OSError:
            os.unlink(temporary)
            raise


def _is_row(row: object) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 7
        and all(isinstance(fact, str) for fact in row[:3])
        and all(fact is None or isinstance(fact, str) for fact in row[3:])
    )


def _digest(words: Sequence[str]) -> int:
    """A number for a file's name. A collision costs speed only, since the file holds the whole question.

    `hash` differs from one process to the next, and hashlib takes longer to import than the scan may last.
    """
    return int.from_bytes("\0".join(words).encode("utf-8", "surrogatepass"), "big") % _PRIME


def _remove_oldest(folder: str) -> None:
    """Keep the newest files; what a crash left half-written grows old and goes the same way."""
    names = [name for name in os.listdir(folder) if name.startswith(_PREFIX)]
    if len(names) <= KEPT_FILES:
        return
    aged = sorted(
        (state[0], file) for file in (os.path.join(folder, name) for name in names) if (state := state_of(file))
    )
    for _, file in aged[:-KEPT_FILES]:
        try:
            os.unlink(file)
        except OSError:  # another process was faster
            pass
