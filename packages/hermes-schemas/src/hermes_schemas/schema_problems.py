"""Finds schemas that no argument can ever fit, or that no reader could understand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hermes_schemas.keywords import TYPES
from hermes_schemas.suggestions import nearest

_PYTHON_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}
_PYTHON_TYPES |= {"tuple": "array", "dict": "object", "None": "null"}
# Where schemas hold schemas. Not `not` and `if`: what shall not hold may be impossible.
_ONE_SCHEMA = ("items", "additionalProperties", "additionalItems", "contains", "propertyNames", "then", "else")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SCHEMA_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_MAX_DEPTH = 64
"""What is nested deeper is shown to no model."""


class SchemaMistake(NamedTuple):
    """What is wrong with a schema inside of parameters.

    Attributes:
        reason: What is wrong.
        remedy: What to do about it.
        near: The names that were probably meant.
        parameter: The parameter that it belongs to; None when it belongs to none.
        place: The steps from there, or from the parameters.
    """

    reason: str
    remedy: str
    near: tuple[str, ...] = ()
    parameter: str | None = None
    place: tuple[str, ...] = ()


class _Part(NamedTuple):
    schema: object
    place: tuple[str, ...]
    local: bool  # references start at the parameters, because no schema on the way has an `$id` of its own


def find_mistake(parameters: Mapping[str, object]) -> SchemaMistake | None:
    """Return the first mistake in the parameters of a tool; each schema is looked at once."""
    todo, seen = [_Part(parameters, (), True)], {id(parameters)}
    while todo:
        part = todo.pop()
        found = _check(part, parameters)
        if found is not None:
            return found if found.parameter else _placed(found, part.place)
        for sub in _children(part):
            if len(sub.place) <= _MAX_DEPTH and id(sub.schema) not in seen:
                if isinstance(sub.schema, Mapping):
                    seen.add(id(sub.schema))
                todo.append(sub)
    return None


def _placed(mistake: SchemaMistake, place: tuple[str, ...]) -> SchemaMistake:
    if len(place) > 1 and place[0] == "properties":
        return mistake._replace(parameter=place[1], place=place[2:])
    return mistake._replace(place=place)


def _children(part: _Part) -> Iterator[_Part]:
    schema = part.schema
    if not isinstance(schema, Mapping):
        return

    def below(sub: object, *steps: str) -> _Part:
        local = part.local and not (isinstance(sub, Mapping) and "$id" in sub)
        return _Part(sub, (*part.place, *steps), local)

    for word in _ONE_SCHEMA:
        if isinstance(schema.get(word), Mapping | str):
            yield below(schema[word], word)
    for word in _SCHEMA_LISTS:
        if isinstance(entries := schema.get(word), list | tuple):
            yield from (below(sub, word, str(at)) for at, sub in enumerate(entries))
    for word in _SCHEMA_MAPS:
        if isinstance(entries := schema.get(word), Mapping):
            yield from (below(sub, word, str(name)) for name, sub in entries.items())


def _check(part: _Part, root: Mapping[str, object]) -> SchemaMistake | None:
    schema = part.schema
    if isinstance(schema, str):
        return _check_type(schema)
    if not isinstance(schema, Mapping):
        if isinstance(schema, bool) or part.place[-2:-1] != ("properties",):
            return None
        kind = "null" if schema is None else f"a {type(schema).__name__}"
        return SchemaMistake(f"its schema is {kind}.", 'Write a JSON schema: {"type": "string", "description": "..."}.')
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list | tuple) else (kinds,):
        if kind is not None and (found := _check_type(kind)):  # None is how YAML reads the type null
            return found
    if schema.get("enum") == []:
        return SchemaMistake(
            "its enum is empty, so no value fits.", "List the values that are allowed, or remove enum."
        )
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref.startswith("#/") and part.local and not _leads(root, ref):
        return SchemaMistake(
            f"its $ref {ref!r} leads nowhere.", "References start at the parameters: put $defs inside them."
        )
    return _check_required(part, schema)


def _check_type(kind: object) -> SchemaMistake | None:
    if isinstance(kind, str) and kind in TYPES:
        return None
    word = str(kind)
    near = [_PYTHON_TYPES[word]] if word in _PYTHON_TYPES else nearest(word, TYPES, 1)
    return SchemaMistake(f"{kind!r} is not a type of JSON.", f"The types are {', '.join(sorted(TYPES))}.", tuple(near))


def _check_required(part: _Part, schema: Mapping[str, object]) -> SchemaMistake | None:
    required, properties = schema.get("required"), schema.get("properties", {})
    if schema.get("additionalProperties") is not False or "patternProperties" in schema:
        return None
    if not isinstance(required, list | tuple) or not isinstance(properties, Mapping):
        return None
    for name in required:
        if isinstance(name, str) and name not in properties:
            return SchemaMistake(
                f"{name!r} is required but not declared, and additionalProperties allows no other.",
                "Declare it in properties, or remove it from required.",
                tuple(nearest(name, map(str, properties), 1)),
                parameter=None if part.place else name,
            )
    return None


def _leads(root: object, ref: str) -> bool:
    if "%" in ref:
        from urllib.parse import unquote  # few references need it

        ref = unquote(ref)
    found = root
    for raw in ref.split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list | tuple) and step.isdecimal() and len(step) < 10 and int(step) < len(found):
            found = found[int(step)]
        else:
            return False
    return True
