"""Combine three scores of a tool: by its words, by word vectors, and by embeddings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from hermes_search.ranking.embeddings import Model, numpy
from hermes_search.ranking.postings import Weights
from hermes_search.ranking.query import ADDRESSES
from hermes_search.ranking.request_phrases import stressed
from hermes_search.ranking.word_vectors import ALIKE

OF_TOOL, OF_QUERY = 250, 1_000
"""Characters that make a vector. What a tool does stands at the beginning of its description; the rest blurs it."""
_LEAST = 0.3
"""What a tool must reach that no word leads to: texts that have nothing in common are that like by chance."""
_SURE = 0.4
"""How like vectors must be that speak alone, because meaning knows no word: pieces make something of anything."""
_FEW = 500
"""Up to so many tools likeness counts in full. The more there are, the more of them are like any question by chance."""
_NEAREST = 64
"""How many tools vectors find by themselves, where words and meaning find none."""


class Vectors:
    """The vectors of a catalogue, made once."""

    def __init__(self, model: Model, texts: Sequence[str]) -> None:
        self._model = model
        self._rows = model.vectors(texts, OF_TOOL)

    def likeness(self, query: str, tools: Sequence[int]) -> dict[int, float]:
        """How like the question some tools are, -1 to 1; of all tools the nearest when none is given.

        Comparing all would cost more than everything else; who is far by words and by meaning is not found by vectors.
        Not with `@`, which wakes a pool of threads that wait for each other on a busy machine.
        """
        np = numpy()
        text = query[:OF_QUERY]
        told = ADDRESSES.sub(" ", text).strip() or text  # pieces make nonsense of names of companies and people
        asked = self._model.vectors([stressed(told)], 2 * OF_QUERY)[0]
        if tools:
            return dict(zip(tools, np.einsum("ij,j->i", self._rows[tools], asked).tolist(), strict=True))
        alike = np.einsum("ij,j->i", self._rows, asked)
        return {int(tool): float(alike[tool]) for tool in np.argsort(-alike)[:_NEAREST]}


def certain(cosines: Mapping[int, float], scores: Mapping[int, float]) -> dict[int, float]:
    """The tools that words lead to, and of the others those that vectors are sure of."""
    return {tool: alike for tool, alike in cosines.items() if tool in scores or alike >= _SURE}


def reached(scores: Mapping[int, float], promise: float, weights: Weights) -> float:
    """How much of what is expected of the words even the best tool has, 0 to 1.

    Args:
        scores: What the words say, by the number of the tool.
        promise: What a tool would score that has all words of the question.
        weights: How much of the promise is expected.
    """
    return min(1.0, max(scores.values(), default=0.0) / max(weights.confidence * promise, 1e-9))


def needed(matched: float, weights: Weights) -> float:
    """How much more other opinions count than where words match well, 1 for no more."""
    return 1.0 + weights.need * (1.0 - matched)


def fuse_scores(
    scores: Mapping[int, float],
    candidates: Iterable[int],
    matched: float,
    likeness: Sequence[int],
    cosines: Mapping[int, float] | None,
    weights: Weights,
) -> dict[int, float]:
    """The candidates, judged by words, by what they mean and by vectors.

    Words that hardly match are not taken for a good match because nothing else matches better: they are doubted, and
    the other opinions count more.

    Args:
        scores: What the words say, by the number of the tool.
        candidates: The best by each of the opinions.
        matched: What `reached` says of the words.
        likeness: How like the question each tool is, `ALIKE` for the same.
        cosines: How like the candidates are as `Vectors` has it, if there are vectors.
        weights: What the opinions count.
    """
    trust = (math.log(_FEW) / math.log(max(_FEW, len(likeness)))) ** 4 * needed(matched, weights)
    share = trust * weights.meaning / ALIKE
    sure: float = matched**weights.doubt / (max(scores.values(), default=0.0) or 1.0)
    found: dict[int, float] = {}
    for tool in candidates:
        words = scores.get(tool, 0.0) * sure
        alike = float(likeness[tool]) * share
        if cosines is not None:
            alike += trust * weights.vectors * cosines[tool]
        if words or alike >= _LEAST:
            # What means something else may still be meant: a word that matches is never outvoted altogether.
            found[tool] = words + max(alike, -0.5 * words)
    return found
