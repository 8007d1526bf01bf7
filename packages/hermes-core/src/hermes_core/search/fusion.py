"""Brings two opinions together: what the words say and what the vectors say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_core.search.embeddings import Array, Model, numpy

_TOOL, _QUERY = 250, 1_000
"""Characters that make a vector. What a tool does stands at the beginning of its description; the rest blurs it."""


_LEAST = 0.08
"""How like a tool must be that no word leads to: texts that have nothing in common are that like by chance."""


class Meaning:
    """The vectors of a catalogue, made once."""

    def __init__(self, model: Model, texts: Sequence[str]) -> None:
        self._model = model
        self._vectors = model.vectors(texts, _TOOL)

    def likeness(self, query: str) -> Array:
        """How like the question each tool is, -1 to 1: one product of a matrix and a vector.

        Not with `@`, which wakes a pool of threads that wait for each other on a busy machine.
        """
        return numpy().einsum("ij,j->i", self._vectors, self._model.vectors([query], _QUERY)[0])

    def fused(self, query: str, scores: Mapping[int, float], full: float, share: float, most: int) -> dict[int, float]:
        """The best by both opinions.

        Args:
            query: The question.
            scores: What the words say, by the number of the tool.
            full: The score by words that counts as 1; the best one does when it is higher. So words that hardly match
                are not taken for a good match because nothing else matches better.
            share: What a likeness of 1 counts.
            most: How many to return.
        """
        np = numpy()
        likeness = self.likeness(query)
        both = likeness * share
        if scores:
            numbers = np.fromiter(scores.keys(), dtype=np.intp, count=len(scores))
            values = np.fromiter(scores.values(), dtype=np.float32, count=len(scores))
            both[numbers] += values / max(float(values.max()), full, 1e-9)
        most = min(most, len(both))
        top = np.argpartition(-both, most - 1)[:most] if most else np.empty(0, dtype=np.intp)
        return {
            int(number): float(both[number])
            for number in top
            if both[number] > 0 and (int(number) in scores or likeness[number] >= _LEAST)
        }
