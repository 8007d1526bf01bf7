"""Rejects invalid declarations, with the tool, the parameter and a remedy."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import hermes_schemas
from hermes_core.errors import ToolDefinitionError, did_you_mean
from hermes_core.tools.tool_spec import DEFAULT_RESULT_CHARS, EFFECTS, SPEC_FIELDS
from hermes_schemas.readonly import frozen
from hermes_schemas.schema_limits import UNCLEAN, find_excess, not_json, size_of
from hermes_text import clean_text

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

MAX_DESCRIPTION_BYTES = 16 * 1024
"""The maximum length of a description. Some model APIs accept only a sixteenth of it."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")
_LISTS_OF_WORDS = ("requires_env", "requires_bin", "requires_extra", "aliases", "keywords", "calls", "effects")
NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}
_FLAGS = ("always_load", "in_every_scope", "is_async")

CODE_FIELDS = ("check", "assess", "binding", "forward", "dynamic_schema")
"""The parts of a tool that are code, besides its handler; a manifest lists which of them a tool has."""

_FIELDS = sorted({*SPEC_FIELDS, *CODE_FIELDS} - {"parameters"})


def plain_function(schema: object, name: str | None) -> dict[str, Any]:
    """Return the name, description and parameters from a schema in any of the usual formats."""
    if not isinstance(schema, Mapping):
        kind = type(schema).__name__
        raise ToolDefinitionError(name or "?", f"its schema is a {kind}.", remedy="Pass a mapping with a name.")
    inner = schema.get("function") if schema.get("type") == "function" and "function" in schema else schema
    if not isinstance(inner, Mapping):
        raise ToolDefinitionError(name or "?", "the 'function' part of its schema is not a mapping.")
    given = inner.get("name") if name is None else name
    if name is None and (not isinstance(given, str) or not given):
        remedy = 'Add `"name"` to the schema, or pass name="..." yourself.'
        raise ToolDefinitionError("?", "its schema has no name.", remedy=remedy)
    description = inner.get("description")
    return {
        "name": given,
        "description": description if isinstance(description, str) else "",
        "parameters": next((inner[key] for key in _SCHEMA_KEYS if inner.get(key) is not None), NO_PARAMETERS),
    }


def refuse_unknown(name: str, fields: Iterable[str]) -> None:
    """Raise `ToolDefinitionError` for the first unknown field."""
    for field in fields:
        if field not in _FIELDS:
            near = did_you_mean(hermes_schemas.nearest(field, _FIELDS, 1))
            remedy = f"The fields are {', '.join(_FIELDS)}."
            raise ToolDefinitionError(name, f"has no field {field!r}.{near}", remedy=remedy)


def normalized(tool: Tool) -> dict[str, Any]:
    """Convert the fields that accept several types to the types in `Tool`."""
    name = str(tool.name)
    given = {field: getattr(tool, field) for field in _LISTS_OF_WORDS}
    ready: dict[str, Any] = {key: () if value is None else words(name, key, value) for key, value in given.items()}
    ready["effects"] = _known_effects(name, ready["effects"])
    ready["needs"] = _needs(name, tool.needs)
    ready["argument_aliases"] = _alias_map(name, tool.argument_aliases)
    if cast("float | None", tool.max_result_size_chars) is None:
        ready["max_result_size_chars"] = DEFAULT_RESULT_CHARS
    return ready


def copy_parameters(name: str, parameters: object) -> Mapping[str, Any]:
    """Return a read-only copy of the parameters after checking that they are JSON of a reasonable size."""
    check_schema_text(name, parameters)
    assert isinstance(parameters, Mapping)
    if problem := not_json(parameters):
        properties = parameters.get("properties")
        schemas = properties if isinstance(properties, Mapping) else {}
        parameter = next((str(name) for name, schema in schemas.items() if not_json(schema)), None)
        reason, remedy = f"its parameters are not JSON ({problem}).", "Use JSON values only, defaults too."
        raise ToolDefinitionError(name, reason, parameter=parameter, remedy=remedy)
    copy: Mapping[str, Any] = frozen(parameters)
    return copy


def _needs(name: str, value: object) -> tuple[type | str, ...]:
    if isinstance(value, type | str):
        value = (value,)
    needs = tuple(value) if isinstance(value, Iterable) else () if value is None else (value,)
    for need in needs:
        if not isinstance(need, type | str):
            reason = f"needs a service by type or by name, not by {need!r}."
            raise ToolDefinitionError(name, reason, remedy="Write needs=[TodoStore].")
    return cast("tuple[type | str, ...]", needs)


def words(name: str, field: str, value: object) -> tuple[str, ...]:
    """Return a list of names as a tuple; reject a bare string, which would become a list of letters."""
    if value == ():
        return ()
    remedy = f'Write a list: {field}=["{value if isinstance(value, str) and value.strip() else "..."}"].'
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ToolDefinitionError(name, f"{field} is {value!r}.", remedy=remedy)
    found = tuple(value)
    for word in found:
        if not isinstance(word, str) or not word.strip():
            raise ToolDefinitionError(name, f"{field} holds {word!r}, which is not a name.", remedy=remedy)
    return found


def _known_effects(name: str, given: Iterable[str]) -> frozenset[str]:
    effects = frozenset(given)
    for effect in sorted(effects - EFFECTS):
        near = did_you_mean(hermes_schemas.nearest(effect, EFFECTS, 1))
        remedy = f"The effects are {', '.join(sorted(EFFECTS))}."
        raise ToolDefinitionError(name, f"{effect!r} is not an effect.{near}", remedy=remedy)
    return effects


def _alias_map(name: str, value: object) -> Mapping[str, str]:
    given = {} if value is None else value
    if not isinstance(given, Mapping) or not all(isinstance(k, str) and isinstance(v, str) for k, v in given.items()):
        remedy = 'Write {"alias": "argument"}.'
        raise ToolDefinitionError(name, "argument_aliases is not a mapping of names.", remedy=remedy)
    return MappingProxyType(dict(given))


def check_declaration(tool: Tool) -> None:
    """Raise `ToolDefinitionError` if a declaration is invalid."""
    check_data(tool)
    if tool.signature is None:
        _check_schemas(tool)
    _check_callable(tool, "handler")
    for field in CODE_FIELDS:
        if getattr(tool, field) is not None:
            _check_callable(tool, field)


def check_data(tool: Tool) -> None:
    """Raise `ToolDefinitionError` if anything but the code of a tool is invalid."""
    _check_names(tool)
    _check_parameters(tool)
    _check_amount(tool, "max_result_size_chars", "a number")
    if tool.timeout is not None:
        _check_amount(tool, "timeout", "seconds")


def _check_schemas(tool: Tool) -> None:
    from hermes_schemas.schema_problems import find_schema_problem  # pydantic creates the schemas of typed functions

    if problem := find_schema_problem(tool.parameters):
        path = f"{'/'.join(problem.place)}: " if problem.place else ""
        reason = f"{path}{problem.reason}{did_you_mean(problem.near)}"
        raise ToolDefinitionError(tool.name, reason, parameter=problem.parameter, remedy=problem.remedy)


def _check_names(tool: Tool) -> None:
    error = partial(ToolDefinitionError, str(tool.name))
    for name in (tool.name, *tool.aliases):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            reason = f"{name!r} is not a name that model APIs accept."
            raise error(reason, remedy="Use 1 to 64 letters, digits, '_' or '-'.")
    if tool.name in tool.aliases:
        raise error("lists its own name as an alias.", remedy="Remove it from aliases.")
    if not isinstance(tool.toolset, str) or not tool.toolset.strip():
        raise error("has no toolset.", remedy='Pass toolset="...".')
    if not is_clean_name(tool.toolset):
        reason = f"the name of its toolset, {tool.toolset!r}, {UNCLEAN}."
        raise error(reason, remedy="Use plain letters.")
    if tool.toolset in ("all", "*"):
        raise error(f"its toolset cannot be called {tool.toolset!r}: that means every tool.", remedy="Rename it.")
    if not isinstance(tool.description, str):
        kind = type(tool.description).__name__
        raise error(f"its description is a {kind}, not text.", remedy='Pass description="...".')
    check_description(tool.name, tool.description)
    if not isinstance(tool.emoji, str):
        raise error(f"emoji is {tool.emoji!r}, not text.", remedy='Pass emoji="...".')
    for flag in _FLAGS:
        if not isinstance(getattr(tool, flag), bool):
            reason = f"{flag} is {getattr(tool, flag)!r}, not True or False."
            raise error(reason, remedy=f"Write {flag}=True or leave it out.")
    if tool.in_every_scope and not tool.effects <= {"read"}:
        reason = f"it is in every scope, and has the effect {min(tool.effects - {'read'})!r}."
        raise error(reason, remedy="Only a tool that only reads can be in every scope.")


def is_clean_name(name: str) -> bool:
    """Return True for a name on one line that `clean_text` does not change."""
    return "\n" not in name and "\t" not in name and clean_text(name) == name


def check_description(tool: str, description: str) -> None:
    """Raise `ToolDefinitionError` for a description that is longer than `MAX_DESCRIPTION_BYTES`."""
    size = size_of(description)
    if size > MAX_DESCRIPTION_BYTES:
        reason = f"its description has {size:,} bytes, and {MAX_DESCRIPTION_BYTES:,} are the limit."
        raise ToolDefinitionError(tool, reason, remedy="Shorten it, and describe each parameter where it is declared.")


def check_schema_text(tool: str, parameters: object) -> None:
    """Raise `ToolDefinitionError` for parameters that are no schema, are too large, or have unusual characters."""
    if not isinstance(parameters, Mapping):
        kind, remedy = type(parameters).__name__, 'Write a JSON schema: {"type": "object", "properties": {...}}.'
        raise ToolDefinitionError(tool, f"its parameters are a {kind}.", remedy=remedy)
    if excess := find_excess(parameters, clean_text):
        raise ToolDefinitionError(tool, excess.reason, parameter=excess.parameter, remedy=excess.remedy)


def _check_parameters(tool: Tool) -> None:
    error = partial(ToolDefinitionError, tool.name)
    properties = tool.parameters.get("properties", {})
    kind = tool.parameters.get("type", "object")
    if kind != "object":
        reason = f"its parameters are of type {kind!r}, but arguments are always an object."
        raise error(reason, remedy='Write {"type": "object", "properties": {...}}.')
    if not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        remedy = 'Write {"properties": {"name": {"type": "string"}}}.'
        raise error("the properties of its parameters are not a mapping of names.", remedy=remedy)
    required = tool.parameters.get("required", [])
    if not isinstance(required, list | tuple) or not all(isinstance(name, str) for name in required):
        raise error(f"'required' is {required!r}.", remedy='Write a list: ["name"].')
    for alias, target in tool.argument_aliases.items():
        if target not in properties:
            near = did_you_mean(hermes_schemas.nearest(target, map(str, properties), 1))
            reason = f"stands for {target!r}, which is not a parameter.{near}"
            raise error(reason, parameter=alias, remedy='Write argument_aliases={"alias": "parameter"}.')
        if alias in properties:
            remedy = "Remove it from argument_aliases."
            raise error("is both a parameter and an alias.", parameter=alias, remedy=remedy)


def _check_amount(tool: Tool, field: str, what: str) -> None:
    value = getattr(tool, field)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (0 < value <= sys.float_info.max or value == math.inf):
        remedy = f"Give {what} above 0, or float('inf') for no limit."
        raise ToolDefinitionError(tool.name, f"{field} is {value!r}.", remedy=remedy)


def _check_callable(tool: Tool, field: str) -> None:
    value: object = getattr(tool, field)
    if not callable(value):
        kind, remedy = type(value).__name__, f"Pass the function itself, without calling it: {field}=function."
        raise ToolDefinitionError(tool.name, f"{field} is a {kind}, not a function.", remedy=remedy)
    if field == "handler" and tool.signature is not None:
        return
    given, remedy = _CALLS[field]
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return  # built into Python, where few functions have a signature
    try:  # other parameters of a handler are passed by name
        (signature.bind_partial if field == "handler" else signature.bind)(*given.split())
    except TypeError as error:
        reason = f"{field} cannot be called as {field}({given}): {error}."
        raise ToolDefinitionError(tool.name, reason, remedy=remedy) from error


_CALLS = {
    "handler": ("args", 'Write def handler(args, **info): args["name"] is an argument.'),
    "assess": ("args, ctx", "Write def assess(args, ctx)."),
    "binding": ("args, ctx", "Write def binding(args, ctx)."),
    "forward": ("args, ctx", "Write def forward(args, ctx), and return (name, args)."),
    "check": ("", "Write def check(), and bind what it needs with functools.partial."),
    "dynamic_schema": ("", "Write def dynamic_schema(), and bind what it needs with functools.partial."),
}
