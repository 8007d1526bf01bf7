"""What a model gets back is always a JSON text: these functions make it."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from hermes_core.errors import ToolError, ToolFailedError
from hermes_text import text_of

_JSON_STARTS = frozenset('{["-0123456789tfn \t\r\n')
_SPACE = " \t\r\n"
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class NeedsThread(Exception):  # noqa: N818 - a signal to the caller, never shown
    """Raised for a result whose reading runs foreign code: that belongs in a thread, under a deadline."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_scan = json.JSONDecoder(parse_constant=_no_constant, parse_int=str, parse_float=str).scan_once  # type: ignore[attr-defined]
"""Only checks whether a text is JSON, so numbers stay text: no limit on their digits, no work on them."""


def tool_result(data: object = None, **fields: object) -> str:
    """A result as JSON text: the data, or an object of the keyword arguments."""
    return encode(fields if data is None else data)


def tool_error(message: object, **extra: object) -> str:
    """A failure as JSON text: `{"error": message}` and whatever else is given."""
    return encode({"error": str(message), **extra})


def encode(value: object) -> str:
    """Return any JSON-able value, dataclass or pydantic model as JSON text; text is taken as text.

    Raises:
        ToolFailedError: the value cannot be written as JSON.
    """
    return _encode_value(value, math.inf)


def as_json(value: object) -> str:
    """Return a value as JSON text. Text that is JSON already is taken as it is."""
    if not isinstance(value, str):
        return encode(value)
    if value[:1] in _JSON_STARTS:
        try:
            if _scan(value, 0)[1] == len(value) and value.isascii():  # what most tools return
                return value
        except (StopIteration, ValueError, RecursionError):
            pass
        if is_json(value):
            return value if value.isascii() else _without_lone_surrogates(value)
    return encode(str(value))


def ready_json(value: object) -> str | None:
    """Return what a handler returned as JSON text; None when it is produced while it is read, see `read_as_json`.

    Raises:
        ToolFailedError: the value cannot be written as JSON.
    """
    if isinstance(value, str):
        return as_json(value)
    try:
        return _encode_value(value, math.inf, lazy=False)
    except NeedsThread:
        return None


def read_as_json(value: object, seconds: float) -> str:
    """Return a result that is produced while it is read as JSON text. Raises `Late` when that takes too long."""
    return _encode_value(value, seconds)


def _encode_value(value: object, seconds: float, *, lazy: bool = True) -> str:
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError):
        if not lazy and isinstance(value, AsyncIterable):
            raise NeedsThread from None
        from hermes_core.calls.lazy_results import Reader  # most results are plain

        reader = Reader(seconds, _plain, lazy=lazy)
        try:
            text = _encode(reader.read(value))
        except (TypeError, ValueError, RecursionError) as error:  # pydantic's own are ValueErrors
            if error is reader.failure:
                raise
            raise _not_json(value, error) from error
    return text if text.isascii() else _without_lone_surrogates(text)


def error_text(error: ToolError, conceal: Callable[[str], str] = str) -> str:
    """Return a `ToolError` as the model reads it: what happened, a stable code, and what to do next.

    Args:
        error: The error.
        conceal: Hides known secrets. It gets the whole text, since half a secret at the end is no longer known.
    """
    from hermes_text import sanitize_error  # most calls succeed

    hide = _mask if error.quotes_code else None
    fields: dict[str, Any] = {"error": sanitize_error(conceal(text_of(error.message)), hide=hide), "code": error.code}
    if error.hint:
        fields["hint"] = sanitize_error(conceal(text_of(error.hint)))
    for key, value in error.extra.items():
        fields.setdefault(key, value)
    try:
        return encode(fields)
    except ToolFailedError:
        return encode({"error": fields["error"], "code": error.code})


def _mask(text: str) -> str:
    from hermes_text.secrets import mask_secrets  # needed for few errors

    return mask_secrets(text)


def reported_error(text: str) -> str | None:
    """Return the code of an error that a handler reported in its result, as `tool_error` does; None without one.

    Only an object whose first key is `error`, with something in it, counts: results may well talk about errors.
    """
    if not text.startswith('{"error"'):
        return None
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not result.get("error"):
        return None
    code = result.get("code")
    return code if isinstance(code, str) else ToolError.code


def is_json(text: str) -> bool:
    """Return True for a text that is one JSON value and nothing else but white space."""
    start = len(text) - len(text.lstrip(_SPACE)) if text[:1] in _SPACE else 0
    try:
        end: int = _scan(text, start)[1]
    except (StopIteration, ValueError, RecursionError):
        return False
    return end == len(text) or not text[end:].strip(_SPACE)


def read_lazily(value: object, seconds: float) -> object:
    """Read what a handler returned where it ran, if it is produced while it is read."""
    if isinstance(value, (Iterator, Mapping, Sequence, Set)) and not isinstance(value, (str, bytes, Awaitable)):
        from hermes_core.calls.lazy_results import Reader

        reader = Reader(seconds, _plain)
        try:
            return reader.read(value)
        except (TypeError, ValueError, RecursionError) as error:
            if error is reader.failure:
                raise
            raise _not_json(value, error) from error
    return value


async def aread_stream(stream: AsyncIterable[Any], seconds: float) -> object:
    """Read what an async generator produces."""
    from hermes_core.calls.lazy_results import Reader

    return await Reader(seconds, _plain).aread(stream)


def _plain(value: object) -> Any:
    """Make plain JSON of a value that `json` does not know: a model, an enum, a date, NaN."""
    from pydantic_core import to_jsonable_python

    return _without_nan(to_jsonable_python(value, inf_nan_mode="null", serialize_unknown=False))


def _not_json(value: object, error: Exception) -> ToolFailedError:
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    kind = type(value).__name__
    return ToolFailedError(f"Tool execution failed: its result, a {kind}, cannot be written as JSON: {first}")


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None  # noqa: PLR0124 - NaN is unlike itself
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def _without_lone_surrogates(text: str) -> str:
    """Text that cannot be sent as UTF-8 would fail later and far away; pairs are joined, lone halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
