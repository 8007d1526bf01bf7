"""How like a question each tool is by what its words mean, for all tools at once, without any library for numbers.

For each of the numbers that a vector has (see `meanings`) there is one long whole number here that holds those of every
tool, in lanes of sixteen bits. Numbers may be negative: a lane then borrows from the next one, and adding the middle to
all lanes pays back.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from hermes_core.search.lanes import Lanes
from hermes_core.search.meanings import FULL, SIZE

MIDDLE = 1 << 15
"""What stands for a likeness of 0."""
ALIKE = FULL * FULL
"""How far above the middle a likeness of 1 is."""
NOTHING = (0,) * SIZE
"""The vector of a text without a word that is known."""
_BUDGET, _FEWEST = 420_000, 32
"""Products that one question is worth. Of many tools fewer numbers are compared, the largest ones of the question."""
_LEAST = 0.12
"""How like a tool must be to count as near: texts that have nothing in common are that like by chance."""


class Directions:
    """The vectors of a catalogue, made once."""

    def __init__(self, tools: Sequence[Sequence[int] | None]) -> None:
        self._lanes = Lanes(len(tools), 2)
        self._strongest = max(_FEWEST, _BUDGET // max(1, len(tools)))
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
        total = self._lanes.halves
        strength = [abs(number) for number in question]
        for at in sorted(range(SIZE), key=strength.__getitem__, reverse=True)[: self._strongest]:
            if question[at]:
                total += question[at] * self._columns[at]
        likeness = self._lanes.parted(total)
        return likeness, self._lanes.highest(total, likeness, most, MIDDLE + int(_LEAST * ALIKE))

    def _column(self, numbers: array[int]) -> int:
        return self._lanes.joined(array("H", [number + MIDDLE for number in numbers])) - self._lanes.halves
