"""How the vectors of the extra's pieces of words were moved, so that questions find their tools.

The file is made by `bench/search/meanings.py`. A movement is written in 32 bytes: for every eight of its 256 numbers,
which of 256 patterns comes closest. Pieces that are not in the file stay where they are.
"""

from __future__ import annotations

import struct
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("pieces.bin")
PART = 8
"""Numbers that one byte stands for."""
_HEAD = struct.Struct("<IIIf")
_PATTERNS = 256
Array = Any


def moved(table: Array, raw: bytes) -> Array:
    """The table with every piece where it belongs.

    Args:
        table: The vectors of all pieces, a row each.
        raw: What `packed` has made.

    Raises:
        ValueError: The movements are those of another table, or not whole.
    """
    np = import_module("numpy")
    if len(raw) < _HEAD.size:
        raise ValueError(f"{FILE.name} is not whole")
    rows, known, parts, level = _HEAD.unpack_from(raw)
    if table.shape != (rows, parts * PART):
        raise ValueError(f"{FILE.name} is about a table of {rows} pieces with {parts * PART} numbers")
    ends = np.cumsum([_HEAD.size, 2 * known, known * parts, parts * _PATTERNS * PART])
    if len(raw) != ends[-1]:
        raise ValueError(f"{FILE.name} is not whole")
    places, codes, patterns = (
        np.frombuffer(raw[start:end], dtype=kind)
        for start, end, kind in zip(ends, ends[1:], ("<u2", np.uint8, np.int8), strict=False)
    )
    patterns = patterns.reshape(parts, _PATTERNS, PART).astype(np.float32) * level
    found = table.copy()
    found[places] += patterns[np.arange(parts), codes.reshape(known, parts)].reshape(known, -1)
    return found


def packed(rows: int, places: Array, codes: Array, patterns: Array) -> bytes:
    """Movements as bytes.

    Args:
        rows: How many pieces the table has.
        places: The numbers of those that move.
        codes: For each of them and each part of its vector the number of the closest pattern.
        patterns: For each part 256 patterns.
    """
    np = import_module("numpy")
    level = float(np.abs(patterns).max()) / 127 or 1.0
    parts = (places.astype("<u2"), codes.astype(np.uint8), np.round(patterns / level).astype(np.int8))
    return _HEAD.pack(rows, len(places), codes.shape[1], level) + b"".join(it.tobytes() for it in parts)
