"""Decides which distribution may use the name of a plugin.

Users write names in their settings, also for plugins that hold a policy, so a name must not lead to another plugin
because some distribution that sorts earlier claims it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hermes_core.plugins.candidate import Candidate

_FEATURES = ("guard", "approval", "search", "kit", "compat")
_FAMILIES = ("terminal", "web", "browser", "skills", "mcp", "agent", "media", "messaging", "home", "honcho", "rl")

RESERVED: Mapping[str, str] = {name: f"hermes-{name}" for name in _FEATURES} | {
    name: f"hermes-tools-{name}" for name in _FAMILIES
}
"""The plugin names that belong to our distributions, also those that are only planned."""


class Refusal(NamedTuple):
    """Why a plugin does not get the name that it claims.

    Attributes:
        reason: What happened, as a sentence.
        remedy: How the user decides.
        decided: Whether the settings decided: then nothing is wrong.
        ambiguous: Whether no claim was accepted, so that the plugin that the user means is missing, too.
    """

    reason: str
    remedy: str
    decided: bool = False
    ambiguous: bool = False


def normalize(distribution: str) -> str:
    """Return the one spelling of a distribution's name that all others stand for (PEP 503)."""
    name = distribution.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


def is_ours(candidate: Candidate) -> bool:
    """Whether a plugin comes from the distribution of ours that its name is reserved for."""
    owner = RESERVED.get(normalize(candidate.name))
    return owner is not None and normalize(candidate.distribution or "") == owner


def find_refusals(candidates: Iterable[Candidate], chosen: Mapping[str, str]) -> dict[Candidate, Refusal]:
    """Return the candidates that must not be loaded under the name that they claim.

    Args:
        candidates: The plugins that would be loaded.
        chosen: What the settings decide: the distribution of a name.
    """
    refused: dict[Candidate, Refusal] = {}
    claims: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        claims.setdefault(candidate.name, []).append(candidate)
    for name, claimants in claims.items():
        reserved = RESERVED.get(normalize(name))
        owner = chosen.get(name) or reserved
        if owner is not None:
            others = [each for each in claimants if normalize(each.distribution or "") != normalize(owner)]
            for other in others:
                refused[other] = _chosen(name, owner) if name in chosen else _reserved(other, owner)
        elif len({_identity(each) for each in claimants}) > 1:
            refused.update(dict.fromkeys(claimants, _ambiguous(name, claimants)))
    return refused


def _identity(candidate: Candidate) -> object:
    """What makes two claims the same: one distribution may be found twice, a file has only itself."""
    return normalize(candidate.distribution) if candidate.distribution else candidate


def _chosen(name: str, owner: str) -> Refusal:
    remedy = f"config.yaml gives the name {name!r} to {owner}: change that to load it."
    return Refusal(f"the name {name!r} belongs to {owner} by config.yaml.", remedy, decided=True)


def _reserved(candidate: Candidate, owner: str) -> Refusal:
    reason = f"the name {candidate.name!r} is reserved for the distribution {owner}, and this is {describe(candidate)}."
    if candidate.distribution is None:
        return Refusal(reason, "Rename the file.")
    return Refusal(
        reason,
        f"Uninstall {candidate.distribution}. If you want it in the place of {owner}, such as a fork, "
        f"write {_decision(candidate)} in config.yaml.",
    )


def _ambiguous(name: str, claimants: list[Candidate]) -> Refusal:
    listed = " and ".join(map(describe, claimants))
    installed = next((each for each in claimants if each.distribution), None)
    decide = f" or write {_decision(installed)} in config.yaml for the one that you want" if installed else ""
    remove = "Uninstall or rename the others," if decide else "Rename or remove all but one"
    return Refusal(f"the name {name!r} is claimed by {listed}: none is loaded.", f"{remove}{decide}.", ambiguous=True)


def _decision(candidate: Candidate) -> str:
    return f"plugins: {{required: [{{name: {candidate.name}, distribution: {candidate.distribution}}}]}}"


def describe(candidate: Candidate) -> str:
    """Name where a plugin comes from."""
    if candidate.distribution:
        return " ".join(filter(None, (candidate.distribution, candidate.version)))
    return f"a {candidate.origin}" if candidate.origin.endswith("file") else f"a plugin from {candidate.origin}"
