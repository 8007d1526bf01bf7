"""Converts any Python value to plain JSON, lazily produced values too, within limits of time and size."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from math import isfinite
from time import perf_counter
from types import GeneratorType
from typing import Any

MAX_ITEMS = 1_000_000
MAX_CHARS = 10_000_000
"""How much of a value is read. Real values are far smaller; an endless one must not fill the memory."""

_MAX_DEPTH = 200
_MAX_INSPECTED = 1_000
_ITEM_CHARS = 8
"""How many characters a number or another small value counts as."""

_ATOMS = frozenset({int, bool, type(None)})
_BUILT_IN = frozenset(kind.__iter__ for kind in (list, tuple, set, frozenset, deque))
_LEAVES = (str, bytes, bytearray, memoryview, int, float, Enum)
_END: Any = object()


class PlainReader:
    """Copies one value into plain lists, dictionaries, strings and numbers, and counts what it copies.

    Args:
        seconds: The time limit.
        leaf: Converts a value that is neither a container nor plain JSON.
        late: The exception to raise after the time limit.
        foreign: The exception to raise for a value whose reading runs foreign code; None allows it.

    Attributes:
        cut: True when the rest was left out.
        failure: The exception that the code which produces the value raised.
    """

    __slots__ = ("_chars", "_foreign", "_items", "_late", "_leaf", "_path", "_until", "cut", "failure")

    def __init__(
        self, seconds: float, leaf: Callable[[Any], Any], late: Exception, foreign: Exception | None = None
    ) -> None:
        self._until = perf_counter() + seconds
        self._leaf = leaf
        self._late = late
        self._foreign = foreign
        self._items = MAX_ITEMS
        self._chars = MAX_CHARS
        self._path: set[int] = set()
        self.cut = False
        self.failure: Exception | None = None

    def read(self, value: Any) -> Any:
        """Return a plain copy. Raises `ValueError` for a value that contains itself."""
        kind = type(value)
        if kind is str:
            self._chars -= len(value)
            return value
        if kind in _ATOMS or (kind is float and isfinite(value)):
            self._chars -= _ITEM_CHARS
            return value
        if not isinstance(value, _LEAVES):
            if isinstance(value, Mapping):
                return self._within(value, self._mapping)
            if isinstance(value, (Iterator, Sequence, Set, deque)):
                return self._within(value, self._sequence)
            if _has_lazy_fields(value):
                return self._within(value, self._fields)
        made = self._leaf(value)
        self._chars -= len(made) if isinstance(made, str) else _ITEM_CHARS
        return made

    def _within(self, value: Any, read: Callable[[Any], Any]) -> Any:
        if id(value) in self._path or len(self._path) >= _MAX_DEPTH:
            raise ValueError("it contains itself, or is nested too deeply")
        self._path.add(id(value))
        try:
            return read(value)
        finally:
            self._path.discard(id(value))

    def _mapping(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        if not isinstance(value, dict):
            self._require_thread()
        made: dict[Any, Any] = {}
        for key, item in self.each(value.items()):
            name = key if type(key) is str else next(iter(self._leaf({key: None})))
            self._chars -= len(name)
            made[name] = self.read(item)
        return made

    def _sequence(self, value: Iterable[Any]) -> list[Any]:
        if getattr(type(value), "__iter__", None) not in _BUILT_IN:
            self._require_thread()
        return [self.read(item) for item in self.each(value)]

    def _fields(self, value: Any) -> dict[str, Any]:
        return {name: self.read(item) for name, item in self.each(_fields_of(value))}

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items, up to the limits."""
        iterator = iter(items)
        try:
            while self.may_read() and (item := self._next(iterator)) is not _END:
                yield item
        finally:
            if isinstance(iterator, GeneratorType):
                with suppress(Exception):  # foreign code: the items it has produced are still used
                    iterator.close()

    def _next(self, iterator: Iterator[Any]) -> Any:
        try:
            return next(iterator, _END)
        except Exception as error:
            self.failure = error
            raise

    def may_read(self) -> bool:
        """Count one item; return False when a limit is reached."""
        if perf_counter() > self._until:
            raise self._late
        self._items -= 1
        if self._items < 0 or self._chars <= 0:
            self.cut = True
        return not self.cut

    def _require_thread(self) -> None:
        if self._foreign is not None:
            raise self._foreign


def _has_lazy_fields(value: object) -> bool:
    """Return True for a dataclass, and for a pydantic model that contains an iterator."""
    if isinstance(value, type):
        return False
    if _serializer(value) is None:
        return dataclasses.is_dataclass(value)
    waiting = [value]
    for _ in range(_MAX_INSPECTED):
        if not waiting:
            return False
        each = waiting.pop()
        if isinstance(each, Iterator):
            return True
        if _serializer(each) is not None:
            waiting += [item for _, item in _fields_of(each)]
        elif isinstance(each, (dict, list, tuple)):
            waiting += list(each.values() if isinstance(each, dict) else each)[:_MAX_INSPECTED]
    return False


def _serializer(value: object) -> object:
    """Return the serializer of a pydantic value; None for others."""
    return getattr(type(value), "__pydantic_serializer__", None)


def _fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return iter({**value.__dict__, **(getattr(value, "__pydantic_extra__", None) or {})}.items())
