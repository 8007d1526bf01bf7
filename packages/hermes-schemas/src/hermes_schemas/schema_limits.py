"""Finds parameters that are too large for a model, or whose names and values a model could not repeat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

MAX_BYTES = 128 * 1024
"""The largest parameters, as JSON: about 30,000 tokens of every conversation."""
MAX_DEPTH = 64
"""How deep schemas may be nested in each other."""
MAX_PROPERTIES = 512
"""How many properties the parameters may have, those of nested objects included."""

UNCLEAN = "contains control characters, invisible characters or chat template tokens"
_SIMPLIFY = "Simplify them, or split the tool."


class Excess(NamedTuple):
    """Why parameters are not suitable, what to do about it, and the parameter that it belongs to."""

    reason: str
    remedy: str = _SIMPLIFY
    parameter: str | None = None


class _Part(NamedTuple):
    """A part of the parameters: what it is, what it belongs to, and how deep it is nested."""

    value: object
    kind: str  # "schema", "names" (a mapping of names to schemas), "literal" (enum and const) or "data"
    parameter: str | None
    depth: int


def find_excess(parameters: Mapping[str, object], clean: Callable[[str], str]) -> Excess | None:
    """Return the first limit that parameters exceed, or the first name or value in them that `clean` would change.

    A model repeats names and enum values in its calls. If cleaning changes one, no call with it would be valid.
    """
    size = properties = 0
    todo = [_Part(parameters, "schema", None, 1)]
    while todo:
        part = todo.pop()
        value = part.value
        size += _part_size(value)
        if size > MAX_BYTES:
            return Excess(f"its parameters take more than {MAX_BYTES:,} bytes as JSON.")
        if isinstance(value, str) and part.kind == "literal" and clean(value) != value:
            remedy = "Models would be shown another value. Use a plain word, and translate it in the handler."
            return Excess(f"its allowed value {value!r} {UNCLEAN}.", remedy, part.parameter)
        if not isinstance(value, Mapping | list | tuple):
            continue
        if part.depth > MAX_DEPTH:
            return Excess(f"its parameters are nested deeper than {MAX_DEPTH} levels, or contain themselves.")
        if isinstance(value, Mapping):
            for key in value:
                if isinstance(key, str) and ("\n" in key or "\t" in key or clean(key) != key):
                    return Excess(f"the name {key!r} {UNCLEAN}.", "Rename it: use plain letters.", part.parameter)
            properties += len(value) if part.kind == "names" else 0
            if properties > MAX_PROPERTIES:
                return Excess(f"its parameters have more than {MAX_PROPERTIES} properties.")
        todo.extend(_children(part))
    return None


def is_small(shown: str) -> bool:
    """Return True if the `repr` of JSON is so short that `find_excess` finds none of the limits exceeded."""
    return (
        len(shown) <= MAX_BYTES // 2  # `repr` may write a little less than JSON
        and shown.count("{") + shown.count("[") <= MAX_DEPTH
        and shown.count(":") <= MAX_PROPERTIES
    )


def not_json(value: object) -> str | None:
    """Explain why a value cannot be written as JSON; None when it can."""
    try:
        json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _children(part: _Part) -> Iterator[_Part]:
    value, kind, parameter, depth = part
    if isinstance(value, list | tuple):
        yield from (_Part(child, kind, parameter, depth + (kind != "schema")) for child in value)
    elif isinstance(value, Mapping):
        for key, child in value.items():
            if kind == "names":
                # The first level of names is that of the tool's own parameters.
                yield _Part(child, "schema", str(key) if depth == 2 else parameter, depth)
            else:
                yield _Part(child, _kind(key, child) if kind == "schema" else kind, parameter, depth + 1)


def _kind(keyword: object, value: object) -> str:
    if keyword in SCHEMA_MAP and isinstance(value, Mapping):
        return "names"
    if keyword in ("enum", "const"):
        return "literal"
    if keyword in ONE_SCHEMA or keyword in SCHEMA_LIST:
        return "schema"
    return "data"


def _part_size(value: object) -> int:
    """Return the least that a part takes in JSON, without what is inside it."""
    if isinstance(value, str):
        return size_of(value) + 2
    if isinstance(value, Mapping):
        return 2 + sum(size_of(key) + 4 for key in value if isinstance(key, str))
    return 2


def size_of(text: str) -> int:
    """Return how many bytes a text takes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
