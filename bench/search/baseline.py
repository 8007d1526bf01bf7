"""Plain BM25, the ranker to beat: one bag of words for each tool, no weights, no stems, no stop words."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

_WORD = re.compile(r"[A-Za-z0-9]+")
_K1, _B = 1.5, 0.75


class PlainBM25:
    """BM25 over the parts of the name, the description and the names of the parameters at the top."""

    def __init__(self, definitions: list[dict[str, Any]]) -> None:
        self._names: list[str] = []
        self._bags: list[Counter[str]] = []
        for it in definitions:
            function = it["function"]
            parameters = function.get("parameters", {}).get("properties", {})
            text = " ".join([function["name"].replace("_", " "), function.get("description", ""), *parameters])
            self._names.append(function["name"])
            self._bags.append(Counter(word.lower() for word in _WORD.findall(text)))
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, bag in enumerate(self._bags):
            for word, count in bag.items():
                self._postings.setdefault(word, []).append((number, count))

    def search(self, query: str, limit: int = 5) -> list[str]:
        """The names of the best tools, best first."""
        scores: dict[int, float] = {}
        for word in _WORD.findall(query.lower()):
            found = self._postings.get(word, [])
            idf = math.log(1 + (len(self._bags) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + idf * count * (_K1 + 1) / (count + norm)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        return [self._names[number] for number in best]
