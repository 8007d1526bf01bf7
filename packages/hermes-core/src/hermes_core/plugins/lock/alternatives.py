"""A schema as the forms of values it accepts, type by type, so that every way to write a union compares alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.plugins.lock.digest import compact
from hermes_core.plugins.lock.keywords import ASIDES
from hermes_core.schemas.checking.references import MISSING, References

TYPES = ("null", "boolean", "number", "string", "array", "object")
"""The types of JSON values. `integer` is a number of which more is asked."""

OWNERS: Mapping[str, str] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
    **dict.fromkeys(
        ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"),
        "string",
    ),
    **dict.fromkeys(
        ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
        "array",
    ),
    **dict.fromkeys(
        ("properties", "patternProperties", "additionalProperties", "propertyNames", "required"),
        "object",
    ),
    **dict.fromkeys(("minProperties", "maxProperties", "dependentRequired", "dependentSchemas"), "object"),
}
"""The one type that a keyword says something about; all others pass it by."""

NOTHING: Mapping[str, Any] = {"enum": []}
ANYTHING: dict[str, Any] = {}
"""Stands for a schema that is not there; one object, so that its comparisons are recognised."""

_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "enum"})
_MAPS = frozenset({"properties", "patternProperties"})
_NUMBERS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"}
    | {"minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"}
)
_NEEDS_ITS_SURROUNDINGS = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_MAX_HOPS = 50
"""References that lead to references: more than this many turn in a circle."""
_MAX_OPENED = 20_000
"""Schemas looked at, each as often as a reference leads to it: beyond this they were written to have no end."""
_MAX_NESTED = 20
"""Unions directly inside unions, and `allOf` inside `allOf`; a deeper one is taken as a whole."""
_GROUPS = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"items", "prefixItems"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"if", "then", "else"}),
)
"""Keywords that change each other's meaning in one schema, and not in two."""


class ExhaustedError(Exception):
    """Raised when a comparison has cost more than any honest schema does."""


@dataclass(frozen=True, slots=True)
class Form:
    """One alternative of a union: for each type what is asked of its values, and what is asked of all."""

    by_type: Mapping[str, Mapping[str, Any]]
    general: Mapping[str, Any]
    keywords: dict[str, Any]


class Side:
    """One of the two schemas: what leads where in it."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._references = References(root)
        self._left = _MAX_OPENED

    def forms(self, schema: object, level: int = 0) -> list[Form]:
        """The alternatives of a schema, unions inside unions opened.

        Raises:
            ExhaustedError: there are too many.
        """
        node = self._node(schema, level)
        if level < _MAX_NESTED:
            if node.keys() == {"anyOf"}:
                return [form for option in node["anyOf"] for form in self.forms(option, level + 1)]
            if node.keys() == {"oneOf"}:
                options = [self.forms(option, level + 1) for option in node["oneOf"]]
                if _share_no_type(options):
                    return [form for option in options for form in option]
        return [_form(node)]

    def _node(self, schema: object, level: int) -> dict[str, Any]:
        """The keywords of a schema that decide about values, references followed and `allOf` put together."""
        for _ in range(_MAX_HOPS):
            self._left -= 1
            if self._left < 0:
                raise ExhaustedError
            own = self._keywords(schema)
            target = self._references.resolve(own["$ref"]) if "$ref" in own else MISSING
            if target is MISSING:
                return self._merged(own, level)
            if len(own) > 1:
                reference = {"$ref": own.pop("$ref")}
                return self._merged({**own, "allOf": [*own.get("allOf", ()), reference]}, level)
            schema = target
        return {"unreadable schema": schema}

    def _merged(self, own: dict[str, Any], level: int) -> dict[str, Any]:
        """The keywords with those of `allOf` among them, as far as they do not speak of the same thing."""
        if "allOf" not in own or level >= _MAX_NESTED:
            return own
        merged = {key: value for key, value in own.items() if key != "allOf"}
        apart: list[Any] = []
        for part in own["allOf"]:
            node = self._node(part, level + 1)
            if _are_independent(merged, node):
                merged.update(node)
            else:
                apart.append(part)
        if apart:
            merged["allOf"] = [*merged.get("allOf", ()), *apart]
        return merged

    def _keywords(self, schema: object) -> dict[str, Any]:
        if isinstance(schema, bool):
            return dict(ANYTHING if schema else NOTHING)
        if isinstance(schema, str):  # sloppy authors write "string" for {"type": "string"}
            schema = {"type": schema}
        if not isinstance(schema, dict):
            return {"unreadable schema": schema}
        if "$id" in schema and schema is not self._root:  # its references start elsewhere
            return {"unreadable schema": schema}
        own = {
            key if _is_readable(key, value) else f"unreadable {key}": value
            for key, value in schema.items()
            if key not in ASIDES and key != "$id"
        }
        if not _NEEDS_ITS_SURROUNDINGS.isdisjoint(own):
            return {"unreadable schema": own}
        return own


def _is_readable(key: str, value: object) -> bool:
    if key in _LISTS:
        return isinstance(value, list)
    if key in _MAPS:
        return isinstance(value, dict)
    if key in _NUMBERS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if key == "required":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if key == "items":
        return not isinstance(value, list)  # as older drafts write tuples
    if key == "type":
        kinds = value if isinstance(value, list) else [value]
        return all(isinstance(kind, str) and (kind in TYPES or kind == "integer") for kind in kinds)
    return True


def _are_independent(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two schemas mean together what all their keywords mean in one."""
    if any(key in one and (key != "type" or one[key] != other[key]) for key in other):
        return False
    return all(group.isdisjoint(one) or group.isdisjoint(other) for group in _GROUPS)


def _share_no_type(options: Iterable[list[Form]]) -> bool:
    taken: set[str] = set()
    for forms in options:
        types = {kind for form in forms for kind in form.by_type}
        if not taken.isdisjoint(types):
            return False
        taken |= types
    return True


def _form(node: dict[str, Any]) -> Form:
    stated = node.get("type", TYPES)
    kinds = (stated,) if isinstance(stated, str) else stated
    asked: dict[str, dict[str, Any]] = {}
    for kind in TYPES:
        if kind in kinds:
            asked[kind] = {}
        elif kind == "number" and "integer" in kinds:
            asked[kind] = {"integer": True}
    general: dict[str, Any] = {}
    for key, value in node.items():
        owner = OWNERS.get(key)
        if owner is not None:
            if owner in asked:
                asked[owner][key] = value
        elif key not in ("type", "enum", "const"):
            general[key] = value
    return Form(_with_values(asked, node), general, node)


def _with_values(asked: dict[str, dict[str, Any]], node: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is asked, with `enum` and `const` shared out among the types; a type without a value left is refused."""
    lists = [node["enum"]] if "enum" in node else []
    if "const" in node:
        lists.append([node["const"]])
    if not lists:
        return asked
    values = {compact(value): value for value in lists[0]}
    for more in lists[1:]:
        common = {compact(value) for value in more}
        values = {text: value for text, value in values.items() if text in common}
    shared: dict[str, dict[str, Any]] = {}
    for kind, keywords in asked.items():
        own = {text: value for text, value in values.items() if _type_of(value) == kind}
        if keywords.get("integer"):
            own = {text: value for text, value in own.items() if isinstance(value, int)}
        if (kind == "null" and own) or (kind == "boolean" and len(own) == 2):  # then nothing is left out
            shared[kind] = keywords
        elif own:
            shared[kind] = {**keywords, "enum": own}
    return shared


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
