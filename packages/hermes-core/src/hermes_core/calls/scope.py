"""Which tools a caller may see and call: resolved from toolsets, enforced at dispatch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.tools.registry import Snapshot
    from hermes_core.tools.toolset import ToolsetCatalog


class Scope:
    """A grant of toolsets. It follows the registry as tools come and go, and is never wider than its parent."""

    __slots__ = ("_known", "disabled", "enabled", "parent")

    def __init__(
        self,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        parent: Scope | None = None,
    ) -> None:
        self.enabled = None if enabled is None else _names(enabled)
        self.disabled = () if disabled is None else _names(disabled)
        self.parent = parent
        self._known: tuple[int, int, frozenset[str]] | None = None

    def names(self, snapshot: Snapshot, catalog: ToolsetCatalog) -> frozenset[str]:
        """The registered tools inside the scope, by name. Disabled ones are taken away last, always."""
        known = self._known
        if known is not None and known[0] == snapshot.generation and known[1] == catalog.generation:
            return known[2]
        generation = catalog.generation
        if self.enabled is None:
            names = snapshot.all_names
        else:
            names = snapshot.all_names & _resolved(self.enabled, snapshot, catalog) | snapshot.in_every_scope
        if self.disabled:
            names -= _resolved(self.disabled, snapshot, catalog)
        if self.parent is not None:
            names &= self.parent.names(snapshot, catalog)
        self._known = (snapshot.generation, generation, names)
        return names

    def withheld(self) -> frozenset[str]:
        """What callers above may not use, of tools that this host need not know."""
        return frozenset() if self.parent is None else self.parent.withheld()

    def check(self, snapshot: Snapshot, catalog: ToolsetCatalog) -> None:
        """Raise `UnknownToolsetError` for a name that nobody declares: asking for it is a mistake, not a wish."""
        catalog.resolve(self.enabled or (), snapshot)
        catalog.resolve(self.disabled, snapshot)


def narrowed(scope: Scope | None, other: Scope | None) -> Scope | None:
    """What is within both. A scope that was made inside the other is the answer already."""
    if scope is None or other is None:
        return scope or other
    within: Scope | None = scope
    while within is not None:
        if within is other:
            return scope
        within = within.parent
    return _Both(scope, other)


class _Both(Scope):
    """The intersection of two scopes that know nothing of each other."""

    __slots__ = ("_other",)

    def __init__(self, scope: Scope, other: Scope) -> None:
        super().__init__(parent=scope)
        self._other = other

    def names(self, snapshot: Snapshot, catalog: ToolsetCatalog) -> frozenset[str]:
        """The tools that both allow."""
        return super().names(snapshot, catalog) & self._other.names(snapshot, catalog)

    def withheld(self) -> frozenset[str]:
        """What either withholds."""
        return super().withheld() | self._other.withheld()


class Below(Scope):
    """What is left of a scope while a tool of a host above runs: nothing that its caller may not use."""

    __slots__ = ("_withheld",)

    def __init__(self, scope: Scope | None, withheld: Callable[[], frozenset[str]]) -> None:
        super().__init__(parent=scope)
        self._withheld = withheld

    def names(self, snapshot: Snapshot, catalog: ToolsetCatalog) -> frozenset[str]:
        """The tools of this host that the caller above is not denied."""
        return super().names(snapshot, catalog) - self._withheld()

    def withheld(self) -> frozenset[str]:
        """What the caller above may not use."""
        return super().withheld() | self._withheld()


def _names(value: Iterable[str]) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ConfigError(f"{name!r} is not the name of a toolset.", example='enabled=["web"]')
    return names


def _resolved(names: Iterable[str], snapshot: Snapshot, catalog: ToolsetCatalog) -> frozenset[str]:
    """A toolset that has gone since the scope was made grants nothing."""
    return catalog.resolve(names, snapshot, gone_ok=True)
