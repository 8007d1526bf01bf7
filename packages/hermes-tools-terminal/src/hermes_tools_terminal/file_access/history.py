"""The access history of a task: which versions of files it read and wrote."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple

from hermes_tools_terminal.files.filesystem import FileInfo, Stamp

MOST_FILES = 1000
"""Files that are remembered; the ones used longest ago are forgotten."""

MOST_ACCESSES = 500
"""Lines of the access log that are kept."""

_MOST_RANGES = 64
_MOST_FAILURES = 200


class Access(NamedTuple):
    """One line of the access log.

    Attributes:
        time: When, in seconds since 1970.
        tool: Which tool it was.
        path: Which file.
        what: `read`, `write` or `search`.
        detail: Which lines, or how many bytes.
    """

    time: float
    tool: str
    path: str
    what: Literal["read", "write", "search"]
    detail: str = ""


@dataclass(slots=True)
class SeenFile:
    """A file as the task last saw it.

    Attributes:
        stamp: Which version; None when it was not there.
        whole: Whether all of it was seen.
        written: Whether the task wrote this version itself.
        at: When, in seconds since 1970.
        ranges: The parts that were given out, and how often.
    """

    stamp: Stamp | None
    whole: bool = False
    written: bool = False
    at: float = 0.0
    ranges: OrderedDict[tuple[int, int], int] = field(default_factory=OrderedDict)


class KnownVersion(NamedTuple):
    """The version of a file that the model has seen: the one that was last read or written as a whole.

    Attributes:
        stamp: Which version.
        digest: SHA-256 of its content; empty when not all of it was read.
        at: When, in seconds since 1970.
    """

    stamp: Stamp | None
    digest: str
    at: float


class AccessHistory:
    """What one task remembers. Threads share it: a model calls several tools at once."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, SeenFile] = OrderedDict()
        self._known: OrderedDict[str, KnownVersion] = OrderedDict()
        self._log: deque[Access] = deque(maxlen=MOST_ACCESSES)
        self._failures: OrderedDict[str, int] = OrderedDict()
        self._last: object = None
        self._row = 0
        self._lock = threading.Lock()

    @property
    def log(self) -> list[Access]:
        """The last accesses, oldest first."""
        with self._lock:
            return list(self._log)

    def seen(self, path: str) -> SeenFile | None:
        """What is known of a file; None when the task never had to do with it."""
        return self._files.get(path)

    def count_repeats(self, what: object) -> int:
        """How often the same thing was asked for without anything else in between, this time included."""
        with self._lock:
            self._row = self._row + 1 if what == self._last else 1
            self._last = what
            return self._row

    def was_shown(self, found: FileInfo, lines: tuple[int, int]) -> bool:
        """Whether the task was given these lines of just this version before."""
        seen = self._files.get(found.path)
        return seen is not None and seen.stamp == found.stamp and lines in seen.ranges

    def changed_since(self, found: FileInfo, content: bytes) -> KnownVersion | None:
        """The version that the model knows when the file is another one by now; None when it is the same.

        None as well for a file that the task never read nor wrote as a whole. A content that is the same counts as
        the same version, whatever its times are.
        """
        known = self._known.get(found.path)
        if known is None or (
            sha256(content).hexdigest() == known.digest if known.digest else known.stamp == found.stamp
        ):
            return None
        return known

    def expect_reading(self, path: str) -> None:
        """Have the file given out anew when it is read next, also where its times have not changed."""
        with self._lock:
            if (seen := self._files.get(path)) is not None:
                seen.ranges.clear()

    def read(
        self, found: FileInfo, lines: tuple[int, int], *, whole: bool, shown: bool = True, digest: str = ""
    ) -> None:
        """Take note of lines that the task was given.

        Args:
            found: The file.
            lines: The number of the first one, and how many were asked for.
            whole: Whether that is all of the file.
            shown: Whether the model sees them; what a script has read is not in front of it.
            digest: SHA-256 of the whole file; empty when not all of it was read.
        """
        with self._lock:
            seen = self._of(found)
            self._know(found, digest)
            seen.whole = seen.whole or whole
            if shown:
                seen.ranges[lines] = seen.ranges.get(lines, 0) + 1
            while len(seen.ranges) > _MOST_RANGES:
                seen.ranges.popitem(last=False)
            first, count = lines
            self._note("read_file", found.path, "read", f"{count} lines from {first}")

    def wrote(self, found: FileInfo, tool: str, content: bytes) -> None:
        """Take note of a change that the task made. Only who writes all of a file knows what is in it then."""
        with self._lock:
            if tool == "write_file":
                self._know(found, sha256(content).hexdigest())
            before = self._files.get(found.path)
            seen = self._of(found)
            seen.written = True
            seen.whole = tool == "write_file" or (before is not None and before.whole)
            self._failures.pop(found.path, None)
            self._note(tool, found.path, "write", f"{len(content)} bytes")

    def searched(self, path: str, detail: str) -> None:
        """Take note of a search."""
        with self._lock:
            self._note("search_files", path, "search", detail)

    def failed(self, path: str) -> int:
        """Take note of an edit that did not fit; how many did not since the last that did."""
        with self._lock:
            count = self._failures[path] = self._failures.pop(path, 0) + 1
            while len(self._failures) > _MOST_FAILURES:
                self._failures.popitem(last=False)
            return count

    def forget_reads(self) -> None:
        """What was given out is not in front of the model any more: give it out again when it is asked for."""
        with self._lock:
            for seen in self._files.values():
                seen.ranges.clear()
            self._last, self._row = None, 0

    def _of(self, found: FileInfo) -> SeenFile:
        """What is known of this version of a file: of another one it knows nothing."""
        seen = self._files.pop(found.path, None)
        if seen is None or seen.stamp != found.stamp:
            seen = SeenFile(found.stamp)
        seen.at = time.time()
        self._files[found.path] = seen
        while len(self._files) > MOST_FILES:
            self._files.popitem(last=False)
        return seen

    def _know(self, found: FileInfo, digest: str) -> None:
        self._known.pop(found.path, None)
        self._known[found.path] = KnownVersion(found.stamp, digest, time.time())
        while len(self._known) > MOST_FILES:
            self._known.popitem(last=False)

    def _note(self, tool: str, path: str, what: Literal["read", "write", "search"], detail: str) -> None:
        self._log.append(Access(time.time(), tool, path, what, detail))
