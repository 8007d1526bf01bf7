"""Describes values and schemas in short texts that a language model can act on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import Any

from hermes_schemas.suggestions import nearest
from hermes_schemas.validation.references import MISSING, is_schema_object

_quote = json.JSONEncoder(ensure_ascii=False).encode

TYPE_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_FORMATS = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
_EXAMPLE_LEVELS = 3
_EXAMPLE_PARTS = 6

Resolve = Callable[[object], object]


def preview(value: object, limit: int = 60) -> str:
    """Return a value as JSON text of at most about `limit` characters; the rest is not read."""
    if type(value) is str:
        if len(value) <= limit - 2:
            return _quote(value)
        return _quote(value[: max(limit - 5, 1)])[:-1] + '..."'
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return repr(value)
    if type(value) is int and -(10**9) < value < 10**9:
        return str(value)
    text = "".join(_pieces(value, limit))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _pieces(value: object, limit: int, level: int = 0) -> Iterable[str]:
    """Yield the text of a value in pieces, ending soon after `limit` characters."""
    if isinstance(value, str):
        yield _quote(value[:limit])
    elif value is None or isinstance(value, bool):
        yield {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int):
        # Python refuses to print very long integers.
        yield str(int(value)) if value.bit_length() < 400 else f"an integer of {value.bit_length()} bits"
    elif isinstance(value, float):
        yield repr(float(value))
    elif isinstance(value, (list, tuple, dict)):
        if level > 8:
            yield "..."
            return
        shut = "}" if isinstance(value, dict) else "]"
        yield "{" if isinstance(value, dict) else "["
        between = ""
        for item in value:
            if limit <= 0:
                break
            piece = ""
            if isinstance(value, dict):
                piece = f"{_quote(item[:limit]) if type(item) is str else ''.join(_pieces(item, 40))}: "
            inner = "".join(_pieces(value[item] if isinstance(value, dict) else item, limit, level + 1))
            yield between + piece + inner
            limit -= len(piece) + len(inner) + 2
            between = ", "
        yield shut
    else:
        yield f"<{type(value).__name__}>"


_KINDS: dict[type, str] = {
    NoneType: "null",
    bool: "a boolean",
    str: "a string",
    int: "an integer",
    float: "a number",
    list: "an array",
    tuple: "an array",
    dict: "an object",
}


def kind_of(value: object) -> str:
    """Return the JSON type of a value, with its article."""
    words = _KINDS.get(type(value)) or next((each for kind, each in _KINDS.items() if isinstance(value, kind)), None)
    return words or f"something that is not JSON ({type(value).__name__})"


def got(value: object) -> str:
    """Describe the value that was sent, as the end of a sentence."""
    return "got null" if value is None else f"got {kind_of(value)}: {preview(value)}"


def join(path: str, step: object) -> str:
    """Return a path with one more step, such as `items[2].name` or `["odd key"]`."""
    if type(step) is int:
        return f"{path}[{step}]"
    if isinstance(step, str) and step.isidentifier() and len(step) <= 80:
        return f"{path}.{step}" if path else step
    return f"{path}[{preview(step)}]"


def join_words(words: Sequence[str], last: str = "or") -> str:
    """Return `a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def join_values(values: Sequence[object], limit: int = 12) -> str:
    """Return previews of the first values and the number of others."""
    text = ", ".join(preview(value, 40) for value in values[:limit])
    return text + (f" and {len(values) - limit} more" if len(values) > limit else "")


def find_nearest(word: object, names: Iterable[object]) -> str | None:
    """Return the most similar name, if one is similar."""
    if not isinstance(word, str) or not word:
        return None
    return next(iter(nearest(word.strip(), (name for name in names if isinstance(name, str)), 1)), None)


def describe(schema: Any, resolve: Resolve, level: int = 0) -> str:
    """Describe what a schema allows in a few words."""
    if not is_schema_object(schema) or level > _EXAMPLE_LEVELS:
        return "any value"
    if "const" in schema:
        return preview(schema["const"], 40)
    members = schema.get("enum")
    if isinstance(members, (list, tuple)) and members:
        return f"one of {join_values(members, 6)}"
    types = schema.get("type")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, (list, tuple)) and types:
        words = [TYPE_WORDS.get(name, "any value") if isinstance(name, str) else "any value" for name in types]
        return join_words([_with_detail(word, schema) for word in words[:7]])
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, (list, tuple)) and branches:
            words = [describe(branch, resolve, level + 1) for branch in branches[:_EXAMPLE_PARTS]]
            return join_words(list(dict.fromkeys(words)))
    target = resolve(schema["$ref"]) if "$ref" in schema else MISSING
    if target is not MISSING:
        return describe(target, resolve, level + 1)
    return _with_detail("an object", schema) if "properties" in schema else "any value"


def _with_detail(word: str, schema: Any) -> str:
    required = schema.get("required") if word == "an object" else None
    names = [name for name in required if isinstance(name, str)] if isinstance(required, (list, tuple)) else []
    return f"{word} with {join_words([preview(name, 40) for name in names[:6]], 'and')}" if names else word


def example(schema: Any, resolve: Resolve, level: int = 0) -> object:
    """Return an example value for a schema, or MISSING. It is meant for reading, and may not fit."""
    if not is_schema_object(schema) or level > _EXAMPLE_LEVELS:
        return MISSING
    examples = schema.get("examples")
    if isinstance(examples, (list, tuple)) and examples:
        return examples[0]
    for keyword in ("const", "example", "default"):
        if schema.get(keyword) is not None:
            found: object = schema[keyword]
            return found
    members = schema.get("enum")
    if isinstance(members, (list, tuple)) and members:
        return members[0]
    types = schema.get("type")
    if isinstance(types, (list, tuple)):
        types = next((name for name in types if name != "null"), None)
    if isinstance(types, str):
        return _example_of(types, schema, resolve, level)
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(keyword)
        if isinstance(branches, (list, tuple)):
            for branch in branches[:_EXAMPLE_PARTS]:
                made = example(branch, resolve, level + 1)
                if made is not MISSING and made is not None:
                    return made
    if "$ref" in schema:
        target = resolve(schema["$ref"])
        return MISSING if target is MISSING else example(target, resolve, level + 1)
    return _example_of("object", schema, resolve, level) if "properties" in schema else MISSING


def _example_of(kind: str, schema: Any, resolve: Resolve, level: int) -> object:
    if kind == "string":
        form = schema.get("format")
        return _FORMATS.get(form, "text") if isinstance(form, str) else "text"
    if kind in ("integer", "number"):
        least = schema.get("minimum")
        return least if isinstance(least, (int, float)) and not isinstance(least, bool) else 1
    if kind == "array":
        item = example(schema.get("items"), resolve, level + 1)
        return [] if item is MISSING else [item]
    if kind == "object":
        properties = schema.get("properties")
        required = schema.get("required")
        made: dict[str, object] = {}
        if is_schema_object(properties) and isinstance(required, (list, tuple)):
            for name in required[:_EXAMPLE_PARTS]:
                if isinstance(name, str) and name in properties:
                    item = example(properties[name], resolve, level + 1)
                    made[name] = "..." if item is MISSING else item
        return made
    return {"boolean": True}.get(kind, MISSING)


def for_example(schema: Any, resolve: Resolve, what: str = "") -> str | None:
    """Return a hint such as `Send an integer, for example 1.`; None when the schema allows any value."""
    expected = what or describe(schema, resolve)
    made = example(schema, resolve)
    if made is MISSING:
        return None if expected == "any value" else f"Send {expected}."
    shown = preview(made, 80)
    return f"Send {expected}." if shown == expected else f"Send {expected}, for example {shown}."
