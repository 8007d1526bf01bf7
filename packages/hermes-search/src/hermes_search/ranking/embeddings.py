"""Vectors of texts from a small static model, for questions that share no word with the right tool.

The model is a table with one vector for each piece of a word. The vector of a text is the sum of its pieces', which
takes microseconds and no neural network. The table is in the wheel of `wordllama`; its files are read directly, because
importing that package configures logging for the process and looks for files on the network. `token_vectors.bin` moves
some of its vectors to where they find tools better.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hermes_search.ranking.words import split

FILE = Path(__file__).with_name("token_vectors.bin")
PART = 8
"""How many numbers one byte encodes."""
_HEAD = struct.Struct("<IIIf")
_PATTERNS = 256
Array = Any
"""A numpy array. Its types are unknown without the extra."""


def move_pieces(table: Array, raw: bytes) -> Array:
    """Return the table with the trained movements applied.

    Args:
        table: The vectors of all pieces, one per row.
        raw: The bytes that `pack` made.

    Raises:
        ValueError: The movements are for another table, or incomplete.
    """
    np = import_module("numpy")
    if len(raw) < _HEAD.size:
        raise ValueError(f"{FILE.name} is incomplete")
    rows, known, parts, level = _HEAD.unpack_from(raw)
    if table.shape != (rows, parts * PART):
        raise ValueError(f"{FILE.name} is for a table of {rows} pieces with {parts * PART} numbers")
    ends = np.cumsum([_HEAD.size, 2 * known, known * parts, parts * _PATTERNS * PART])
    if len(raw) != ends[-1]:
        raise ValueError(f"{FILE.name} is incomplete")
    places, codes, patterns = (
        np.frombuffer(raw[start:end], dtype=kind)
        for start, end, kind in zip(ends, ends[1:], ("<u2", np.uint8, np.int8), strict=False)
    )
    patterns = patterns.reshape(parts, _PATTERNS, PART).astype(np.float32) * level
    found = table.copy()
    found[places] += patterns[np.arange(parts), codes.reshape(known, parts)].reshape(known, -1)
    return found


def pack(rows: int, places: Array, codes: Array, patterns: Array) -> bytes:
    """Return movements as bytes.

    Args:
        rows: The number of pieces in the table.
        places: The rows that move.
        codes: For each of them and each part of its vector, the number of the closest pattern.
        patterns: 256 patterns for each part.
    """
    np = import_module("numpy")
    level = float(np.abs(patterns).max()) / 127 or 1.0
    parts = (places.astype("<u2"), codes.astype(np.uint8), np.round(patterns / level).astype(np.int8))
    return _HEAD.pack(rows, len(places), codes.shape[1], level) + b"".join(it.tobytes() for it in parts)


_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_PIECES = Path("tokenizers", "l2_supercat_tokenizer_config.json")
EXTRA = "hermes-search[search]"


class VectorsUnavailableError(RuntimeError):
    """Raised when vectors are required and the extra is missing or damaged."""


def installed() -> bool:
    """Return True if the extra is installed."""
    return all(find_spec(name) is not None for name in ("numpy", "tokenizers", "wordllama"))


def numpy() -> Any:
    """Import numpy."""
    return import_module("numpy")


class Model:
    """A table of vectors.

    Attributes:
        table: The vectors, one row per piece.
        pieces: The tokenizer that splits a text into pieces.
    """

    def __init__(self, table: Array, pieces: Any) -> None:
        self.table = table
        self.pieces = pieces

    def vectors(self, texts: Sequence[str], longest: int) -> Array:
        """Return one row of length 1 for the beginning of each text; zeros for a text without a known piece."""
        np = numpy()
        rows = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32)
        for number, text in enumerate(texts):
            # One at a time: for short texts, threads cost more than they gain.
            rows[number] = self.table[self.numbers(text, longest)].sum(axis=0)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def numbers(self, text: str, longest: int) -> list[int]:
        """Return the rows of the pieces in the beginning of a text."""
        found: list[int] = self.pieces.encode(" ".join(split(text[:longest])), add_special_tokens=False).ids
        return found


@lru_cache(maxsize=1)
def load_model() -> Model:
    """Return the model with its trained vectors, read once per process.

    Raises:
        VectorsUnavailableError: the extra is not installed.
    """
    plain = plain_model()
    try:
        return Model(move_pieces(plain.table, FILE.read_bytes()), plain.pieces)
    except (OSError, ValueError) as error:
        raise VectorsUnavailableError(f"The vectors cannot be moved: {error}. Reinstall {EXTRA}.") from error


def plain_model() -> Model:
    """Return the model without trained movements.

    Raises:
        VectorsUnavailableError: the extra is not installed.
    """
    if not installed():
        raise VectorsUnavailableError(f"Searching by meaning needs an extra that is not installed: {EXTRA}.")
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    try:
        table = _read_table((folder / _WEIGHTS).read_bytes())
        pieces = import_module("tokenizers").Tokenizer.from_file(str(folder / _PIECES))
    except (OSError, ValueError, KeyError) as error:
        raise VectorsUnavailableError(
            f"The vectors inside of wordllama cannot be read ({error}). Reinstall {EXTRA}."
        ) from error
    pieces.no_padding()
    pieces.no_truncation()
    return Model(table, pieces)


def _read_table(raw: bytes) -> Array:
    """Read a safetensors file: eight bytes of length, a JSON header, and the numbers."""
    np = numpy()
    start = 8 + int.from_bytes(raw[:8], "little")
    about = json.loads(raw[8:start])["embedding.weight"]
    first, last = about["data_offsets"]
    halves = np.frombuffer(raw[start + first : start + last], dtype=np.float16)
    return halves.reshape(about["shape"]).astype(np.float32)
