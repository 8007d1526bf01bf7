"""Keeps the tools of one distribution out of the toolsets of another, until the user accepts them there.

Whoever enables a toolset means the tools of its distribution. A tool that joins it would be enabled without a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from hermes_core.plugins.candidate import APPLICATION, Candidate
from hermes_core.plugins.names import normalize
from hermes_core.tools import presets
from hermes_core.tools.toolset import ToolsetCatalog

_CORE = "hermes-core"


class ToolsetOwners:
    """Which distribution a toolset belongs to.

    The built-in toolsets are ours, a toolset that is called like a plugin belongs to that plugin's distribution, and
    any other to the first plugin that uses it.

    Args:
        catalog: Knows the aliases of toolsets.
        accepted: The plugins that may join a toolset, by toolset.
    """

    def __init__(self, catalog: ToolsetCatalog, accepted: Mapping[str, tuple[str, ...]]) -> None:
        self._catalog = catalog
        self._accepted = accepted
        self._owners: dict[str, str] = {}

    def expect(self, candidates: Iterable[Candidate]) -> None:
        """Reserve the toolsets that are called like plugins which will be loaded."""
        for candidate in candidates:
            self._owners.setdefault(candidate.name, _owner(candidate))

    def refusal(self, candidate: Candidate, toolset: str) -> tuple[str, str] | None:
        """Say why a plugin may not use a toolset, and what to do; None when it may. An unused one becomes its own."""
        if candidate.origin == APPLICATION:
            return None
        declared = self._catalog.get(toolset)
        name = declared.name if declared is not None else toolset
        own = _owner(candidate)
        owner = self._built_in.get(name) or self._owners.setdefault(name, own)
        if owner == own or candidate.name in self._accepted.get(name, ()):
            return None
        accept = f"plugins: {{accept: {{{name}: [{candidate.name}]}}}}"
        return f"the toolset {name!r} belongs to {owner}", f"If you want it there, write {accept} in config.yaml."

    @cached_property
    def _built_in(self) -> Mapping[str, str]:
        from hermes_core.families import read_families

        families = {toolset: name for name, family in read_families().items() for toolset in family["toolsets"]}
        return {toolset.name: _CORE for toolset in presets.PRESETS} | families


def _owner(candidate: Candidate) -> str:
    """Name whose a plugin is: its distribution, or the place of the user's own files."""
    return normalize(candidate.distribution) if candidate.distribution else candidate.origin
