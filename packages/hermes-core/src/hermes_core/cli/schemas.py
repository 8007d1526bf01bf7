"""Reads from a JSON schema what a person wants to know of it: what type a value has, and what it may be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Node = Mapping[str, Any]

_NOTHING: Node = {}
_DEPTH = 20
"""How far references and branches are followed: deeper ones lead back to themselves or help nobody."""


def json_type(value: object) -> str:
    """The name of a value's type in JSON schema."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list | tuple) else "object"


class SchemaReader:
    """One tool's parameters."""

    def __init__(self, root: Node) -> None:
        self.root = root

    def resolve(self, node: object) -> Node:
        """The schema itself where a reference to it stands, together with what is said beside the reference."""
        for _ in range(_DEPTH):
            if not isinstance(node, Mapping):
                return _NOTHING
            pointer = node.get("$ref")
            if not isinstance(pointer, str):
                return node
            node = {**self._target(pointer), **{key: value for key, value in node.items() if key != "$ref"}}
        return _NOTHING

    def _target(self, pointer: str) -> Node:
        found: Any = self.root if pointer.startswith("#") else None
        for part in pointer.removeprefix("#").split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else _NOTHING

    def properties(self, node: object) -> Mapping[str, Any]:
        """The declared members of an object."""
        properties = self.resolve(node).get("properties")
        return properties if isinstance(properties, Mapping) else _NOTHING

    def branches(self, node: object, depth: int = 0) -> Iterator[Node]:
        """The schema, or the alternatives that it consists of."""
        resolved = self.resolve(node)
        for keyword in ("anyOf", "oneOf", "allOf"):
            inner = resolved.get(keyword)
            if isinstance(inner, list | tuple) and inner and depth < _DEPTH:
                for branch in inner:
                    yield from self.branches(branch, depth + 1)
                return
        yield resolved

    def branch(self, node: object, kind: str) -> Node:
        """The alternative that is of a certain type; an empty schema when there is none."""
        return next((branch for branch in self.branches(node) if kind in own_types(branch)), _NOTHING)

    def types(self, node: object) -> tuple[str, ...]:
        """The types that a value may have, in the order of the schema; nothing means any."""
        own = own_types(self.resolve(node))
        if own:
            return own
        found: dict[str, None] = {}
        for branch in self.branches(node):
            types = own_types(branch)
            if not types:
                return ()
            found.update(dict.fromkeys(types))
        return tuple(found)

    def type_words(self, node: object, depth: int = 0) -> str:
        """The types in words: `integer`, `array of string`, `string or null`."""
        words = []
        for kind in self.types(node):
            items = self.branch(node, "array").get("items") if kind == "array" else None
            inner = self.type_words(items, depth + 1) if isinstance(items, Mapping) and depth < _DEPTH else ""
            words.append(f"array of {inner}" if inner and inner != "any" else kind)
        return " or ".join(words) or "any"


def own_types(node: Node) -> tuple[str, ...]:
    """The types that a schema names itself, or shows by what it allows."""
    declared = node.get("type")
    if isinstance(declared, str):
        return (declared,)
    if isinstance(declared, list | tuple):
        return tuple(kind for kind in declared if isinstance(kind, str))
    values = allowed_values(node)
    if values is not None:
        return tuple(dict.fromkeys(json_type(value) for value in values))
    if "properties" in node:
        return ("object",)
    return ("array",) if "items" in node else ()


def allowed_values(node: Node) -> list[Any] | None:
    """The only values that a schema allows, when it lists them."""
    if "const" in node:
        return [node["const"]]
    values = node.get("enum")
    return list(values) if isinstance(values, list | tuple) else None


_LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("minProperties", "at least {} members"),
    ("maxProperties", "at most {} members"),
    ("format", "format {}"),
    ("pattern", "matches {}"),
)


def limits_in_words(node: Node) -> str:
    """What else a schema demands of a value: the values it allows, bounds, format, pattern."""
    values = allowed_values(node)
    said = [] if values is None else ["one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in values)]
    said += [words.format(node[keyword]) for keyword, words in _LIMITS if keyword in node]
    if node.get("uniqueItems") is True:
        said.append("no item twice")
    return "; ".join(said)
