"""Progressive disclosure in one host: what each scope is shown, and the tools that lead to the rest of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hermes_core.calls.usage import read_usage
from hermes_core.errors import ToolInputError, ToolUnavailableError, UnknownToolError
from hermes_core.schemas.nearest import nearest
from hermes_core.search.assembly import AssemblyResult, decide, result_of
from hermes_core.search.bridge_tools import BRIDGE, taken
from hermes_core.search.catalog import Catalog
from hermes_core.search.config import ToolSearchConfig, checked_context_length
from hermes_core.search.unwrapping import Underlying, misplaced, read_tool_call
from hermes_core.search.weighing import Definition, Scales, name_of
from hermes_core.tools.provider_schema import render
from hermes_core.tools.reserved import RESERVED_NAMES, TOOL_CALL, TOOL_DESCRIBE, TOOL_SEARCH
from hermes_core.tools.tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_core.calls.call import ToolCall
    from hermes_core.calls.context import ToolContext
    from hermes_core.calls.scope import Scope
    from hermes_core.calls.sight import Sight
    from hermes_core.tools.definitions import Adjust

_MOST_TOOLS_KEPT = 50_000
_MOST_CATALOGS = 50
"""How much is kept of what was worked out: several scopes of a large host, or many of a small one."""

BRIDGE_TOOLSET = "tool_search"
"""The toolset of the bridge tools, for rules that are about them."""


class Disclosure:
    """Answers from what is registered now. A catalog is kept only for as long as it says the same as that.

    Attributes:
        config: What the user decided.
        adjusting: Gives what plugins make of definitions; None while no plugin has a say.
    """

    def __init__(self, sight: Sight, config: ToolSearchConfig, home: Path) -> None:
        self.config = config
        self.adjusting: Callable[[], Adjust | None] = _nobody
        self._sight = sight
        self._home = home
        self._scales = Scales()
        self._catalogs: dict[tuple[Any, ...], Catalog] = {}

    # -- what a model is shown -------------------------------------------------------------------------------

    def assemble(
        self, scope: Scope | None, context_length: int | None = None, format: str = "openai", *, quiet: bool = True
    ) -> AssemblyResult:
        """What a model with this scope and context window is shown.

        Raises:
            ConfigError: there is no such context window.
        """
        context_length = checked_context_length(context_length)
        adjust = self.adjusting()
        catalog = self._catalog(scope, adjust)
        decided = decide(self.config, catalog.weighed, context_length)
        shown = self._shown(catalog, scope, format, adjust, hiding=decided.activated)
        result = result_of(catalog.weighed, decided, shown, context_length, format)
        if not quiet:
            self._announce(scope, result)
        return result

    def _shown(
        self, catalog: Catalog, scope: Scope | None, format: str, adjust: Adjust | None, *, hiding: bool
    ) -> list[Definition]:
        """The definitions without those that are hidden, in a format; the caller's own."""
        if not hiding and adjust is None and not catalog.alive:  # nobody has to be asked twice
            return self._sight.definitions(scope, format=format)
        tools = self._sight.registry.snapshot._tools
        shown = []
        for definition in catalog.visible if hiding else catalog.definitions:
            tool = tools.get(name_of(definition))
            effects = tool.effects if tool is not None else frozenset()
            shown.append(render(definition["function"], format, effects=effects))
        return shown

    def _announce(self, scope: Scope | None, result: AssemblyResult) -> None:
        """Say on stderr what is left out and what is hidden, and why."""
        self._sight.announce(scope, len(result.visible) + len(result.deferred))
        if result.activated:
            print(f"hermes: {len(result.deferred)} of them behind tool_search: {result.reason}", file=sys.stderr)

    def catalog(self, scope: Scope | None) -> Catalog:
        """The tools of a scope, as they are now."""
        return self._catalog(scope, self.adjusting())

    def _catalog(self, scope: Scope | None, adjust: Adjust | None) -> Catalog:
        moment = self._moment(scope, adjust)
        known = self._catalogs.get(moment)
        if known is not None and adjust is None and not known.alive:
            return known
        definitions = self._sight.definitions(scope, adjust=adjust)
        if known is not None and known.definitions == definitions:
            return known
        weighed = self._scales.weigh(definitions, self._may_hide)
        alive = self._alive(definitions)
        made = Catalog(definitions, weighed, self._sight.registry.get, alive=alive, usage=self._usage)
        if self._moment(scope, adjust) == moment:  # else something changed meanwhile, and this is of neither moment
            self._keep(moment, made)
        return made

    @cached_property
    def _usage(self) -> Mapping[str, float]:
        """How often tools were called, read once; nothing unless the user wants it to count."""
        return read_usage(self._home) if self.config.usage_prior else {}

    def _keep(self, moment: tuple[Any, ...], catalog: Catalog) -> None:
        """Keep a catalog and the newest others of this generation: an index of thousands of tools takes its room."""
        kept = {key: other for key, other in list(self._catalogs.items()) if key[0] == moment[0] and key != moment}
        room = _MOST_TOOLS_KEPT - len(catalog.definitions)
        for key, other in reversed(list(kept.items())):
            room -= len(other.definitions) + _MOST_TOOLS_KEPT // _MOST_CATALOGS
            if room < 0:
                del kept[key]
        self._catalogs = {**kept, moment: catalog}

    def _moment(self, scope: Scope | None, adjust: Adjust | None) -> tuple[Any, ...]:
        """What a list of definitions follows from: the registry, the scope, what is not there, who adjusts it."""
        sight = self._sight
        snapshot = sight.registry.snapshot
        names = None if scope is None else scope.names(snapshot, sight.catalog)
        return snapshot.generation, names, sight.selection.missing(snapshot, names), adjust is None

    def _may_hide(self, name: str) -> bool:
        tool = self._sight.registry.snapshot._tools.get(name)
        return tool is not None and not tool.always_load

    def _alive(self, definitions: list[Definition]) -> bool:
        """Whether one of the tools has a definition that depends on the moment."""
        tools = self._sight.registry.snapshot._tools
        found = (tools.get(name_of(definition)) for definition in definitions)
        return any(tool is not None and tool.dynamic_schema is not None for tool in found)

    # -- the bridge tools ------------------------------------------------------------------------------------

    def unwrap(self, call: ToolCall) -> None:
        """Make a `tool_call` the call of the tool inside, before anybody looks at it; one that cannot be stays."""
        if self.config.enabled == "off":
            return
        try:
            inside = read_tool_call(call._args)
        except ToolInputError:
            return
        if not self._is_listed(inside.name, call._scope) and not self._misplaced(inside, call._scope):
            call._name, call._args = inside.name, inside.args

    def tool(self, call: ToolCall) -> Tool | None:
        """The bridge tool that a call is about; None when it is about none.

        Raises:
            ToolInputError: it is a `tool_call` that could not be unwrapped.
        """
        if self.config.enabled == "off":
            return None
        if call._name == TOOL_CALL:
            inside = read_tool_call(call._args)
            strays = self._misplaced(inside, call._scope)
            raise misplaced(inside.name, strays) if strays else _listed(inside.name)
        return self.tools.get(call._name) if isinstance(call._name, str) else None

    def _misplaced(self, inside: Underlying, scope: Scope | None) -> list[str]:
        """Parameters of the tool inside that stand beside its arguments; what else stands there is idle talk."""
        snapshot = self._sight.registry.snapshot
        canonical = snapshot.canonical(inside.name) if inside.beside else None
        if canonical is None or canonical not in self._sight.allowed_names(scope, snapshot):
            return []
        tool = snapshot._tools[canonical]
        expected = {*(tool.parameters.get("properties") or ()), *tool.argument_aliases}
        return [key for key in inside.beside if key in expected and key not in inside.args]

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The bridge tools that are calls of their own; none while tool search is off."""
        handlers = {TOOL_SEARCH: self._search, TOOL_DESCRIBE: self._describe}
        fixed: dict[str, Any] = {"toolset": BRIDGE_TOOLSET, "effects": ["read"], "always_load": True}
        return {
            text.name: Tool.from_schema(taken(text), handlers[text.name], **fixed)
            for text in BRIDGE
            if text.name in handlers and self.config.enabled != "off"
        }

    def unknown(self, name: str, scope: Scope | None) -> UnknownToolError:
        """The error for a name that stands for no tool of a scope, with the way to those that there are."""
        allowed = self._sight.allowed_names(scope)
        near = nearest(name, allowed)
        if self.config.enabled == "off" or not any(map(self._may_hide, allowed)):
            return UnknownToolError(name[:100], near)
        return UnknownToolError(name[:100], near or nearest(name, RESERVED_NAMES, 1), hint=_LISTED_OR_FOUND)

    def _search(self, args: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        query = args["query"].strip()
        if not query:
            raise ToolInputError("The query is empty.", hint="Say in a few words what you want to do.")
        return self.catalog(ctx.call._scope).search(query, self.config.limit(args.get("limit")))

    def _describe(self, args: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        asked, scope = args["name"].strip(), ctx.call._scope
        if self._is_listed(asked, scope) or asked in RESERVED_NAMES:
            raise _listed(asked)
        name = self._within(asked, scope)
        catalog = self.catalog(scope)
        if name not in catalog:
            tool = self._sight.registry.snapshot._tools.get(name)
            verdict = None if tool is None else self._sight.availability.of(tool)
            why = f": {verdict.reason}" if verdict is not None and verdict.reason else ""
            raise ToolUnavailableError(f"{name} is not available now{why}.", hint="Search for another tool.")
        return catalog.describe(name)

    # -- scope -----------------------------------------------------------------------------------------------

    def _within(self, name: str, scope: Scope | None) -> str:
        """The registered name of a tool within a scope. What is outside of it does not exist."""
        snapshot = self._sight.registry.snapshot
        allowed = self._sight.allowed_names(scope, snapshot)
        canonical = snapshot.canonical(name)
        if canonical is None or canonical not in allowed:
            raise self.unknown(name, scope)
        return canonical

    def _is_listed(self, name: str, scope: Scope | None) -> bool:
        """Whether a tool is one that is never hidden, and within the scope."""
        snapshot = self._sight.registry.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None or not snapshot._tools[canonical].always_load:
            return False
        return canonical in self._sight.allowed_names(scope, snapshot)


_LISTED_OR_FOUND = "Call only tools that are in your list of tools, or that tool_search finds."


def _nobody() -> None:
    return None


def _listed(name: str) -> ToolInputError:
    return ToolInputError(f"{name!r} is no hidden tool: it is in your list of tools.", hint=f"Call {name} directly.")
