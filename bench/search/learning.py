"""Moves vectors of words so that questions find their tools: by gradient descent, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from bench.search.lessons import Lesson

_BATCH, _TURNS, _RATE = 256, 10, 0.003
_SHARPNESS = 0.08
"""How far above the others the right tool should be: by so much it counts e times as likely."""
_DROPPED = 0.3
"""The share of words that are left out at random each time, so that no word relies on another."""
_TIE = 0.1
"""What moving a vector costs: words of few texts stay near where they were."""
_RUNS = 3
"""Runs that differ only in their random seeds. Their results are averaged."""
Array = Any


def fitted(first: Array, taught: Sequence[Lesson]) -> Array:
    """The vectors with which the sum of a question's words is most like that of its tool's among those of the file.

    How much a word says comes out by itself: the vectors of *want* and *need* become short.

    Args:
        first: The vectors to begin with, a row for each word.
        taught: The lessons, in numbers of rows.
    """
    return np.mean([_run(first, taught, seed) for seed in range(_RUNS)], axis=0)


def _run(first: Array, taught: Sequence[Lesson], seed: int) -> Array:
    torch = import_module("torch")
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    begun = torch.tensor(first, dtype=torch.float32)
    moved = torch.nn.Parameter(torch.zeros_like(begun))
    longer = torch.nn.Parameter(torch.zeros(len(first)))
    descent = torch.optim.Adam([moved, longer], lr=_RATE)
    steps = _TURNS * sum(-(-len(it.questions) // _BATCH) for it in taught)
    done = 0
    for turn in range(_TURNS):
        losses: list[float] = []
        for lesson, rows in _batches(taught, random):
            descent.param_groups[0]["lr"] = _RATE * (1 - done / steps)
            table = (begun + moved) * torch.exp(longer)[:, None]
            asked = _sums(table, [lesson.questions[row] for row in rows], random)
            alike = asked @ _sums(table, lesson.tools, random).T
            right = torch.tensor([lesson.about[row] for row in rows])
            loss = torch.nn.functional.cross_entropy(alike / _SHARPNESS, right)
            ties = _TIE * ((moved**2).sum(1).mean() + (longer**2).mean())
            descent.zero_grad()
            (loss + ties).backward()
            descent.step()
            losses.append(loss.item())
            done += 1
        print(f"run {seed + 1}, {turn + 1} of {_TURNS}: {np.mean(losses):.3f}", flush=True)
    return ((begun + moved) * torch.exp(longer)[:, None]).detach().numpy()


def _batches(taught: Sequence[Lesson], random: Array) -> list[tuple[Lesson, Array]]:
    found: list[tuple[Lesson, Array]] = []
    for lesson in taught:
        order = random.permutation(len(lesson.questions))
        found += [(lesson, order[at : at + _BATCH]) for at in range(0, len(order), _BATCH)]
    random.shuffle(found)
    return found


def _sums(table: Array, texts: Sequence[list[int]], random: Array) -> Array:
    """What each text means: the sum of its words, some of which are left out, with a length of 1."""
    torch = import_module("torch")
    left = [_some(text, random) for text in texts]
    flat = torch.tensor([it for text in left for it in text] or [0])
    starts = torch.tensor(np.cumsum([0, *(len(text) for text in left[:-1])]))
    return torch.nn.functional.normalize(torch.nn.functional.embedding_bag(flat, table, starts, mode="sum"), dim=1)


def _some(text: list[int], random: Array) -> list[int]:
    return [it for it, luck in zip(text, random.random(len(text)), strict=True) if luck >= _DROPPED] or text
