"""What an evaluation set is: tools, questions about them, and which half a question belongs to."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
TUNING, HELD_OUT = "tuning", "held-out"


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks for, and the tools that would do."""

    text: str
    wanted: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class EvalSet:
    """A catalogue and the questions of one half of its domains."""

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


def thinned(questions: list[Question], most: int) -> list[Question]:
    """An even sample in an order that does not change between runs."""
    ordered = sorted(questions, key=lambda it: (zlib.crc32(it.text.encode()), it.text))
    return ordered[:most]
