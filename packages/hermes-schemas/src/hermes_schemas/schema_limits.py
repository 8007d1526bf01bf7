"""Finds parameters that are too large for a model, or whose names and values a model could not repeat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

MAX_BYTES = 128 * 1024
"""The size limit of parameters as JSON: about 30,000 tokens of every conversation."""
MAX_DEPTH = 64
"""The nesting limit of schemas."""
MAX_PROPERTIES = 512
"""The limit of properties, including those of nested objects."""

UNCLEAN = "contains control characters, invisible characters or chat template tokens"
_SIMPLIFY = "Simplify them, or split the tool."


class SchemaProblem(NamedTuple):
    """A problem of a tool's parameters.

    Attributes:
        reason: What is wrong.
        remedy: What to do about it.
        near: The names that were probably meant.
        parameter: The parameter that it belongs to; None when it belongs to none.
        place: The keys that lead to the problem from there, or from the parameters.
    """

    reason: str
    remedy: str
    near: tuple[str, ...] = ()
    parameter: str | None = None
    place: tuple[str, ...] = ()


class _Part(NamedTuple):
    """A part of the parameters: its value and kind, the parameter it belongs to, and its depth."""

    value: object
    kind: str  # "schema", "names" (a mapping of names to schemas), "literal" (enum and const) or "data"
    parameter: str | None
    depth: int


def find_excess(parameters: Mapping[str, object], clean: Callable[[str], str]) -> SchemaProblem | None:
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
            return SchemaProblem(f"its parameters take more than {MAX_BYTES:,} bytes as JSON.", _SIMPLIFY)
        if isinstance(value, str) and part.kind == "literal" and clean(value) != value:
            remedy = "Models would be shown another value. Use a plain word, and translate it in the handler."
            return SchemaProblem(f"its allowed value {value!r} {UNCLEAN}.", remedy, parameter=part.parameter)
        if not isinstance(value, Mapping | list | tuple):
            continue
        if part.depth > MAX_DEPTH:
            reason = f"its parameters are nested deeper than {MAX_DEPTH} levels, or contain themselves."
            return SchemaProblem(reason, _SIMPLIFY)
        if isinstance(value, Mapping):
            for key in value:
                if isinstance(key, str) and ("\n" in key or "\t" in key or clean(key) != key):
                    remedy = "Rename it: use plain letters."
                    return SchemaProblem(f"the name {key!r} {UNCLEAN}.", remedy, parameter=part.parameter)
            properties += len(value) if part.kind == "names" else 0
            if properties > MAX_PROPERTIES:
                return SchemaProblem(f"its parameters have more than {MAX_PROPERTIES} properties.", _SIMPLIFY)
        todo.extend(_children(part))
    return None


def is_small(shown: str) -> bool:
    """Return True if the `repr` of JSON is so short that it certainly exceeds no limit of `find_excess`."""
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
    return "schema" if keyword in ONE_SCHEMA or keyword in SCHEMA_LIST else "data"


def _part_size(value: object) -> int:
    """Return the minimum size of a part as JSON, without its children."""
    if isinstance(value, str):
        return size_of(value) + 2
    if isinstance(value, Mapping):
        return 2 + sum(size_of(key) + 4 for key in value if isinstance(key, str))
    return 2


def size_of(text: str) -> int:
    """Return the size of a text in bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
