"""What Home Assistant can be told to do as tools; the examples of how users say it as questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import EvalSet, Question, definition, halved, merged

_LEFT_OUT = {"HassNevermind", "HassRespond", "HassShoppingListAddItem", "HassShoppingListCompleteItem"}
"""The first two do nothing; the others do what newer ones for lists of any kind do."""


def sets(folder: Path) -> Iterator[EvalSet]:
    """Both halves of the sentences, asked of the whole catalogue."""
    file = folder / "home_assistant_intents" / "home_assistant_intents" / "intents.json"
    intents = {name: it for name, it in json.loads(file.read_text(encoding="utf-8")).items() if name not in _LEFT_OUT}
    tools: list[dict[str, Any]] = []
    questions: list[Question] = []
    for name, intent in intents.items():
        slots = intent.get("slots") or {}
        parameters = [(slot, (about or {}).get("description", "")) for slot, about in slots.items()]
        tools.append(definition(name, intent["description"], parameters))
        questions += [Question(it, frozenset({name}), "sentence") for it in _read_examples(intent)]
    yield from halved("homeassistant", tools, merged(questions))


def _read_examples(intent: dict[str, Any]) -> Iterator[str]:
    """Yield the examples of all combinations of slots, except single words, which are answers."""
    for combination in (intent.get("slot_combinations") or {}).values():
        examples = combination.get("example") or []
        for text in [examples] if isinstance(examples, str) else examples:
            if len(text.split()) >= 2:
                yield text
