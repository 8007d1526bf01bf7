"""Read lines of local files of any size, with an index of line positions and a background line count."""

from __future__ import annotations

import _thread
import os
import threading
import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress

from hermes_tools_terminal.files.filesystem import Stamp
from hermes_tools_terminal.files.local.file_info import stamp_of

_STEP = 1 << 20
"""The minimum distance between index entries in bytes."""

_MAX_MARKS = 4096
"""The maximum number of index entries per file; larger files have a larger distance."""

_MAX_FILES = 64


class LineIndex:
    """Line positions in one version of a file. Thread-safe.

    Attributes:
        stamp: The version.
        kept: Whether later calls will find this index.
        total: The number of lines; None if not counted yet.
    """

    def __init__(self, stamp: Stamp, *, kept: bool) -> None:
        self.stamp = stamp
        self.kept = kept
        self.total: int | None = None
        self._step = max(_STEP, stamp.size // _MAX_MARKS)
        self._places = array("Q", [0])
        self._passed = array("Q", [0])
        self._lock = threading.Lock()

    def mark(self, place: int, passed: int) -> None:
        """Record how many line feeds precede a position."""
        if place - self._places[-1] >= self._step:
            with self._lock:
                if place - self._places[-1] >= self._step:
                    self._passed.append(passed)
                    self._places.append(place)

    def before(self, wanted: int) -> tuple[int, int]:
        """Return the last entry with fewer line feeds than wanted, as position and number of line feeds."""
        with self._lock:
            found = max(0, bisect_left(self._passed, wanted) - 1)
            return self._places[found], self._passed[found]

    def last(self) -> tuple[int, int]:
        """Return the last entry."""
        with self._lock:
            return self._places[-1], self._passed[-1]


class LineIndexes:
    """The indexes of recently read files. Thread-safe."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[tuple[int, int], LineIndex] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, stamp: Stamp, *, keep: bool) -> LineIndex:
        """Return the index of a version; with `keep=False`, an empty one that is not stored."""
        if not keep:
            return LineIndex(stamp, kept=False)
        key = (stamp.device, stamp.inode)
        with self._lock:
            index = self._indexes.get(key)
            if index is None or index.stamp != stamp:
                index = self._indexes[key] = LineIndex(stamp, kept=True)
            self._indexes.move_to_end(key)
            if len(self._indexes) > _MAX_FILES:
                self._indexes.popitem(last=False)
            return index


PIECE = 1 << 17
"""The read size: larger pieces are not faster, as they exceed the processor cache."""

UNSIZED = 32 << 20
"""How far to read files that report no size, such as those in /proc."""


def pieces(handle: int, place: int, end: int, size: int = PIECE) -> Iterator[bytes]:
    """Yield the bytes of a file between two positions."""
    while place < end and (piece := os.pread(handle, min(size, end - place), place)):
        yield piece
        place += len(piece)


def end_of(seen: os.stat_result) -> int:
    """Return where to stop reading: data that is appended in the meantime is ignored."""
    return seen.st_size or UNSIZED


def skip(handle: int, end: int, index: LineIndex, wanted: int) -> tuple[int, int]:
    """Skip line feeds, or go to the end if there are fewer.

    Returns:
        The position and the number of lines before it.
    """
    if not wanted:
        return 0, 0
    place, passed = index.before(wanted)
    last = b""
    for piece in pieces(handle, place, end):
        feeds = piece.count(b"\n")
        if passed + feeds >= wanted:
            return place + _position_after(piece, wanted - passed), wanted
        place, passed, last = place + len(piece), passed + feeds, piece
        index.mark(place, passed)
    if not last and place:  # the entry was at the end of the file
        last = os.pread(handle, 1, place - 1)
    return place, passed + (last[-1:] not in (b"\n", b""))


def count(
    handle: int, place: int, end: int, index: LineIndex, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """Count the lines of a file from a position; `passed` line feeds precede it. Calls `give_way` before each piece."""
    last = b""
    for piece in pieces(handle, place, end):
        if give_way is not None:
            give_way()
        place, passed, last = place + len(piece), passed + piece.count(b"\n"), piece
        index.mark(place, passed)
    if not last and place:
        last = os.pread(handle, 1, place - 1)
    return passed + (last[-1:] not in (b"\n", b""))


def _position_after(piece: bytes, wanted: int) -> int:
    """Return the position after a line feed by bisection: counting is much faster than finding one by one."""
    low, high = 0, len(piece)
    while high - low > 512:
        middle = (low + high) // 2
        feeds = piece.count(b"\n", low, middle)
        if feeds >= wanted:
            high = middle
        else:
            low, wanted = middle, wanted - feeds
    for _ in range(wanted):
        low = piece.index(b"\n", low) + 1
    return low


_MAX_BYTES = 1 << 35
"""Larger files are not counted in the background: it would keep a disk busy for minutes."""

_GRACE_SECONDS = 0.02
"""How long reads must pause before counting continues: threads take turns, and a reader would wait."""

_LONGEST_GRACE = 5.0
"""The maximum total pause; counting then continues despite reads."""


class Counter:
    """Counts lines in a background thread, one file at a time; other files are counted when read again.

    Attributes:
        used: The time of the last read, by the monotonic clock.
    """

    def __init__(self) -> None:
        self.used = 0.0
        self._free = threading.Semaphore(1)
        self._process = os.getpid()

    def start(self, handle: int, index: LineIndex) -> None:
        """Start counting a file, which may be closed afterwards, unless another count is running. Never raises."""
        if self._process != os.getpid():  # a fork does not inherit the thread
            self._process, self._free = os.getpid(), threading.Semaphore(1)
        if index.stamp.size > _MAX_BYTES or not self._free.acquire(blocking=False):
            return
        copy = -1
        try:
            copy = os.dup(handle)
            _thread.start_new_thread(self._count, (copy, index))  # faster than `threading`, which waits for the start
        except (OSError, RuntimeError):  # no handle or thread is available
            self._done(copy)

    def _count(self, handle: int, index: LineIndex) -> None:
        try:
            with suppress(OSError):
                count_into(handle, index.stamp.size, index, *index.last(), self._giving_way())
        finally:
            self._done(handle)

    def _giving_way(self) -> Callable[[], None]:
        until = time.monotonic() + _LONGEST_GRACE

        def give_way() -> None:
            while (now := time.monotonic()) < until and now - self.used < _GRACE_SECONDS:
                time.sleep(_GRACE_SECONDS)

        return give_way

    def _done(self, handle: int) -> None:
        if handle >= 0:
            os.close(handle)
        self._free.release()


COUNTER = Counter()
"""One per process: all filesystems share the interpreter lock that the thread competes for."""


def count_into(
    handle: int, end: int, index: LineIndex, place: int, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """Count the lines of a file from a position, and store the total in its index."""
    total = count(handle, place, end, index, passed, give_way)
    store_total(handle, index, total)
    return total


def store_total(handle: int, index: LineIndex, total: int) -> None:
    """Store a total in an index if the file did not change while it was counted."""
    if stamp_of(os.fstat(handle)) == index.stamp:
        index.total = total


_FIRST = 1 << 16
"""The size of the first read: usually enough."""


class LineReader:
    """Collects lines of a file.

    Attributes:
        place: The position of the next line.
        number: The number of the next line.
        cut: The real size of each truncated line, by line number.
    """

    def __init__(self, handle: int, place: int, end: int, number: int, longest: int) -> None:
        self.place = place
        self.number = number
        self.cut: dict[int, int] = {}
        self._handle = handle
        self._end = end
        self._longest = longest
        self._kept: list[bytes] = []

    def collect(self, count: int) -> bytes:
        """Return at most this many more lines."""
        size, until = _FIRST, self.number + count
        while self.number < until and self.place < self._end:
            piece = os.pread(self._handle, min(size, self._end - self.place), self.place)
            if not piece:
                break
            lines = piece.split(b"\n", until - self.number)
            rest = lines.pop()
            if lines:
                self._add(piece, lines, len(piece) - len(rest))
            else:
                self._add_long()
            size = PIECE
        return b"".join(self._kept)

    def _add(self, piece: bytes, lines: list[bytes], used: int) -> None:
        """Add complete lines; the rest of the piece is read again later."""
        if _all_short(piece, used, self._longest):
            self._kept.append(piece[:used])
        else:
            for number, line in enumerate(lines, self.number):
                if len(line) > self._longest:
                    self.cut[number] = len(line)
                self._kept += (line[: self._longest], b"\n")
        self.place += used
        self.number += len(lines)

    def _add_long(self) -> None:
        """Add the beginning of a line that is longer than the piece or ends with the file."""
        size = kept = 0
        for piece in pieces(self._handle, self.place, self._end):
            stop = piece.find(b"\n")
            part = piece if stop < 0 else piece[:stop]
            if kept < self._longest:
                self._kept.append(part[: self._longest - kept])
                kept += len(self._kept[-1])
            size += len(part)
            if stop >= 0:
                self._kept.append(b"\n")
                self.place += 1
                break
        if size > self._longest:
            self.cut[self.number] = size
        self.place += size
        self.number += 1


def _all_short(piece: bytes, end: int, longest: int) -> bool:
    """Return whether no line is longer than the limit."""
    place = 0
    while place < end:
        place = piece.rfind(b"\n", place, place + longest + 1) + 1
        if not place:
            return False
    return True
