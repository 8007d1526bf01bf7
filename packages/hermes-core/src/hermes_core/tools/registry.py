"""Every tool of one host, as immutable snapshots that readers share without a lock."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NoReturn

from hermes_core.errors import ToolConflictError, ToolDefinitionError
from hermes_core.tools.gates import Gate, gates_of
from hermes_core.tools.spec import ToolSpec
from hermes_core.tools.tool import Check, Tool

_MCP = "mcp-"


class _Contents:
    """What a registry holds, as writers change it under the lock."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.order: list[str] = []
        self.aliases: dict[str, str] = {}
        self.gated: dict[str, tuple[Gate, ...]] = {}
        self.toolset_sizes: Counter[str] = Counter()
        self.toolset_aliases: dict[str, str] = {}
        self.toolset_checks: dict[str, Check] = {}
        self.known_as: dict[str, tuple[str, ...]] = {}
        """Each toolset's aliases."""

    def copy(self) -> _Contents:
        """A copy that later changes do not reach."""
        made = _Contents()
        made.__dict__.update({part: held.copy() for part, held in self.__dict__.items()})
        return made


class Snapshot:
    """The registry at one moment.

    Attributes:
        generation: Grows with every change.
        names: Every tool's name, sorted.
        aliases: Other names of tools, to the registered ones.
        toolset_aliases: Other names of toolsets.
        toolset_checks: What says whether a toolset as a whole can work here.
    """

    generation: int
    names: tuple[str, ...]
    aliases: Mapping[str, str]
    toolset_aliases: Mapping[str, str]
    toolset_checks: Mapping[str, Check]
    _tools: Mapping[str, Tool]
    _gated: Mapping[str, tuple[Gate, ...]]
    """The tools that have something to check, with what it is."""

    def __init__(self, generation: int, now: _Contents) -> None:
        self.__dict__.update(
            generation=generation,
            names=tuple(now.order),
            aliases=MappingProxyType(dict(now.aliases)),
            toolset_aliases=MappingProxyType(dict(now.toolset_aliases)),
            toolset_checks=MappingProxyType(dict(now.toolset_checks)),
            _tools=MappingProxyType(dict(now.tools)),
            _gated=MappingProxyType(dict(now.gated)),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a snapshot cannot be changed: {name}")

    @cached_property
    def all_names(self) -> frozenset[str]:
        """Every tool's name, as a set."""
        return frozenset(self._tools)

    @cached_property
    def in_every_scope(self) -> frozenset[str]:
        """The tools that are part of every scope."""
        return frozenset(name for name, tool in self._tools.items() if tool.in_every_scope)

    @cached_property
    def by_toolset(self) -> Mapping[str, frozenset[str]]:
        """The names registered under each toolset."""
        grouped: dict[str, set[str]] = {}
        for name, tool in self._tools.items():
            grouped.setdefault(tool.toolset, set()).add(name)
        return MappingProxyType({toolset: frozenset(names) for toolset, names in grouped.items()})

    @cached_property
    def _gates(self) -> tuple[Gate, ...]:
        """Each distinct thing to check, once, however many tools share it."""
        return tuple(dict.fromkeys(gate for gates in self._gated.values() for gate in gates))

    def canonical(self, name: str) -> str | None:
        """The registered name behind a name or alias; None when there is none."""
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
        """Copy the state once after a row of changes: registering n tools costs one copy, not n."""
        with self._lock:
            if self._published is None:
                now = self._contents
                # Nearly sorted already, which makes sorting nearly free.
                now.order = sorted(name for name in dict.fromkeys(now.order) if name in now.tools)
                self._published = Snapshot(self._generation, now)
            return self._published

    def get(self, name: str) -> ToolSpec | None:
        """What is known of a tool, by name or alias."""
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
        """Every tool's name, sorted."""
        return self.snapshot.names

    def toolset_of(self, name: str) -> str | None:
        """The toolset that a tool was registered under."""
        now = self._contents
        tool = now.tools.get(name) or now.tools.get(now.aliases.get(name, ""))
        return tool.toolset if tool else None

    def holds(self, tool: Tool) -> bool:
        """Whether this very tool is registered now."""
        return self._contents.tools.get(tool.name) is tool

    def holder_of(self, name: str) -> str | None:
        """The tool that a name or alias stands for."""
        now = self._contents
        return name if name in now.tools else now.aliases.get(name)

    def toolsets(self) -> tuple[str, ...]:
        """Every toolset that has a registered tool, sorted."""
        return tuple(sorted(self.snapshot.by_toolset))

    def tools_in(self, toolset: str) -> tuple[str, ...]:
        """The names registered under a toolset or its alias, sorted."""
        snapshot = self.snapshot
        canonical = snapshot.toolset_aliases.get(toolset, toolset)
        return tuple(sorted(snapshot.by_toolset.get(canonical, ())))

    # -- writing ---------------------------------------------------------------------------------------------

    def register(self, tool: Tool, *, override: bool = False) -> None:
        """Add a tool, or replace the one of that name in the same toolset.

        Raises:
            ToolConflictError: a tool of another toolset has the name, and `override` is not set.
        """
        with self._lock:
            self._refuse_conflicts(tool, override=override)
            self._put(tool)
            self._changed()

    def register_all(self, tools: Iterable[Tool], *, override: bool = False) -> None:
        """Add several tools; when one cannot be added, none is."""
        fresh = list(tools)  # before anything changes: a generator may read this registry, or raise
        with self._lock:
            backup = self._contents.copy()
            try:
                for tool in fresh:
                    self._refuse_conflicts(tool, override=override)
                    self._put(tool)
            except BaseException:
                self._contents = backup
                self._specs.clear()
                raise
            self._changed()

    def deregister(self, name: str) -> bool:
        """Remove a tool; False when there is none. The last one takes its toolset's check and aliases along."""
        with self._lock:
            if name not in self._contents.tools:
                return False
            self._drop_orphan(self._drop(name).toolset)
            self._changed()
            return True

    def replace_toolset(self, toolset: str, tools: Iterable[Tool]) -> None:
        """Swap all tools of one toolset for others in a single step: readers see the old set or the new one."""
        fresh = list(tools)
        for tool in fresh:
            if isinstance(tool, Tool) and tool.toolset != toolset:
                raise ToolDefinitionError(
                    tool.name,
                    f"belongs to toolset {tool.toolset!r}, but toolset {toolset!r} is being replaced.",
                    remedy=f'Declare it with toolset="{toolset}".',
                )
        with self._lock:
            self.exchange([name for name, tool in self._contents.tools.items() if tool.toolset == toolset], fresh)

    def exchange(self, leaving: Iterable[str], arriving: Iterable[Tool]) -> None:
        """Take some tools out and put others in, in a single step.

        Raises:
            ToolConflictError: a tool of another toolset, which stays, has the name of one that arrives.
        """
        gone, fresh = frozenset(leaving), list(arriving)
        with self._lock:
            for tool in fresh:
                self._refuse_conflicts(tool, leaving=gone)
            left = set()
            for name in gone & self._contents.tools.keys():
                tool = self._drop(name)
                self._forget_check_of(tool)
                left.add(tool.toolset)
            for tool in fresh:
                self._put(tool)
            for toolset in left:
                self._drop_orphan(toolset)
            self._changed()

    def refuse_conflicts(self, tool: Tool, leaving: Iterable[str] = ()) -> None:
        """Raise what registering a tool would raise, when some others had gone before."""
        with self._lock:
            self._refuse_conflicts(tool, leaving=frozenset(leaving))

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Let a toolset be asked for by another name; a later alias of the same name wins."""
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
        """Set the check that says whether a toolset as a whole can work here."""
        with self._lock:
            self._contents.toolset_checks[toolset] = check
            self._changed()

    # -- under the lock --------------------------------------------------------------------------------------

    def _refuse_conflicts(self, tool: Tool, *, override: bool = False, leaving: frozenset[str] = frozenset()) -> None:
        if not isinstance(tool, Tool):
            raise ToolDefinitionError(
                getattr(tool, "__name__", repr(tool)),
                f"is a {type(tool).__name__}, not a Tool.",
                remedy="Declare it with @tool or Tool.from_schema.",
            )
        for name in (tool.name, *tool.aliases):
            holder = self._contents.tools.get(name) or self._contents.tools.get(self._contents.aliases.get(name, ""))
            if holder is None or holder.name in leaving or holder.toolset == tool.toolset:
                continue
            if override or (holder.toolset.startswith(_MCP) and tool.toolset.startswith(_MCP)):
                continue
            raise ToolConflictError(name, toolset=tool.toolset, holder=holder.toolset)

    def _put(self, tool: Tool) -> None:
        if tool.name in self._contents.tools:
            old = self._drop(tool.name)
            self._forget_check_of(old)
            if old.toolset != tool.toolset:
                self._drop_orphan(old.toolset)
        self._contents.aliases.pop(tool.name, None)
        self._contents.tools[tool.name] = tool
        self._contents.order.append(tool.name)
        if gates := gates_of(tool):
            self._contents.gated[tool.name] = gates
        self._contents.toolset_sizes[tool.toolset] += 1
        for alias in tool.aliases:
            if alias not in self._contents.tools:
                self._contents.aliases[alias] = tool.name
        if tool.check is not None:
            self._contents.toolset_checks.setdefault(tool.toolset, tool.check)

    def _drop(self, name: str) -> Tool:
        tool = self._contents.tools.pop(name)
        self._contents.gated.pop(name, None)
        self._contents.toolset_sizes[tool.toolset] -= 1
        self._specs.pop(name, None)
        for alias in tool.aliases:
            if self._contents.aliases.get(alias) == name:
                del self._contents.aliases[alias]
        return tool

    def _forget_check_of(self, tool: Tool) -> None:
        """A toolset's check that came with a tool goes when that tool is replaced; its successor brings its own."""
        if tool.check is not None and self._contents.toolset_checks.get(tool.toolset) is tool.check:
            del self._contents.toolset_checks[tool.toolset]

    def _drop_orphan(self, toolset: str) -> None:
        if self._contents.toolset_sizes[toolset] > 0:
            return
        del self._contents.toolset_sizes[toolset]
        self._contents.toolset_checks.pop(toolset, None)
        for alias in self._contents.known_as.pop(toolset, ()):
            del self._contents.toolset_aliases[alias]

    def _changed(self) -> None:
        self._generation += 1
        self._published = None
