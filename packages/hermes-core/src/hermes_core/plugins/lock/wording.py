"""The words that changes are told in."""

from __future__ import annotations

from typing import Any, Final

from hermes_core.plugins.lock.digest import compact
from hermes_core.schemas.keywords import SCHEMA_MAP

WIDENED: Final = "widened"
NARROWED: Final = "narrowed"
INCOMPARABLE: Final = "changed incomparably"

Path = tuple[str, ...]
"""The way to a schema inside the parameters, keyword by keyword."""

_ELEMENTS = frozenset({"items", "additionalItems", "contains", "unevaluatedItems"})
_OTHERS = {
    "additionalProperties": "other properties",
    "unevaluatedProperties": "other properties",
    "propertyNames": "the names of properties",
}
_CHOICES = frozenset({"allOf", "anyOf", "oneOf"})


def place_of(path: Path) -> str:
    """A place in the parameters as people write it: `parameter 'options.names[]'`."""
    if not path:
        return "the arguments"
    if path[-1] in _OTHERS:
        return f"{_OTHERS[path[-1]]} of {place_of(path[:-1])}"
    text = ""
    steps = iter(path)
    for step in steps:
        if step in SCHEMA_MAP:
            text += f".{next(steps, '')}"
        elif step == "prefixItems":
            text += f"[{next(steps, '')}]"
        elif step in _ELEMENTS:
            text += "[]"
        elif step in _OTHERS:
            text += ".*"
        elif step in _CHOICES:
            next(steps, None)  # which of several is of no use to a reader
    if not text:
        return "the arguments"
    kind = "definition" if path[0] in ("$defs", "definitions") else "parameter"
    return f"{kind} {text.removeprefix('.')!r}"


def shown(value: Any, most: int = 60) -> str:
    """A value in a sentence: no longer than a line, and nothing in it that a terminal would obey."""
    text = compact(value)
    if not text.isprintable():
        text = ascii(text)[1:-1]
    return text if len(text) <= most else f"{text[: most - 3]}..."
