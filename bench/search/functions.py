"""Functions of a public benchmark of function calling as tools; what its users ask of models as questions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question, half_of, thinned

_KINDS = ("simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "live_multiple", "live_parallel")
_DISTRACTING = ("irrelevance", "live_irrelevance")
"""Files whose functions answer none of their questions; they make the catalogue larger."""
_LONGEST = 800
"""Characters of a question; longer ones carry documents."""
_LIMIT = 6
"""Questions about one function, so that none outweighs the others."""


def sets(wheels: Path) -> Iterator[EvalSet]:
    """Both halves of the functions, asked of the whole catalogue. Functions of the same name count as one."""
    data = wheels / "bfcl_eval" / "data"
    tools: dict[str, dict[str, Any]] = {}
    questions: dict[str, Question] = {}
    for kind in (*_KINDS, *_DISTRACTING):
        for line in _lines(data / f"BFCL_v4_{kind}.json"):
            for function in line["function"]:
                tools.setdefault(function["name"], {"type": "function", "function": function})
    for kind in _KINDS:
        answers = {it["id"]: it["ground_truth"] for it in _lines(data / "possible_answer" / f"BFCL_v4_{kind}.json")}
        for line in _lines(data / f"BFCL_v4_{kind}.json"):
            text = " ".join(it["content"] for it in line["question"][0] if it["role"] == "user").strip()
            wanted = frozenset(name for call in answers[line["id"]] for name in call)
            if wanted and text.isascii() and len(text) <= _LONGEST:
                questions.setdefault(text, Question(text, wanted, kind))
    for half in (TUNING, HELD_OUT):
        own = [it for it in _capped(questions.values()) if half_of(min(it.wanted)) == half]
        yield EvalSet("functions", half, list(tools.values()), thinned(own, 1200))


def _capped(questions: Iterable[Question]) -> Iterator[Question]:
    counts: Counter[frozenset[str]] = Counter()
    for question in questions:
        counts[question.wanted] += 1
        if counts[question.wanted] <= _LIMIT:
            yield question


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
