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
"""How far marks are apart at least, in bytes."""

_MOST_MARKS = 4096
"""How many marks one file has at most; those of bigger files are farther apart."""

_MOST_FILES = 64


class LineIndex:
    """Marks in one version of a file. May be used by several threads.

    Attributes:
        stamp: The version.
        kept: Whether later looks will find it.
        total: How many lines it has; None while nobody has counted.
    """

    def __init__(self, stamp: Stamp, *, kept: bool) -> None:
        self.stamp = stamp
        self.kept = kept
        self.total: int | None = None
        self._step = max(_STEP, stamp.size // _MOST_MARKS)
        self._places = array("Q", [0])
        self._passed = array("Q", [0])
        self._lock = threading.Lock()

    def mark(self, place: int, passed: int) -> None:
        """Remember how many line feeds there are before a place."""
        if place - self._places[-1] >= self._step:
            with self._lock:
                if place - self._places[-1] >= self._step:
                    self._passed.append(passed)
                    self._places.append(place)

    def before(self, wanted: int) -> tuple[int, int]:
        """The last mark with fewer line feeds before it than wanted: its place and how many there are."""
        with self._lock:
            found = max(0, bisect_left(self._passed, wanted) - 1)
            return self._places[found], self._passed[found]

    def last(self) -> tuple[int, int]:
        """The last mark."""
        with self._lock:
            return self._places[-1], self._passed[-1]


class LineIndexes:
    """The indexes of the files that were read last. May be used by several threads."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[tuple[int, int], LineIndex] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, stamp: Stamp, *, keep: bool) -> LineIndex:
        """The index of a version.

        Args:
            stamp: The version.
            keep: Whether it is known and remembered; otherwise the index is an empty one for once.
        """
        if not keep:
            return LineIndex(stamp, kept=False)
        key = (stamp.device, stamp.inode)
        with self._lock:
            index = self._indexes.get(key)
            if index is None or index.stamp != stamp:
                index = self._indexes[key] = LineIndex(stamp, kept=True)
            self._indexes.move_to_end(key)
            if len(self._indexes) > _MOST_FILES:
                self._indexes.popitem(last=False)
            return index


PIECE = 1 << 17
"""How much is read at once: more is no quicker, as it does not stay in the processor's cache."""

UNSIZED = 32 << 20
"""How far files are read that give no size, such as the kernel's own in /proc."""


def pieces(handle: int, place: int, end: int, size: int = PIECE) -> Iterator[bytes]:
    """The bytes of a file between two places, or up to its end if that comes first."""
    while place < end and (piece := os.pread(handle, min(size, end - place), place)):
        yield piece
        place += len(piece)


def end_of(seen: os.stat_result) -> int:
    """Where reading ends: a file that grows meanwhile is read as far as it went at first."""
    return seen.st_size or UNSIZED


def skip(handle: int, end: int, index: LineIndex, wanted: int) -> tuple[int, int]:
    """Go behind some line feeds, or to the end if there are fewer.

    Args:
        handle: The file.
        end: Where it ends.
        index: What is known of it, and what is learned of it.
        wanted: How many line feeds to pass.

    Returns:
        The place, and how many lines are before it.
    """
    if not wanted:
        return 0, 0
    place, passed = index.before(wanted)
    last = b""
    for piece in pieces(handle, place, end):
        here = piece.count(b"\n")
        if passed + here >= wanted:
            return place + _behind(piece, wanted - passed), wanted
        place, passed, last = place + len(piece), passed + here, piece
        index.mark(place, passed)
    if not last and place:  # a mark was the end of the file
        last = os.pread(handle, 1, place - 1)
    return place, passed + (last[-1:] not in (b"\n", b""))


def count(
    handle: int, place: int, end: int, index: LineIndex, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """How many lines a file has.

    Args:
        handle: The file.
        place: Where to start.
        end: Where it ends.
        index: What is learned of it.
        passed: How many line feeds there are before the start.
        give_way: Called before each piece is looked at.
    """
    last = b""
    for piece in pieces(handle, place, end):
        if give_way is not None:
            give_way()
        place, passed, last = place + len(piece), passed + piece.count(b"\n"), piece
        index.mark(place, passed)
    if not last and place:
        last = os.pread(handle, 1, place - 1)
    return passed + (last[-1:] not in (b"\n", b""))


def _behind(piece: bytes, wanted: int) -> int:
    """The place behind a piece's wanted line feed, in halves: counting is much quicker than finding one by one."""
    low, high = 0, len(piece)
    while high - low > 512:
        middle = (low + high) // 2
        here = piece.count(b"\n", low, middle)
        if here >= wanted:
            high = middle
        else:
            low, wanted = middle, wanted - here
    for _ in range(wanted):
        low = piece.index(b"\n", low) + 1
    return low


_MOST_BYTES = 1 << 35
"""Files beyond are not counted unasked: it would keep a disk busy for minutes."""

_GRACE_SECONDS = 0.02
"""How long nobody may have read anything before it goes on: threads take turns, and a reader would wait for each."""

_LONGEST_GRACE = 5.0
"""How long it gives way in all; then it goes on though somebody reads without end."""


class Counter:
    """Counts in the background, one file at a time; others are when they are read again. It ends with the program.

    Attributes:
        used: When somebody has read something last, by the monotonic clock.
    """

    def __init__(self) -> None:
        self.used = 0.0
        self._free = threading.Semaphore(1)
        self._process = os.getpid()

    def start(self, handle: int, index: LineIndex) -> None:
        """Start to count a file, unless one is counted already. Never fails.

        Args:
            handle: The file; it may be closed afterwards.
            index: What is known of it, where the total will be.
        """
        if self._process != os.getpid():  # the thread of the process that this one was forked from is not here
            self._process, self._free = os.getpid(), threading.Semaphore(1)
        if index.stamp.size > _MOST_BYTES or not self._free.acquire(blocking=False):
            return
        own = -1
        try:
            own = os.dup(handle)
            _thread.start_new_thread(self._count, (own, index))  # not waiting for it to begin is what makes it quick
        except (OSError, RuntimeError):  # no handle or no thread left
            self._done(own)

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
"""One for the process: all trees share the interpreter that its thread takes turns of."""


def count_into(
    handle: int, end: int, index: LineIndex, place: int, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """Count a file's lines to the end; the index learns the total.

    Args:
        handle: The file.
        end: Where it ends.
        index: What is known of it.
        place: Where to start.
        passed: How many line feeds there are before.
        give_way: Called before each piece is looked at.
    """
    total = count(handle, place, end, index, passed, give_way)
    learn(handle, index, total)
    return total


def learn(handle: int, index: LineIndex, total: int) -> None:
    """Let an index know a total, if the file has stayed the same while it was counted."""
    if stamp_of(os.fstat(handle)) == index.stamp:
        index.total = total


_FIRST = 1 << 16
"""How much is read at first: mostly all that was asked for."""


class LineReader:
    """Collects some lines.

    Args:
        handle: The file.
        place: Where the first line starts.
        end: Where the file ends.
        number: The first line's number.
        longest: How many bytes of each line are kept.

    Attributes:
        place: Where the next line starts.
        number: The next line's number.
        cut: The lines that were cut: number to real size.
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
        """The next lines, or as many as there are."""
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
        """Keep whole lines; what is left of the piece is read again with the next one."""
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
        """Keep the start of a line that goes on behind the piece, or ends with the file."""
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
    """Whether no line before a line's end is longer than that: all that end within such a stretch are not."""
    place = 0
    while place < end:
        place = piece.rfind(b"\n", place, place + longest + 1) + 1
        if not place:
            return False
    return True
