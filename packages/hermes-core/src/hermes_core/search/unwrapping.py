"""Which tool a `tool_call` really calls, with which arguments: for the pipeline, and for whoever shows calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hermes_core.errors import ToolInputError
from hermes_core.schemas.repair_texts import read_object
from hermes_core.tools.reserved import RESERVED_NAMES, TOOL_CALL

_NAME_KEYS = ("name", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "args", "input", "parameters")
_EXAMPLE = 'Send {"name": "the_tool", "arguments": {...}}.'


class Underlying(NamedTuple):
    """The call inside a `tool_call`, and the keys that stand beside it."""

    name: str
    args: dict[str, Any]
    beside: tuple[str, ...] = ()


def read_tool_call(args: object) -> Underlying:
    """The call that the arguments of a `tool_call` describe. They may be JSON text, and so may those inside.

    Raises:
        ToolInputError: they describe none; the message says what is wrong with them.
    """
    outer = _as_object(args, "The arguments of tool_call")
    named = next((key for key in _NAME_KEYS if outer.get(key)), "")
    name = outer.get(named)
    if not isinstance(name, str) or not name.strip():
        raise ToolInputError("tool_call needs a 'name': the tool that is to be called.", hint=_EXAMPLE)
    name = name.strip()
    if name in RESERVED_NAMES:
        hint = f"Call {name} directly." if name != TOOL_CALL else f"Name the tool that is to run. {_EXAMPLE}"
        raise ToolInputError(f"tool_call cannot call {name!r}, which is a bridge tool itself.", hint=hint)
    possible = [key for key in _ARGUMENT_KEYS if outer.get(key) is not None]
    given = next((key for key in possible if outer[key]), possible[0] if possible else "")
    beside = tuple(str(key) for key, value in outer.items() if key not in (named, given) and value is not None)
    strays = [key for key in beside if key not in (*_NAME_KEYS, *_ARGUMENT_KEYS)]
    if strays and not given:
        raise misplaced(name, strays)
    return Underlying(name, _as_object(outer.get(given), "'arguments' of tool_call"), beside)


def misplaced(name: str, keys: Sequence[str]) -> ToolInputError:
    """The error for arguments beside `arguments`: without them another call would run than the one that was meant."""
    what = ", ".join(repr(key[:40]) for key in keys[:5])
    return ToolInputError(
        f"tool_call has no {what}: what is for {name[:64]!r} belongs into 'arguments'.", hint=_EXAMPLE
    )


def unwrapped_call(name: str, args: object) -> tuple[str, Any]:
    """The tool that a call is about, and its arguments: of a `tool_call` those inside, of any other call its own.

    For those who show or record calls before they run. Never raises: a `tool_call` that cannot be read stays one.
    """
    if name != TOOL_CALL:
        return name, args
    try:
        inner = read_tool_call(args)
    except ToolInputError:
        return name, args
    return inner.name, inner.args


def _read(text: str | bytes | bytearray, what: str) -> object:
    """What a text holds, read as generously as the arguments of every other call."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        nearly = read_object(text) if isinstance(text, str) else None
        if nearly is not None:
            return nearly
        reason = f" ({error})" if isinstance(error, json.JSONDecodeError) else ""
        raise ToolInputError(f"{what} are not valid JSON{reason}.", hint=_EXAMPLE) from error


def _as_object(value: object, what: str) -> dict[str, Any]:
    if isinstance(value, str | bytes | bytearray):
        if not value.strip():
            return {}
        value = _read(value, what)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ToolInputError(f"{what} must be an object, not a {type(value).__name__}.", hint=_EXAMPLE)
    return value if type(value) is dict else dict(value)
