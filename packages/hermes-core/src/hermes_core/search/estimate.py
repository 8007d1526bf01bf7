"""How many tokens definitions cost, by a rule that needs no tokenizer: four characters are one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

CHARS_PER_TOKEN = 4
"""About right for English and JSON with every model. It decides between ways to show tools; it is no invoice."""


def compact(definition: Mapping[str, Any]) -> str:
    """A definition as the shortest JSON that says it; of what is not JSON, its text."""
    try:
        return json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return str(definition)


def tokens_of_chars(chars: int) -> int:
    """The tokens that so many characters make, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate_tokens(definitions: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens some definitions cost: their compact JSON, all of it together, by the rule."""
    return tokens_of_chars(sum(len(compact(definition)) for definition in definitions))
