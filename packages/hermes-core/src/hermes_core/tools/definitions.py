"""What models are shown: made once for each tool, put together again only when something changed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hermes_core.errors import ToolDefinitionError, describe_error
from hermes_core.logs import log
from hermes_core.tools.declaration import not_json
from hermes_core.tools.formats import render
from hermes_core.tools.model_text import check_description, check_schema_text, clean_text
from hermes_core.tools.readonly import ReadOnlyList, frozen
from hermes_core.tools.registry import Registry, Snapshot
from hermes_core.tools.selection import Selection, remember
from hermes_core.tools.tool import Tool
from hermes_schemas.providers import sanitize_parameters

Function = dict[str, Any]
Adjust = Callable[[Sequence[Function], frozenset[str]], Sequence[Function]]


class _Offered(NamedTuple):
    """The definitions of a selection, for plugins to adjust."""

    tools: list[Tool]
    functions: list[Function]
    shown: ReadOnlyList
    available: frozenset[str]


class Definitions:
    """Builds tool lists for models, the same bytes each time while nothing changed."""

    def __init__(self, registry: Registry, selection: Selection) -> None:
        self._registry = registry
        self._selection = selection
        self._functions: dict[Tool, Function] = {}
        self._rendered: dict[str, dict[Tool, dict[str, Any]]] = {}
        self._lists: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        self._read_only: dict[Tool, tuple[Function, Function]] = {}
        self._offered: dict[tuple[Any, ...], _Offered] = {}
        self._adjusted: dict[tuple[Any, ...], tuple[object, list[dict[str, Any]]]] = {}

    def build(self, names: frozenset[str] | None, format: str, adjust: Adjust | None) -> list[dict[str, Any]]:
        """Definitions of a selection. The list and its entries are the caller's own."""
        snapshot = self._registry.snapshot
        missing = self._selection.missing(snapshot, names)
        key = (snapshot.generation, names, missing, format)
        entries = None
        if adjust is not None:
            entries = self._adjust(snapshot, key, adjust)
        if entries is None:
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
            function = self._functions[tool] = neutral_definition(tool.name, tool.description, tool.parameters)
        if tool.calls:
            function = {**function, "description": _with_calls(function["description"], tool.calls, selected)}
        return function if tool.dynamic_schema is None else _overridden(tool, function)

    def _adjust(self, snapshot: Snapshot, key: tuple[Any, ...], adjust: Adjust) -> list[dict[str, Any]] | None:
        """What plugins made of the definitions, None for no change; a tool that was not among them cannot be added."""
        _, names, missing, wanted = key
        offered = self._offered.get(key[:3])
        if offered is None:
            selected = self._selection.select(snapshot, names, missing)
            tools = list(map(snapshot._tools.__getitem__, selected))
            functions = [self._shown(tool, selected) for tool in tools]
            shown = ReadOnlyList(map(self._frozen, tools, functions))
            offered = _Offered(tools, functions, shown, frozenset(selected))
            if not any(tool.dynamic_schema for tool in tools):
                remember(self._offered, key[:3], offered)
        answer = adjust(offered.shown, offered.available)
        if answer is offered.shown:
            return None
        known = self._adjusted.get(key)
        if known is not None and known[0] is answer:  # a tuple, which cannot have changed meanwhile
            return known[1]
        entries = self._entries_of(offered, answer, wanted)
        if type(answer) is tuple:
            remember(self._adjusted, key, (answer, entries))
        return entries

    def _entries_of(self, offered: _Offered, answer: Sequence[object], format: str) -> list[dict[str, Any]]:
        places = {function["name"]: place for place, function in enumerate(offered.functions)}
        found: dict[str, dict[str, Any]] = {}
        for entry in answer:
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str) or name not in places or name in found:
                continue
            assert isinstance(entry, dict)
            before = offered.functions[places[name]]
            same = entry is offered.shown[places[name]]
            function = before if same else _changed(name, entry, before)
            effects = offered.tools[places[name]].effects
            found[name] = function if format == "openai" else render(function, format, effects=effects)
        return list(found.values())

    def _frozen(self, tool: Tool, function: Function) -> Function:
        """A definition that plugins can read and not change, the same object for as long as it is the same."""
        known = self._read_only.get(tool)
        if known is None or known[0] is not function:
            known = self._read_only[tool] = (function, frozen(function))
        return known[1]

    def _forget_the_gone(self, alive: int) -> None:
        """Tools come and go; what is kept of those that went must not grow for ever."""
        if len(self._functions) > 2 * alive + 10_000:
            self._functions.clear()
            self._rendered.clear()
            self._read_only.clear()


def neutral_definition(name: str, description: object, parameters: object) -> Function:
    """Return a definition as models are shown it, before a format is chosen."""
    text = clean_text(description) if isinstance(description, str) else ""
    return {
        "name": name,
        "description": text,
        "parameters": sanitize_parameters(parameters, name=name, clean=clean_text),
    }


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
    return neutral_definition(name, description, parameters)


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
