"""Reads what callers hand in as a call: our own form, and the forms of model APIs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.errors import ConfigError

_EXAMPLE = '("web_search", {"query": "pluggy"})'


@dataclass(frozen=True, slots=True)
class Request:
    """A call that somebody wants: which tool, with what, and how the answer will be matched to it."""

    name: str
    args: Any
    id: str | None = None


def read_requests(calls: Iterable[object]) -> list[Request]:
    """Every call of a batch."""
    if isinstance(calls, str | bytes | Mapping):
        raise ConfigError(f"a batch is a list of calls, not a {type(calls).__name__}.", example=f"[{_EXAMPLE}]")
    return [read_request(call) for call in calls]


def read_request(value: object) -> Request:
    """One call out of a batch: a pair, a mapping, or a tool call as OpenAI and Anthropic write it.

    Raises:
        ConfigError: it is none of these. Arguments that cannot be read are left to validation.
    """
    if isinstance(value, Request):
        return value
    if isinstance(value, str):
        return Request(value, {})
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], str):
        return Request(value[0], _arguments(value[1]))
    fields = value if isinstance(value, Mapping) else _attributes(value)
    inner = fields.get("function")
    if inner is not None and not isinstance(inner, str):
        outer, fields = fields, inner if isinstance(inner, Mapping) else _attributes(inner)
        identity = outer.get("id")
    else:
        identity = fields.get("id") or fields.get("call_id") or fields.get("tool_call_id")
    name = fields.get("name") or fields.get("tool")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{value!r} is not a call: it has no tool name.", example=_EXAMPLE)
    args: object = next((fields[key] for key in ("args", "arguments", "input") if fields.get(key) is not None), {})
    return Request(name, _arguments(args), identity if isinstance(identity, str) else None)


def _arguments(value: object) -> object:
    """Arguments as an object when they are its JSON text; else as they are."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict) else value


def _attributes(value: object) -> dict[str, Any]:
    names = ("id", "call_id", "name", "args", "arguments", "input", "function")
    return {name: getattr(value, name) for name in names if getattr(value, name, None) is not None}
