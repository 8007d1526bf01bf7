"""What an evaluation set is: tools, questions about them, and which half a question belongs to."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
TUNING, HELD_OUT = "tuning", "held-out"
_LIMIT = 8
"""Questions about one tool when they are merged, so that none outweighs the others."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the tools that answer it."""

    text: str
    wanted: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class EvalSet:
    """A catalogue and the questions of one half."""

    name: str
    half: str
    definitions: list[dict[str, Any]]
    questions: list[Question]


def half_of(domain: str) -> str:
    """The half that a domain belongs to, the same in every run: the choice is not ours to make."""
    return TUNING if zlib.crc32(domain.encode()) & 1 else HELD_OUT


def definition(name: str, description: str, parameters: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """A tool in OpenAI's format, with parameters of which only name and description matter."""
    properties = {key: {"type": "string", "description": text} for key, text in parameters}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties},
        },
    }


def thinned(questions: list[Question], limit: int) -> list[Question]:
    """An even sample in an order that does not change between runs."""
    ordered = sorted(questions, key=lambda it: (zlib.crc32(it.text.encode()), it.text))
    return ordered[:limit]


def plain(text: str) -> str:
    """The text by which two questions are the same: small letters and digits."""
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


def merged(questions: Iterable[Question]) -> list[Question]:
    """Each question once, and not too many about one tool. If several tools are asked the same, any would do."""
    found: dict[str, Question] = {}
    counts: Counter[frozenset[str]] = Counter()
    for it in questions:
        key = plain(it.text)
        if first := found.get(key):
            found[key] = replace(first, wanted=first.wanted | it.wanted)
        elif counts[it.wanted] < _LIMIT:
            counts[it.wanted] += 1
            found[key] = it
    return list(found.values())


def halved(name: str, tools: list[dict[str, Any]], questions: Iterable[Question]) -> Iterator[EvalSet]:
    """Both halves of a catalogue with few domains: what a question says decides where it belongs."""
    own = list(questions)
    for half in (TUNING, HELD_OUT):
        yield EvalSet(name, half, tools, [it for it in own if half_of(it.text) == half])
