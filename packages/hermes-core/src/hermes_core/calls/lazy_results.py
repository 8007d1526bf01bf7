"""Reads results that are produced while they are read, within limits of time and size."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from math import isfinite
from time import perf_counter
from types import GeneratorType
from typing import Any

from hermes_core.calls.deadlines import Late
from hermes_core.calls.results import NeedsThread

MOST_ITEMS = 1_000_000
MOST_CHARS = 10_000_000
"""How much is read of a result. A result that ends is far below both; one without end must not fill the memory."""

_MAX_DEPTH = 200
_MOST_LOOKED_AT = 1_000
_ITEM_CHARS = 8
"""What a number or another small value counts for."""

_ATOMS = frozenset({int, bool, type(None)})
_READY = (list, tuple, set, frozenset, deque)
_TEXTS = (str, bytes, bytearray, memoryview)
_CUT = (
    f"The tool produced more than {MOST_ITEMS:,} items or {MOST_CHARS:,} characters, and the rest was not read. "
    "Ask for less: a narrower query, a range, a filter."
)


class Reader:
    """Copies one result into plain lists, dictionaries and values.

    Args:
        seconds: How long reading may take.
        leaf: Makes plain JSON of a value that is neither a container nor plain already.
        lazy: Whether values that are produced while they are read may be read; `NeedsThread` is raised otherwise.
    """

    __slots__ = ("_chars", "_items", "_lazy", "_leaf", "_path", "_seconds", "_until", "cut", "failure")

    def __init__(self, seconds: float, leaf: Callable[[Any], Any], *, lazy: bool = True) -> None:
        self._seconds = seconds
        self._until = perf_counter() + seconds
        self._leaf = leaf
        self._lazy = lazy
        self._items = MOST_ITEMS
        self._chars = MOST_CHARS
        self._path: set[int] = set()
        self.cut = False
        self.failure: Exception | None = None
        """What the code raised that produces the result."""

    def read(self, value: object) -> Any:
        """Return a plain copy. Of a result that is too large the beginning, with a note that says so.

        Raises:
            Late: it was not read in time.
            NeedsThread: it must not be read here.
            ValueError: it contains itself.
        """
        made = self._read(value)
        return {"truncated": True, "hint": _CUT, "result": made} if self.cut else made

    async def aread(self, stream: AsyncIterable[Any]) -> Any:
        """Return a plain copy of what an async generator produces. Raises what `read` raises."""
        made: list[Any] = []
        iterator = aiter(stream)
        try:
            while self._may_read() and (item := await anext(iterator, _END)) is not _END:
                made.append(self._read(item))
        finally:
            if (close := getattr(iterator, "aclose", None)) is not None:
                with suppress(Exception):  # foreign code: what it has produced still counts
                    await close()
        return {"truncated": True, "hint": _CUT, "result": made} if self.cut else made

    def _read(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            self._chars -= len(value)
            return value
        if kind in _ATOMS or (kind is float and isfinite(value)):
            self._chars -= _ITEM_CHARS
            return value
        if isinstance(value, (*_TEXTS, int, float, Enum)):
            return self._leaf_of(value)
        if isinstance(value, Mapping):
            return self._within(value, self._mapping)
        if isinstance(value, (Iterator, Sequence, Set, deque)):
            return self._within(value, self._sequence)
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and _serializer(value) is None:
            return self._within(value, self._fields)
        if _serializer(value) is not None and _holds_lazy(value):
            return self._within(value, self._fields)
        return self._leaf_of(value)

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
        for key, item in self._each(value.items()):
            name = key if type(key) is str else next(iter(self._leaf({key: None})))
            self._chars -= len(name)
            made[name] = self._read(item)
        return made

    def _sequence(self, value: Iterable[Any]) -> list[Any]:
        if not isinstance(value, _READY):
            self._require_thread()
        return [self._read(item) for item in self._each(value)]

    def _fields(self, value: Any) -> dict[str, Any]:
        return {name: self._read(item) for name, item in self._each(_fields_of(value))}

    def _each(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items until there are too many of them."""
        iterator = iter(items)
        try:
            while self._may_read() and (item := self._next(iterator)) is not _END:
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

    def _may_read(self) -> bool:
        if perf_counter() > self._until:
            raise Late(self._seconds)
        self._items -= 1
        if self._items < 0 or self._chars <= 0:
            self.cut = True
        return not self.cut

    def _leaf_of(self, value: Any) -> Any:
        made = self._leaf(value)
        self._chars -= len(made) if isinstance(made, str) else _ITEM_CHARS
        return made

    def _require_thread(self) -> None:
        if not self._lazy:
            raise NeedsThread


_END: Any = object()


def first_items(items: Iterable[Any], seconds: float) -> list[Any]:
    """Return the items of a generator, at most a million. Raises `Late` past the deadline."""
    reader = Reader(seconds, _as_it_is)
    return list(reader._each(items))


def _as_it_is(value: Any) -> Any:
    return value


def _serializer(value: object) -> object:
    """Return what pydantic serializes a value with; None for a value of another kind."""
    return getattr(type(value), "__pydantic_serializer__", None)


def _fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return iter({**value.__dict__, **(getattr(value, "__pydantic_extra__", None) or {})}.items())


def _holds_lazy(value: object) -> bool:
    """Look through the fields of a model for a value that is produced while it is read."""
    waiting = [value]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            return False
        each = waiting.pop()
        if isinstance(each, Iterator):
            return True
        if _serializer(each) is not None:
            waiting += [item for _, item in _fields_of(each)]
        elif isinstance(each, dict):
            waiting += list(each.values())[:_MOST_LOOKED_AT]
        elif isinstance(each, (list, tuple)):
            waiting += each[:_MOST_LOOKED_AT]
    return False
