"""What callers may see: which tools lie within a scope, and how models are shown them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hermes_core.calls.scope import Scope
from hermes_core.errors import ConfigError
from hermes_core.tools.selection import Selection

if TYPE_CHECKING:
    from hermes_core.tools.availability import Availability
    from hermes_core.tools.definitions import Adjust, Definitions
    from hermes_core.tools.registry import Registry, Snapshot
    from hermes_core.tools.toolset import ToolsetCatalog

_ENORMOUS = 10**12
"""More tokens than any context window has."""
_REMEMBERED_SCOPES = 64
"""How many selections of toolsets are kept resolved, for callers that name them at every call."""


class Sight:
    """Answers from the registry, the toolsets and the checks of one host. Nothing here can run a tool."""

    def __init__(self, registry: Registry, catalog: ToolsetCatalog, availability: Availability) -> None:
        self.registry = registry
        self.catalog = catalog
        self.availability = availability
        self.selection = Selection(registry, availability)
        self._scopes: dict[tuple[Any, ...], tuple[Scope, tuple[int, int]]] = {}
        self._lock = threading.Lock()

    @cached_property
    def tool_definitions(self) -> Definitions:
        """What models are shown; made when the first model is."""
        from hermes_core.tools.definitions import Definitions

        return Definitions(self.registry, self.selection)

    def new_scope(
        self, enabled: Iterable[str] | None, disabled: Iterable[str] | None, parent: Scope | None = None
    ) -> Scope | None:
        """A scope for these toolsets; None when they restrict nothing."""
        if enabled is None and not disabled:
            return parent
        made = Scope(enabled, disabled, parent)
        key = (made.enabled, made.disabled, id(parent))
        moment = (self.registry.generation, self.catalog.generation)
        known = self._scopes.get(key)
        if known is not None and known[1] == moment:
            return known[0]
        made.check(self.registry.snapshot, self.catalog)
        scope = known[0] if known is not None else made
        with self._lock:
            while len(self._scopes) >= _REMEMBERED_SCOPES:
                del self._scopes[next(iter(self._scopes))]
            self._scopes[key] = (scope, moment)
        return scope

    def allowed_names(self, scope: Scope | None, snapshot: Snapshot | None = None) -> frozenset[str]:
        """The tools within a scope that are registered now, or in a snapshot."""
        snapshot = snapshot or self.registry.snapshot
        return snapshot.all_names if scope is None else scope.names(snapshot, self.catalog)

    def available(self, names: frozenset[str] | None) -> tuple[str, ...]:
        """The names out of a selection whose tools can run here, sorted. None selects all."""
        return self.selection.available(names)

    def definitions(
        self, scope: Scope | None, *, format: str = "openai", quiet: bool = True, adjust: Adjust | None = None
    ) -> list[dict[str, Any]]:
        """What a model with this scope is shown; `adjust` is what plugins make of it."""
        names = None if scope is None else self.allowed_names(scope)
        found = self.tool_definitions.build(names, format, adjust)
        if not quiet:
            self._announce(scope, found)
        return found

    def _announce(self, scope: Scope | None, found: list[dict[str, Any]]) -> None:
        """Say on stderr what was left out and why: stdout belongs to whoever reads results."""
        import sys

        names = None if scope is None else self.allowed_names(scope)
        snapshot = self.registry.snapshot
        wanted = snapshot.all_names if names is None else names
        available = frozenset(self.selection.available(names))
        left_out = sorted(wanted - available)
        print(f"hermes: {len(found)} tools", file=sys.stderr)
        hidden = available - snapshot.in_every_scope - {each.get("function", each)["name"] for each in found}
        if hidden:
            print(f"hermes: {len(hidden)} more are hidden by plugins", file=sys.stderr)
        for name in left_out:
            tool = self.registry.snapshot._tools[name]
            print(f"hermes: without {name}: {self.availability.of(tool).reason}", file=sys.stderr)


def checked_context_length(value: float | None) -> int | None:
    """Return a context window in whole tokens; None when it is not known, which some write as 0 or less.

    Raises:
        ConfigError: it is no number of tokens.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _ENORMOUS:
        shown = str(value) if isinstance(value, float) else f"a {type(value).__name__}"
        raise ConfigError(f"context_length is {shown}, no number of tokens of a model.", example="128000")
    return int(value) if value >= 1 else None
