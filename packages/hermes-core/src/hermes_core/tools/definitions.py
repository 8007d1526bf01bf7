"""Builds tool definitions for models, and caches them until something changes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hermes_core.errors import ConfigError, ToolDefinitionError, describe_error
from hermes_core.logs import log
from hermes_core.tools.availability import Selection, add_to_cache
from hermes_core.tools.declaration import check_description, check_schema_text
from hermes_core.tools.registry import Registry, Snapshot, tools_of
from hermes_core.tools.tool import Tool
from hermes_schemas.provider_formats import sanitize_parameters
from hermes_schemas.readonly import ReadOnlyList, frozen
from hermes_schemas.schema_limits import not_json
from hermes_text import clean_text

FORMATS = ("anthropic", "mcp", "openai", "responses")

Function = dict[str, Any]
Adjust = Callable[[Sequence[Function], frozenset[str]], Sequence[Function]]


class _Offered(NamedTuple):
    functions: dict[str, Function]
    shown: ReadOnlyList
    available: frozenset[str]


class _Rendered(dict[Tool, dict[str, Any]]):
    """The definition of each tool in one format, rendered when it is first looked up."""

    def __init__(self, render_tool: Callable[[Tool], dict[str, Any]]) -> None:
        self._render_tool = render_tool

    def __missing__(self, tool: Tool) -> dict[str, Any]:
        made = self[tool] = self._render_tool(tool)
        return made

    def all_of(self, tools: Sequence[Tool]) -> list[dict[str, Any]]:
        """Return the definitions of several tools; new ones are copied together, which avoids cache misses."""
        new = [tool for tool in tools if tool not in self]
        made = [self._render_tool(tool) for tool in new]
        self.update(zip(new, [each.copy() for each in made], strict=True))
        return list(map(self.__getitem__, tools))


class Definitions:
    """Builds lists of definitions, which stay byte-identical while nothing changes."""

    def __init__(self, registry: Registry, selection: Selection) -> None:
        self._registry = registry
        self._selection = selection
        self._functions = _Rendered(lambda tool: neutral_definition(tool.name, tool.description, tool.parameters))
        self._rendered = {"openai": self._functions}
        self._lists: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        self._read_only: dict[Tool, tuple[Function, Function]] = {}
        self._offered: dict[tuple[Any, ...], _Offered] = {}
        self._adjusted: dict[tuple[Any, ...], tuple[object, list[dict[str, Any]]]] = {}

    def build(self, names: frozenset[str] | None, format: str, adjust: Adjust | None) -> list[dict[str, Any]]:
        """Return the definitions of a selection. The caller owns the list and its entries."""
        snapshot = self._registry.snapshot
        missing = self._selection.missing(snapshot, names)
        key = (snapshot.generation, names, missing, format)
        entries = None if adjust is None else self._adjust(snapshot, key, adjust)
        if entries is None:
            entries = self._lists.get(key)
        if entries is None:
            selected = self._selection.select(snapshot, names, missing)
            entries = self._entries(snapshot, selected, format)
            if _is_static(snapshot, selected):
                add_to_cache(self._lists, key, entries)
        if format == "openai":  # the most frequent format: two small dicts for each tool
            return [{"type": "function", "function": function.copy()} for function in entries]
        return [entry.copy() for entry in entries]

    def one(self, name: str, format: str) -> dict[str, Any]:
        """Return the definition of one tool, whether it is available or not."""
        snapshot = self._registry.snapshot
        tool = tools_of(snapshot)[name]
        selected = self._selection.available() if tool.calls else ()
        return render(self._function(tool, selected), format, effects=tool.effects)

    # -- the definition of each tool -------------------------------------------------------------------------

    def _entries(self, snapshot: Snapshot, selected: tuple[str, ...], format: str) -> list[dict[str, Any]]:
        self._forget_removed(len(selected))
        if format not in self._rendered:
            self._rendered[format] = _Rendered(lambda tool: _in_format(tool, self._functions[tool], format))
        rendered, varying, tools = self._rendered[format], snapshot.varying, tools_of(snapshot)
        entries = rendered.all_of(list(map(tools.__getitem__, selected)))
        for index, name in enumerate(selected) if varying else ():
            if name in varying:
                entries[index] = _in_format(tools[name], self._function(tools[name], selected), format)
        return entries

    def _function(self, tool: Tool, selected: tuple[str, ...]) -> Function:
        function = self._functions[tool]
        if tool.calls:
            function = {**function, "description": _with_calls(function["description"], tool.calls, selected)}
        return function if tool.dynamic_schema is None else _overridden(tool, function)

    # -- the changes of plugins ------------------------------------------------------------------------------

    def _adjust(self, snapshot: Snapshot, key: tuple[Any, ...], adjust: Adjust) -> list[dict[str, Any]] | None:
        """Return the definitions after changes by plugins; None if there are none. Plugins cannot add tools."""
        names, missing, wanted = key[1:]
        offered = self._offered.get(key[:3])
        if offered is None:
            selected = self._selection.select(snapshot, names, missing)
            functions = dict(zip(selected, self._entries(snapshot, selected, "openai"), strict=True))
            tools = map(tools_of(snapshot).__getitem__, selected)
            shown = ReadOnlyList(map(self._freeze, tools, functions.values()))
            offered = _Offered(functions, shown, frozenset(selected))
            if _is_static(snapshot, selected):
                add_to_cache(self._offered, key[:3], offered)
        answer = adjust(offered.shown, offered.available)
        if answer is offered.shown:
            return None
        known = self._adjusted.get(key)
        if known is not None and known[0] is answer:  # a tuple, which cannot have changed
            return known[1]
        entries = self._adjusted_entries(snapshot, offered, answer, wanted)
        if type(answer) is tuple:
            add_to_cache(self._adjusted, key, (answer, entries))
        return entries

    def _adjusted_entries(
        self, snapshot: Snapshot, offered: _Offered, answer: Sequence[object], format: str
    ) -> list[dict[str, Any]]:
        shown = dict(zip(offered.functions, offered.shown, strict=True))
        found: dict[str, dict[str, Any]] = {}
        for entry in answer:
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str) or name not in shown or name in found:
                continue
            assert isinstance(entry, dict)
            function = offered.functions[name]
            if entry is not shown[name]:
                function = _changed(name, entry, function)
            found[name] = _in_format(tools_of(snapshot)[name], function, format)
        return list(found.values())

    def _freeze(self, tool: Tool, function: Function) -> Function:
        """Return a read-only definition for plugins, the same object while it does not change."""
        known = self._read_only.get(tool)
        if known is None or known[0] is not function:
            known = self._read_only[tool] = (function, frozen(function))
        return known[1]

    def _forget_removed(self, alive: int) -> None:
        if len(self._functions) > 2 * alive + 10_000:
            for rendered in self._rendered.values():
                rendered.clear()
            self._read_only.clear()


def _in_format(tool: Tool, function: Function, format: str) -> dict[str, Any]:
    """Return a definition in a format; in OpenAI's, only the inner function."""
    return function if format == "openai" else render(function, format, effects=tool.effects)


def _is_static(snapshot: Snapshot, selected: tuple[str, ...]) -> bool:
    tools = tools_of(snapshot)
    return not any(tools[name].dynamic_schema for name in snapshot.varying.intersection(selected))


def neutral_definition(name: str, description: object, parameters: object) -> Function:
    """Return a definition independent of a model provider's format."""
    text = clean_text(description) if isinstance(description, str) else ""
    return {
        "name": name,
        "description": text,
        "parameters": sanitize_parameters(parameters, name=name, clean=clean_text),
    }


def _with_calls(description: str, calls: tuple[str, ...], selected: tuple[str, ...]) -> str:
    offered = sorted(set(calls).intersection(selected))
    note = f"Tools that it can call here: {', '.join(offered)}." if offered else "It can call no other tool here."
    return f"{description}\n\n{note}".strip()


def _overridden(tool: Tool, function: Function) -> Function:
    """Apply the tool's dynamic overrides; if they fail, return the definition unchanged."""
    assert tool.dynamic_schema is not None
    try:
        overrides = tool.dynamic_schema()
    except (Exception, SystemExit) as error:  # foreign code: a failed override must not hide the tool
        log.warning("Tool %s: its dynamic_schema failed: %s", tool.name, describe_error(error))
        return function
    if isinstance(overrides, Mapping):
        return _changed(tool.name, {**function, **overrides}, function)
    if inspect.iscoroutine(overrides):
        overrides.close()
        log.warning("Tool %s: its dynamic_schema is async, but it is called as a plain function", tool.name)
    return function


def _changed(name: str, function: Mapping[str, Any], before: Function) -> Function:
    """Return a definition changed by other code, or the previous one if the new one is invalid."""
    if function == before:
        return before
    parameters, description = function.get("parameters"), function.get("description")
    if not isinstance(description, str):
        description = before["description"]
    if problem := _problem(name, description, parameters):
        log.warning("Tool %s: its changed definition cannot be used: %s", name, problem)
        return before
    return neutral_definition(name, description, parameters)


def _problem(name: str, description: str, parameters: object) -> str | None:
    if not isinstance(parameters, Mapping):
        return "its parameters are not a mapping"
    try:
        check_description(name, description)
        check_schema_text(name, parameters)
    except ToolDefinitionError as error:
        return error.reason
    return not_json(parameters)


# -- formats of model providers, and MCP's hints about effects ------------------------------------------------------


def check_format(format: str) -> None:
    """Raise `ConfigError` for an unknown format."""
    if format not in FORMATS:
        raise ConfigError(f"{format!r} is not a format of definitions.", example=", ".join(FORMATS))


def render(function: Mapping[str, object], format: str, *, effects: frozenset[str] = frozenset()) -> dict[str, object]:
    """Return a neutral definition in a format. Only MCP includes effects."""
    check_format(format)
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    named: dict[str, object] = {"name": function.get("name", ""), "description": function.get("description", "")}
    if format == "openai":
        return {"type": "function", "function": {**named, "parameters": parameters}}
    if format == "responses":  # strict mode would make every optional parameter required
        return {"type": "function", **named, "parameters": parameters, "strict": False}
    if format == "anthropic":
        return {**named, "input_schema": parameters}
    annotations = annotations_from_effects(effects)
    return {**named, "inputSchema": parameters, **({"annotations": annotations} if annotations else {})}


def annotations_from_effects(effects: frozenset[str]) -> dict[str, bool]:
    """Return MCP's annotations for a set of effects. Without declared effects, there are none."""
    if not effects:
        return {}
    read_only = effects <= {"read", "network"}
    annotations = {
        "readOnlyHint": read_only,
        "destructiveHint": not effects.isdisjoint({"delete", "exec", "privileged"}),
        "openWorldHint": not effects.isdisjoint({"network", "message"}),
    }
    if read_only:
        annotations["idempotentHint"] = True
    return annotations


def effects_from_annotations(annotations: Mapping[str, object] | None) -> frozenset[str]:
    """Return the effects of an MCP tool. Like MCP's defaults, missing annotations mean the worst."""
    hints = annotations if isinstance(annotations, Mapping) else {}
    effects = {"read"}
    if hints.get("readOnlyHint") is not True:
        effects = {"write"} if hints.get("destructiveHint") is False else {"write", "delete"}
    if hints.get("openWorldHint") is not False:
        effects.add("network")
    return frozenset(effects)
