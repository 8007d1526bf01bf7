"""Reads results that are produced while they are read, within limits of time and size."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from math import isfinite
from time import perf_counter
from types import GeneratorType
from typing import Any

from hermes_core.calls.deadlines import Late
from hermes_core.calls.results import NeedsThread
from hermes_core.errors import ToolFailedError

MOST_ITEMS = 1_000_000
MOST_CHARS = 10_000_000
"""How much is read of a result. A result that ends is far below both; one without end must not fill the memory."""

_MAX_DEPTH = 200
_MOST_LOOKED_AT = 1_000
_ITEM_CHARS = 8
"""What a number or another small value counts for."""

_ATOMS = frozenset({int, bool, type(None)})
_READY = (list, tuple, set, frozenset, deque)
_LEAVES = (str, bytes, bytearray, memoryview, int, float, Enum)
_END: Any = object()
_CUT = (
    f"The tool produced more than {MOST_ITEMS:,} items or {MOST_CHARS:,} characters, and the rest was not read. "
    "Ask for less: a narrower query, a range, a filter."
)


def first_items(items: Iterable[Any], seconds: float) -> list[Any]:
    """Return the items of a generator, at most a million. Raises `Late` past the deadline."""
    return list(_Reader(seconds).each(items))


def read_lazily(value: object, seconds: float) -> object:
    """Read what a handler returned where it ran, if it is produced while it is read."""
    if isinstance(value, (Iterator, Mapping, Sequence, Set)) and not isinstance(value, (str, bytes, Awaitable)):
        return as_plain(value, seconds)
    return value


def as_plain(
    value: object, seconds: float, *, lazy: bool = True, finish: Callable[[Any], Any] = lambda made: made
) -> Any:
    """Return a copy of plain lists, dictionaries and values; of a result that is too large the beginning and a note.

    Args:
        value: The result.
        seconds: How long reading it may take.
        lazy: Whether it may be read here when it is produced while it is read.
        finish: What is done with the copy.

    Raises:
        Late: it was not read in time.
        NeedsThread: it must not be read here.
        ToolFailedError: it cannot be written as JSON.
    """
    if not lazy and isinstance(value, AsyncIterable):
        raise NeedsThread
    reader = _Reader(seconds, lazy=lazy)
    try:
        return finish(reader.noted(reader.read(value)))
    except (TypeError, ValueError, RecursionError) as error:  # pydantic's own are ValueErrors
        if error is reader.failure:
            raise
        reason, kind = (str(error).splitlines() or [type(error).__name__])[0], type(value).__name__
        raise ToolFailedError(
            f"Tool execution failed: its result, a {kind}, cannot be written as JSON: {reason}"
        ) from error


async def aread_stream(stream: AsyncIterable[Any], seconds: float) -> object:
    """Read what an async generator produces."""
    reader, made = _Reader(seconds), list[Any]()
    iterator = aiter(stream)
    try:
        while reader.may_read() and (item := await anext(iterator, _END)) is not _END:
            made.append(reader.read(item))
    finally:
        if (close := getattr(iterator, "aclose", None)) is not None:
            with suppress(Exception):  # foreign code: what it has produced still counts
                await close()
    return reader.noted(made)


class _Reader:
    """Copies one result, and counts what it copies.

    Attributes:
        cut: Whether the rest was left out.
        failure: What the code raised that produces the result.
    """

    __slots__ = ("_chars", "_items", "_lazy", "_path", "_seconds", "_until", "cut", "failure")

    def __init__(self, seconds: float, *, lazy: bool = True) -> None:
        self._seconds = seconds
        self._until = perf_counter() + seconds
        self._lazy = lazy
        self._items = MOST_ITEMS
        self._chars = MOST_CHARS
        self._path: set[int] = set()
        self.cut = False
        self.failure: Exception | None = None

    def noted(self, made: Any) -> Any:
        """Say so beside a result of which the rest was left out."""
        return {"truncated": True, "hint": _CUT, "result": made} if self.cut else made

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
        made = _plain(value)
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
            name = key if type(key) is str else next(iter(_plain({key: None})))
            self._chars -= len(name)
            made[name] = self.read(item)
        return made

    def _sequence(self, value: Iterable[Any]) -> list[Any]:
        if not isinstance(value, _READY):
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
            raise Late(self._seconds)
        self._items -= 1
        if self._items < 0 or self._chars <= 0:
            self.cut = True
        return not self.cut

    def _require_thread(self) -> None:
        if not self._lazy:
            raise NeedsThread


def _plain(value: object) -> Any:
    """Make plain JSON of a value that `json` does not know: a model, an enum, a date, NaN."""
    from pydantic_core import to_jsonable_python

    return _without_nan(to_jsonable_python(value, inf_nan_mode="null", serialize_unknown=False))


def _without_nan(value: Any) -> Any:
    """Replace what models leave: their own settings say how they write NaN."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value


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
