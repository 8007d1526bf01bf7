"""What a model gets back is always a JSON text: these functions make it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from hermes_core.errors import ToolError, ToolFailedError
from hermes_text import text_of

_JSON_STARTS = frozenset('{["-0123456789tfn \t\r\n')
_SPACE = " \t\r\n"
_EXACT = frozenset({dict, list, tuple, str, int, float, bool, type(None)})
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


def encode(value: object, seconds: float = math.inf, *, lazy: bool = True) -> str:
    """Return any JSON-able value, dataclass or pydantic model as JSON text; text is taken as text.

    A value that is produced while it is read is read for so many seconds, and only if it may be `lazy`.

    Raises:
        ToolFailedError: the value cannot be written as JSON.
        Late, NeedsThread: it was not read in time, or must not be read here.
    """
    try:
        if type(value) not in _EXACT and isinstance(value, (dict, list, tuple)):
            raise TypeError  # it may say itself what is in it, without end
        text = _encode(value)
    except (TypeError, ValueError, RecursionError):
        from hermes_core.calls.lazy_results import as_plain  # most results are plain

        text = as_plain(value, seconds, lazy=lazy, finish=_encode)
    return text if text.isascii() else _without_lone_surrogates(text)


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
    """Return what a handler returned as JSON text, as `encode` does; None when it is produced while it is read."""
    try:
        return as_json(value) if isinstance(value, str) else encode(value, lazy=False)
    except NeedsThread:
        return None


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


def _without_lone_surrogates(text: str) -> str:
    """Text that cannot be sent as UTF-8 would fail later and far away; pairs are joined, lone halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
