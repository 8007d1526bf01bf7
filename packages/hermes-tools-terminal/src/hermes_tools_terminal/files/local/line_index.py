"""What is known of the lines of big files: how many there are, and where some of them start."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections import OrderedDict

from hermes_tools_terminal.files.tree import Stamp

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
