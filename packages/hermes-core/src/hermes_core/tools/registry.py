"""The tools of one host, as immutable snapshots that readers share without a lock."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NoReturn

from hermes_core.errors import ToolConflictError, ToolDefinitionError
from hermes_core.tools.requirements import Gate, gates_of
from hermes_core.tools.tool import Check, Tool
from hermes_core.tools.tool_spec import ToolSpec

_MCP = "mcp-"


class _Contents:
    """The contents of a registry, which writers change under the lock."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.order: list[str] = []
        """Names in insertion order, including removed ones until the next snapshot sorts them."""
        self.aliases: dict[str, str] = {}
        self.gated: dict[str, tuple[Gate, ...]] = {}
        self.varying: set[str] = set()
        self.toolset_sizes: Counter[str] = Counter()
        self.toolset_aliases: dict[str, str] = {}
        self.toolset_checks: dict[str, Check] = {}
        self.known_as: dict[str, tuple[str, ...]] = {}  # the aliases of each toolset


class Snapshot:
    """The contents of the registry at one moment.

    Attributes:
        names: The names of all tools, sorted.
        aliases: Other names of tools, to the registered ones.
        gated: The requirements of each tool that has any.
        varying: The tools whose definition depends on the moment or on other tools.
    """

    generation: int
    names: tuple[str, ...]
    aliases: Mapping[str, str]
    toolset_aliases: Mapping[str, str]
    toolset_checks: Mapping[str, Check]
    gated: Mapping[str, tuple[Gate, ...]]
    varying: frozenset[str]
    _tools: Mapping[str, Tool]
    """Private, so that no public attribute leads to a handler; see `tools_of`."""

    def __init__(self, generation: int, now: _Contents) -> None:
        self.__dict__.update(
            generation=generation,
            names=tuple(now.order),
            aliases=MappingProxyType(dict(now.aliases)),
            toolset_aliases=MappingProxyType(dict(now.toolset_aliases)),
            toolset_checks=MappingProxyType(dict(now.toolset_checks)),
            gated=MappingProxyType(dict(now.gated)),
            varying=frozenset(now.varying),
            _tools=MappingProxyType(dict(now.tools)),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a snapshot cannot be changed: {name}")

    @cached_property
    def all_names(self) -> frozenset[str]:
        return frozenset(self._tools)

    @cached_property
    def in_every_scope(self) -> frozenset[str]:
        return frozenset(name for name, tool in self._tools.items() if tool.in_every_scope)

    @cached_property
    def by_toolset(self) -> Mapping[str, frozenset[str]]:
        grouped: dict[str, set[str]] = {}
        for name, tool in self._tools.items():
            grouped.setdefault(tool.toolset, set()).add(name)
        return MappingProxyType({toolset: frozenset(names) for toolset, names in grouped.items()})

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """The distinct requirements of all tools."""
        return tuple(dict.fromkeys(gate for gates in self.gated.values() for gate in gates))

    def canonical(self, name: str) -> str | None:
        """Return the registered name for a name or alias, or None."""
        return name if name in self._tools else self.aliases.get(name)


def tools_of(snapshot: Snapshot) -> Mapping[str, Tool]:
    """Return the tools of a snapshot with their code. Only the core calls this."""
    return snapshot._tools


class Registry:
    """Tools by name. Writers publish immutable snapshots; only the pipeline can reach a handler.

    `generation` grows with every change; `published` is None until the next snapshot is needed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._contents = _Contents()
        self._specs: dict[str, tuple[Tool, ToolSpec]] = {}
        self.generation = 0
        self.published: Snapshot | None = None

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def snapshot(self) -> Snapshot:
        """The current contents. Later changes do not affect the snapshot."""
        published = self.published
        return published if published is not None else self._publish()

    def _publish(self) -> Snapshot:
        """Copy the contents once after several changes."""
        with self._lock:
            if self.published is None:
                now = self._contents
                if len(now.order) > len(now.tools):
                    now.order = [name for name in dict.fromkeys(now.order) if name in now.tools]
                now.order.sort()  # nearly sorted already, so this is fast
                self.published = Snapshot(self.generation, now)
            return self.published

    def get(self, name: str) -> ToolSpec | None:
        """Return the specification of a tool by name or alias."""
        snapshot = self.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None:
            return None
        known = self._specs.get(canonical)
        tool = snapshot._tools[canonical]
        if known is None or known[0] is not tool:
            known = self._specs[canonical] = (tool, tool.spec)
        return known[1]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.snapshot.canonical(name) is not None

    def __len__(self) -> int:
        return len(self.snapshot._tools)

    def names(self) -> tuple[str, ...]:
        """Return the names of all tools, sorted."""
        return self.snapshot.names

    def toolset_of(self, name: str) -> str | None:
        """Return the toolset of a tool by name or alias."""
        holder = self._holder(name)
        return holder.toolset if holder else None

    def _holder(self, name: str) -> Tool | None:
        now = self._contents
        return now.tools.get(name) or now.tools.get(now.aliases.get(name, ""))

    def holds(self, tool: Tool) -> bool:
        """Return True if exactly this tool is registered."""
        return self._contents.tools.get(tool.name) is tool

    def holder_of(self, name: str) -> str | None:
        """Return the name of the tool with a name or alias."""
        holder = self._holder(name)
        return holder.name if holder else None

    def toolsets(self) -> tuple[str, ...]:
        """Return all toolsets that have a registered tool, sorted."""
        return tuple(sorted(self.snapshot.by_toolset))

    def tools_in(self, toolset: str) -> tuple[str, ...]:
        """Return the tools registered under a toolset or its alias, sorted."""
        snapshot = self.snapshot
        canonical = snapshot.toolset_aliases.get(toolset, toolset)
        return tuple(sorted(snapshot.by_toolset.get(canonical, ())))

    # -- writing ---------------------------------------------------------------------------------------------

    def register(self, tool: Tool, *, override: bool = False) -> None:
        """Add a tool, or replace the tool of that name in the same toolset; in another one only with `override`."""
        self.exchange((), (tool,), override=override)

    def register_all(self, tools: Iterable[Tool], *, override: bool = False) -> None:
        """Add several tools, all or none."""
        self.exchange((), tools, override=override)

    def deregister(self, name: str) -> bool:
        """Remove a tool; return False if there is none. The last one removes its toolset's check and aliases."""
        with self._lock:
            if name not in self._contents.tools:
                return False
            self._drop_orphans([self._drop(name)])
            self._changed()
            return True

    def replace_toolset(self, toolset: str, tools: Iterable[Tool]) -> None:
        """Replace all tools of a toolset in a single step: readers see the old set or the new one."""
        fresh = list(tools)  # before anything changes: a generator may read this registry, or raise
        for tool in fresh:
            if isinstance(tool, Tool) and tool.toolset != toolset:
                reason = f"belongs to toolset {tool.toolset!r}, but toolset {toolset!r} is being replaced."
                raise ToolDefinitionError(tool.name, reason, remedy=f'Declare it with toolset="{toolset}".')
        with self._lock:
            self.exchange([name for name, tool in self._contents.tools.items() if tool.toolset == toolset], fresh)

    def exchange(self, leaving: Iterable[str], arriving: Iterable[Tool], *, override: bool = False) -> None:
        """Remove some tools and add others in a single step. Raises `ToolConflictError` without changing anything."""
        gone, fresh = frozenset(leaving), list(arriving)
        with self._lock:
            taken: dict[str, Tool] = {}
            for tool in fresh:
                self._refuse_conflicts(tool, gone, taken, override=override)
                taken.update(dict.fromkeys((tool.name, *tool.aliases), tool))
            left = [self._drop(name, replaced=True) for name in gone & self._contents.tools.keys()]
            for tool in fresh:
                if tool.name in self._contents.tools:
                    left.append(self._drop(tool.name, replaced=True))
                self._put(tool)
            self._drop_orphans(left)
            self._changed()

    def refuse_conflicts(self, tool: Tool, leaving: Iterable[str] = ()) -> None:
        """Raise what adding a tool would raise after removing some others."""
        with self._lock:
            self._refuse_conflicts(tool, frozenset(leaving), {})

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Add an alias of a toolset; it replaces an existing alias of the same name."""
        if not alias or not isinstance(alias, str) or alias in ("all", "*"):
            raise ToolDefinitionError("?", f"{alias!r} cannot be the alias of a toolset.", remedy="Choose another.")
        with self._lock:
            now = self._contents
            before = now.toolset_aliases.get(alias)
            if before is not None:
                now.known_as[before] = tuple(known for known in now.known_as[before] if known != alias)
            now.toolset_aliases[alias] = toolset
            now.known_as[toolset] = (*now.known_as.get(toolset, ()), alias)
            self._changed()

    def register_toolset_check(self, toolset: str, check: Callable[[], object]) -> None:
        """Set the check of a toolset."""
        with self._lock:
            self._contents.toolset_checks[toolset] = check
            self._changed()

    # -- under the lock --------------------------------------------------------------------------------------

    def _refuse_conflicts(
        self, tool: Tool, leaving: frozenset[str], arriving: Mapping[str, Tool], *, override: bool = False
    ) -> None:
        if not isinstance(tool, Tool):
            name, reason = getattr(tool, "__name__", repr(tool)), f"is a {type(tool).__name__}, not a Tool."
            raise ToolDefinitionError(name, reason, remedy="Declare it with @tool or Tool.from_schema.")
        for name in (tool.name, *tool.aliases):
            holder = arriving.get(name) or self._holder(name)
            if holder is None or holder.toolset == tool.toolset or override:
                continue
            if holder.name in leaving and name not in arriving:
                continue
            if not (holder.toolset.startswith(_MCP) and tool.toolset.startswith(_MCP)):
                raise ToolConflictError(name, toolset=tool.toolset, holder=holder.toolset)

    def _put(self, tool: Tool) -> None:
        now = self._contents
        now.aliases.pop(tool.name, None)
        now.tools[tool.name] = tool
        now.order.append(tool.name)
        if gates := gates_of(tool):
            now.gated[tool.name] = gates
        if tool.calls or tool.dynamic_schema is not None:
            now.varying.add(tool.name)
        now.toolset_sizes[tool.toolset] += 1
        for alias in tool.aliases:
            if alias not in now.tools:
                now.aliases[alias] = tool.name
        if tool.check is not None:
            now.toolset_checks.setdefault(tool.toolset, tool.check)

    def _drop(self, name: str, *, replaced: bool = False) -> Tool:
        now = self._contents
        tool = now.tools.pop(name)
        now.gated.pop(name, None)
        now.varying.discard(name)
        now.toolset_sizes[tool.toolset] -= 1
        self._specs.pop(name, None)
        for alias in tool.aliases:
            if now.aliases.get(alias) == name:
                del now.aliases[alias]
        # Remove the check of a replaced tool; the new tool has its own.
        if replaced and tool.check is not None and now.toolset_checks.get(tool.toolset) is tool.check:
            del now.toolset_checks[tool.toolset]
        return tool

    def _drop_orphans(self, dropped: Iterable[Tool]) -> None:
        now = self._contents
        for toolset in {tool.toolset for tool in dropped if now.toolset_sizes[tool.toolset] <= 0}:
            del now.toolset_sizes[toolset]
            now.toolset_checks.pop(toolset, None)
            for alias in now.known_as.pop(toolset, ()):
                del now.toolset_aliases[alias]

    def _changed(self) -> None:
        self.generation += 1
        self.published = None
