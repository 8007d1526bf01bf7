"""Caches objects that were compiled from schemas, and compiles them again when their schema has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Aliases = Mapping[str, str] | None

_MAX_PARTS = 5_000
"""Comparing a larger schema would take longer than compiling it; a schema with shared parts could take forever."""
_MAX_LEVEL = 100


class _Exactly:
    """A number or boolean in a snapshot. It equals only values of the same type: in Python, 1 equals True."""

    __slots__ = ("_class", "_value")

    def __init__(self, value: object) -> None:
        self._value = value
        self._class = type(value)

    def __eq__(self, other: object) -> bool:
        return type(other) is self._class and other == self._value

    __hash__ = None  # type: ignore[assignment]  # it is only ever compared


class _NotPlain(Exception):  # noqa: N818 - it never leaves this file
    """Raised for a schema that cannot be copied for comparison."""


def _is_default(parent: dict[Any, Any], key: object) -> bool:
    """Return True for the default of a typed schema, in which 1 and True are equivalent."""
    return key == "default" and (type(parent.get("type")) is str or type(parent.get("anyOf")) is list)


class _Copier:
    """Makes the snapshot of a schema, which equals the schema until it changes."""

    def __init__(self) -> None:
        self._left = _MAX_PARTS

    def copy(self, part: Any, level: int = 0) -> Any:
        self._left -= 1
        if self._left < 0 or level > _MAX_LEVEL:
            raise _NotPlain
        cls = type(part)
        if part is None or cls is str:
            return part
        if cls is bool or ((cls is int or cls is float) and part in (0, 1)):
            return _Exactly(part)
        if cls is int or cls is float:
            return part
        if isinstance(part, list):
            return [self.copy(sub, level + 1) for sub in part]
        if isinstance(part, dict):
            return {
                key: sub if _is_default(part, key) and type(sub) in (bool, int, float) else self.copy(sub, level + 1)
                for key, sub in part.items()
            }
        raise _NotPlain


class SchemaCache(Generic[T]):
    """Stores the most recently compiled objects, each with a snapshot of its schema."""

    def __init__(self, size: int, make: Callable[[object, Aliases], T]) -> None:
        self._size = size
        self._make = make
        self._entries: dict[int, tuple[Any, Any, T]] = {}
        self._lock = Lock()

    def get(self, schema: object, aliases: Aliases) -> T:
        """Return the object for a schema, compiled again if the schema has changed."""
        known = self._entries.get(id(schema))
        if known is not None and known[0] == schema and known[1] == aliases:
            return known[2]
        made = self._make(schema, aliases)
        try:
            entry = (_Copier().copy(schema), None if aliases is None else dict(aliases), made)
        except _NotPlain:
            return made
        with self._lock:
            self._entries.pop(id(schema), None)
            while len(self._entries) >= self._size:
                del self._entries[next(iter(self._entries))]
            self._entries[id(schema)] = entry
        return made
