"""How values and schemas are put into words a language model can act on; every text is short, whatever it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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
    """The value as JSON text, cut to about `limit` characters; costs no more than what it shows."""
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


def _pieces(value: object, room: int, level: int = 0) -> Iterable[str]:
    """Text of the value, piece by piece, ending soon after `room` characters."""
    if isinstance(value, str):
        yield _quote(value[:room])
    elif value is None or isinstance(value, bool):
        yield {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int):
        # Python refuses to print very long integers, and nobody reads them.
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
            if room <= 0:
                break
            piece = f"{_quote(item[:room]) if type(item) is str else _name(item)}: " if isinstance(value, dict) else ""
            inner = "".join(_pieces(value[item] if isinstance(value, dict) else item, room, level + 1))
            yield between + piece + inner
            room -= len(piece) + len(inner) + 2
            between = ", "
        yield shut
    else:
        yield f"<{type(value).__name__}>"


def _name(key: object) -> str:
    return "".join(_pieces(key, 40))


def kind_of(value: object) -> str:
    """What JSON calls the value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number"
    if isinstance(value, (list, tuple)):
        return "an array"
    if isinstance(value, dict):
        return "an object"
    return f"something that is not JSON ({type(value).__name__})"


def got(value: object) -> str:
    """The end of a sentence: what was sent."""
    if value is None:
        return "got null"
    return f"got {kind_of(value)}: {preview(value)}"


def join(path: str, step: object) -> str:
    """The path one step further: `items[2].name`, `["odd key"]`."""
    if type(step) is int:
        return f"{path}[{step}]"
    if isinstance(step, str) and step.isidentifier() and len(step) <= 80:
        return f"{path}.{step}" if path else step
    return f"{path}[{preview(step)}]"


def listed(words: Sequence[str], last: str = "or") -> str:
    """`a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def shown(values: Sequence[object], most: int = 12) -> str:
    """A few values in a row, and how many more there are."""
    text = ", ".join(preview(value, 40) for value in values[:most])
    return text + (f" and {len(values) - most} more" if len(values) > most else "")


def nearest(word: object, names: Iterable[object]) -> str | None:
    """The name that is most like the word, if one is near."""
    if not isinstance(word, str) or not word:
        return None
    from difflib import get_close_matches

    known = {name.lower()[:100]: name for name in names if isinstance(name, str)}
    # Matching costs the product of both lengths, so only the beginnings are compared, and not with thousands of names.
    near = get_close_matches(word.strip().lower()[:100], list(known)[:500], n=1, cutoff=0.6)
    return known[near[0]] if near else None


def describe(schema: Any, resolve: Resolve, level: int = 0) -> str:
    """What a schema asks for, in a few words."""
    if not is_schema_object(schema) or level > _EXAMPLE_LEVELS:
        return "any value"
    if "const" in schema:
        return preview(schema["const"], 40)
    members = schema.get("enum")
    if isinstance(members, (list, tuple)) and members:
        return f"one of {shown(members, 6)}"
    types = schema.get("type")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, (list, tuple)) and types:
        words = [TYPE_WORDS.get(name, "any value") if isinstance(name, str) else "any value" for name in types]
        return listed([_with_detail(word, schema) for word in words[:7]])
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, (list, tuple)) and branches:
            words = [describe(branch, resolve, level + 1) for branch in branches[:_EXAMPLE_PARTS]]
            return listed(list(dict.fromkeys(words)))
    target = resolve(schema["$ref"]) if "$ref" in schema else MISSING
    if target is not MISSING:
        return describe(target, resolve, level + 1)
    return _with_detail("an object", schema) if "properties" in schema else "any value"


def _with_detail(word: str, schema: Any) -> str:
    if word == "an object":
        required = schema.get("required")
        names = [name for name in required if isinstance(name, str)] if isinstance(required, (list, tuple)) else []
        return f"{word} with {listed([preview(name, 40) for name in names[:6]], 'and')}" if names else word
    return word


def example(schema: Any, resolve: Resolve, level: int = 0) -> object:
    """A small value of the kind a schema asks for, or MISSING; it is meant to be read, not sent blindly."""
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
    """`Send an integer, for example 1.`, as far as the schema tells."""
    wanted = what or describe(schema, resolve)
    made = example(schema, resolve)
    if made is MISSING:
        return None if wanted == "any value" else f"Send {wanted}."
    shown_example = preview(made, 80)
    return f"Send {wanted}." if shown_example == wanted else f"Send {wanted}, for example {shown_example}."
