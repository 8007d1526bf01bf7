"""Every tool of one host, as immutable snapshots that readers share without a lock."""

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
    """What a registry holds, as writers change it under the lock."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.order: list[str] = []
        """The names as they were added, those of removed tools, too, until the next snapshot sorts them."""
        self.aliases: dict[str, str] = {}
        self.gated: dict[str, tuple[Gate, ...]] = {}
        self.varying: dict[str, Tool] = {}
        self.toolset_sizes: Counter[str] = Counter()
        self.toolset_aliases: dict[str, str] = {}
        self.toolset_checks: dict[str, Check] = {}
        self.known_as: dict[str, tuple[str, ...]] = {}
        """Each toolset's aliases."""


class Snapshot:
    """The registry at one moment.

    Attributes:
        generation: Grows with every change.
        names: Every tool's name, sorted.
        aliases: Other names of tools, to the registered ones.
        toolset_aliases: Other names of toolsets.
        toolset_checks: The check of each toolset that has one.
    """

    generation: int
    names: tuple[str, ...]
    aliases: Mapping[str, str]
    toolset_aliases: Mapping[str, str]
    toolset_checks: Mapping[str, Check]
    _tools: Mapping[str, Tool]
    _gated: Mapping[str, tuple[Gate, ...]]
    """The tools that require something, and what."""
    _varying: Mapping[str, Tool]
    """The tools whose definition depends on the moment or on other tools."""

    def __init__(self, generation: int, now: _Contents) -> None:
        self.__dict__.update(
            generation=generation,
            names=tuple(now.order),
            aliases=MappingProxyType(dict(now.aliases)),
            toolset_aliases=MappingProxyType(dict(now.toolset_aliases)),
            toolset_checks=MappingProxyType(dict(now.toolset_checks)),
            _tools=MappingProxyType(dict(now.tools)),
            _gated=MappingProxyType(dict(now.gated)),
            _varying=MappingProxyType(dict(now.varying)),
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
    def _gates(self) -> tuple[Gate, ...]:
        """Each distinct requirement once, however many tools share it."""
        return tuple(dict.fromkeys(gate for gates in self._gated.values() for gate in gates))

    def canonical(self, name: str) -> str | None:
        """Return the registered name behind a name or alias; None when there is none."""
        return name if name in self._tools else self.aliases.get(name)


class Registry:
    """Tools by name. Writers publish snapshots; nobody but the pipeline can reach a handler."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._contents = _Contents()
        self._specs: dict[str, tuple[Tool, ToolSpec]] = {}
        self._generation = 0
        self._published: Snapshot | None = None

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """A number that grows with every change."""
        return self._generation

    @property
    def snapshot(self) -> Snapshot:
        """The registry as it is now. Later changes do not touch it."""
        published = self._published
        return published if published is not None else self._publish()

    def _publish(self) -> Snapshot:
        """Copy the state once after several changes: registering n tools costs one copy, not n."""
        with self._lock:
            if self._published is None:
                now = self._contents
                if len(now.order) > len(now.tools):
                    now.order = [name for name in dict.fromkeys(now.order) if name in now.tools]
                now.order.sort()  # nearly sorted after a few changes, which makes sorting nearly free
                self._published = Snapshot(self._generation, now)
            return self._published

    def get(self, name: str) -> ToolSpec | None:
        """Return what is known of a tool, by name or alias."""
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
        """Return every tool's name, sorted."""
        return self.snapshot.names

    def toolset_of(self, name: str) -> str | None:
        """Return the toolset that a tool was registered under, by name or alias."""
        holder = self._holder(name)
        return holder.toolset if holder else None

    def _holder(self, name: str) -> Tool | None:
        now = self._contents
        return now.tools.get(name) or now.tools.get(now.aliases.get(name, ""))

    def holds(self, tool: Tool) -> bool:
        """Return True when this very tool is registered now."""
        return self._contents.tools.get(tool.name) is tool

    def holder_of(self, name: str) -> str | None:
        """Return the name of the tool that has a name or alias now."""
        holder = self._holder(name)
        return holder.name if holder else None

    def toolsets(self) -> tuple[str, ...]:
        """Return every toolset that has a registered tool, sorted."""
        return tuple(sorted(self.snapshot.by_toolset))

    def tools_in(self, toolset: str) -> tuple[str, ...]:
        """Return the names registered under a toolset or its alias, sorted."""
        snapshot = self.snapshot
        canonical = snapshot.toolset_aliases.get(toolset, toolset)
        return tuple(sorted(snapshot.by_toolset.get(canonical, ())))

    # -- writing ---------------------------------------------------------------------------------------------

    def register(self, tool: Tool, *, override: bool = False) -> None:
        """Add a tool, or replace the one of that name in the same toolset.

        Raises:
            ToolConflictError: a tool of another toolset has the name, and `override` is not set.
        """
        self.exchange((), (tool,), override=override)

    def register_all(self, tools: Iterable[Tool], *, override: bool = False) -> None:
        """Add several tools; when one cannot be added, none is."""
        self.exchange((), tools, override=override)

    def deregister(self, name: str) -> bool:
        """Remove a tool; False when there is none. The last one takes its toolset's check and aliases along."""
        with self._lock:
            if name not in self._contents.tools:
                return False
            self._drop_orphans([self._drop(name)])
            self._changed()
            return True

    def replace_toolset(self, toolset: str, tools: Iterable[Tool]) -> None:
        """Swap all tools of one toolset for others in a single step: readers see the old set or the new one."""
        fresh = list(tools)  # before anything changes: a generator may read this registry, or raise
        for tool in fresh:
            if isinstance(tool, Tool) and tool.toolset != toolset:
                reason = f"belongs to toolset {tool.toolset!r}, but toolset {toolset!r} is being replaced."
                raise ToolDefinitionError(tool.name, reason, remedy=f'Declare it with toolset="{toolset}".')
        with self._lock:
            self.exchange([name for name, tool in self._contents.tools.items() if tool.toolset == toolset], fresh)

    def exchange(self, leaving: Iterable[str], arriving: Iterable[Tool], *, override: bool = False) -> None:
        """Remove some tools and add others in a single step, or change nothing.

        Raises:
            ToolConflictError: a tool that arrives has a name of one of another toolset, which stays or arrives, too.
        """
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
        """Raise what adding a tool would raise if some others were removed before."""
        with self._lock:
            self._refuse_conflicts(tool, frozenset(leaving), {})

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Give a toolset another name; a later alias of the same name wins."""
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
        """Set the check of a toolset as a whole."""
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
            now.varying[tool.name] = tool
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
        now.varying.pop(name, None)
        now.toolset_sizes[tool.toolset] -= 1
        self._specs.pop(name, None)
        for alias in tool.aliases:
            if now.aliases.get(alias) == name:
                del now.aliases[alias]
        # A check that came with a replaced tool goes with it; the new tool brings its own.
        if replaced and tool.check is not None and now.toolset_checks.get(tool.toolset) is tool.check:
            del now.toolset_checks[tool.toolset]
        return tool

    def _drop_orphans(self, dropped: Iterable[Tool]) -> None:
        """Forget the checks and aliases of toolsets that lost their last tool."""
        now = self._contents
        for toolset in {tool.toolset for tool in dropped if now.toolset_sizes[tool.toolset] <= 0}:
            del now.toolset_sizes[toolset]
            now.toolset_checks.pop(toolset, None)
            for alias in now.known_as.pop(toolset, ()):
                del now.toolset_aliases[alias]

    def _changed(self) -> None:
        self._generation += 1
        self._published = None
