"""What common English words mean, as a table that comes with the package: words that are used alike lie close.

The table is made by `bench/search/meanings.py` out of three tables of word vectors, which were moved so that questions
find their tools. A word is a vector of 192 numbers, written in 49 bytes: its length, and for every four of the
numbers which of 256 patterns comes closest. Some pairs of neighbours have vectors, too: their stems, with a blank.
Vectors are kept as one long whole number each, with a lane for every number, because adding those up needs no library.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import mul
from pathlib import Path

from hermes_search.ranking.packed_numbers import PackedNumbers

FILE = Path(__file__).with_name("word_vectors.bin")
SIZE = 192
"""Numbers of a vector."""
PART = 4
"""Numbers that one byte stands for."""
LONGEST = 1.5
"""The length of the longest vector; a typical one has 1."""
FULL = 176
"""What a number of 1 is written as in the vector of a text: two such vectors have a product below 2 to the 15th."""
_PARTS = SIZE // PART
_HEAD = struct.Struct("<I")
_LANE = 4
"""Bytes of a lane. Sums of vectors with negative numbers in them stay right as long as their middle is added."""
_MIDDLE = 1 << 30
_MIDDLES = int.from_bytes(_MIDDLE.to_bytes(_LANE, "little") * SIZE, "little")


class WordVectors:
    """The table, read."""

    def __init__(self, raw: bytes) -> None:
        (size,) = _HEAD.unpack_from(raw)
        start = _HEAD.size + size
        words = raw[_HEAD.size : start].decode("ascii").split("\n")
        self._at = {word: number for number, word in enumerate(words)}
        self._lengths = raw[start : start + len(words)]
        start += len(words)
        self._codes = raw[start : start + len(words) * _PARTS]
        self._patterns = array("b", raw[start + len(words) * _PARTS :])
        self._known: dict[str, int] = {}

    def __contains__(self, stem: str) -> bool:
        return stem in self._at

    def weight(self, stem: str) -> float:
        """How much a word says by itself: *want* 0.4, *weather* 1.0; 0 for one that is not known."""
        number = self._at.get(stem)
        return 0.0 if number is None else self._lengths[number] * LONGEST / 255

    def of(self, stems: Iterable[str]) -> array[int] | None:
        """What several words mean together: their sum, with a length of `FULL`; None when none of them is known."""
        total = 0
        for stem in stems:
            known = self._known.get(stem)
            if known is None:
                number = self._at.get(stem)
                if number is None:
                    continue
                known = self._known[stem] = self._vector(number)
            total += known
        if not total:
            return None
        lanes = struct.unpack(f"<{SIZE}I", (total + _MIDDLES).to_bytes(_LANE * SIZE, "little"))
        numbers = [lane - _MIDDLE for lane in lanes]
        share = FULL / (sum(map(mul, numbers, numbers)) ** 0.5 or 1.0)
        return array("h", [int(number * share) for number in numbers])

    def _vector(self, number: int) -> int:
        """The vector of a word times its length, a lane for each of its numbers."""
        lanes: list[int] = []
        for part, code in enumerate(self._codes[number * _PARTS : (number + 1) * _PARTS]):
            at = (part * 256 + code) * PART
            lanes += self._patterns[at : at + PART]
        raised = struct.pack(f"<{SIZE}I", *(lane + _MIDDLE for lane in lanes))
        return (int.from_bytes(raised, "little") - _MIDDLES) * self._lengths[number]


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """The table that comes with the package, read once in a process."""
    return WordVectors(FILE.read_bytes())


def packed(words: Sequence[str], lengths: bytes, codes: bytes, patterns: bytes) -> bytes:
    """The table as bytes.

    Args:
        words: The stems.
        lengths: The lengths of their vectors, 255 for `LONGEST`.
        codes: For each word and each part of its vector the number of the closest pattern.
        patterns: For each part 256 patterns, as signed bytes.
    """
    text = "\n".join(words).encode("ascii")
    return _HEAD.pack(len(text)) + text + lengths + codes + patterns


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


class ToolVectors:
    """The vectors of a catalogue, made once."""

    def __init__(self, tools: Sequence[Sequence[int] | None]) -> None:
        self._packed = PackedNumbers(len(tools), 2)
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
        total = self._packed.halves
        strength = [abs(number) for number in question]
        for at in sorted(range(SIZE), key=strength.__getitem__, reverse=True)[: self._strongest]:
            if question[at]:
                total += question[at] * self._columns[at]
        likeness = self._packed.parted(total)
        return likeness, self._packed.highest(total, likeness, most, MIDDLE + int(_LEAST * ALIKE))

    def _column(self, numbers: array[int]) -> int:
        return self._packed.joined(array("H", [number + MIDDLE for number in numbers])) - self._packed.halves
