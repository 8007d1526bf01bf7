"""The access history of a task: which versions of files it read and wrote."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple

from hermes_tools_terminal.files.filesystem import FileInfo, Stamp

MAX_FILES = 1000
"""How many files are remembered; the least recently used are dropped."""

MAX_ACCESSES = 500
"""The maximum length of the access log."""

_MAX_RANGES = 64
_MAX_FAILURES = 200


class Access(NamedTuple):
    """An entry of the access log.

    Attributes:
        time: The time, in seconds since the epoch.
        tool: The name of the tool.
        path: The file.
        what: `read`, `write` or `search`.
        detail: The lines or the number of bytes.
    """

    time: float
    tool: str
    path: str
    what: Literal["read", "write", "search"]
    detail: str = ""


@dataclass(slots=True)
class FileRecord:
    """A file as the task last saw it.

    Attributes:
        stamp: The version; None if it was missing.
        whole: Whether all of it was seen.
        written: Whether the task wrote this version itself.
        at: The time, in seconds since the epoch.
        ranges: The ranges of lines that were returned, and how often.
    """

    stamp: Stamp | None
    whole: bool = False
    written: bool = False
    at: float = 0.0
    ranges: OrderedDict[tuple[int, int], int] = field(default_factory=OrderedDict)


class KnownVersion(NamedTuple):
    """The version of a file that was last read or written; the digest is empty if only a part was read."""

    stamp: Stamp | None
    digest: str
    at: float


class AccessHistory:
    """The access history of one task. Thread-safe, as a model calls several tools at once."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, FileRecord] = OrderedDict()
        self._known: OrderedDict[str, KnownVersion] = OrderedDict()
        self._log: deque[Access] = deque(maxlen=MAX_ACCESSES)
        self._failures: OrderedDict[str, int] = OrderedDict()
        self._last: object = None
        self._row = 0
        self._lock = threading.Lock()

    @property
    def log(self) -> list[Access]:
        """The last accesses, oldest first."""
        with self._lock:
            return list(self._log)

    def record(self, path: str) -> FileRecord | None:
        """Return what is known about a file; None if the task has not used it."""
        return self._files.get(path)

    def count_repeats(self, what: object) -> int:
        """Return how many times in a row the same was requested, including this time."""
        with self._lock:
            self._row = self._row + 1 if what == self._last else 1
            self._last = what
            return self._row

    def was_shown(self, found: FileInfo, lines: tuple[int, int]) -> bool:
        """Return whether these lines of this version were returned before."""
        record = self._files.get(found.path)
        return record is not None and record.stamp == found.stamp and lines in record.ranges

    def changed_since(self, found: FileInfo, content: bytes) -> KnownVersion | None:
        """Return the version that the model knows if the file now has another; None if it is the same.

        Also None if the task has neither read nor written the whole file. Equal content counts as the same version,
        whatever its timestamps.
        """
        known = self._known.get(found.path)
        if known is None or (
            sha256(content).hexdigest() == known.digest if known.digest else known.stamp == found.stamp
        ):
            return None
        return known

    def forget_lines(self, path: str) -> None:
        """Forget which lines were returned, so that the next read returns them even if the timestamps are unchanged."""
        with self._lock:
            if (record := self._files.get(path)) is not None:
                record.ranges.clear()

    def read(
        self, found: FileInfo, lines: tuple[int, int], *, whole: bool, shown: bool = True, digest: str = ""
    ) -> None:
        """Record that lines were returned; what a script reads is not shown to the model."""
        with self._lock:
            record = self._of(found)
            self._know(found, digest)
            record.whole = record.whole or whole
            if shown:
                record.ranges[lines] = record.ranges.get(lines, 0) + 1
            while len(record.ranges) > _MAX_RANGES:
                record.ranges.popitem(last=False)
            first, count = lines
            self._note("read_file", found.path, "read", f"{count} lines from {first}")

    def wrote(self, found: FileInfo, tool: str, content: bytes) -> None:
        """Record a change by the task. Only write_file determines the whole content."""
        with self._lock:
            if tool == "write_file":
                self._know(found, sha256(content).hexdigest())
            before = self._files.get(found.path)
            record = self._of(found)
            record.written = True
            record.whole = tool == "write_file" or (before is not None and before.whole)
            self._failures.pop(found.path, None)
            self._note(tool, found.path, "write", f"{len(content)} bytes")

    def searched(self, path: str, detail: str) -> None:
        """Record a search."""
        with self._lock:
            self._note("search_files", path, "search", detail)

    def failed(self, path: str) -> int:
        """Record an edit that did not match, and return how many did not since the last that did."""
        with self._lock:
            count = self._failures[path] = self._failures.pop(path, 0) + 1
            while len(self._failures) > _MAX_FAILURES:
                self._failures.popitem(last=False)
            return count

    def forget_reads(self) -> None:
        """Forget what was returned, as the model no longer sees it."""
        with self._lock:
            for record in self._files.values():
                record.ranges.clear()
            self._last, self._row = None, 0

    def _of(self, found: FileInfo) -> FileRecord:
        """Return what is known of this version of a file."""
        record = self._files.pop(found.path, None)
        if record is None or record.stamp != found.stamp:
            record = FileRecord(found.stamp)
        record.at = time.time()
        self._files[found.path] = record
        while len(self._files) > MAX_FILES:
            self._files.popitem(last=False)
        return record

    def _know(self, found: FileInfo, digest: str) -> None:
        self._known.pop(found.path, None)
        self._known[found.path] = KnownVersion(found.stamp, digest, time.time())
        while len(self._known) > MAX_FILES:
            self._known.popitem(last=False)

    def _note(self, tool: str, path: str, what: Literal["read", "write", "search"], detail: str) -> None:
        self._log.append(Access(time.time(), tool, path, what, detail))
