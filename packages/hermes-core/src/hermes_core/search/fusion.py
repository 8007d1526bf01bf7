"""Brings opinions together: what the words say, what they mean, and what the vectors say."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from hermes_core.search.directions import ALIKE, MIDDLE
from hermes_core.search.embeddings import Array, Model, numpy
from hermes_core.search.weights import Weights

_TOOL, _QUERY = 250, 1_000
"""Characters that make a vector. What a tool does stands at the beginning of its description; the rest blurs it."""
_LEAST = 0.08
"""What a tool must reach that no word leads to: texts that have nothing in common are that like by chance."""


class Vectors:
    """The vectors of a catalogue, made once."""

    def __init__(self, model: Model, texts: Sequence[str]) -> None:
        self._model = model
        self._rows = model.vectors(texts, _TOOL)

    def likeness(self, query: str) -> Array:
        """How like the question each tool is, -1 to 1: one product of a matrix and a vector.

        Not with `@`, which wakes a pool of threads that wait for each other on a busy machine.
        """
        return numpy().einsum("ij,j->i", self._rows, self._model.vectors([query], _QUERY)[0])


def full_score(scores: Mapping[int, float], promise: float, weights: Weights) -> float:
    """The score by words that counts as 1: the best one, or more where even the best has few of the words.

    So words that hardly match are not taken for a good match because nothing else matches better.

    Args:
        scores: What the words say, by the number of the tool.
        promise: What a tool would score that has all words of the question.
        weights: How much of the promise is expected, and how far scores below it are doubted.
    """
    top = max(scores.values(), default=0.0) or 1.0
    expected = max(weights.confidence * promise, 1e-9)
    reached: float = min(1.0, top / expected) ** weights.doubt
    return top / reached


def fused(
    scores: Mapping[int, float],
    candidates: Iterable[int],
    full: float,
    likeness: Sequence[int],
    weights: Weights,
) -> dict[int, float]:
    """The candidates, judged by words and by what they mean.

    Args:
        scores: What the words say, by the number of the tool.
        candidates: The best by each of the opinions.
        full: The score by words that counts as 1.
        likeness: How like the question each tool is, as `Directions` has it.
        weights: What the opinions count.
    """
    share = weights.meaning / ALIKE
    found: dict[int, float] = {}
    for tool in candidates:
        words = scores.get(tool, 0.0) / full
        # What means something else may still be meant: a word that matches is never outvoted altogether.
        found[tool] = words + max((likeness[tool] - MIDDLE) * share, -0.5 * words)
    return found


def fused_with_vectors(
    scores: Mapping[int, float], full: float, likeness: array[int], cosines: Array, most: int, weights: Weights
) -> dict[int, float]:
    """The best by all three opinions; the arguments are those of `fused`, and what the vectors say."""
    np = numpy()
    meant = (np.frombuffer(likeness, dtype=np.uint16) - np.float32(MIDDLE)) * np.float32(weights.both / ALIKE)
    total = cosines * weights.vectors + meant
    alike = total.copy()
    if scores:
        numbers = np.fromiter(scores.keys(), dtype=np.intp, count=len(scores))
        values = np.fromiter(scores.values(), dtype=np.float32, count=len(scores))
        total[numbers] += values / full
    most = min(most, len(total))
    top = np.argpartition(-total, most - 1)[:most] if most else np.empty(0, dtype=np.intp)
    return {
        int(number): float(total[number])
        for number in top
        if total[number] > 0 and (int(number) in scores or alike[number] >= _LEAST)
    }
