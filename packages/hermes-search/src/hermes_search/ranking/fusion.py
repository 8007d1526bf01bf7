"""Combines three scores of a tool: by words, by word vectors, and by embeddings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from hermes_search.ranking.embeddings import Model, numpy
from hermes_search.ranking.postings import Weights
from hermes_search.ranking.query import ADDRESSES
from hermes_search.ranking.request_phrases import stressed
from hermes_search.ranking.word_vectors import ALIKE

OF_TOOL, OF_QUERY = 250, 1_000
"""How many characters make a vector. The beginning of a description says what a tool does."""
_LEAST = 0.3
"""The minimum similarity of a tool without a matching word: unrelated texts are less similar by chance."""
_SURE = 0.4
"""The minimum similarity of embeddings if word vectors know no word of the question."""
_FEW = 500
"""Up to so many tools, similarity counts in full. With more tools, more are similar by chance."""
_NEAREST = 64
"""How many tools embeddings find alone, if words and word vectors find none."""


class Vectors:
    """The embeddings of a catalog."""

    def __init__(self, model: Model, texts: Sequence[str]) -> None:
        self._model = model
        self._rows = model.vectors(texts, OF_TOOL)

    def likeness(self, query: str, tools: Sequence[int]) -> dict[int, float]:
        """Return the similarity of some tools to the question, -1 to 1; without tools, of the nearest ones.

        Comparing all tools would cost more than everything else. It does not use `@`, which starts a pool of threads
        that wait for each other on a busy machine.
        """
        np = numpy()
        text = query[:OF_QUERY]
        plain = ADDRESSES.sub(" ", text).strip() or text  # names of companies and people have no meaning
        asked = self._model.vectors([stressed(plain)], 2 * OF_QUERY)[0]
        if tools:
            return dict(zip(tools, np.einsum("ij,j->i", self._rows[tools], asked).tolist(), strict=True))
        alike = np.einsum("ij,j->i", self._rows, asked)
        return {int(tool): float(alike[tool]) for tool in np.argsort(-alike)[:_NEAREST]}


def certain(cosines: Mapping[int, float], scores: Mapping[int, float]) -> dict[int, float]:
    """Return the similarities of tools that words found, and of others only the high ones."""
    return {tool: alike for tool, alike in cosines.items() if tool in scores or alike >= _SURE}


def reached(scores: Mapping[int, float], promise: float, weights: Weights) -> float:
    """Return how much of the expected score even the best tool has by its words, 0 to 1.

    Args:
        scores: The scores by words, by the number of the tool.
        promise: The score of a tool with all words of the question.
        weights: The ranking parameters.
    """
    return min(1.0, max(scores.values(), default=0.0) / max(weights.confidence * promise, 1e-9))


def needed(matched: float, weights: Weights) -> float:
    """Return how much more similarity counts where words match badly, 1 for no more."""
    return 1.0 + weights.need * (1.0 - matched)


def fuse_scores(
    scores: Mapping[int, float],
    candidates: Iterable[int],
    matched: float,
    likeness: Sequence[int],
    cosines: Mapping[int, float] | None,
    weights: Weights,
) -> dict[int, float]:
    """Return the combined scores of the candidates.

    If words match badly, even the best match is doubted, and similarity counts more.

    Args:
        scores: The scores by words, by the number of the tool.
        candidates: The best tools by each score.
        matched: The result of `reached`.
        likeness: The similarity of each tool by word vectors, `ALIKE` for equal texts.
        cosines: The similarity of the candidates by embeddings, if there are any.
        weights: The ranking parameters.
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
            # A tool with another meaning may still be right: a matching word never loses its whole score.
            found[tool] = words + max(alike, -0.5 * words)
    return found
