"""`python -m bench.search.score`: Recall@5 of tool search beside plain BM25, half by half, set by set."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from bench.search import (
    agentdojo,
    ansible,
    asked,
    aws,
    azure,
    functions,
    handwritten,
    homeassistant,
    llamahub,
    m365,
    several,
    skills,
    sources,
)
from bench.search.baseline import PlainBM25
from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question
from hermes_search import ToolIndex
from hermes_search.ranking.embeddings import installed

_LINE = "{:<20} {:<9} {:>6} {:>9}  {:>7} {:>8} {:>8}"


class _Searches(Protocol):
    def __call__(self, query: str) -> list[str]: ...


def main() -> None:
    """Print one line for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where packages are kept; without it only the hand-written sets")
    parser.add_argument("--half", choices=[TUNING, HELD_OUT], default=HELD_OUT)
    options = parser.parse_args()
    rankers: list[Callable[[EvalSet], _Searches]] = [_plain, _lexical]
    if installed():
        rankers.append(_fused)
    print(_LINE.format("set", "half", "tools", "questions", "plain", "lexical", "fused" if installed() else ""))
    for one in _sets(options.folder):
        if one.half == options.half:
            found = [f"{recall(one, ranker(one)):.3f}" for ranker in rankers]
            counts = f"{len(one.definitions):,}", f"{len(one.questions):,}"
            print(_LINE.format(one.name, one.half, *counts, *found, *[""] * (3 - len(found))), flush=True)


def recall(one: EvalSet, search: _Searches) -> float:
    """The share of questions for which one of the tools that would do is among the first five.

    Where a question needs several tools, the share of those.
    """
    return statistics.fmean(_found(it, search(it.text)) for it in one.questions)


def _found(question: Question, names: list[str]) -> float:
    found = len(question.wanted.intersection(names))
    return found / len(question.wanted) if question.kind == several.SEVERAL else float(found > 0)


def _sets(folder: Path | None) -> Iterator[EvalSet]:
    catalogues = list(handwritten.sets())
    if folder is not None:
        unpacked = sources.fetched(folder)
        catalogues += skills.sets(unpacked.skills)
        for source in (agentdojo, homeassistant, llamahub):
            catalogues += source.sets(unpacked.agents)
        if unpacked.scripts is not None:
            catalogues += m365.sets(unpacked.scripts)
        for source in (functions, ansible, aws, azure):
            catalogues += source.sets(unpacked.catalogues)
    yield from catalogues
    for more in (asked, several):
        for one in catalogues:
            yield from more.about(one)


def _plain(one: EvalSet) -> _Searches:
    return PlainBM25(one.definitions).search


def _lexical(one: EvalSet) -> _Searches:
    index = ToolIndex(one.definitions, embeddings=False)
    return lambda query: [hit.name for hit in index.search(query)]


def _fused(one: EvalSet) -> _Searches:
    index = ToolIndex(one.definitions, embeddings=True)
    return lambda query: [hit.name for hit in index.search(query)]


if __name__ == "__main__":
    main()
