"""How long a search takes beside plain BM25 over the same 10,000 tools, and whether building stays linear."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from bench.harness import Row, fastest, once
from bench.search.baseline import PlainBM25
from bench.search.handwritten import sets
from hermes_search import ToolIndex

_TOOLS = 10_000


def rows() -> Iterator[Row]:
    """Against the plain ranker: a search of each question of the hand-written sets, and building the index."""
    many, questions = _catalogue(_TOOLS)
    few = many[: _TOOLS // 10]
    ours, plain = ToolIndex(many, embeddings=False), PlainBM25(many)
    best = fastest(
        {
            "ours": lambda: once(lambda: [ours.search(it) for it in questions]) / len(questions),
            "plain": lambda: once(lambda: [plain.search(it) for it in questions]) / len(questions),
            "build": lambda: once(lambda: ToolIndex(many, embeddings=False)),
            "build few": lambda: once(lambda: ToolIndex(few, embeddings=False)) * 10,
        },
        repeats=3,
    )
    what = f"search of {_TOOLS:,} tools"
    yield Row(what=what, against="plain BM25", ours=best["ours"], baseline=best["plain"])
    what = f"index of {_TOOLS:,} tools"
    yield Row(what=what, against="ten of a tenth", ours=best["build"], baseline=best["build few"], limit=2)


def _catalogue(size: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Hand-written tools, each under many names: `acme7_create_issue`."""
    written = list(sets())
    tools = {it["function"]["name"]: it["function"] for one in written for it in one.definitions}
    copies = itertools.islice(((number, it) for number in itertools.count() for it in tools.values()), size)
    many = [{"type": "function", "function": {**it, "name": f"acme{number}_{it['name']}"}} for number, it in copies]
    return many, [question.text for one in written for question in one.questions]
