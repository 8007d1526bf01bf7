"""Sets that were written for this evaluation: users ask plugins, assistants and endpoints, models ask servers.

The last three were written blind, by a person who had seen neither the ranker nor its training data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.search.sets import DATA, HELD_OUT, TUNING, EvalSet, Question, definition, half_of

_TOOL = re.compile(r"([\w.-]+)(?:\(([^)]*)\))? \| (.+)")


def sets() -> Iterator[EvalSet]:
    """Seven sets, both halves each. The catalogue is the same for both halves: who asks cannot know where to look."""
    for name in ("plugins", "assistants", "endpoints", "servers", "store", "marketplace", "agents"):
        tools, questions = read(f"{name}.txt", prefixed=name == "servers")
        for half in (TUNING, HELD_OUT):
            yield EvalSet(name, half, tools, [it for domain, it in questions if half_of(domain) == half])


def read(file: str, *, prefixed: bool) -> tuple[list[dict[str, Any]], list[tuple[str, Question]]]:
    """The tools of a file, and its questions with their domains.

    A line begins with `#` for a domain, `?` for a question about the tool above; the others are tools.
    """
    tools: list[dict[str, Any]] = []
    questions: list[tuple[str, Question]] = []
    domain = name = ""
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            domain = line[2:]
        elif line.startswith("? "):
            kind = "question" if line.endswith(("?", ".", "!")) else "search words"
            questions.append((domain, Question(line[2:], frozenset({name}), kind)))
        elif found := _TOOL.fullmatch(line):
            own, parameters, description = found.groups()
            name = f"mcp_{domain.replace(' ', '_')}_{own}" if prefixed else own
            wanted = [(it.strip(), "") for it in (parameters or "").split(",") if it.strip()]
            tools.append(definition(name, description, wanted))
    return tools, questions
