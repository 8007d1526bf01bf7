"""What callers may see and call: the tools within a scope, and how models are shown them."""

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

_MAX_TOKENS = 10**12
"""More tokens than any context window has."""
_MAX_SCOPES = 64
"""How many selections of toolsets stay resolved, for callers that name them at every call."""


class Scope:
    """A grant of toolsets. It follows the registry as tools come and go, and is never wider than its parents.

    Args:
        enabled: The toolsets that are granted; None grants all.
        disabled: The toolsets that are taken away, always last.
        parents: The scopes that this one lies within.
        withheld: Returns what a caller of a host above may not use.
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
        """Return the registered tools inside the scope. A toolset that has gone since grants nothing."""
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
        """Return what callers above may not use, of tools that this host need not know."""
        return self._withheld().union(*(parent.withheld() for parent in self.parents))

    def is_within(self, other: Scope) -> bool:
        """Return True for a scope that was made inside another one."""
        return self is other or any(parent.is_within(other) for parent in self.parents)


def narrowed(scope: Scope | None, other: Scope | None) -> Scope | None:
    """Return what is within both scopes; None restricts nothing."""
    if scope is None or other is None or scope.is_within(other):
        return scope or other
    return Scope(None, None, scope, other)


class Visibility:
    """Answers from the registry, the toolsets and the checks of one host. Nothing here can run a tool."""

    def __init__(self, registry: Registry, catalog: ToolsetCatalog, environ: Mapping[str, str] | None) -> None:
        self.registry = registry
        self.catalog = catalog
        self._environ = environ
        self._scopes: dict[tuple[Any, ...], Scope] = {}
        self._lock = threading.Lock()

    @cached_property
    def availability(self) -> Availability:
        """Which tools can run here; made for the first tool that requires something, and for lists."""
        from hermes_core.tools.availability import Availability

        return Availability(environ=self._environ)

    @cached_property
    def selection(self) -> Selection:
        """The available tools out of many; made for the first list."""
        from hermes_core.tools.availability import Selection

        return Selection(self.registry, self.availability)

    @cached_property
    def tool_definitions(self) -> Definitions:
        """What models are shown; made when the first model is."""
        from hermes_core.tools.definitions import Definitions

        return Definitions(self.registry, self.selection)

    def new_scope(
        self, enabled: Iterable[str] | None, disabled: Iterable[str] | None, parent: Scope | None = None
    ) -> Scope | None:
        """Return a scope for these toolsets, which must exist; None when they restrict nothing."""
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
        """Return the tools within a scope that are registered now, or in a snapshot."""
        snapshot = snapshot or self.registry.snapshot
        return snapshot.all_names if scope is None else scope.names(snapshot, self.catalog)

    def definitions(self, scope: Scope | None, format: str, adjust: Adjust | None = None) -> list[dict[str, Any]]:
        """Return what a model with this scope is shown; `adjust` lets plugins change it."""
        return self.tool_definitions.build(None if scope is None else self.allowed_names(scope), format, adjust)


def checked_context_length(value: float | None) -> int | None:
    """Return a context window in whole tokens; None when it is not known, which some write as 0 or less."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_TOKENS:
        shown = str(value) if isinstance(value, float) else f"a {type(value).__name__}"
        raise ConfigError(f"context_length is {shown}, no number of tokens of a model.", example="128000")
    return int(value) if value >= 1 else None


def _names(value: Iterable[str]) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ConfigError(f"{name!r} is not the name of a toolset.", example='enabled=["web"]')
    return names
