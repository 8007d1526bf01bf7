"""Sizes of tool definitions in tokens, by a rule that needs no tokenizer: four characters are one token."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Definition = Mapping[str, Any]
"""A tool as OpenAI writes it: `{"type": "function", "function": {...}}`, or the inner part alone."""

CHARS_PER_TOKEN = 4
"""About right for English and JSON with every model. It decides between ways to show tools; it is no invoice."""


def compact(definition: Definition) -> str:
    """A definition as the shortest JSON; of what is not JSON, its text."""
    try:
        return json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return str(definition)


_WRAPPING = len(compact({"type": "function", "function": ""})) - len('""')


def tokens_of_chars(chars: int) -> int:
    """The tokens that so many characters make, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate_tokens(definitions: Iterable[Definition]) -> int:
    """About how many tokens some definitions cost together."""
    return tokens_of_chars(sum(len(compact(definition)) for definition in definitions))


def name_of(definition: object) -> str:
    """The tool's name in a definition of any format; empty when there is none."""
    if not isinstance(definition, dict):
        return ""
    inner = definition.get("function")
    name = (inner if isinstance(inner, dict) else definition).get("name")
    return name if isinstance(name, str) else ""


def function_of(definition: Definition) -> Definition:
    """The inner part of a definition in the format of OpenAI."""
    inner: Definition = definition.get("function", definition)
    return inner


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """A list of definitions, divided into what must be shown and what may be hidden.

    Attributes:
        visible: The names of those that must be shown.
        hideable: The names of those that may be hidden.
        all_tokens: What all of them cost.
        hideable_tokens: What those cost that may be hidden.
        short_tokens: What the others cost together with the bridge tools.
    """

    visible: tuple[str, ...]
    hideable: tuple[str, ...]
    all_tokens: int
    hideable_tokens: int
    short_tokens: int


class SizeCache:
    """Measures definitions, and remembers the size of each for as long as it stays the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Definition, int]] = {}

    def measure(self, definitions: Iterable[Definition], may_hide: Callable[[str], bool], bridge_chars: int) -> Sizes:
        """Divide a list, without the bridge tools, and measure its parts."""
        visible: list[str] = []
        hideable: list[str] = []
        chars = [0, 0]
        for definition in definitions:
            name = name_of(definition)
            hide = bool(name) and may_hide(name)
            (hideable if hide else visible).append(name)
            chars[hide] += self._chars(name, function_of(definition))
        if len(self._known) > 2 * (len(visible) + len(hideable)) + 10_000:  # tools come and go
            self._known.clear()
        return Sizes(
            visible=tuple(visible),
            hideable=tuple(hideable),
            all_tokens=tokens_of_chars(sum(chars)),
            hideable_tokens=tokens_of_chars(chars[True]),
            short_tokens=tokens_of_chars(chars[False] + bridge_chars),
        )

    def _chars(self, name: str, function: Definition) -> int:
        known = self._known.get(name)
        if known is not None and known[0] == function:  # quick: what did not change is the very same object inside
            return known[1]
        length = len(compact(function)) + _WRAPPING
        self._known[name] = (function, length)
        return length
