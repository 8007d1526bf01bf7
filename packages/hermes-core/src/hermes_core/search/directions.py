"""How like a question each tool is by what its words mean, for all tools at once, without any library for numbers.

For each of the numbers that a vector has (see `meanings`) there is one long whole number here that holds those of every
tool side by side, in lanes of sixteen bits. Multiplying it by the question's number and adding up the products works on
thousands of tools at once. Numbers may be negative: a lane then borrows from the next one, and adding the middle to all
lanes pays back.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

from hermes_core.search.meanings import FULL, SIZE

MIDDLE = 1 << 15
"""What stands for a likeness of 0."""
ALIKE = FULL * FULL
"""How far above the middle a likeness of 1 is."""
NOTHING = (0,) * SIZE
"""The vector of a text without a word that is known."""
_BUDGET, _FEWEST = 480_000, 32
"""Products that one question is worth. Of many tools fewer numbers are compared, the largest ones of the question."""
_LEAST = 0.12
"""How like a tool must be to count as near: texts that have nothing in common are that like by chance."""
_SAMPLE = 1_024
"""About so many tools say how like the nearest are; so the nearest are about as many as were asked for."""
_CROWD = 8
"""How many times as many as were asked for are too many."""


class Directions:
    """The vectors of a catalogue, made once."""

    def __init__(self, tools: Sequence[Sequence[int] | None]) -> None:
        self._size = len(tools)
        self._ones = int.from_bytes(b"\1\0" * self._size, "little")
        self._middles = MIDDLE * self._ones
        self._strongest = max(_FEWEST, _BUDGET // max(1, self._size))
        rows = array("h")
        for vector in tools:
            rows.extend(vector or NOTHING)
        self._columns = [self._column(rows[at::SIZE]) for at in range(SIZE)]

    def nearest(self, question: Sequence[int], most: int) -> tuple[array[int], list[int]]:
        """How like the question each tool is, and the numbers of the tools that are nearest.

        A likeness is `MIDDLE` for not at all, and `ALIKE` above it for the same.

        Args:
            question: Its vector.
            most: How many are wanted, more or less.
        """
        lanes = self._lanes(question)
        likeness = _native(array("H", lanes.to_bytes(2 * self._size, "little")))
        step = max(1, self._size // _SAMPLE)
        bar = sorted(likeness[::step], reverse=True)[: 1 + most // step][-1]
        bar = max(bar, MIDDLE + int(_LEAST * ALIKE))
        crowd = _CROWD * most
        found = self._above(lanes, bar, crowd)
        if len(found) == crowd:  # tools that are all the same reach any bar together: those above it, and some of them
            above = self._above(lanes, bar + 1, self._size)
            found = sorted({*above, *found[:most]})
        return likeness, found

    def _lanes(self, question: Sequence[int]) -> int:
        total = self._middles
        for at in sorted(range(SIZE), key=lambda at: -abs(question[at]))[: self._strongest]:
            if question[at]:
                total += question[at] * self._columns[at]
        return total

    def _above(self, total: int, bar: int, most: int) -> list[int]:
        """The first lanes that reach the bar: raised by what it lacks, they have their highest bit set."""
        flags = (total + (MIDDLE - bar) * self._ones & self._middles).to_bytes(2 * self._size, "little")
        found: list[int] = []
        at = flags.find(b"\x80")
        while at >= 0 and len(found) < most:
            found.append(at // 2)
            at = flags.find(b"\x80", at + 1)
        return found

    def _column(self, numbers: array[int]) -> int:
        raised = _native(array("H", [number + MIDDLE for number in numbers]))
        return int.from_bytes(raised.tobytes(), "little") - self._middles


def _native(lanes: array[int]) -> array[int]:
    """Lanes have their lowest byte first; numbers have what the machine prefers."""
    if sys.byteorder == "big":
        lanes.byteswap()
    return lanes
