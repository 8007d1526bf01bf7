"""Plain JSON of any Python value, also of one that is produced while it is read, within limits of time and size."""

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

MOST_ITEMS = 1_000_000
MOST_CHARS = 10_000_000
"""How much is read of a value. One that ends is far below both; one without end must not fill the memory."""

_MAX_DEPTH = 200
_MOST_LOOKED_AT = 1_000
_ITEM_CHARS = 8
"""What a number or another small value counts for."""

_ATOMS = frozenset({int, bool, type(None)})
_READY = frozenset(kind.__iter__ for kind in (list, tuple, set, frozenset, deque))
_LEAVES = (str, bytes, bytearray, memoryview, int, float, Enum)
_END: Any = object()


class PlainReader:
    """Copies one value into plain lists, dictionaries, texts and numbers, and counts what it copies.

    Args:
        seconds: How long that may take.
        leaf: Makes plain JSON of a value that is neither a container nor plain already.
        late: Raised when it takes longer.
        foreign: Raised for a value whose reading runs foreign code; None when that may be.

    Attributes:
        cut: Whether the rest was left out.
        failure: What the code raised that produces the value.
    """

    __slots__ = ("_chars", "_foreign", "_items", "_late", "_leaf", "_path", "_until", "cut", "failure")

    def __init__(
        self, seconds: float, leaf: Callable[[Any], Any], late: Exception, foreign: Exception | None = None
    ) -> None:
        self._until = perf_counter() + seconds
        self._leaf = leaf
        self._late = late
        self._foreign = foreign
        self._items = MOST_ITEMS
        self._chars = MOST_CHARS
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
        if getattr(type(value), "__iter__", None) not in _READY:
            self._require_thread()
        return [self.read(item) for item in self.each(value)]

    def _fields(self, value: Any) -> dict[str, Any]:
        return {name: self.read(item) for name, item in self.each(_fields_of(value))}

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items until there are too many of them."""
        iterator = iter(items)
        try:
            while self.may_read() and (item := self._next(iterator)) is not _END:
                yield item
        finally:
            if isinstance(iterator, GeneratorType):
                with suppress(Exception):  # foreign code: what it has produced still counts
                    iterator.close()

    def _next(self, iterator: Iterator[Any]) -> Any:
        try:
            return next(iterator, _END)
        except Exception as error:
            self.failure = error
            raise

    def may_read(self) -> bool:
        """Return True while there may be more; the deadline counts, too."""
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
    """Return True for a dataclass, and for a model with a value that is produced while it is read."""
    if isinstance(value, type):
        return False
    if _serializer(value) is None:
        return dataclasses.is_dataclass(value)
    waiting = [value]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            return False
        each = waiting.pop()
        if isinstance(each, Iterator):
            return True
        if _serializer(each) is not None:
            waiting += [item for _, item in _fields_of(each)]
        elif isinstance(each, (dict, list, tuple)):
            waiting += list(each.values() if isinstance(each, dict) else each)[:_MOST_LOOKED_AT]
    return False


def _serializer(value: object) -> object:
    """Return what pydantic serializes a value with; None for a value of another kind."""
    return getattr(type(value), "__pydantic_serializer__", None)


def _fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return iter({**value.__dict__, **(getattr(value, "__pydantic_extra__", None) or {})}.items())
