"""Lists a tool's parameters as table rows, each nested one below the one that contains it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_schemas.keywords import PYTHON_TYPES
from hermes_schemas.validation.references import References

Schema = Mapping[str, Any]

_DEPTH = 5
"""How deep nested parameters are shown; a schema may contain itself."""
_MAX_STEPS = 20
"""How many references and alternatives are followed in a row; longer chains lead back to themselves."""
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "format": "format {}",
    "pattern": "matches {}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter. A nested one is named by its path: `filter.since`, `edits[].line`."""

    name: str
    type: str
    required: bool
    default: str
    description: str
    limits: str


def list_parameters(schema: Schema) -> list[Parameter]:
    """Return every parameter of a tool, in the order of its schema."""
    return list(_Reader(schema).members(schema, "", 0))


class _Reader:
    def __init__(self, root: Schema) -> None:
        self._references = References(root)

    def members(self, schema: object, prefix: str, depth: int) -> Iterator[Parameter]:
        resolved = self._resolve(schema)
        required = resolved.get("required")
        for name, member in _mapping(resolved.get("properties")).items():
            needed = isinstance(required, list | tuple) and name in required
            yield self._parameter(f"{prefix}{name}", self._resolve(member), required=needed)
            if depth < _DEPTH:
                yield from self._inner(f"{prefix}{name}", member, depth + 1)

    def _inner(self, path: str, schema: object, depth: int) -> Iterator[Parameter]:
        """Yield the members of an object, or those of the objects in an array."""
        for branch in self._branches(schema):
            if "properties" in branch:
                yield from self.members(branch, f"{path}.", depth)
            elif "items" in branch and depth <= _DEPTH:
                yield from self._inner(f"{path}[]", branch["items"], depth + 1)

    def _parameter(self, path: str, schema: Schema, *, required: bool) -> Parameter:
        branches = list(self._branches(schema))
        limits = [_limits(schema)] if _limits(schema) else list(dict.fromkeys(map(_limits, branches)))
        items = next((branch["items"] for branch in branches if "items" in branch), None)
        limits += [f"each {words}" for branch in self._branches(items) if (words := _limits(branch))]
        return Parameter(
            name=path,
            type=self._type(schema),
            required=required,
            default=json.dumps(schema["default"], ensure_ascii=False, default=str) if "default" in schema else "",
            description=str(schema.get("description") or ""),
            limits="; ".join(filter(None, limits)),
        )

    def _type(self, schema: object, depth: int = 0) -> str:
        """Name the types: `integer`, `array of string`, `string or null`."""
        words: dict[str, None] = {}
        for branch in self._branches(schema):
            kinds = _own_types(branch)
            if not kinds:
                return "any"
            for kind in kinds:
                inner = self._type(branch["items"], depth + 1) if kind == "array" and "items" in branch else ""
                words[f"array of {inner}" if inner not in ("", "any") and depth < _DEPTH else kind] = None
        return " or ".join(words)

    def _branches(self, schema: object, depth: int = 0) -> Iterator[Schema]:
        """Yield the schema, or the alternatives that it consists of."""
        resolved = self._resolve(schema)
        for keyword in ("anyOf", "oneOf", "allOf"):
            inner = resolved.get(keyword)
            if isinstance(inner, list | tuple) and inner and depth < _MAX_STEPS and not _own_types(resolved):
                for branch in inner:
                    yield from self._branches(branch, depth + 1)
                return
        yield resolved

    def _resolve(self, schema: object) -> Schema:
        """Follow references, and keep the keywords beside them."""
        for _ in range(_MAX_STEPS):
            resolved = _mapping(schema)
            reference = resolved.get("$ref")
            if not isinstance(reference, str):
                return resolved
            target = _mapping(self._references.lookup(reference))
            schema = {**target, **{key: value for key, value in resolved.items() if key != "$ref"}}
        return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _own_types(schema: Schema) -> tuple[str, ...]:
    """Return the types that a schema declares, or that follow from its values or keywords."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,)
    if isinstance(declared, list | tuple):
        return tuple(kind for kind in declared if isinstance(kind, str))
    values = _allowed_values(schema)
    if values is not None:
        return tuple(dict.fromkeys(PYTHON_TYPES.get(type(value), "null") for value in values))
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()


def _allowed_values(schema: Schema) -> list[Any] | None:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return list(values) if isinstance(values, list | tuple) else None


def _limits(schema: Schema) -> str:
    """Describe the values that a schema allows, and its bounds, format and pattern."""
    values = _allowed_values(schema)
    limits = [] if values is None else ["one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in values)]
    limits += [words.format(schema[keyword]) for keyword, words in _LIMITS.items() if keyword in schema]
    return "; ".join([*limits, "no item twice"] if schema.get("uniqueItems") is True else limits)
