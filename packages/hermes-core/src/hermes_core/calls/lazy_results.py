"""Reads results that are produced lazily, such as generators, with limits on time and size."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from math import isfinite
from typing import Any

from hermes_core.calls.deadlines import DeadlineError
from hermes_core.calls.results import NeedsThread
from hermes_core.errors import ToolFailedError
from hermes_schemas.plain_values import MAX_CHARS, MAX_ITEMS, PlainReader

_END: Any = object()
_CUT = (
    f"The tool produced more than {MAX_ITEMS:,} items or {MAX_CHARS:,} characters, and the rest was discarded. "
    "Request less: a narrower query, a range, a filter."
)


def read_answer(answer: Any, seconds: float, *, whole: bool) -> Any:
    """Read a lazy answer: as one result if `whole`, otherwise as a list of a generator's items."""
    if not whole:
        return list(PlainReader(seconds, _plain, DeadlineError(seconds)).each(answer))
    if isinstance(answer, (Iterator, Mapping, Sequence, Set)) and not isinstance(answer, (str, bytes, Awaitable)):
        return as_plain(answer, seconds)
    return answer


def as_plain(
    value: object, seconds: float, *, lazy: bool = True, finish: Callable[[Any], Any] = lambda made: made
) -> Any:
    """Return a plain copy after applying `finish`; only the beginning, with a note, if the result is too large.

    Raises `NeedsThread` for a lazy value unless `lazy` is True, and `ToolFailedError` if it cannot be written as JSON.
    """
    if not lazy and isinstance(value, AsyncIterable):
        raise NeedsThread
    reader = PlainReader(seconds, _plain, DeadlineError(seconds), None if lazy else NeedsThread())
    try:
        return finish(_noted(reader, reader.read(value)))
    except (TypeError, ValueError, RecursionError) as error:  # pydantic's errors are ValueErrors
        if error is reader.failure:
            raise
        reason, kind = (str(error).splitlines() or [type(error).__name__])[0], type(value).__name__
        raise ToolFailedError(
            f"Tool execution failed: its result, a {kind}, cannot be written as JSON: {reason}"
        ) from error


async def aread_stream(stream: AsyncIterable[Any], seconds: float) -> object:
    """Read an async generator."""
    reader, made = PlainReader(seconds, _plain, DeadlineError(seconds)), list[Any]()
    iterator = aiter(stream)
    try:
        while reader.may_read() and (item := await anext(iterator, _END)) is not _END:
            made.append(reader.read(item))
    finally:
        if (close := getattr(iterator, "aclose", None)) is not None:
            with suppress(Exception):  # foreign code: its previous items are still valid
                await close()
    return _noted(reader, made)


def _noted(reader: PlainReader, made: Any) -> Any:
    return {"truncated": True, "hint": _CUT, "result": made} if reader.cut else made


def _plain(value: object) -> Any:
    """Convert a value that `json` does not support: a model, an enum, a date, NaN."""
    from pydantic_core import to_jsonable_python

    return _without_nan(to_jsonable_python(value, inf_nan_mode="null", serialize_unknown=False))


def _without_nan(value: Any) -> Any:
    """Replace NaN that models leave, depending on their own settings."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value
