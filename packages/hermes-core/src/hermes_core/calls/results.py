"""Converts results and errors to the JSON text that a model gets."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from hermes_core.errors import ToolError, ToolFailedError
from hermes_text import text_of

_JSON_STARTS = frozenset('{["-0123456789tfn \t\r\n')
_SPACE = " \t\r\n"
_MANY_ITEMS = 2_000_000  # more than a result that was cut already has
_EXACT = frozenset({dict, list, tuple, str, int, float, bool, type(None)})
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class NeedsThread(Exception):  # noqa: N818 - a signal to the caller, never shown
    """Raised for a result whose reading runs foreign code, which must happen in a thread under a deadline."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_scan = json.JSONDecoder(parse_constant=_no_constant, parse_int=str, parse_float=str).scan_once  # type: ignore[attr-defined]
"""Checks whether a text is JSON. Numbers stay strings, which is faster and does not limit their digits."""


def tool_result(data: object = None, **fields: object) -> str:
    """Return a result as JSON text: the data, or an object of the keyword arguments."""
    return encode(fields if data is None else data)


def tool_error(message: object, **extra: object) -> str:
    """Return a failure as JSON text: `{"error": message}` and the keyword arguments."""
    return encode({"error": str(message), **extra})


def encode(value: object, seconds: float = math.inf, *, lazy: bool = True) -> str:
    """Return a JSON-able value, dataclass or pydantic model as JSON text; strings become JSON strings.

    Raises like `as_plain`.
    """
    try:
        if type(value) not in _EXACT and isinstance(value, (dict, list, tuple)):
            raise TypeError  # a subclass may produce items without end
        text = _encode(value)
        if len(text) > _MANY_ITEMS and text.count(", ") > _MANY_ITEMS:
            raise ValueError  # only the beginning is used
    except (TypeError, ValueError, RecursionError):
        from hermes_core.calls.lazy_results import as_plain  # most results are plain

        text = as_plain(value, seconds, lazy=lazy, finish=_encode)
    return text if text.isascii() else _without_lone_surrogates(text)


def as_json(value: object) -> str:
    """Return a value as JSON text; text that is JSON already is returned unchanged."""
    if not isinstance(value, str):
        return encode(value)
    if value and value[0] in _JSON_STARTS:
        try:
            if _scan(value, 0)[1] == len(value) and value.isascii():  # what most tools return
                return value
        except (StopIteration, ValueError, RecursionError):
            pass
        if is_json(value):
            return value if value.isascii() else _without_lone_surrogates(value)
    return encode(str(value))


def ready_json(value: object) -> str | None:
    """Return a handler's result as JSON text, like `encode`; None if it is lazy."""
    try:
        return as_json(value) if isinstance(value, str) else encode(value, lazy=False)
    except NeedsThread:
        return None


def error_text(error: ToolError, conceal: Callable[[str], str] = str) -> str:
    """Return a `ToolError` as JSON for the model: message, code and hint. `conceal` hides secrets in whole texts."""
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
    """Return the code of an error that a handler returned: an object whose first key is a non-empty `error`."""
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
    """Return True for text that is one JSON value, with optional white space around it."""
    start = len(text) - len(text.lstrip(_SPACE)) if text[:1] in _SPACE else 0
    try:
        end: int = _scan(text, start)[1]
    except (StopIteration, ValueError, RecursionError):
        return False
    return end == len(text) or not text[end:].strip(_SPACE)


def _without_lone_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates, which cannot be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
