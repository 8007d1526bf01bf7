"""Vector arithmetic with numpy, which the extra `search` installs. The results equal those of `packed_vectors`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

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

Array = Any
"""A numpy array. Its types are unknown without numpy."""


class NumpyVectors:
    """The vectors of a catalog's tools, with numpy."""

    def __init__(self, tools: Iterable[Iterable[str]], table: WordVectors | None = None) -> None:
        """Add up the vectors of each tool's stems."""
        self._np = import_module("numpy")
        self._stems = (table or word_vectors()).numbers
        self._words = _shared_rows() if table is None else _decode(table)
        rows = [NOTHING if row is None else row for row in map(self.add_words, tools)]
        self._rows = self._np.array(rows, dtype=self._np.float32).reshape(-1, SIZE)

    def add_words(self, stems: Iterable[str]) -> Array | None:
        """Return the sum of the vectors of some stems, scaled to `FULL`; None if no stem is known."""
        numbers = [self._stems[stem] for stem in stems if stem in self._stems]
        total = self._words[numbers].sum(axis=0, dtype=self._np.int64)
        length = float(total @ total) ** 0.5
        return self._np.trunc(total * (FULL / length)) if length else None

    def nearest(self, question: Sequence[int], limit: int) -> tuple[Array, list[int]]:
        """Return the similarity of each tool to the question, and the numbers of the nearest tools."""
        np = self._np
        asked = np.asarray(question, dtype=np.float32)
        # All products are integers below 2 to the 24th, which are exact. `@` would start a pool of threads.
        likeness = np.einsum("ij,j->i", self._rows, asked)
        found = np.flatnonzero(likeness >= LEAST_LIKENESS)
        if len(found) > limit:
            best = np.argsort(-likeness[found], kind="stable")[:limit]
            found = np.sort(found[best])
        return likeness, found.tolist()


@lru_cache(maxsize=1)
def _shared_rows() -> Array:
    return _decode(word_vectors())


def _decode(table: WordVectors) -> Array:
    """Return the vectors of all words, times their lengths, a row each."""
    np = import_module("numpy")
    patterns = np.frombuffer(table.patterns, dtype=np.int8).reshape(PARTS, PATTERNS, PART)
    codes = np.frombuffer(table.codes, dtype=np.uint8).reshape(-1, PARTS)
    rows = patterns[np.arange(PARTS), codes].reshape(-1, SIZE).astype(np.int16)
    return rows * np.frombuffer(table.lengths, dtype=np.uint8)[:, None]
