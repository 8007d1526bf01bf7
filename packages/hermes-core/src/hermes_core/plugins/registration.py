"""Registers what plugins offer in a host. Conflicting parts are rejected."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hermes_core.config.core_settings import CORE_SECTION_NAMES
from hermes_core.errors import ToolConflictError, ToolDefinitionError
from hermes_core.plugins.plugin_records import APPLICATION, HeldBack
from hermes_core.tools.registry import Registry
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

if TYPE_CHECKING:
    from hermes_core.config.sections import SectionSpec

CORE_COMMANDS = frozenset(
    {"call", "completion", "config", "demo", "describe", "doctor", "hooks", "lock"}
    | {"plugins", "tools", "toolsets", "why"}
)
"""The names of the core's commands, which `cli.main` declares."""

_TEXTS = frozenset({"description", "examples"})  # parts of a schema without effect
Make = Callable[[], object]

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class Offer:  # not a dataclass, whose creation delays every listing by half a millisecond
    """What a plugin offers to a host, from its manifest or its code."""

    def __init__(
        self,
        *,
        tools: tuple[Tool, ...] = (),
        toolsets: tuple[Toolset, ...] = (),
        sections: Mapping[str, SectionSpec | Mapping[str, Any]] = _EMPTY,
        help_lines: Mapping[str, str] = _EMPTY,
        providers: Mapping[str, Mapping[str, Make]] = _EMPTY,
    ) -> None:
        self.tools = tools
        self.toolsets = toolsets
        self.sections = sections
        self.help_lines = help_lines  # the summary of each command
        self.providers = providers  # by extension point and name


Hold = Callable[[Tool], HeldBack | None]
"""Explains why a tool must not run; None if it may."""
RefuseToolset = Callable[[str], HeldBack | None]
"""Explains why a plugin may not declare a toolset; None if it may."""


class Registered:
    """What one plugin has registered in a host, its tools that may not run, and its rejected parts."""

    __slots__ = ("commands", "held", "problems", "providers", "sections", "tools", "toolsets")

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.held: dict[str, HeldBack] = {}
        self.problems: list[str] = []
        self.toolsets: dict[str, Toolset] = {}
        self.sections: set[str] = set()
        self.commands: set[str] = set()
        self.providers: set[tuple[str, str]] = set()

    def is_empty(self) -> bool:
        return not (self.tools or self.toolsets or self.sections or self.commands or self.providers)


_NOTHING = Registered()


class Registrar:
    """The registry, toolsets, sections, commands and providers of one host."""

    def __init__(
        self, registry: Registry, catalog: ToolsetCatalog, add_provider: Callable[[str, str, Make], bool]
    ) -> None:
        self._registry = registry
        self.catalog = catalog
        self._add_provider = add_provider
        self._sections: dict[str, tuple[tuple[str, ...], SectionSpec | Mapping[str, Any]]] = {}
        """The plugins that declare a section, and the declaration of the first one."""
        self._commands: dict[str, tuple[str, str]] = {}
        self._provided: set[tuple[str, str]] = set()
        self._brought_by: dict[str, tuple[str, Tool]] = {}
        self._lock = threading.Lock()
        self.sections_generation = 0  # grows when the sections change

    def put(
        self,
        plugin: str,
        offer: Offer,
        before: Registered = _NOTHING,
        hold: Hold | None = None,
        refuse_toolset: RefuseToolset | None = None,
    ) -> Registered:
        """Register an offer in place of what the same plugin has registered before."""
        registered = Registered()
        with self._lock:  # plugins are imported in the thread that calls their tool
            self._put_tools(plugin, offer, before, registered, hold)
            self._put_toolsets(offer, before, registered, refuse_toolset)
            for name, section in offer.sections.items():
                self._put_section(plugin, name, section, before, registered)
            for name, help_line in offer.help_lines.items():
                self._put_command(plugin, name, help_line, before, registered)
            self._remove_what_is_left(plugin, before, registered)
            for point, named in offer.providers.items():
                for name, make in named.items():
                    if (point, name) not in before.providers and not self._add_provider(point, name, make):
                        registered.problems.append(f"provider {name!r} of {point!r} is taken.")
                    else:
                        registered.providers.add((point, name))
                        self._provided.add((plugin, name))
        return registered

    def put_tool(self, plugin: str, tool: Tool, registered: Registered, hold: Hold | None = None) -> None:
        """Replace a tool from a plugin's manifest by the one from its code."""
        with self._lock:
            before = registered.tools[tool.name]
            if not self._registry.holds(before):
                return  # the application removed or replaced it
            tool = _held_back(tool, hold, registered)
            self._registry.exchange([tool.name], [tool])
            self._brought_by[tool.name] = (plugin, tool)
            registered.tools[tool.name] = tool

    def block(self, registered: Registered, reason: str, remedy: str) -> None:
        """Make all tools of a plugin unavailable."""
        blocked = [tool.but(blocked=(reason, remedy)) for tool in self._still_there(registered)]
        sources = {tool.name: (self.source_of(tool.name), tool) for tool in blocked}
        self._registry.exchange([tool.name for tool in blocked], blocked)
        self._brought_by.update(sources)

    # -- tools, toolsets, sections and commands --------------------------------------------------------------

    def _put_tools(
        self, plugin: str, offer: Offer, before: Registered, registered: Registered, hold: Hold | None
    ) -> None:
        """Exchange the tools in one step: readers see the old ones or the new ones."""
        while True:
            registered.held = {}
            leaving = {tool.name for tool in self._still_there(before)}
            arriving: dict[str, Tool] = {}
            problems: list[str] = []
            for tool in offer.tools:
                if tool.name in before.tools and tool.name not in leaving:
                    continue  # the application removed or replaced it
                conflict = self._conflict(tool, leaving, arriving)
                if conflict is not None:
                    problems.append(conflict)
                else:
                    arriving[tool.name] = _held_back(tool, hold, registered)
            try:
                self._registry.exchange(leaving, arriving.values())
            except ToolConflictError:
                continue  # the application just registered a tool of that name: try again
            break
        self._brought_by.update({name: (plugin, tool) for name, tool in arriving.items()})
        registered.tools = arriving
        registered.problems += problems

    def _conflict(self, tool: Tool, leaving: set[str], arriving: Mapping[str, Tool]) -> str | None:
        """Explain why a tool cannot be registered: its name is taken by another plugin, or twice by its own."""
        for name in (tool.name, *tool.aliases):
            called = f"tool {name!r}" if name == tool.name else f"the alias {name!r} of tool {tool.name!r}"
            if name in arriving:
                return f"{called} of toolset {tool.toolset!r} is declared twice by this plugin."
            holder = self._registry.holder_of(name)
            if holder is None or holder in leaving:
                continue
            source = self.source_of(holder)
            owner = f" of the plugin {source!r}" if source != APPLICATION else ""
            toolset = self._registry.toolset_of(name)
            if toolset == tool.toolset:
                return f"{called} of toolset {tool.toolset!r} is taken by another tool{owner}."
            try:
                self._registry.refuse_conflicts(tool, leaving)
            except ToolConflictError:
                return f"{called} of toolset {tool.toolset!r} is taken by a tool in toolset {toolset!r}{owner}."
        return None

    def _still_there(self, registered: Registered) -> Iterator[Tool]:
        return (tool for tool in registered.tools.values() if self._registry.holds(tool))

    def _put_toolsets(
        self, offer: Offer, before: Registered, registered: Registered, refuse: RefuseToolset | None
    ) -> None:
        still = {name for name, toolset in before.toolsets.items() if self.catalog.get(name) == toolset}
        for name in still - {toolset.name for toolset in offer.toolsets}:
            self.catalog.remove(name)
        for toolset in offer.toolsets:
            if toolset.name in before.toolsets and toolset.name not in still:
                continue  # the application removed or replaced it
            refusals = [refuse(name) for name in (toolset.name, *toolset.aliases)] if refuse is not None else []
            if refusal := next(filter(None, refusals), None):
                registered.problems.append(f"{refusal.reason}, so the plugin cannot declare it.")
                continue
            if before.toolsets.get(toolset.name) != toolset:
                try:
                    self.catalog.add(toolset, replace=toolset.name in still)
                except ToolDefinitionError as error:
                    registered.problems.append(error.reason)
                    continue
            registered.toolsets[toolset.name] = toolset

    def _put_section(
        self,
        plugin: str,
        name: str,
        section: SectionSpec | Mapping[str, Any],
        before: Registered,
        registered: Registered,
    ) -> None:
        owners, known = self._sections.get(name, ((), section))
        others = tuple(owner for owner in owners if owner != plugin or name not in before.sections)
        if name in CORE_SECTION_NAMES or (others and not _may_share(_schema_of(known), _schema_of(section))):
            owner = "the core" if name in CORE_SECTION_NAMES else others[0]
            registered.problems.append(f"the section {name!r} of config.yaml belongs to {owner}.")
            return
        self._sections[name] = ((*others, plugin), known if others else section)
        self.sections_generation += 1
        registered.sections.add(name)

    def _put_command(self, plugin: str, name: str, help_line: str, before: Registered, registered: Registered) -> None:
        owner = self._commands.get(name, ("",))[0]
        whose = "hermes itself" if name in CORE_COMMANDS else f"the plugin {owner!r}" if owner else ""
        if whose and name not in before.commands:
            registered.problems.append(f"the command {name!r} belongs to {whose}.")
            return
        self._commands[name] = (plugin, help_line)
        registered.commands.add(name)

    def _remove_what_is_left(self, plugin: str, before: Registered, registered: Registered) -> None:
        """Remove sections and commands that are in the manifest, but not in the code."""
        for name in before.sections - registered.sections:
            owners, section = self._sections.pop(name)
            if others := tuple(owner for owner in owners if owner != plugin):
                self._sections[name] = (others, section)
            self.sections_generation += 1
        for name in before.commands - registered.commands:
            del self._commands[name]

    # -- lookup ----------------------------------------------------------------------------------------------

    def source_of(self, tool: str) -> str:
        """Return the plugin that provides a tool, or `application`."""
        plugin, brought = self._brought_by.get(tool) or (APPLICATION, None)
        # The application may have replaced the plugin's tool.
        return plugin if brought is not None and self._registry.holds(brought) else APPLICATION

    def owners_of_section(self, name: str) -> tuple[str, ...]:
        """Return the plugins that declare a section of `config.yaml`."""
        return self._sections.get(name, ((),))[0]

    def is_section_of_provider(self, name: str) -> bool:
        """Return True if the plugin that declares a section has a provider of the same name."""
        return any((owner, name) in self._provided for owner in self.owners_of_section(name))

    def owner_of(self, section: str) -> str:
        """Return the plugin that owns a section; empty for a section of the core."""
        return next(iter(self.owners_of_section(section)), "")

    @property
    def commands(self) -> Mapping[str, tuple[str, str]]:
        """The commands of plugins: name to plugin and summary."""
        return dict(self._commands)

    def sections(self) -> tuple[SectionSpec, ...]:
        """Return the sections of `config.yaml` that plugins read."""
        from hermes_core.config.sections import SectionSpec

        return tuple(
            section if isinstance(section, SectionSpec) else SectionSpec.from_dict(section, owner=owners[0])
            for owners, section in self._sections.values()
        )


def _held_back(tool: Tool, hold: Hold | None, registered: Registered) -> Tool:
    held = hold(tool) if hold is not None else None
    if held is None:
        return tool
    registered.held[tool.name] = held
    return tool.but(blocked=(held.reason, held.remedy))


def _schema_of(section: SectionSpec | Mapping[str, Any]) -> Mapping[str, Any]:
    schema = section.get("schema") if isinstance(section, Mapping) else section.schema
    return schema if isinstance(schema, Mapping) else {}


def _may_share(known: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Return True if two plugins may share a section: both allow it, and their common settings are identical."""
    return known.get("x-shared") is True and schema.get("x-shared") is True and _agree(known, schema)


def _agree(one: object, other: object) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(_agree(one[key], other[key]) for key in one.keys() & other.keys() - _TEXTS)
    return one == other
