"""A tool's parameters as rows that a person can read, nested ones under the one that holds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_core.cli.schemas import Node, SchemaReader, limits_in_words

_DEPTH = 5
"""How deep nested parameters are shown; a schema may contain itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter. A nested one is named by its path: `filter.since`, `edits[].line`."""

    name: str
    type: str
    required: bool
    default: str
    description: str
    limits: str


def list_parameters(schema: Node) -> list[Parameter]:
    """Every parameter of a tool, in the order of its schema."""
    reader = SchemaReader(schema)
    return list(_members(reader, schema, "", 0))


def _members(reader: SchemaReader, node: object, prefix: str, depth: int) -> Iterator[Parameter]:
    resolved = reader.resolve(node)
    required = resolved.get("required")
    needed = frozenset(required) if isinstance(required, list | tuple) else frozenset()
    for name, member in reader.properties(resolved).items():
        path = f"{prefix}{name}"
        yield _parameter(reader, path, member, required=name in needed)
        if depth < _DEPTH:
            yield from _nested(reader, path, member, depth)


def _nested(reader: SchemaReader, path: str, node: object, depth: int) -> Iterator[Parameter]:
    """What is inside a parameter: the members of an object, or those of the objects in an array."""
    for branch in reader.branches(node):
        if reader.properties(branch):
            yield from _members(reader, branch, f"{path}.", depth + 1)
        elif "items" in branch:
            yield from _nested(reader, f"{path}[]", branch["items"], depth + 1)


def _parameter(reader: SchemaReader, path: str, node: object, *, required: bool) -> Parameter:
    resolved = reader.resolve(node)
    limits = [limits_in_words(resolved)]
    if not limits[0]:
        limits = list(dict.fromkeys(limits_in_words(branch) for branch in reader.branches(resolved)))
    items = reader.branch(resolved, "array").get("items")
    if items is not None:
        limits += [f"each {words}" for branch in reader.branches(items) if (words := limits_in_words(branch))]
    return Parameter(
        name=path,
        type=reader.type_words(resolved),
        required=required,
        default=json.dumps(resolved["default"], ensure_ascii=False, default=str) if "default" in resolved else "",
        description=str(resolved.get("description") or ""),
        limits="; ".join(part for part in limits if part),
    )
