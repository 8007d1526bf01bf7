"""Completes arguments with the defaults of a schema, so that what is approved is what the tool gets."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from hermes_schemas.validation.references import References

Schema = Mapping[str, Any]
_MAX_STEPS = 16
"""How many references and alternatives are followed for one value."""


class Defaults:
    """The defaults of one schema, at every depth.

    A default of null counts as none: it means that the argument was not given.

    Args:
        schema: The schema of an object.
    """

    __slots__ = ("_items", "_nested", "_own")

    def __init__(self, schema: Schema | None = None) -> None:
        self._own: dict[str, Any] = {}
        self._nested: dict[str, Defaults] = {}
        self._items: Defaults | None = None
        if schema is not None:
            _Collector(schema).collect(schema, self)

    def __bool__(self) -> bool:
        return bool(self._own or self._nested or self._items)

    def completed(self, value: Any) -> Any:
        """Return a value with every default that it lacks; the same object when it lacks none."""
        if not self._nested and isinstance(value, dict):
            for name in self._own:
                if name not in value:
                    break
            else:
                return value  # the common case
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
    """Return the names of the arguments whose value equals the default in a schema."""
    from hermes_schemas.validation.equality import same

    members = schema.get("properties")
    declared = members if isinstance(members, Mapping) else {}
    found = {
        name: each["default"] for name, each in declared.items() if isinstance(each, Mapping) and "default" in each
    }
    return frozenset(name for name, value in args.items() if name in found and same(value, found[name]))


class _Collector:
    """Collects the defaults of a schema. References are followed, and a type that contains itself is read once."""

    def __init__(self, root: Schema) -> None:
        self._references = References(root)
        self._known: dict[int, Defaults] = {}

    def collect(self, schema: Schema, into: Defaults) -> None:
        self._known[id(schema)] = into
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            if not isinstance(inner, Mapping):
                continue
            if inner.get("default") is not None:
                into._own[name] = inner["default"]
            found = self._find_nested(inner)
            if found is not None:
                into._nested[name] = found
        items = schema.get("items")
        into._items = self._find_nested(items) if isinstance(items, Mapping) else None

    def _find_nested(self, schema: Schema) -> Defaults | None:
        target = self._resolve(schema)
        if target is None or ("properties" not in target and "items" not in target):
            return None
        if id(target) in self._known:
            return self._known[id(target)]
        made = Defaults()
        self.collect(target, made)
        return made or None

    def _resolve(self, schema: Schema) -> Schema | None:
        """Follow references and "this or null"; return None when several types are possible."""
        for _ in range(_MAX_STEPS):
            options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
            if isinstance(options, list | tuple):
                rest = [each for each in options if isinstance(each, Mapping) and each.get("type") != "null"]
                if len(rest) != 1:
                    return None
                schema = rest[0]
            elif isinstance(schema.get("$ref"), str):
                target = self._references.resolve(schema["$ref"])
                if not isinstance(target, Mapping):
                    return None
                schema = target
            else:
                return schema
        return None
