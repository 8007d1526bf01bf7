"""Decides which distribution may use the name of a plugin or of a toolset.

Users refer to plugins by name in their settings, also to plugins with a policy. Another distribution must not be able
to take such a name. Likewise, users who enable a toolset expect the tools of its distribution, so tools of other
distributions join it only if the user accepts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from hermes_core.plugins.plugin_records import Candidate, HeldBack
from hermes_files.installed_packages import normalize

if TYPE_CHECKING:
    from hermes_core.tools.toolset import Toolset

_FEATURES = ("guard", "approval", "search", "kit", "compat")
_FAMILIES = ("terminal", "web", "browser", "skills", "mcp", "agent", "media", "messaging", "home", "honcho", "rl")

RESERVED: Mapping[str, str] = {
    "audit": "hermes-approval",
    **{name: f"hermes-{name}" for name in _FEATURES},
    **{name: f"hermes-tools-{name}" for name in _FAMILIES},
}
"""The plugin names that belong to our distributions, including planned ones."""


class Refusal(NamedTuple):
    """Why a plugin may not use a name, and how the user can decide."""

    reason: str
    remedy: str
    decided: bool = False  # whether the settings decided, so that there is no problem


def is_ours(candidate: Candidate) -> bool:
    """Return True if a plugin comes from our distribution that its name is reserved for."""
    owner = RESERVED.get(normalize(candidate.name))
    return owner is not None and normalize(candidate.distribution or "") == owner


def describe_source(candidate: Candidate) -> str:
    """Describe where a plugin comes from."""
    if candidate.distribution:
        return " ".join(filter(None, (candidate.distribution, candidate.version)))
    return f"a {candidate.origin}" if candidate.origin.endswith("file") else f"a plugin from {candidate.origin}"


def find_refusals(candidates: Iterable[Candidate], chosen: Mapping[str, str]) -> dict[Candidate, Refusal]:
    """Return the candidates that must not use their name; `chosen` contains the owners from the settings."""
    refused: dict[Candidate, Refusal] = {}
    claims: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        claims.setdefault(candidate.name, []).append(candidate)
    for name, claimants in claims.items():
        owner = chosen.get(name) or RESERVED.get(normalize(name))
        if owner is not None:
            for other in claimants:
                if normalize(other.distribution or "") != normalize(owner):
                    refused[other] = _chosen(name, owner) if name in chosen else _reserved(other, owner)
        elif len({_identity(each) for each in claimants}) > 1:
            refused.update(dict.fromkeys(claimants, _ambiguous(name, claimants)))
    return refused


def _identity(candidate: Candidate) -> object:
    """Return what identifies the owner of a claim: the distribution, or the file itself."""
    return normalize(candidate.distribution) if candidate.distribution else candidate


def _chosen(name: str, owner: str) -> Refusal:
    remedy = f"config.yaml assigns the name {name!r} to {owner}: change that to load it."
    return Refusal(f"the name {name!r} belongs to {owner} by config.yaml.", remedy, decided=True)


def _reserved(candidate: Candidate, owner: str) -> Refusal:
    source = describe_source(candidate)
    reason = f"the name {candidate.name!r} is reserved for the distribution {owner}, but this is {source}."
    if candidate.distribution is None:
        return Refusal(reason, "Rename the file.")
    return Refusal(
        reason,
        f"Uninstall {candidate.distribution}. To use it instead of {owner}, such as a fork, "
        f"write {_decision(candidate.name, candidate.distribution)} in config.yaml.",
    )


def _ambiguous(name: str, claimants: list[Candidate]) -> Refusal:
    listed = " and ".join(map(describe_source, claimants))
    installed = list(dict.fromkeys(each.distribution for each in claimants if each.distribution))
    choice = f" (DISTRIBUTION is {' or '.join(installed)})" if len(installed) > 1 else ""
    owner = "DISTRIBUTION" if choice else "".join(installed)
    decide = f" or write {_decision(name, owner)} in config.yaml for the one to use{choice}" if installed else ""
    remove = "Uninstall or rename the others," if decide else "Rename or remove all but one"
    return Refusal(f"the name {name!r} is claimed by {listed}: none is loaded.", f"{remove}{decide}.")


def _decision(name: str, distribution: str) -> str:
    return f"plugins: {{required: [{{name: {name}, distribution: {distribution}}}]}}"


class ToolsetOwners:
    """The distribution that owns each toolset.

    Built-in toolsets belong to us, a toolset with the name of a plugin to that plugin's distribution, and any other to
    the first plugin that uses it. `accepted` lists the plugins that may join a toolset.
    """

    def __init__(self, find: Callable[[str], Toolset | None], accepted: Mapping[str, tuple[str, ...]]) -> None:
        self._find = find
        self._accepted = accepted
        self._owners: dict[str, str] = {}

    def expect(self, candidates: Iterable[Candidate]) -> None:
        """Reserve the toolsets with the names of plugins that will be loaded."""
        for candidate in candidates:
            self._owners.setdefault(candidate.name, _owner(candidate))

    def refuse(self, candidate: Candidate, toolset: str) -> HeldBack | None:
        """Explain why a plugin may not use a toolset; None if it may. It becomes the owner of an unused toolset."""
        declared = self._find(toolset)
        name = declared.name if declared is not None else toolset
        own = _owner(candidate)
        owner = self._built_in.get(name) or self._owners.setdefault(name, own)
        if owner == own or candidate.name in self._accepted.get(name, ()):
            return None
        accept = f"plugins: {{accept: {{{name}: [{candidate.name}]}}}}"
        return HeldBack(f"the toolset {name!r} belongs to {owner}", f"To allow it, write {accept} in config.yaml.")

    @cached_property
    def _built_in(self) -> Mapping[str, str]:
        from hermes_core.families import read_families
        from hermes_core.tools import builtin_toolsets

        families = {toolset: name for name, family in read_families().items() for toolset in family["toolsets"]}
        return {toolset.name: "hermes-core" for toolset in builtin_toolsets.PRESETS} | families


def _owner(candidate: Candidate) -> str:
    return normalize(candidate.distribution) if candidate.distribution else candidate.origin
