"""What models are shown: made once for each tool, put together again only when something changed."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.errors import ToolDefinitionError, describe_error
from hermes_core.logs import log
from hermes_core.tools.declaration import not_json
from hermes_core.tools.model_text import check_description, check_schema_text, clean_text
from hermes_core.tools.provider_schema import render, sanitize_parameters
from hermes_core.tools.registry import Registry, Snapshot
from hermes_core.tools.selection import Selection, remember
from hermes_core.tools.tool import Tool

Function = dict[str, Any]
Adjust = Callable[[list[Function], frozenset[str]], list[Function]]


class Definitions:
    """Builds tool lists for models, the same bytes each time while nothing changed."""

    def __init__(self, registry: Registry, selection: Selection) -> None:
        self._registry = registry
        self._selection = selection
        self._functions: dict[Tool, Function] = {}
        self._rendered: dict[str, dict[Tool, dict[str, Any]]] = {}
        self._lists: dict[tuple[Any, ...], list[dict[str, Any]]] = {}

    def build(self, names: frozenset[str] | None, format: str, adjust: Adjust | None) -> list[dict[str, Any]]:
        """Definitions of a selection. The list and its entries are the caller's own."""
        snapshot = self._registry.snapshot
        missing = self._selection.missing(snapshot, names)
        if adjust is not None:
            return self._adjusted(snapshot, self._selection.select(snapshot, names, missing), format, adjust)
        key = (snapshot.generation, names, missing, format)
        entries = self._lists.get(key)
        if entries is None:
            selected = self._selection.select(snapshot, names, missing)
            tools = list(map(snapshot._tools.__getitem__, selected))
            entries = self._entries(tools, format, selected)
            if not any(tool.dynamic_schema for tool in tools):
                remember(self._lists, key, entries)
        if format == "openai":  # the hottest list of all: two small dicts for each tool, and nothing else
            return [{"type": "function", "function": function.copy()} for function in entries]
        return [entry.copy() for entry in entries]

    def one(self, name: str, format: str) -> dict[str, Any]:
        """The definition of one registered tool, whether it is available or not."""
        snapshot = self._registry.snapshot
        tool = snapshot._tools[name]
        beside = self._selection.select(snapshot, None, self._selection.missing(snapshot, None)) if tool.calls else ()
        return render(self._shown(tool, beside), format, effects=tool.effects)

    # -- what each looks like --------------------------------------------------------------------------------

    def _entries(self, tools: list[Tool], format: str, selected: tuple[str, ...]) -> list[dict[str, Any]]:
        """Each tool in a format; only those not seen before are rendered."""
        self._forget_the_gone(len(tools))
        rendered = self._rendered.setdefault(format, {})
        entries: list[Any] = [rendered.get(tool) for tool in tools]
        for index, entry in enumerate(entries):
            if entry is None:
                tool = tools[index]
                function = self._shown(tool, selected)
                entries[index] = function if format == "openai" else render(function, format, effects=tool.effects)
                if tool.dynamic_schema is None and not tool.calls:
                    rendered[tool] = entries[index]
        return entries

    def _shown(self, tool: Tool, selected: tuple[str, ...]) -> Function:
        """A tool in the neutral form, as it is at this moment and beside these tools."""
        function = self._functions.get(tool)
        if function is None:
            function = self._functions[tool] = _function(tool.name, tool.description, tool.parameters)
        if tool.calls:
            function = {**function, "description": _with_calls(function["description"], tool.calls, selected)}
        return function if tool.dynamic_schema is None else _overridden(tool, function)

    def _adjusted(
        self, snapshot: Snapshot, names: tuple[str, ...], format: str, adjust: Adjust
    ) -> list[dict[str, Any]]:
        """What plugins made of the definitions; a tool that was not among them cannot be added."""
        shown = {name: self._shown(snapshot._tools[name], names) for name in names}
        kept: dict[str, Function] = {}
        for function in adjust(copy.deepcopy(list(shown.values())), frozenset(names)):
            name = function.get("name") if isinstance(function, dict) else None
            if isinstance(name, str) and name in shown and name not in kept:
                kept[name] = _changed(name, function, shown[name])
        return [render(kept[name], format, effects=snapshot._tools[name].effects) for name in sorted(kept)]

    def _forget_the_gone(self, alive: int) -> None:
        """Tools come and go; what is kept of those that went must not grow for ever."""
        if len(self._functions) > 2 * alive + 10_000:
            self._functions.clear()
            self._rendered.clear()


def _function(name: str, description: object, parameters: object) -> Function:
    text = clean_text(description) if isinstance(description, str) else ""
    return {"name": name, "description": text, "parameters": sanitize_parameters(parameters, name=name)}


def _with_calls(description: str, calls: tuple[str, ...], selected: tuple[str, ...]) -> str:
    """What a tool that calls others is said to do: only those that the model may use itself are named."""
    offered = sorted(set(calls).intersection(selected))
    told = f"Tools that it can call here: {', '.join(offered)}." if offered else "It can call no other tool here."
    return f"{description}\n\n{told}".strip()


def _overridden(tool: Tool, function: Function) -> Function:
    """The tool with what its author's function says of the moment; when that fails, as declared."""
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
    """A definition that somebody else made or changed; as it was before, when models could not read it."""
    if function == before:
        return before
    parameters, description = function.get("parameters"), function.get("description")
    if not isinstance(description, str):
        description = before["description"]
    if problem := _problem(name, description, parameters):
        log.warning("Tool %s: its changed definition cannot be used: %s", name, problem)
        return before
    return _function(name, description, parameters)


def _problem(name: str, description: str, parameters: object) -> str | None:
    """Explain why models cannot be given a definition; None when they can."""
    if not isinstance(parameters, Mapping):
        return "its parameters are not a mapping"
    try:
        check_description(name, description)
        check_schema_text(name, parameters)
    except ToolDefinitionError as error:
        return error.reason
    return not_json(parameters)
