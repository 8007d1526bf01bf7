"""Completes arguments with the defaults that a schema names: what is judged must be what a tool will get."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


class Defaults:
    """The defaults of one schema, at every depth.

    A default of null counts as none: it means that nothing was given.

    Args:
        schema: The schema of an object.
    """

    __slots__ = ("_items", "_nested", "_own")

    def __init__(self, schema: Schema | None = None) -> None:
        self._own: dict[str, Any] = {}
        self._nested: dict[str, Defaults] = {}
        self._items: Defaults | None = None
        if schema is not None:
            _Maker(schema).make(schema, self)

    def __bool__(self) -> bool:
        return bool(self._own or self._nested or self._items)

    def completed(self, value: Any) -> Any:
        """A value with every default that it lacks; the same object when it lacks none."""
        if not self._nested and isinstance(value, dict) and value.keys() >= self._own.keys():
            return value  # as most arguments are
        if isinstance(value, Mapping):
            return self._object(value)
        if self._items is not None and isinstance(value, list | tuple):
            items = [self._items.completed(item) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        return value

    def _object(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        changes: dict[str, Any] = {}
        for name, nested in self._nested.items():
            if name in value:
                inner = nested.completed(value[name])
                if inner is not value[name]:
                    changes[name] = inner
        for name, default in self._own.items():
            if name not in value:
                changes[name] = copy.deepcopy(default) if isinstance(default, dict | list) else default
        return {**value, **changes} if changes else value


def find_default_values(schema: Schema, args: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the arguments whose value is the default in a schema, as JSON compares values."""
    from hermes_schemas.validation.equality import same

    members = schema.get("properties")
    declared = members if isinstance(members, Mapping) else {}
    found = {
        name: each["default"] for name, each in declared.items() if isinstance(each, Mapping) and "default" in each
    }
    return frozenset(name for name, value in args.items() if name in found and same(value, found[name]))


class _Maker:
    """Follows references inside one schema; a type that contains itself is made once."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._made: dict[int, Defaults] = {}

    def make(self, schema: Schema, into: Defaults) -> None:
        self._made[id(schema)] = into
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            if not isinstance(inner, Mapping):
                continue
            if inner.get("default") is not None:
                into._own[name] = inner["default"]
            found = self._of(inner)
            if found is not None:
                into._nested[name] = found
        items = schema.get("items")
        into._items = self._of(items) if isinstance(items, Mapping) else None

    def _of(self, schema: Schema) -> Defaults | None:
        """The defaults inside of a value; None when there can be none."""
        target = self._resolved(schema)
        if target is None or ("properties" not in target and "items" not in target):
            return None
        if id(target) in self._made:
            return self._made[id(target)]
        made = Defaults()
        self.make(target, made)
        return made or None

    def _resolved(self, schema: Schema) -> Schema | None:
        """What a reference, or "this or null", stands for. Between several types nobody can tell."""
        for _ in range(16):
            options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
            if isinstance(options, list | tuple):
                rest = [each for each in options if isinstance(each, Mapping) and each.get("type") != "null"]
                if len(rest) != 1:
                    return None
                schema = rest[0]
            elif isinstance(schema.get("$ref"), str):
                found = self._referred(schema["$ref"])
                if found is None:
                    return None
                schema = found
            else:
                return schema
        return None

    def _referred(self, reference: str) -> Schema | None:
        if not reference.startswith("#/"):
            return self._root if reference == "#" else None
        at: Any = self._root
        for step in reference[2:].split("/"):
            at = at.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(at, Mapping) else None
        return at if isinstance(at, Mapping) else None
