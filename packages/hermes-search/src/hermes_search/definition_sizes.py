"""Estimates the size of tool definitions in tokens: four characters are one token."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Definition = Mapping[str, Any]
"""A tool in OpenAI's format: `{"type": "function", "function": {...}}`, or only the inner part."""

CHARS_PER_TOKEN = 4
"""About right for English and JSON with every model, to decide which tools to show."""


def compact(definition: Definition) -> str:
    """Return a definition as compact JSON, or as text if it is not JSON."""
    try:
        return json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return str(definition)


_WRAPPING = len(compact({"type": "function", "function": ""})) - len('""')


def tokens_of_chars(chars: int) -> int:
    """Return the number of tokens for some characters, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate_tokens(definitions: Iterable[Definition]) -> int:
    """Estimate how many tokens some definitions cost together."""
    return tokens_of_chars(sum(len(compact(definition)) for definition in definitions))


def name_of(definition: object) -> str:
    """Return the tool's name in a definition of any format; empty if there is none."""
    if not isinstance(definition, dict):
        return ""
    inner = definition.get("function")
    name = (inner if isinstance(inner, dict) else definition).get("name")
    return name if isinstance(name, str) else ""


def function_of(definition: Definition) -> Definition:
    """Return the inner part of a definition in OpenAI's format."""
    inner: Definition = definition.get("function", definition)
    return inner


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """A list of definitions, divided into those that must be visible and those that may be hidden.

    Attributes:
        visible: The names of those that must be visible.
        hideable: The names of those that may be hidden.
        all_tokens: The cost of all.
        hideable_tokens: The cost of those that may be hidden.
        short_tokens: The cost of the others and the bridge tools.
    """

    visible: tuple[str, ...]
    hideable: tuple[str, ...]
    all_tokens: int
    hideable_tokens: int
    short_tokens: int


class SizeCache:
    """Measures definitions, and caches the size of each until it changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Definition, int]] = {}

    def measure(self, definitions: Iterable[Definition], may_hide: Callable[[str], bool], bridge_chars: int) -> Sizes:
        """Divide and measure a list without the bridge tools."""
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
        if known is not None and known[0] == function:  # fast: unchanged definitions are the same object
            return known[1]
        length = len(compact(function)) + _WRAPPING
        self._known[name] = (function, length)
        return length
