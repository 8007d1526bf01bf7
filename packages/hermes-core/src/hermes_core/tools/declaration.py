"""Refuses declarations that can never work, naming the tool, the parameter and the remedy."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from hermes_core.errors import ToolDefinitionError, did_you_mean
from hermes_core.tools.spec import DEFAULT_RESULT_CHARS, EFFECTS

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")
_LISTS_OF_WORDS = ("requires_env", "requires_bin", "requires_extra", "aliases", "keywords")
_OPTIONAL_CALLABLES = ("check", "assess", "dynamic_schema")
_KNOWN = {
    *_LISTS_OF_WORDS,
    *_OPTIONAL_CALLABLES,
    "effects",
    "emoji",
    "max_result_size_chars",
    "timeout",
    "argument_aliases",
    "always_load",
    "needs",
}


def plain_function(schema: object, name: str | None) -> dict[str, Any]:
    """The name, description and parameters inside any of the shapes that schemas are passed around in."""
    if not isinstance(schema, Mapping):
        raise ToolDefinitionError(
            name or "?", f"its schema is a {type(schema).__name__}.", remedy="Pass a mapping with a name."
        )
    inner = schema.get("function") if schema.get("type") == "function" and "function" in schema else schema
    if not isinstance(inner, Mapping):
        raise ToolDefinitionError(name or "?", "the 'function' part of its schema is not a mapping.")
    given = name or inner.get("name")
    if not isinstance(given, str) or not given:
        raise ToolDefinitionError(
            "?", "its schema has no name.", remedy='Add `"name"` to the schema, or pass name="..." yourself.'
        )
    parameters = next((inner[key] for key in _SCHEMA_KEYS if inner.get(key) is not None), None)
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    if not isinstance(parameters, Mapping):
        raise ToolDefinitionError(
            given,
            f"its parameters are a {type(parameters).__name__}.",
            remedy='Write them as a JSON schema: {"type": "object", "properties": {...}}.',
        )
    description = inner.get("description")
    return {
        "name": given,
        "description": description if isinstance(description, str) else "",
        "parameters": dict(parameters),
    }


def normalise(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Bring the optional fields of a declaration into the types a `Tool` holds."""
    unknown = next((field for field in fields if field not in _KNOWN), None)
    if unknown:
        near = did_you_mean(get_close_matches(unknown, _KNOWN, 1))
        raise ToolDefinitionError(name, f"has no field {unknown!r}.{near}")
    ready = dict(fields)
    for field in _LISTS_OF_WORDS:
        if field in ready:
            ready[field] = _words(name, field, ready[field])
    if "effects" in ready:
        ready["effects"] = _effects(name, ready["effects"])
    if "needs" in ready:
        ready["needs"] = _needs(name, ready["needs"])
    if ready.get("max_result_size_chars", 0) is None:
        ready["max_result_size_chars"] = DEFAULT_RESULT_CHARS
    if "argument_aliases" in ready:
        ready["argument_aliases"] = _alias_map(name, ready["argument_aliases"])
    return ready


def _needs(name: str, value: object) -> tuple[type | str, ...]:
    if isinstance(value, type | str):
        value = (value,)
    needs = tuple(cast("Iterable[object]", value or ()))
    for need in needs:
        if not isinstance(need, type | str):
            raise ToolDefinitionError(name, f"needs a service by type or by name, not by {need!r}.")
    return cast("tuple[type | str, ...]", needs)


def _words(name: str, field: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ToolDefinitionError(name, f"{field} is {value!r}.", remedy=f'Write a list: {field}=["..."].')
    words = tuple(value)
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise ToolDefinitionError(name, f"{field} holds {word!r}, which is not a name.")
    return words


def _effects(name: str, value: object) -> frozenset[str]:
    effects = frozenset(_words(name, "effects", value))
    for effect in sorted(effects - EFFECTS):
        near = did_you_mean(get_close_matches(effect, sorted(EFFECTS), 1))
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
    _check_names(tool)
    _check_parameters(tool)
    _check_numbers(tool)
    for field in _OPTIONAL_CALLABLES:
        _check_callable(tool, field)


def _check_names(tool: Tool) -> None:
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
    if tool.toolset in ("all", "*"):
        raise ToolDefinitionError(
            tool.name, f"its toolset cannot be called {tool.toolset!r}: that means every tool.", remedy="Rename it."
        )
    if not isinstance(tool.description, str):
        raise ToolDefinitionError(tool.name, f"its description is a {type(tool.description).__name__}, not text.")


def _check_parameters(tool: Tool) -> None:
    properties = tool.parameters.get("properties", {})
    kind = tool.parameters.get("type", "object")
    if kind != "object":
        raise ToolDefinitionError(
            tool.name,
            f"its parameters are of type {kind!r}, but arguments are always an object.",
            remedy='Write {"type": "object", "properties": {...}}.',
        )
    if not isinstance(properties, Mapping):
        raise ToolDefinitionError(tool.name, "the properties of its parameters are not a mapping.")
    required = tool.parameters.get("required", [])
    if not isinstance(required, list | tuple) or not all(isinstance(name, str) for name in required):
        raise ToolDefinitionError(tool.name, f"'required' is {required!r}.", remedy='Write a list: ["name"].')
    for alias, target in tool.argument_aliases.items():
        if target not in properties:
            near = did_you_mean(get_close_matches(target, [str(name) for name in properties], 1))
            raise ToolDefinitionError(
                tool.name, f"stands for {target!r}, which is not a parameter.{near}", parameter=alias
            )
        if alias in properties:
            raise ToolDefinitionError(tool.name, "is both a parameter and an alias.", parameter=alias)
    try:
        json.dumps(dict(tool.parameters), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolDefinitionError(
            tool.name, f"its parameters are not JSON ({error}).", remedy="Use JSON values only, defaults too."
        ) from error


def _check_numbers(tool: Tool) -> None:
    size = tool.max_result_size_chars
    if isinstance(size, bool) or not isinstance(size, int | float) or math.isnan(size) or size <= 0:
        raise ToolDefinitionError(
            tool.name,
            f"max_result_size_chars is {size!r}.",
            remedy="Give a number above 0, or float('inf') for no limit.",
        )
    timeout = tool.timeout
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or math.isnan(timeout) or timeout <= 0:
        raise ToolDefinitionError(
            tool.name, f"timeout is {timeout!r}.", remedy="Give seconds above 0, or float('inf') for no limit."
        )


def _check_callable(tool: Tool, field: str) -> None:
    value: Callable[..., object] | None = getattr(tool, field)
    if value is not None and not callable(value):
        raise ToolDefinitionError(tool.name, f"{field} is a {type(value).__name__}, not a function.")
