"""Finds schemas that no argument can fit, or that are not valid JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP, TYPES
from hermes_schemas.schema_limits import SchemaProblem
from hermes_schemas.suggestions import nearest
from hermes_schemas.validation.references import MISSING, References

_PYTHON_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}
_PYTHON_TYPES |= {"tuple": "array", "dict": "object", "None": "null"}
_UNCHECKED = frozenset({"contentSchema", "dependencies", "if", "not", "unevaluatedItems", "unevaluatedProperties"})
"""The schemas of `if` and `not` may exclude every value; few validators read the others."""
_MAX_DEPTH = 64
"""Models are not shown deeper schemas."""


class _Part(NamedTuple):
    schema: object
    place: tuple[str, ...]
    local: bool  # references start at the parameters, because no schema on the way has its own `$id`


def find_schema_problem(parameters: Mapping[str, object]) -> SchemaProblem | None:
    """Return the first problem in the parameters of a tool, apart from their size; see `find_excess`."""
    todo, seen = [_Part(parameters, (), True)], {id(parameters)}
    references = References(parameters)
    while todo:
        part = todo.pop()
        found = _check(part, references)
        if found is not None:
            return found if found.parameter else _placed(found, part.place)
        for sub in _children(part):
            if len(sub.place) <= _MAX_DEPTH and id(sub.schema) not in seen:
                if isinstance(sub.schema, Mapping):
                    seen.add(id(sub.schema))
                todo.append(sub)
    return None


def _placed(problem: SchemaProblem, place: tuple[str, ...]) -> SchemaProblem:
    if len(place) > 1 and place[0] == "properties":
        return problem._replace(parameter=place[1], place=place[2:])
    return problem._replace(place=place)


def _children(part: _Part) -> Iterator[_Part]:
    schema = part.schema
    if not isinstance(schema, Mapping):
        return

    def below(sub: object, *steps: str) -> _Part:
        local = part.local and not (isinstance(sub, Mapping) and "$id" in sub)
        return _Part(sub, (*part.place, *steps), local)

    for word, value in schema.items():
        if word in _UNCHECKED:
            continue
        if word in SCHEMA_MAP and isinstance(value, Mapping):
            yield from (below(sub, word, str(name)) for name, sub in value.items())
        elif word in SCHEMA_LIST and isinstance(value, list | tuple):
            yield from (below(sub, word, str(at)) for at, sub in enumerate(value))
        elif word in ONE_SCHEMA and isinstance(value, Mapping | str):
            yield below(value, word)


def _check(part: _Part, references: References) -> SchemaProblem | None:
    schema = part.schema
    if isinstance(schema, str):
        return _check_type(schema)
    if not isinstance(schema, Mapping):
        if isinstance(schema, bool) or part.place[-2:-1] != ("properties",):
            return None
        kind = "null" if schema is None else f"a {type(schema).__name__}"
        return SchemaProblem(f"its schema is {kind}.", 'Write a JSON schema: {"type": "string", "description": "..."}.')
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list | tuple) else (kinds,):
        if kind is not None and (found := _check_type(kind)):  # None is how YAML reads the type null
            return found
    if schema.get("enum") == []:
        return SchemaProblem(
            "its enum is empty, so no value fits.", "List the values that are allowed, or remove enum."
        )
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref.startswith("#/") and part.local and references.lookup(ref) is MISSING:
        return SchemaProblem(
            f"its $ref {ref!r} leads nowhere.", "References start at the parameters: put $defs inside them."
        )
    return _check_required(part, schema)


def _check_type(kind: object) -> SchemaProblem | None:
    if isinstance(kind, str) and kind in TYPES:
        return None
    word = str(kind)
    near = [_PYTHON_TYPES[word]] if word in _PYTHON_TYPES else nearest(word, TYPES, 1)
    return SchemaProblem(f"{kind!r} is not a type of JSON.", f"The types are {', '.join(sorted(TYPES))}.", tuple(near))


def _check_required(part: _Part, schema: Mapping[str, object]) -> SchemaProblem | None:
    required, properties = schema.get("required"), schema.get("properties", {})
    if schema.get("additionalProperties") is not False or "patternProperties" in schema:
        return None
    if not isinstance(required, list | tuple) or not isinstance(properties, Mapping):
        return None
    for name in required:
        if isinstance(name, str) and name not in properties:
            return SchemaProblem(
                f"{name!r} is required but not declared, and additionalProperties allows no other.",
                "Declare it in properties, or remove it from required.",
                tuple(nearest(name, map(str, properties), 1)),
                parameter=None if part.place else name,
            )
    return None
