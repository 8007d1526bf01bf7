"""Scopes: which tools callers can see and call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.tools.availability import Availability, Selection
    from hermes_core.tools.definitions import Adjust, Definitions
    from hermes_core.tools.registry import Registry, Snapshot
    from hermes_core.tools.toolset import ToolsetCatalog

_MAX_TOKENS = 10**12  # the largest accepted context window
_MAX_SCOPES = 64  # how many scopes are cached


class Scope:
    """The tools in `enabled` toolsets, by default all, that are neither `disabled` nor outside of a parent scope.

    It follows changes of the registry. `withheld` returns the tools that a caller of a parent host may not use.
    """

    __slots__ = ("_known", "_withheld", "disabled", "enabled", "parents")

    def __init__(
        self,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        *parents: Scope | None,
        withheld: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self.enabled = None if enabled is None else _names(enabled)
        self.disabled = () if disabled is None else _names(disabled)
        self.parents = tuple(parent for parent in parents if parent is not None)
        self._withheld = withheld
        self._known: tuple[int, int, frozenset[str]] | None = None

    def names(self, snapshot: Snapshot, catalog: ToolsetCatalog) -> frozenset[str]:
        """Return the registered tools in the scope. A toolset that was removed contains none."""
        known = self._known
        if known is None or known[0] != snapshot.generation or known[1] != catalog.generation:
            generation = catalog.generation
            names = snapshot.all_names
            if self.enabled is not None:
                names = names & catalog.resolve(self.enabled, snapshot, gone_ok=True) | snapshot.in_every_scope
            if self.disabled:
                names -= catalog.resolve(self.disabled, snapshot, gone_ok=True)
            for parent in self.parents:
                names &= parent.names(snapshot, catalog)
            self._known = known = (snapshot.generation, generation, names)
        return known[2] if self._withheld is frozenset else known[2] - self._withheld()

    def withheld(self) -> frozenset[str]:
        """Return the tools that callers of parent hosts may not use."""
        return self._withheld().union(*(parent.withheld() for parent in self.parents))

    def is_within(self, other: Scope) -> bool:
        """Return True for a scope that was created inside another one."""
        return self is other or any(parent.is_within(other) for parent in self.parents)


def narrowed(scope: Scope | None, other: Scope | None) -> Scope | None:
    """Return the intersection of two scopes; None restricts nothing."""
    if scope is None or other is None or scope.is_within(other):
        return scope or other
    return Scope(None, None, scope, other)


class Visibility:
    """Combines the registry, the toolsets and the availability checks of one host. It cannot run tools."""

    def __init__(self, registry: Registry, catalog: ToolsetCatalog, environ: Mapping[str, str] | None) -> None:
        self.registry = registry
        self.catalog = catalog
        self._environ = environ
        self._scopes: dict[tuple[Any, ...], Scope] = {}
        self._lock = threading.Lock()

    @cached_property
    def availability(self) -> Availability:
        """The availability checks; created for the first tool with requirements, and for lists."""
        from hermes_core.tools.availability import Availability

        return Availability(environ=self._environ)

    @cached_property
    def selection(self) -> Selection:
        """The selection of available tools; created for the first list."""
        from hermes_core.tools.availability import Selection

        return Selection(self.registry, self.availability)

    @cached_property
    def tool_definitions(self) -> Definitions:
        """The definitions for models; created for the first model."""
        from hermes_core.tools.definitions import Definitions

        return Definitions(self.registry, self.selection)

    def new_scope(
        self, enabled: Iterable[str] | None, disabled: Iterable[str] | None, parent: Scope | None = None
    ) -> Scope | None:
        """Return a scope of existing toolsets; None if it restricts nothing."""
        if enabled is None and not disabled:
            return parent
        made = Scope(enabled, disabled, parent)
        key = (made.enabled, made.disabled, id(parent), self.registry.generation, self.catalog.generation)
        known = self._scopes.get(key)
        if known is not None:
            return known
        self.catalog.resolve((*(made.enabled or ()), *made.disabled), self.registry.snapshot)
        with self._lock:
            while len(self._scopes) >= _MAX_SCOPES:
                del self._scopes[next(iter(self._scopes))]
            self._scopes[key] = made
        return made

    def allowed_names(self, scope: Scope | None, snapshot: Snapshot | None = None) -> frozenset[str]:
        """Return the tools within a scope, in a snapshot or the current registry."""
        snapshot = snapshot or self.registry.snapshot
        return snapshot.all_names if scope is None else scope.names(snapshot, self.catalog)

    def definitions(self, scope: Scope | None, format: str, adjust: Adjust | None = None) -> list[dict[str, Any]]:
        """Return the definitions for a model with this scope; `adjust` lets plugins change them."""
        return self.tool_definitions.build(None if scope is None else self.allowed_names(scope), format, adjust)


def checked_context_length(value: float | None) -> int | None:
    """Return a context window in whole tokens; None if it is unknown, which some callers pass as 0 or less."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_TOKENS:
        shown = str(value) if isinstance(value, float) else f"a {type(value).__name__}"
        raise ConfigError(f"context_length is {shown}, not a number of tokens.", example="128000")
    return int(value) if value >= 1 else None


def _names(value: Iterable[str]) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ConfigError(f"{name!r} is not the name of a toolset.", example='enabled=["web"]')
    return names
