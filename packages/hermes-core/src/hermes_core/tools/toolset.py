"""Named groups of tools, and the catalog that resolves their names to tools."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, Protocol

import hermes_schemas
from hermes_core.errors import ToolDefinitionError, UnknownToolsetError
from hermes_core.tools.declaration import words

EVERYTHING = frozenset({"all", "*"})
"""The names that mean all registered tools; no toolset may use them."""


@dataclass(frozen=True, slots=True, init=False)
class Toolset:
    """A named group of tools and of other toolsets."""

    name: str
    description: str
    tools: tuple[str, ...]
    includes: tuple[str, ...]
    aliases: tuple[str, ...]

    def __init__(
        self,
        name: str,
        *,
        description: str = "",
        tools: Iterable[str] = (),
        includes: Iterable[str] = (),
        aliases: Iterable[str] = (),
    ) -> None:
        _check_free(name, name)
        put = object.__setattr__
        put(self, "name", name)
        put(self, "description", description)
        for field, value in (("tools", tools), ("includes", includes), ("aliases", aliases)):
            put(self, field, tuple(dict.fromkeys(words(name, field, value))))
        for alias in self.aliases:
            _check_free(name, alias)


def _check_free(toolset: str, word: object) -> None:
    if not isinstance(word, str) or not word.strip():
        reason = f"a toolset needs a name, not {word!r}."
        raise ToolDefinitionError(str(toolset), reason, remedy='For example Toolset("research").')
    if word in EVERYTHING:
        reason = f"the toolset name {word!r} is reserved: it always means every registered tool."
        raise ToolDefinitionError(toolset, reason, remedy="Choose another name.")


class LiveTools(Protocol):
    """What the catalog reads from a snapshot of the registry."""

    @property
    def all_names(self) -> frozenset[str]: ...
    @property
    def by_toolset(self) -> Mapping[str, frozenset[str]]: ...
    @property
    def toolset_aliases(self) -> Mapping[str, str]: ...


class ToolsetInfo(NamedTuple):
    name: str
    description: str
    direct_tools: tuple[str, ...]
    includes: tuple[str, ...]
    resolved_tools: tuple[str, ...]
    tool_count: int
    is_composite: bool
    aliases: tuple[str, ...]


class _Found(NamedTuple):
    name: str
    tools: Collection[str]
    includes: tuple[str, ...] = ()
    description: str = ""
    declared: Toolset | None = None


class _Published(NamedTuple):
    toolsets: Mapping[str, Toolset]
    aliases: Mapping[str, str]


class ToolsetCatalog:
    """The toolsets of one host. Readers take no lock; each change publishes a new state."""

    def __init__(self, toolsets: Iterable[Toolset] | None = None) -> None:
        self._lock = threading.Lock()
        self._aliases: dict[str, str] = {}
        self._generation = 0
        self._published: _Published | None = None
        self._reversed: tuple[Mapping[str, str], dict[str, list[str]]] | None = None
        if toolsets is not None:
            self._toolsets = {}
            self.add(*toolsets)

    @cached_property
    def _toolsets(self) -> dict[str, Toolset]:
        from hermes_core.tools.builtin_toolsets import PRESETS

        return {toolset.name: toolset for toolset in PRESETS}

    @property
    def generation(self) -> int:
        """A number that grows with every change, for caches."""
        return self._generation

    @property
    def _state(self) -> _Published:
        """The state that readers share; several changes cost one copy."""
        published = self._published
        if published is None:
            with self._lock:
                published = self._published = _Published(
                    MappingProxyType(dict(self._toolsets)), MappingProxyType(dict(self._aliases))
                )
        return published

    def add(self, *toolsets: Toolset, replace: bool = False) -> None:
        """Add toolsets, all or none. With `replace`, each replaces an existing one of the same name."""
        if not toolsets:
            return
        with self._lock:
            undo: list[tuple[str, Toolset | None]] = []
            try:
                for toolset in toolsets:
                    self._refuse(toolset, replace=replace)
                    undo.append((toolset.name, self._toolsets.get(toolset.name)))
                    self._put(toolset)
            except ToolDefinitionError:
                for name, old in reversed(undo):
                    self._take_out(name)
                    if old is not None:
                        self._put(old)
                raise
            self._changed()

    def remove(self, name: str) -> None:
        """Remove the toolset of exactly this name, with its aliases."""
        with self._lock:
            if name not in self._toolsets:
                raise UnknownToolsetError(name, hermes_schemas.nearest(name, self._toolsets))
            self._take_out(name)
            self._changed()

    def _refuse(self, toolset: Toolset, *, replace: bool) -> None:
        if toolset.name in self._toolsets and not replace:
            reason = f"there already is a toolset {toolset.name!r}."
            raise ToolDefinitionError(toolset.name, reason, remedy="Choose another name, or add it with replace=True.")
        for word in (toolset.name, *toolset.aliases):
            holder = self._aliases.get(word) or (word if word in self._toolsets else None)
            if holder not in (None, toolset.name):
                reason = f"the name {word!r} of this toolset already belongs to toolset {holder!r}."
                raise ToolDefinitionError(toolset.name, reason, remedy="Choose another name or alias.")

    def _put(self, toolset: Toolset) -> None:
        if toolset.name in self._toolsets:
            self._take_out(toolset.name)
        self._toolsets[toolset.name] = toolset
        self._aliases.update((alias, toolset.name) for alias in toolset.aliases if alias != toolset.name)

    def _take_out(self, name: str) -> None:
        for alias in self._toolsets.pop(name).aliases:
            self._aliases.pop(alias, None)

    def _changed(self) -> None:
        # In this order, so that a reader with the new number never gets the old state.
        self._published = None
        self._generation += 1

    def create_custom(
        self, name: str, description: str = "", tools: Iterable[str] = (), includes: Iterable[str] = ()
    ) -> Toolset:
        """Create a toolset at run time and add it to this catalog."""
        toolset = Toolset(name, description=description, tools=tools, includes=includes)
        self.add(toolset)
        return toolset

    def get(self, name: str) -> Toolset | None:
        """Return the declared toolset of this name or alias."""
        state = self._state
        return state.toolsets.get(state.aliases.get(name, name))

    def names(self) -> list[str]:
        """Return the names of the declared toolsets, sorted, without aliases."""
        return sorted(self._state.toolsets)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def known_names(self, live: LiveTools) -> list[str]:
        """Return the names of all toolsets, declared or only registered, sorted, without aliases."""
        state = self._state
        return sorted({*state.toolsets, *(name for name in live.by_toolset if name not in state.aliases)})

    def is_known(self, name: str, live: LiveTools) -> bool:
        """Return True for a name that `resolve` accepts."""
        return self._find(self._state, name, live) is not None

    def resolve(self, names: str | Iterable[str], live: LiveTools, *, gone_ok: bool = False) -> frozenset[str]:
        """Return the names of all tools in these toolsets and their includes, registered or not.

        A name may be a toolset, an alias, `all` or `*`, or a single registered tool. With `gone_ok`, unknown names are
        ignored, for selections that were checked before.
        """
        state = self._state
        tools: set[str] = set()
        seen: set[str] = set()
        # A queue, not recursion: a chain of includes may be longer than the interpreter's stack.
        wanted = [names] if isinstance(names, str) else names
        waiting: deque[tuple[str, str | None]] = deque((name, None) for name in wanted)
        while waiting:
            name, included_by = waiting.popleft()
            if name in seen:
                continue
            found = self._find(state, name, live)
            if found is None:
                if gone_ok:
                    continue
                raise self._unknown(state, name, live, included_by)
            # Both an alias and its toolset count as visited.
            if found.name not in seen:
                tools.update(found.tools)
                waiting.extend((include, found.name) for include in found.includes)
            seen.update((name, found.name))
        return frozenset(tools)

    def info(self, name: str, live: LiveTools) -> ToolsetInfo:
        """Describe what a name refers to."""
        state = self._state
        found = self._find(state, name, live)
        if found is None:
            raise self._unknown(state, name, live)
        own, aliases = (found.declared.tools, found.declared.aliases) if found.declared else ((), ())
        resolved = self.resolve([name], live)
        return ToolsetInfo(
            name=found.name,
            description=found.description,
            direct_tools=(*own, *sorted(set(found.tools).difference(own))),
            includes=found.includes,
            resolved_tools=tuple(sorted(resolved)),
            tool_count=len(resolved),
            is_composite=bool(found.includes),
            aliases=tuple(dict.fromkeys((*aliases, *self._live_aliases(live).get(found.name, ())))),
        )

    def _find(self, state: _Published, name: str, live: LiveTools) -> _Found | None:
        """Find what a name refers to. Declared and registered names take precedence over aliases."""
        if name in EVERYTHING:
            return _Found(name, live.all_names, description="Every registered tool.")
        declared = state.toolsets.get(state.aliases.get(name, name))
        if declared is None and name not in live.by_toolset:
            target = live.toolset_aliases.get(name)
            if target is None:
                return _Found(name, (name,), description="A single tool.") if name in live.all_names else None
            declared, name = state.toolsets.get(state.aliases.get(target, target)), target
        if declared is None:
            return _Found(name, live.by_toolset.get(name, frozenset()))
        tools: Collection[str] = declared.tools
        registered = [live.by_toolset.get(known, frozenset()) for known in (declared.name, *declared.aliases)]
        if any(registered):
            tools = frozenset(tools).union(*registered)
        return _Found(declared.name, tools, declared.includes, declared.description, declared)

    def _live_aliases(self, live: LiveTools) -> Mapping[str, list[str]]:
        """Return the sorted aliases of each registered toolset, cached per snapshot."""
        known = self._reversed
        if known is None or known[0] is not live.toolset_aliases:
            found: dict[str, list[str]] = {}
            for alias, target in sorted(live.toolset_aliases.items()):
                found.setdefault(target, []).append(alias)
            known = self._reversed = (live.toolset_aliases, found)
        return known[1]

    def _unknown(
        self, state: _Published, name: str, live: LiveTools, included_by: str | None = None
    ) -> UnknownToolsetError:
        known = {*state.toolsets, *state.aliases, *live.by_toolset, *live.toolset_aliases}
        from hermes_core.families import explain_missing

        near = hermes_schemas.nearest(name, known)
        return UnknownToolsetError(name, near, included_by=included_by, remedy=explain_missing(name))
