"""Which tools out of many can run here, asked of each distinct requirement once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core.tools.availability import Availability
    from hermes_core.tools.gates import Gate
    from hermes_core.tools.registry import Registry, Snapshot

_REMEMBERED = 32
"""How many different selections are kept ready: a few sessions with a few formats each."""


class Selection:
    """Picks the available tools, and keeps what it worked out while nothing changes."""

    def __init__(self, registry: Registry, availability: Availability) -> None:
        self._registry = registry
        self._availability = availability
        self._gates: dict[tuple[Any, ...], tuple[Gate, ...]] = {}
        self._selections: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def available(self, names: frozenset[str] | None = None) -> tuple[str, ...]:
        """The names out of a selection whose tools can run here, sorted. None selects all."""
        snapshot = self._registry.snapshot
        return self.select(snapshot, names, self.missing(snapshot, names))

    def missing(self, snapshot: Snapshot, names: frozenset[str] | None) -> frozenset[Gate]:
        """What of all that the selected tools require is not there now; each distinct requirement is looked at once."""
        gates = snapshot._gates if names is None else self._gates_within(snapshot, names)
        return self._availability.missing(gates)

    def _gates_within(self, snapshot: Snapshot, names: frozenset[str]) -> tuple[Gate, ...]:
        key = (snapshot.generation, names)
        gates = self._gates.get(key)
        if gates is None:
            needed = (gate for name, own in snapshot._gated.items() if name in names for gate in own)
            gates = tuple(dict.fromkeys(needed))
            remember(self._gates, key, gates)
        return gates

    def select(self, snapshot: Snapshot, names: frozenset[str] | None, missing: frozenset[Gate]) -> tuple[str, ...]:
        """The names out of a selection that need nothing of what is missing, sorted."""
        if names is None and not missing:
            return snapshot.names
        key = (snapshot.generation, names, missing)
        selected = self._selections.get(key)
        if selected is None:
            out = (
                {name for name, gates in snapshot._gated.items() if not missing.isdisjoint(gates)} if missing else set()
            )
            wanted = snapshot.all_names if names is None else names
            selected = tuple(name for name in snapshot.names if name in wanted and name not in out)
            remember(self._selections, key, selected)
        return selected


def remember(cache: dict[tuple[Any, ...], Any], key: tuple[Any, ...], value: Any) -> None:
    """Keep the newest few; the oldest goes first."""
    while len(cache) >= _REMEMBERED:
        cache.pop(list(cache)[0], None)  # noqa: RUF015 - a list, because other threads change the cache meanwhile
    cache[key] = value
