"""Equality of JSON values: 1 equals 1.0, and True equals neither."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_schemas.validation.type_tables import MAX_DEPTH


def same(left: object, right: object, level: int = 0) -> bool:
    """Return True for equal JSON values. Below the depth limit only identical objects are equal."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    if isinstance(left, (int, float)):
        return isinstance(right, (int, float)) and left == right
    if left is right:
        return True
    if level > MAX_DEPTH:
        return False
    if isinstance(left, (list, tuple)):
        if not isinstance(right, (list, tuple)) or len(left) != len(right):
            return False
        return all(same(one, other, level + 1) for one, other in zip(left, right, strict=True))
    if isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        return all(key in right and same(item, right[key], level + 1) for key, item in left.items())
    return False


class _Numbering:
    """Gives equal values equal keys. The key of a container has numbers for its children, so no key is deep."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._by_id: dict[int, object] = {}

    def key(self, value: object, level: int = 0) -> object:
        if isinstance(value, bool):
            return ("bool", value)
        if value is None or isinstance(value, (str, int, float)):
            return value
        known = self._by_id.get(id(value))
        if known is not None:
            return known
        # Set before its children are read, because a value may contain itself.
        self._by_id[id(value)] = ("opaque", id(value))
        if level > MAX_DEPTH or not isinstance(value, (list, tuple, dict)):
            return self._by_id[id(value)]
        parts: object
        if isinstance(value, dict):
            parts = frozenset((name, self.key(item, level + 1)) for name, item in value.items())
        else:
            parts = tuple(self.key(item, level + 1) for item in value)
        key = ("part", self._numbers.setdefault(parts, len(self._numbers)))
        self._by_id[id(value)] = key
        return key


def first_repeat(values: Iterable[object]) -> int | None:
    """Return the index of the first value that equals an earlier one, in linear time."""
    numbering = _Numbering()
    seen: set[object] = set()
    for index, value in enumerate(values):
        key = numbering.key(value)
        if key in seen:
            return index
        seen.add(key)
    return None
