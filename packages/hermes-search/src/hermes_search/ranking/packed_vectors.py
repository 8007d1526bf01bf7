"""Vector arithmetic without a library: thousands of numbers are packed into one large Python integer.

Each number has a lane: a fixed number of bytes of the integer, the lowest first. Multiplying the integer multiplies
every lane, and adding two integers adds lane by lane. Results are correct as long as no lane overflows; negative
numbers are stored with the middle of a lane added.
"""

from __future__ import annotations

import heapq
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul

from hermes_search.ranking.word_vectors import (
    FULL,
    LEAST_LIKENESS,
    NOTHING,
    PART,
    PARTS,
    PATTERNS,
    SIZE,
    WordVectors,
    word_vectors,
)

_MIDDLE = 1 << 30
"""The middle of a lane of a word vector, which has 4 bytes."""
_MIDDLES = int.from_bytes(struct.pack("<I", _MIDDLE) * SIZE, "little")
_LANES = struct.Struct(f"<{SIZE}I")
_TOOL_LANE = 2
"""Bytes of a lane that holds the likeness of a tool."""
_TOOL_MIDDLE = 1 << 15
_BUDGET, _FEWEST = 420_000, 32
"""How many products one question may cost: with many tools, only the question's largest numbers are compared."""
_SAMPLE, _SAMPLED = 640, 4
"""The minimum size of a sample that estimates a bar, and how many of the highest it must contain."""
_CROWD = 4
"""How many times the requested number of tools is too many."""


class PackedVectors:
    """The vectors of a catalog's tools, without numpy."""

    def __init__(self, tools: Iterable[Iterable[str]], table: WordVectors | None = None) -> None:
        """Add up the vectors of each tool's stems."""
        self._table = table or word_vectors()
        rows = array("h")
        for stems in tools:
            rows.extend(self.add_words(stems) or NOTHING)
        self._size = len(rows) // SIZE
        self._strongest = max(_FEWEST, _BUDGET // max(1, self._size))
        self._ones = int.from_bytes(b"\1\0" * self._size, "little")
        self._middles = _TOOL_MIDDLE * self._ones
        self._columns = [self._pack_column(rows[at::SIZE]) for at in range(SIZE)]

    def add_words(self, stems: Iterable[str]) -> Sequence[int] | None:
        """Return the sum of the vectors of some stems with the length `FULL`; None when none is known."""
        total = 0
        for stem in stems:
            vector = self._table.unpacked.get(stem)
            total += self._unpack(stem) if vector is None else vector
        if not total:
            return None
        lanes = _LANES.unpack((total + _MIDDLES).to_bytes(_LANES.size, "little"))
        numbers = [lane - _MIDDLE for lane in lanes]
        share = FULL / (sum(map(mul, numbers, numbers)) ** 0.5 or 1.0)
        return array("h", [int(number * share) for number in numbers])

    def _unpack(self, stem: str) -> int:
        """Read the vector of a word, times its length, into one integer; 0 for an unknown word."""
        number = self._table.numbers.get(stem)
        if number is None:
            return 0
        numbers: list[int] = []
        for part, code in enumerate(self._table.codes[number * PARTS : (number + 1) * PARTS]):
            at = (part * PATTERNS + code) * PART
            numbers += self._table.patterns[at : at + PART]
        raised = int.from_bytes(_LANES.pack(*(each + _MIDDLE for each in numbers)), "little")
        self._table.unpacked[stem] = vector = (raised - _MIDDLES) * self._table.lengths[number]
        return vector

    def nearest(self, question: Sequence[int], limit: int) -> tuple[Sequence[int], list[int]]:
        """Return how like the question each tool is, and the numbers of the nearest: the limit or some more."""
        total = self._middles
        strength = [abs(number) for number in question]
        for at in sorted(range(SIZE), key=strength.__getitem__, reverse=True)[: self._strongest]:
            if question[at]:
                total += question[at] * self._columns[at]
        # Flipping the highest bit of a lane takes the middle away, and leaves a signed number of two bytes.
        raw = (total ^ self._middles).to_bytes(_TOOL_LANE * self._size, "little")
        likeness = _swap_if_big_endian(array("h", raw))
        return likeness, self._find_highest(total, likeness, limit)

    def _pack_column(self, numbers: array[int]) -> int:
        lanes = _swap_if_big_endian(array("H", [number + _TOOL_MIDDLE for number in numbers]))
        return int.from_bytes(lanes.tobytes(), "little") - self._middles

    def _find_highest(self, total: int, likeness: Sequence[int], limit: int) -> list[int]:
        """Return the numbers of the highest lanes in rising order; fewer than the limit when few reach the least."""
        step = max(1, min(self._size // _SAMPLE, limit // _SAMPLED))
        expected = limit + limit // 2  # finding too few costs more than finding some more
        sample = sorted(likeness[::step], reverse=True)[: 1 + expected // step]
        bar = max([LEAST_LIKENESS, *sample[-1:]])
        crowd = _CROWD * limit
        found = self._find_above(total, bar, crowd)
        if len(found) < limit and bar > LEAST_LIKENESS:  # the sample was too high
            bar = max(LEAST_LIKENESS, heapq.nlargest(limit, likeness)[-1])
            found = self._find_above(total, bar, crowd)
        if len(found) == crowd:  # equal tools reach the bar together: take those above it, and some of the others
            found = sorted({*self._find_above(total, bar + 1, self._size), *found[:limit]})
        return found

    def _find_above(self, total: int, bar: int, limit: int) -> list[int]:
        """Return the first lanes that reach a bar: when the bar is subtracted, their highest bit is set.

        A lane far below the bar borrows 1 from its neighbor, which only shifts the bar of that neighbor by 1.
        """
        flags = (total - bar * self._ones & self._middles).to_bytes(_TOOL_LANE * self._size, "little")
        found: list[int] = []
        at = flags.find(b"\x80")
        while at >= 0 and len(found) < limit:
            found.append(at // _TOOL_LANE)
            at = flags.find(b"\x80", at + 1)
        return found


def _swap_if_big_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
