"""The numbers of all tools side by side in one whole number of Python's, so that adding works on thousands at once.

A lane is so many bytes of it, the lowest first. Multiplying the whole by a number multiplies every lane, adding two
adds lane by lane, and both need no library. Who sees to it that no lane overflows gets the right sums.
"""

from __future__ import annotations

import heapq
import sys
from array import array
from collections.abc import Sequence

_SAMPLE, _OF_THEM = 640, 4
"""So many lanes at least say how high the highest are, and as many more as it takes to see so many of those."""
_CROWD = 4
"""How many times as many as were asked for are too many."""
_CODES = {2: "H", 4: "I"}


class PackedNumbers:
    """How the numbers of a catalogue lie.

    Attributes:
        size: How many there are.
        half: The middle of what a lane can hold.
        halves: That number in every lane.
    """

    def __init__(self, size: int, width: int) -> None:
        """Lay out lanes.

        Args:
            size: How many there are.
            width: The bytes of each, 2 or 4.
        """
        self.size, self._width = size, width
        self.half = 1 << 8 * width - 1
        self._ones = int.from_bytes(b"\1".ljust(width, b"\0") * size, "little")
        self.halves = self.half * self._ones

    def joined(self, numbers: array[int]) -> int:
        """Numbers that are not negative, as one."""
        return int.from_bytes(_swapped(array(_CODES[self._width], numbers)).tobytes(), "little")

    def parted(self, total: int) -> array[int]:
        """The numbers again."""
        return _swapped(array(_CODES[self._width], total.to_bytes(self._width * self.size, "little")))

    def highest(self, total: int, numbers: Sequence[int], most: int, least: int) -> list[int]:
        """The places of so many of the highest lanes or some more, in rising order; of fewer when few reach the least.

        Args:
            total: The lanes, none of which is below 0.
            numbers: The same, parted.
            most: How many are wanted.
            least: What a lane must reach at least.
        """
        step = max(1, min(self.size // _SAMPLE, most // _OF_THEM))
        expected = most + most // 2  # a sample errs; to find too few costs more than to find some more
        bar = max(least, sorted(numbers[::step], reverse=True)[: 1 + expected // step][-1])
        crowd = _CROWD * most
        found = self._above(total, bar, crowd)
        if len(found) < most and bar > least:  # those of the sample were higher than most: look at all
            bar = max(least, heapq.nlargest(most, numbers)[-1])
            found = self._above(total, bar, crowd)
        if len(found) == crowd:  # tools that are all the same reach any bar together: those above it, and some of them
            found = sorted({*self._above(total, bar + 1, self.size), *found[:most]})
        return found

    def _above(self, total: int, bar: int, most: int) -> list[int]:
        """The first lanes that reach the bar: raised by what it lacks to one half, they have their highest bit set."""
        raised = total + (self.half - bar) * self._ones & self.halves
        flags = raised.to_bytes(self._width * self.size, "little")
        found: list[int] = []
        at = flags.find(b"\x80")
        while at >= 0 and len(found) < most:
            found.append(at // self._width)
            at = flags.find(b"\x80", at + 1)
        return found


def _swapped(numbers: array[int]) -> array[int]:
    """PackedNumbers have their lowest byte first; arrays have what the machine prefers."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
