"""The table of word vectors in this package: words with similar uses have similar vectors.

`bench/search/meanings.py` makes the table from three tables of word vectors, trained so that questions find their
tools. A vector has 192 numbers and takes 49 bytes: one for its length, and one for each four numbers, which selects the
closest of 256 patterns. Some pairs of neighboring words have vectors, too, with both stems and a space as the key.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("word_vectors.bin")
SIZE = 192
"""How many numbers a vector has."""
PART = 4
"""How many numbers one byte encodes."""
PARTS = SIZE // PART
PATTERNS = 256
"""How many patterns each part has."""
LONGEST = 1.5
"""The length of the longest vector; a typical one has 1."""
FULL = 176
"""The length of every text vector: the product of two such vectors stays below 2 to the 15th."""
ALIKE = FULL * FULL
"""The likeness of two equal text vectors. A likeness is their product; 0 means unrelated."""
NOTHING = (0,) * SIZE
"""The vector of a text without a known word."""
LEAST_LIKENESS = int(0.12 * ALIKE)
"""The minimum similarity of a near tool: unrelated texts are less similar by chance."""
_HEAD = struct.Struct("<I")


class WordVectors:
    """The table, read from bytes.

    Attributes:
        numbers: The row of each stem.
        lengths: The length of each vector, 255 for `LONGEST`.
        codes: `PARTS` bytes for each vector, each the number of a pattern.
        patterns: `PATTERNS` patterns of `PART` signed numbers for each part.
        unpacked: The vectors that `PackedVectors` has read so far, by stem.
    """

    def __init__(self, raw: bytes) -> None:
        (size,) = _HEAD.unpack_from(raw)
        start = _HEAD.size + size
        stems = raw[_HEAD.size : start].decode("ascii").split("\n")
        self.numbers = {stem: number for number, stem in enumerate(stems)}
        self.lengths = raw[start : start + len(stems)]
        start += len(stems)
        self.codes = raw[start : start + len(stems) * PARTS]
        self.patterns = array("b", raw[start + len(stems) * PARTS :])
        self.unpacked: dict[str, int] = {}

    def __contains__(self, stem: str) -> bool:
        return stem in self.numbers

    def weight(self, stem: str) -> float:
        """Return how significant a word is: *want* 0.4, *weather* 1.0, an unknown word 0."""
        number = self.numbers.get(stem)
        return 0.0 if number is None else self.lengths[number] * LONGEST / 255


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """Read the table of this package, once per process."""
    return WordVectors(FILE.read_bytes())


def pack(stems: Sequence[str], lengths: bytes, codes: bytes, patterns: bytes) -> bytes:
    """Return a table as bytes; the arguments are those attributes of `WordVectors`."""
    text = "\n".join(stems).encode("ascii")
    return _HEAD.pack(len(text)) + text + lengths + codes + patterns
