"""The three tools that give access to hidden ones; their definitions are the same in every list."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_core import Tool, ToolContext
from hermes_core.errors import ToolInputError, ToolUnavailableError, UnknownToolError
from hermes_search.definition_sizes import compact

if TYPE_CHECKING:
    from hermes_search.host_state import SearchState

TOOL_SEARCH, TOOL_DESCRIBE, TOOL_CALL = "tool_search", "tool_describe", "tool_call"
BRIDGE_NAMES = (TOOL_SEARCH, TOOL_DESCRIBE, TOOL_CALL)
TOOLSET = "tool_search"
"""The toolset of the bridge tools."""


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


# Every character costs tokens at every turn. Nothing here depends on the hidden tools: otherwise each change of tools
# would change the list, and invalidate the provider's cache.
BRIDGE: tuple[dict[str, Any], ...] = (
    _function(
        TOOL_SEARCH,
        "Find tools that are not in this list, by what they do. Then call one with tool_call; tool_describe shows "
        "its parameters first.",
        {
            "query": _text("What you want to do, in a few words: 'create github issue'."),
            "limit": {"type": "integer", "description": "How many tools to find."},
        },
        ["query"],
    ),
    _function(
        TOOL_DESCRIBE,
        "Show the description and parameters of a tool that tool_search found.",
        {"name": _text("The tool's exact name.")},
        ["name"],
    ),
    _function(
        TOOL_CALL,
        "Call a tool that tool_search found. It runs as if it were in this list, under the same rules.",
        {
            "name": _text("The tool's exact name."),
            "arguments": {
                "type": "object",
                "description": "Its arguments, as tool_describe shows them.",
                "properties": {},
            },
        },
        ["name", "arguments"],
    ),
)


def bridge_definitions() -> list[dict[str, Any]]:
    """Return a copy of the three definitions in OpenAI's format."""
    return [{"type": "function", "function": deepcopy(function)} for function in BRIDGE]


BRIDGE_CHARS = sum(len(compact(definition)) for definition in bridge_definitions())


def bridge_tools() -> list[Tool]:
    """Return the three tools. They are in every scope, and stay within it."""
    search, describe, call = BRIDGE
    fixed: dict[str, Any] = {"toolset": TOOLSET, "always_load": True, "in_every_scope": True}
    # More lenient than for models: an invalid limit is ignored and does not fail the search.
    properties = search["parameters"]["properties"]
    limit = {"description": properties["limit"]["description"]}
    search = {**search, "parameters": {**search["parameters"], "properties": {**properties, "limit": limit}}}
    return [
        Tool.from_schema(search, _search, effects=["read"], **fixed),
        Tool.from_schema(describe, _describe, effects=["read"], **fixed),
        Tool.from_schema(call, _never, forward=follow, **fixed),
    ]


def _state(ctx: ToolContext) -> SearchState:
    """Return the state of this host.

    Raises:
        ToolUnavailableError: tool search is off.
    """
    from hermes_search.host_state import state_of

    state = state_of(ctx)
    if state.settings(ctx).enabled == "off":
        raise ToolUnavailableError("Tool search is off.", hint="Call tools that are in your list of tools.")
    return state


def _search(args: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    query = args["query"].strip()
    if not query:
        raise ToolInputError("The query is empty.", hint="Describe in a few words what you want to do.")
    state = _state(ctx)
    return state.catalog(ctx).search(query, state.settings(ctx).limit(args.get("limit")))


def _describe(args: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    state, asked = _state(ctx), args["name"].strip()
    spec = ctx.spec(asked)
    if spec is None:
        raise _unknown(asked, ctx)
    if spec.always_load:
        raise _listed(asked)
    catalog = state.catalog(ctx)
    if spec.name not in catalog:
        raise ToolUnavailableError(f"{spec.name} is not available now.", hint="Search for another tool.")
    return catalog.describe(spec.name)


def _never(args: dict[str, Any]) -> dict[str, Any]:
    raise ToolInputError(f"tool_call cannot call {args.get('name')!r}.")  # the core uses `forward` instead


_NAME_KEYS = ("name", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "args", "input", "parameters")
_EXAMPLE = 'Send {"name": "the_tool", "arguments": {...}}.'


class InnerCall(NamedTuple):
    """The call in a `tool_call`, and other keys of its arguments."""

    name: str
    args: dict[str, Any]
    beside: tuple[str, ...] = ()


def follow(args: object, ctx: ToolContext) -> tuple[str, dict[str, Any]]:
    """Return the name and arguments of the tool that a `tool_call` calls.

    Raises:
        ToolInputError: the arguments contain no such call, or the tool is in the model's own list.
        UnknownToolError: the scope has no tool with that name.
    """
    _state(ctx)
    inner = read_tool_call(args)
    spec = ctx.spec(inner.name)
    if spec is None:
        raise _unknown(inner.name, ctx)
    if spec.always_load:
        raise _listed(inner.name)
    expected = {*(spec.parameters.get("properties") or ()), *spec.argument_aliases}
    strays = [key for key in inner.beside if key in expected and key not in inner.args]
    if strays:
        raise _misplaced(inner.name, strays)
    return inner.name, inner.args


def read_tool_call(args: object) -> InnerCall:
    """Return the call in the arguments of a `tool_call`, which may be JSON text at both levels.

    Raises:
        ToolInputError: they contain no call; the message says why.
    """
    outer = _as_object(args, "The arguments of tool_call")
    named = next((key for key in _NAME_KEYS if outer.get(key)), "")
    name = outer.get(named)
    if not isinstance(name, str) or not name.strip():
        raise ToolInputError("tool_call needs a 'name': the tool to call.", hint=_EXAMPLE)
    name = name.strip()
    if name in BRIDGE_NAMES:
        hint = f"Call {name} directly." if name != TOOL_CALL else f"Name the tool to call. {_EXAMPLE}"
        raise ToolInputError(f"tool_call cannot call {name!r}, which is a bridge tool itself.", hint=hint)
    possible = [key for key in _ARGUMENT_KEYS if outer.get(key) is not None]
    given = next((key for key in possible if outer[key]), possible[0] if possible else "")
    beside = tuple(str(key) for key, value in outer.items() if key not in (named, given) and value is not None)
    strays = [key for key in beside if key not in (*_NAME_KEYS, *_ARGUMENT_KEYS)]
    if strays and not given:
        raise _misplaced(name, strays)
    return InnerCall(name, _as_object(outer.get(given), "'arguments' of tool_call"), beside)


def inner_call(name: str, args: object) -> tuple[str, Any]:
    """Return the tool and the arguments of a call; of a `tool_call`, those inside.

    Use it to show or record calls before they run. It never raises: an invalid `tool_call` is returned unchanged.
    """
    if name != TOOL_CALL:
        return name, args
    try:
        inner = read_tool_call(args)
    except ToolInputError:
        return name, args
    return inner.name, inner.args


def _misplaced(name: str, keys: Sequence[str]) -> ToolInputError:
    """Return the error for arguments beside `arguments`, without which another call would run."""
    what = ", ".join(repr(key[:40]) for key in keys[:5])
    return ToolInputError(
        f"tool_call has no {what}: put the arguments of {name[:64]!r} into 'arguments'.", hint=_EXAMPLE
    )


def _listed(name: str) -> ToolInputError:
    return ToolInputError(f"{name!r} is not a hidden tool: it is in your list of tools.", hint=f"Call {name} directly.")


def _unknown(name: str, ctx: ToolContext) -> UnknownToolError:
    """Return the error for a name that is not in the scope, with the nearest names."""
    import difflib

    near = difflib.get_close_matches(name, sorted(ctx.allowed_tools()), n=3)
    hint = "Call only tools that are in your list of tools, or that tool_search finds."
    return UnknownToolError(name[:100], near, hint=hint)


def _read(text: str | bytes | bytearray, what: str) -> object:
    """Parse JSON text as leniently as the arguments of every other call."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        from hermes_schemas import read_object

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
