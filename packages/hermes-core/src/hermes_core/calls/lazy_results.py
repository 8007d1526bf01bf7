"""Reads results that are produced while they are read, within limits of time and size."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from math import isfinite
from typing import Any

from hermes_core.calls.deadlines import Late
from hermes_core.calls.results import NeedsThread
from hermes_core.errors import ToolFailedError
from hermes_schemas.plain_values import MAX_CHARS, MAX_ITEMS, PlainReader

_END: Any = object()
_CUT = (
    f"The tool produced more than {MAX_ITEMS:,} items or {MAX_CHARS:,} characters, and the rest was not read. "
    "Ask for less: a narrower query, a range, a filter."
)


def read_answer(answer: Any, seconds: float, *, whole: bool) -> Any:
    """Read what is produced while it is read: a result as a `whole`, else the items of a generator as they are."""
    if not whole:
        return list(PlainReader(seconds, _plain, Late(seconds)).each(answer))
    if isinstance(answer, (Iterator, Mapping, Sequence, Set)) and not isinstance(answer, (str, bytes, Awaitable)):
        return as_plain(answer, seconds)
    return answer


def as_plain(
    value: object, seconds: float, *, lazy: bool = True, finish: Callable[[Any], Any] = lambda made: made
) -> Any:
    """Return a plain copy, finished; of a result that is too large the beginning and a note.

    Raises:
        Late, NeedsThread: it was not read in time, or is produced while it is read and must not be `lazy`.
        ToolFailedError: it cannot be written as JSON.
    """
    if not lazy and isinstance(value, AsyncIterable):
        raise NeedsThread
    reader = PlainReader(seconds, _plain, Late(seconds), None if lazy else NeedsThread())
    try:
        return finish(_noted(reader, reader.read(value)))
    except (TypeError, ValueError, RecursionError) as error:  # pydantic's own are ValueErrors
        if error is reader.failure:
            raise
        reason, kind = (str(error).splitlines() or [type(error).__name__])[0], type(value).__name__
        raise ToolFailedError(
            f"Tool execution failed: its result, a {kind}, cannot be written as JSON: {reason}"
        ) from error


async def aread_stream(stream: AsyncIterable[Any], seconds: float) -> object:
    """Read what an async generator produces."""
    reader, made = PlainReader(seconds, _plain, Late(seconds)), list[Any]()
    iterator = aiter(stream)
    try:
        while reader.may_read() and (item := await anext(iterator, _END)) is not _END:
            made.append(reader.read(item))
    finally:
        if (close := getattr(iterator, "aclose", None)) is not None:
            with suppress(Exception):  # foreign code: what it has produced still counts
                await close()
    return _noted(reader, made)


def _noted(reader: PlainReader, made: Any) -> Any:
    """Say so beside a result of which the rest was left out."""
    return {"truncated": True, "hint": _CUT, "result": made} if reader.cut else made


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
