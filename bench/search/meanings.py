"""`python -m bench.search.meanings FOLDER`: makes what core knows of the meaning of words, with the extra and without.

`word_vectors.bin` has a vector for each stem. `bench.search.vectors` defines where they start, `bench.search.learning`
moves them by the lessons and by halves of sets, and each is written in 49 bytes. `token_vectors.bin` describes how the
vectors of the extra's pieces of words move, in 32 bytes each, for those pieces that the lessons have.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.search import asked, aws, azure, functions, m365
from bench.search.learning import fitted
from bench.search.lessons import Lesson, common_pairs, lessons, question_keys, studied
from bench.search.sets import TUNING, EvalSet
from bench.search.sources import fetched
from bench.search.vectors import stems, unit
from hermes_search.ranking import embeddings as pieces
from hermes_search.ranking.embeddings import Model, plain_model
from hermes_search.ranking.fusion import OF_QUERY, OF_TOOL
from hermes_search.ranking.tool_fields import Fields
from hermes_search.ranking.word_vectors import FILE, LONGEST, PART, SIZE, pack

_KEPT = 16_500
"""Stems that are kept."""
_PAIRED = 20
"""Questions of the lessons that have a pair of neighbours which gets a vector of its own."""
_AS_COMMON = 2_000
"""The place of a word that comes about as often as a pair does."""
_HEAD = 500
"""Words come as often as one divided by their place, behind about so many that come alike."""
_TYPICAL = slice(300, 6_000)
"""Places of words whose vectors keep the length that they had, on average."""
_TURNS = 15
Array = Any
_Readers = tuple[Callable[[Fields], list[int]], Callable[[str], list[int]]]
"""What gives the numbers of a tool, and those of a question."""


def main() -> None:
    """Write both files into the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where both npm packages are unpacked, each in a folder of its name")
    folder = parser.parse_args().folder
    model = plain_model()
    _make_meanings(model, folder)
    _make_pieces(model, folder)


def _taught(readers: _Readers, folder: Path) -> list[Lesson]:
    return [*lessons(*readers), *(studied(it, *readers) for it in _halves(folder))]


def _halves(folder: Path) -> Iterator[EvalSet]:
    """The tuning halves of third-party sets with free licenses (Apache-2.0 and MIT), and our questions about them."""
    unpacked = fetched(folder)
    assert unpacked.scripts is not None, "npm is needed"
    catalogues = [it for source in (functions, aws, azure) for it in source.sets(unpacked.catalogues)]
    for one in (*catalogues, *m365.sets(unpacked.scripts)):
        if one.half == TUNING:
            yield one
            yield from asked.about(one)


def _make_meanings(model: Model, folder: Path) -> None:
    known, vectors = stems(model, folder, _KEPT)
    shares = 1.0 / (np.arange(len(known)) + _HEAD)
    first = _brought_down(vectors, shares)
    more = common_pairs(_PAIRED)
    known += more
    first = np.concatenate([first, np.zeros((len(more), SIZE))])  # a pair begins with nothing to add to its words
    shares = np.concatenate([shares, np.full(len(more), 1.0 / (_HEAD + _AS_COMMON))])
    at = {it: place for place, it in enumerate(known)}
    readers: _Readers = (
        lambda tool: [at[it] for it in tool.first_words() if it in at],
        lambda text: [at[it] for it in question_keys(text) if it in at],
    )
    taught = _taught(readers, folder)
    _say("stems", len(known), taught)
    last = fitted(first, taught)
    lengths = [np.median(np.linalg.norm(it[_TYPICAL], axis=1)) for it in (first, last)]
    last *= lengths[0] / lengths[1]
    last *= np.minimum(1.0, LONGEST / np.linalg.norm(last, axis=1, keepdims=True))
    order = sorted(range(len(known)), key=lambda place: known[place])
    FILE.write_bytes(pack([known[it] for it in order], *_pack_vectors(last[order], shares[order])))
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


def _make_pieces(model: Model, folder: Path) -> None:
    readers: _Readers = (
        lambda tool: model.numbers(tool.text, OF_TOOL),
        lambda text: model.numbers(text, OF_QUERY),
    )
    taught = _taught(readers, folder)
    _say("pieces", len(model.table), taught)
    counts = np.zeros(len(model.table))
    for lesson in taught:
        for text in (*lesson.tools, *lesson.questions):
            counts[text] += 1
    seen = np.flatnonzero(counts)
    typical = np.median(np.linalg.norm(model.table[seen], axis=1))
    first = model.table / typical
    moved = (fitted(first, taught) - first)[seen] * typical
    parts = np.split(moved, moved.shape[1] // pieces.PART, axis=1)
    codes, patterns = zip(*(_patterns(it, np.sqrt(counts[seen])) for it in parts), strict=True)
    pieces.FILE.write_bytes(pieces.pack(len(model.table), seen, np.stack(codes, axis=1), np.stack(patterns)))
    print(f"{pieces.FILE.name}: {len(seen):,} pieces, {pieces.FILE.stat().st_size:,} bytes")


def _say(what: str, size: int, taught: list[Lesson]) -> None:
    tools, questions = (sum(len(getattr(it, kind)) for it in taught) for kind in ("tools", "questions"))
    print(f"{size:,} {what}; {tools:,} tools, {questions:,} questions", flush=True)


def _brought_down(vectors: Array, shares: Array) -> Array:
    """Vectors in the directions in which they differ most, as long as they were."""
    turned = unit(vectors)
    turned = turned @ np.linalg.eigh((turned * shares[:, None]).T @ turned)[1][:, ::-1][:, :SIZE]
    return unit(turned) * np.linalg.norm(vectors, axis=1, keepdims=True) / np.sqrt(2.0)


def _pack_vectors(vectors: Array, shares: Array) -> tuple[bytes, bytes, bytes]:
    """Lengths, codes and patterns of vectors.

    Args:
        vectors: The vectors.
        shares: How often each word comes, more or less: common ones must be written well.
    """
    lengths = np.linalg.norm(vectors, axis=1)
    turned = unit(vectors)
    turned = turned @ np.linalg.eigh((turned * shares[:, None]).T @ turned)[1][:, ::-1]
    # Neighbours differ less and less; a part takes one of each kind, so that all parts have as much to say.
    turned = turned.reshape(-1, PART, SIZE // PART).transpose(0, 2, 1)
    level = 127.0 / np.abs(turned).max()
    codes, patterns = zip(*(_patterns(turned[:, part], shares) for part in range(SIZE // PART)), strict=True)
    return (
        np.round(lengths / LONGEST * 255).astype(np.uint8).tobytes(),
        np.stack(codes, axis=1).astype(np.uint8).tobytes(),
        np.round(np.stack(patterns) * level).astype(np.int8).tobytes(),
    )


def _patterns(points: Array, shares: Array) -> tuple[Array, Array]:
    """The nearest of 256 patterns for each point, and the patterns: k-means, the same in every run."""
    random = np.random.default_rng(0)
    patterns = points[random.choice(len(points), 256, replace=False, p=shares / shares.sum())]
    for _ in range(_TURNS):
        nearest = ((patterns**2).sum(axis=1) - 2 * points @ patterns.T).argmin(axis=1)
        sums = np.stack([np.bincount(nearest, column * shares, 256) for column in points.T], axis=1)
        weights = np.bincount(nearest, shares, 256)[:, None]
        patterns = np.where(weights > 0, sums / np.maximum(weights, 1e-12), patterns)
    return ((patterns**2).sum(axis=1) - 2 * points @ patterns.T).argmin(axis=1), patterns


if __name__ == "__main__":
    main()
