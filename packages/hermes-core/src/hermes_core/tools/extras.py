"""Whether an extra of a distribution is installed, read from the metadata of what is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.markers import Marker


def missing_from(wanted: str) -> str | None:
    """The first distribution that `package[extra]` asks for on this machine and that is not there; None if all are.

    Raises:
        ValueError: this is not the name of an extra, or the distribution has no such extra.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    try:
        waiting = [Requirement(wanted)]
    except InvalidRequirement as error:
        raise ValueError(f"{wanted!r} is not the name of an extra") from error
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:
            return requirement.name
        if not requirement.specifier.contains(found.version, prereleases=True):
            return f"{requirement.name}{requirement.specifier}"
        offered = {canonicalize_name(extra) for extra in found.metadata.get_all("Provides-Extra") or ()}
        for extra in map(canonicalize_name, requirement.extras):
            if extra not in offered:
                raise ValueError(f"{requirement.name} has no extra {extra!r}")
            if (requirement.name, extra) in seen:  # extras may name each other
                continue
            seen.add((requirement.name, extra))
            for line in found.requires or ():
                added = Requirement(line)
                if added.marker and _adds(added.marker, extra):
                    waiting.append(added)
    return None


def _adds(marker: Marker, extra: str) -> bool:
    """Whether a dependency is there because of an extra, and not in any case."""
    return marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})
