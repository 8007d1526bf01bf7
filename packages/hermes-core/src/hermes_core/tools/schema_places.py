"""Refuses schemas that no argument can ever fit, or that no reader could understand, naming the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_core.errors import ToolDefinitionError, did_you_mean
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_PYTHON_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}
_PYTHON_TYPES |= {"tuple": "array", "dict": "object", "None": "null"}
_TYPE_REMEDY = f"The types are {', '.join(sorted(_TYPES))}."
# Where schemas hold schemas. Not `not` and `if`: what shall not hold may be impossible.
_ONE_SCHEMA = ("items", "additionalProperties", "additionalItems", "contains", "propertyNames", "then", "else")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SCHEMA_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
# What lies deeper is shown to no model.
_MAX_DEPTH = 64


class _Place(NamedTuple):
    """A schema and the way to it, put into words only when something is wrong there."""

    schema: object
    step: str
    above: _Place | None
    depth: int
    local: bool  # references start at the parameters, because no schema on the way has an `$id` of its own

    def way(self) -> list[str]:
        steps: list[str] = []
        place: _Place | None = self
        while place is not None:
            steps.append(place.step)
            place = place.above
        return steps[-2::-1]  # from the parameters, which have no name themselves

    def error(self, tool: Tool, reason: str, remedy: str, *, parameter: str | None = None) -> ToolDefinitionError:
        """The error about this schema, under the name of the parameter that it belongs to."""
        way = self.way()
        if len(way) > 1 and way[0] == "properties":
            parameter, way = way[1], way[2:]
        place = f"{'/'.join(way)}: " if way else ""
        return ToolDefinitionError(tool.name, f"{place}{reason}", parameter=parameter, remedy=remedy)


def check_schemas(tool: Tool) -> None:
    """Refuse what no argument can ever fit or no reader of the schema can understand, each part looked at once."""
    root = _Place(tool.parameters, "", None, 0, True)
    todo, seen = [root], {id(tool.parameters)}
    while todo:
        place = todo.pop()
        _check_schema(tool, place)
        for sub in _inside(place):
            if sub.depth <= _MAX_DEPTH and id(sub.schema) not in seen:
                if isinstance(sub.schema, Mapping):
                    seen.add(id(sub.schema))
                todo.append(sub)


def _inside(place: _Place) -> Iterator[_Place]:
    schema = place.schema
    if not isinstance(schema, Mapping):
        return

    def below(step: str, sub: object, above: _Place) -> _Place:
        local = above.local and not (isinstance(sub, Mapping) and "$id" in sub)
        return _Place(sub, step, above, place.depth + 1, local)

    for word in _ONE_SCHEMA:
        if isinstance(schema.get(word), Mapping | str):
            yield below(word, schema[word], place)
    for word in _SCHEMA_LISTS:
        if isinstance(schema.get(word), list | tuple):
            group = below(word, None, place)
            yield from (below(str(at), sub, group) for at, sub in enumerate(schema[word]))
    for word in _SCHEMA_MAPS:
        if isinstance(schema.get(word), Mapping):
            group = below(word, None, place)
            yield from (below(str(name), sub, group) for name, sub in schema[word].items())


def _check_schema(tool: Tool, place: _Place) -> None:
    schema = place.schema
    if isinstance(schema, str):
        _check_type(tool, place, schema)
    elif isinstance(schema, Mapping):
        kind = schema.get("type")
        for one in kind if isinstance(kind, list | tuple) else (kind,):
            if one is not None:  # which is how YAML reads the type null
                _check_type(tool, place, one)
        if schema.get("enum") == []:
            raise place.error(
                tool, "its enum is empty, so no value fits.", "List the values that are allowed, or remove enum."
            )
        _check_reference(tool, place, schema.get("$ref"))
        _check_required(tool, place, schema)
    elif not isinstance(schema, bool) and place.above is not None and place.above.step == "properties":
        raise place.error(
            tool, f"its schema is {_article(schema)}.", 'Write a JSON schema: {"type": "string", "description": "..."}.'
        )


def _article(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"


def _check_type(tool: Tool, place: _Place, kind: object) -> None:
    if isinstance(kind, str) and kind in _TYPES:
        return
    word = str(kind)
    near = [_PYTHON_TYPES[word]] if word in _PYTHON_TYPES else nearest(word, _TYPES, 1)
    raise place.error(tool, f"{kind!r} is not a type of JSON.{did_you_mean(near)}", _TYPE_REMEDY)


def _check_reference(tool: Tool, place: _Place, ref: object) -> None:
    if isinstance(ref, str) and ref.startswith("#/") and place.local and not _leads(tool.parameters, ref):
        raise place.error(
            tool, f"its $ref {ref!r} leads nowhere.", "References start at the parameters: put $defs inside them."
        )


def _leads(root: object, ref: str) -> bool:
    if "%" in ref:
        from urllib.parse import unquote  # few references need it, and every start of the command imports this module

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


def _check_required(tool: Tool, place: _Place, schema: Mapping[str, Any]) -> None:
    required, properties = schema.get("required"), schema.get("properties", {})
    if schema.get("additionalProperties") is not False or "patternProperties" in schema:
        return
    if not isinstance(required, list | tuple) or not isinstance(properties, Mapping):
        return
    for name in required:
        if isinstance(name, str) and name not in properties:
            near = did_you_mean(nearest(name, map(str, properties), 1))
            raise place.error(
                tool,
                f"{name!r} is required but not declared, and additionalProperties allows no other.{near}",
                "Declare it in properties, or remove it from required.",
                parameter=name if place.above is None else None,
            )
