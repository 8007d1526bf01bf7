"""Refuses declarations that can never work, naming the tool, the parameter and the remedy."""

from __future__ import annotations

import inspect
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from hermes_core.errors import ToolDefinitionError, did_you_mean
from hermes_core.tools.model_text import check_description, check_schema_text, is_clean_name
from hermes_core.tools.readonly import frozen
from hermes_core.tools.spec import DEFAULT_RESULT_CHARS, EFFECTS
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")
_LISTS_OF_WORDS = ("requires_env", "requires_bin", "requires_extra", "aliases", "keywords", "calls")
_OPTIONAL_CALLABLES = ("check", "assess", "binding", "forward", "dynamic_schema")
_KNOWN = {
    *_LISTS_OF_WORDS,
    *_OPTIONAL_CALLABLES,
    "effects",
    "emoji",
    "max_result_size_chars",
    "timeout",
    "argument_aliases",
    "always_load",
    "in_every_scope",
    "needs",
    "is_async",
}
_NAMED = {"name", "toolset", "description"}


def plain_function(schema: object, name: str | None) -> dict[str, Any]:
    """The name, description and parameters inside any of the shapes that schemas are passed around in."""
    if not isinstance(schema, Mapping):
        raise ToolDefinitionError(
            name or "?", f"its schema is a {type(schema).__name__}.", remedy="Pass a mapping with a name."
        )
    inner = schema.get("function") if schema.get("type") == "function" and "function" in schema else schema
    if not isinstance(inner, Mapping):
        raise ToolDefinitionError(name or "?", "the 'function' part of its schema is not a mapping.")
    given = inner.get("name") if name is None else name
    if name is None and (not isinstance(given, str) or not given):
        raise ToolDefinitionError(
            "?", "its schema has no name.", remedy='Add `"name"` to the schema, or pass name="..." yourself.'
        )
    parameters = next((inner[key] for key in _SCHEMA_KEYS if inner.get(key) is not None), None)
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    description = inner.get("description")
    return {
        "name": given,
        "description": description if isinstance(description, str) else "",
        "parameters": parameters,
    }


def refuse_unknown(name: str, fields: Iterable[str]) -> None:
    """Raise `ToolDefinitionError` for the first field that tools do not have."""
    for field in fields:
        if field not in _KNOWN:
            near = did_you_mean(nearest(field, _KNOWN | _NAMED, 1))
            raise ToolDefinitionError(
                name, f"has no field {field!r}.{near}", remedy=f"The fields are {', '.join(sorted(_KNOWN | _NAMED))}."
            )


def settled(tool: Tool) -> dict[str, Any]:
    """The fields of a declaration that have several spellings, in the one that a `Tool` holds."""
    name = str(tool.name)
    ready: dict[str, Any] = {field: _words(name, field, getattr(tool, field)) for field in _LISTS_OF_WORDS}
    ready["effects"] = _effects(name, tool.effects)
    ready["needs"] = _needs(name, tool.needs)
    ready["argument_aliases"] = _alias_map(name, tool.argument_aliases)
    ready["parameters"] = _own_copy(name, tool.parameters)
    if cast("float | None", tool.max_result_size_chars) is None:
        ready["max_result_size_chars"] = DEFAULT_RESULT_CHARS
    return ready


def _own_copy(name: str, parameters: object) -> Mapping[str, Any]:
    """Copy the parameters, read-only, once they are known to be JSON of a reasonable size."""
    if not isinstance(parameters, Mapping):
        raise ToolDefinitionError(
            name,
            f"its parameters are a {type(parameters).__name__}.",
            remedy='Write them as a JSON schema: {"type": "object", "properties": {...}}.',
        )
    check_schema_text(name, parameters)
    if problem := not_json(parameters):
        properties = parameters.get("properties")
        schemas = properties if isinstance(properties, Mapping) else {}
        raise ToolDefinitionError(
            name,
            f"its parameters are not JSON ({problem}).",
            parameter=next((str(parameter) for parameter, schema in schemas.items() if not_json(schema)), None),
            remedy="Use JSON values only, defaults too.",
        )
    copy: Mapping[str, Any] = frozen(parameters)
    return copy


def not_json(value: object) -> str | None:
    """Why a value cannot be sent to a model; None when it can."""
    try:
        json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _needs(name: str, value: object) -> tuple[type | str, ...]:
    if isinstance(value, type | str):
        value = (value,)
    needs = tuple(value) if isinstance(value, Iterable) else () if value is None else (value,)
    for need in needs:
        if not isinstance(need, type | str):
            raise ToolDefinitionError(
                name, f"needs a service by type or by name, not by {need!r}.", remedy="Write needs=[TodoStore]."
            )
    return cast("tuple[type | str, ...]", needs)


def _words(name: str, field: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ToolDefinitionError(name, f"{field} is {value!r}.", remedy=f'Write a list: {field}=["..."].')
    words = tuple(value)
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise ToolDefinitionError(
                name, f"{field} holds {word!r}, which is not a name.", remedy=f'Write a list: {field}=["..."].'
            )
    return words


def _effects(name: str, value: object) -> frozenset[str]:
    effects = frozenset(_words(name, "effects", value))
    for effect in sorted(effects - EFFECTS):
        near = did_you_mean(nearest(effect, EFFECTS, 1))
        raise ToolDefinitionError(
            name, f"{effect!r} is not an effect.{near}", remedy=f"The effects are {', '.join(sorted(EFFECTS))}."
        )
    return effects


def _alias_map(name: str, value: object) -> Mapping[str, str]:
    if value is None:
        return MappingProxyType({})
    if not isinstance(value, Mapping) or not all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        raise ToolDefinitionError(
            name, "argument_aliases is not a mapping of names.", remedy='Write {"alias": "argument"}.'
        )
    return MappingProxyType(dict(value))


def check_declaration(tool: Tool) -> None:
    """Raise `ToolDefinitionError` unless every field of the tool can stand."""
    check_names(tool)
    check_parameters(tool)
    if tool.signature is None:
        _check_schemas(tool)
    _check_numbers(tool)
    _check_callable(tool, "handler")
    for field in _OPTIONAL_CALLABLES:
        if getattr(tool, field) is not None:
            _check_callable(tool, field)


def _check_schemas(tool: Tool) -> None:
    from hermes_schemas.mistakes import find_mistake  # typed functions have schemas of pydantic's

    if mistake := find_mistake(tool.parameters):
        place = f"{'/'.join(mistake.place)}: " if mistake.place else ""
        reason = f"{place}{mistake.reason}{did_you_mean(mistake.near)}"
        raise ToolDefinitionError(tool.name, reason, parameter=mistake.parameter, remedy=mistake.remedy)


def check_names(tool: Tool) -> None:
    """Raise `ToolDefinitionError` unless its names and texts are such that models and people can use them."""
    for name in (tool.name, *tool.aliases):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ToolDefinitionError(
                str(tool.name),
                f"{name!r} is not a name that model APIs accept.",
                remedy="Use 1 to 64 letters, digits, '_' or '-'.",
            )
    if tool.name in tool.aliases:
        raise ToolDefinitionError(tool.name, "lists its own name as an alias.", remedy="Remove it from aliases.")
    if not isinstance(tool.toolset, str) or not tool.toolset.strip():
        raise ToolDefinitionError(tool.name, "has no toolset.", remedy='Pass toolset="...".')
    if not is_clean_name(tool.toolset):
        raise ToolDefinitionError(
            tool.name,
            f"the name of its toolset, {tool.toolset!r}, contains characters or tokens that models must not see.",
            remedy="Use plain letters.",
        )
    if tool.toolset in ("all", "*"):
        raise ToolDefinitionError(
            tool.name, f"its toolset cannot be called {tool.toolset!r}: that means every tool.", remedy="Rename it."
        )
    if not isinstance(tool.description, str):
        raise ToolDefinitionError(
            tool.name,
            f"its description is a {type(tool.description).__name__}, not text.",
            remedy='Pass description="...".',
        )
    check_description(tool.name, tool.description)
    if not isinstance(tool.emoji, str):
        raise ToolDefinitionError(tool.name, f"emoji is {tool.emoji!r}, not text.", remedy='Pass emoji="...".')
    if not isinstance(tool.always_load, bool):
        raise ToolDefinitionError(
            tool.name, f"always_load is {tool.always_load!r}.", remedy="Write always_load=True or leave it out."
        )
    if not isinstance(tool.in_every_scope, bool):
        raise ToolDefinitionError(tool.name, f"in_every_scope is {tool.in_every_scope!r}, not True or False.")
    if tool.in_every_scope and not tool.effects <= {"read"}:
        raise ToolDefinitionError(
            tool.name,
            f"it is in every scope, and has the effect {min(tool.effects - {'read'})!r}.",
            remedy="Only a tool that does nothing but read can be in every scope.",
        )


def check_parameters(tool: Tool) -> None:
    """Raise `ToolDefinitionError` unless its parameters are a JSON object with properties."""
    properties = tool.parameters.get("properties", {})
    kind = tool.parameters.get("type", "object")
    if kind != "object":
        raise ToolDefinitionError(
            tool.name,
            f"its parameters are of type {kind!r}, but arguments are always an object.",
            remedy='Write {"type": "object", "properties": {...}}.',
        )
    if not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        raise ToolDefinitionError(
            tool.name,
            "the properties of its parameters are not a mapping of names.",
            remedy='Write {"properties": {"name": {"type": "string"}}}.',
        )
    required = tool.parameters.get("required", [])
    if not isinstance(required, list | tuple) or not all(isinstance(name, str) for name in required):
        raise ToolDefinitionError(tool.name, f"'required' is {required!r}.", remedy='Write a list: ["name"].')
    for alias, target in tool.argument_aliases.items():
        if target not in properties:
            near = did_you_mean(nearest(target, map(str, properties), 1))
            raise ToolDefinitionError(
                tool.name,
                f"stands for {target!r}, which is not a parameter.{near}",
                parameter=alias,
                remedy='Write argument_aliases={"alias": "parameter"}.',
            )
        if alias in properties:
            raise ToolDefinitionError(
                tool.name,
                "is both a parameter and an alias.",
                parameter=alias,
                remedy="Remove it from argument_aliases.",
            )


def _check_numbers(tool: Tool) -> None:
    size = tool.max_result_size_chars
    if not _is_amount(size):
        raise ToolDefinitionError(
            tool.name,
            f"max_result_size_chars is {size!r}.",
            remedy="Give a number above 0, or float('inf') for no limit.",
        )
    if tool.timeout is not None and not _is_amount(tool.timeout):
        raise ToolDefinitionError(
            tool.name, f"timeout is {tool.timeout!r}.", remedy="Give seconds above 0, or float('inf') for no limit."
        )


def _is_amount(value: object) -> bool:
    """A number above zero that arithmetic can use: not NaN, and no integer beyond the range of floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value <= sys.float_info.max or value == math.inf


def _check_callable(tool: Tool, field: str) -> None:
    value: object = getattr(tool, field)
    if not callable(value):
        raise ToolDefinitionError(
            tool.name,
            f"{field} is a {type(value).__name__}, not a function.",
            remedy=f"Pass the function itself, without calling it: {field}=function.",
        )
    if field != "handler":
        _check_call(tool, field, value)
    elif tool.signature is None:
        _check_call(tool, field, value, more=True)


_CALLS = {
    "handler": ("args", 'Write def handler(args, **info): args["name"] is an argument.'),
    "assess": ("args, ctx", "Write def assess(args, ctx)."),
    "binding": ("args, ctx", "Write def binding(args, ctx)."),
    "forward": ("args, ctx", "Write def forward(args, ctx), and return (name, args)."),
    "check": ("", "Write def check(), and bind what it needs with functools.partial."),
    "dynamic_schema": ("", "Write def dynamic_schema(), and bind what it needs with functools.partial."),
}


def _check_call(tool: Tool, field: str, value: Callable[..., object], *, more: bool = False) -> None:
    """Refuse a function that cannot be called as it will be; with `more`, what else it takes is filled in by name."""
    given, remedy = _CALLS[field]
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return  # built into Python, where few functions say what they take
    try:
        (signature.bind_partial if more else signature.bind)(*given.split())
    except TypeError as error:
        raise ToolDefinitionError(
            tool.name, f"{field} cannot be called as {field}({given}): {error}.", remedy=remedy
        ) from error
