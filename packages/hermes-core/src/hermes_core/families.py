"""PUBLIC: which of our packages provide which tools, and how to install them.

`docs/generate.py` generates `families.json` from the packages' manifests. The file is read only when a name is unknown
or something must be installed; the core works without any family.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TypedDict

_WHERE = "in a checkout of Hermes tools"


class Family(TypedDict):
    """A package: its tools, toolsets and commands."""

    requires: list[str]
    """The packages of ours that it needs besides the core."""
    extras: dict[str, list[str]]
    """The packages of ours that an extra needs in addition."""
    tools: list[str]
    toolsets: list[str]
    commands: list[str]
    adapts: list[str]
    """The plugins of other programs that it adapts: entry-point groups and files; see `plugin_sources.ADAPTERS`."""


def read_families() -> Mapping[str, Family]:
    """Return our packages by the name of their distribution."""
    try:
        file = os.path.join(os.path.dirname(__file__), "families.json")
        families: dict[str, Family] = json.loads(__spec__.loader.get_data(file))  # type: ignore[union-attr]  # all have it
    except (OSError, ValueError):  # a damaged installation can still report errors, but without this hint
        return {}
    return families


def install_command(*requirements: str) -> str:
    """Return a shell command that installs requirements, our own from a checkout because they are on no index."""
    from shlex import quote

    families = read_families()
    words: list[str] = []
    is_ours = False
    for requirement in requirements:
        name, _, extras = requirement.rstrip("]").partition("[")
        if name not in families:
            words.append(quote(requirement))
            continue
        is_ours = True
        if name == requirement:
            words += [f"./packages/{each}" for each in (*families[name]["requires"], name)]
        else:
            needed = (each for extra in extras.split(",") for each in families[name]["extras"].get(extra, ()))
            words += [*(f"./packages/{each}" for each in needed), f"'./packages/{requirement}'"]
    command = f"pip install {' '.join(dict.fromkeys(words))}"
    return f"{command} ({_WHERE})" if is_ours else command


def explain_missing(name: str) -> str:
    """Explain which of our packages provides a missing tool, toolset or command; empty if none does."""
    from hermes_files.installed_packages import installed_entry_points

    for distribution, family in read_families().items():
        if name not in (*family["tools"], *family["toolsets"], *family["commands"], *family["adapts"]):
            continue
        if distribution in (each.distribution for each in installed_entry_points(["hermes.plugins"])):
            return f"It is part of {distribution}, which is installed: 'hermes plugins' shows its load status."
        return f"It is part of {distribution}, which is not installed. Run: {install_command(distribution)}"
    return ""


def describe_families() -> Iterator[str]:
    """Describe each package that provides tools in a line, then the command that installs all of them."""
    bringing = {name: family for name, family in read_families().items() if family["tools"]}
    width = max(map(len, bringing), default=0)
    for name, family in bringing.items():
        yield f"{name:{width}}  {', '.join(family['tools'])}"
    yield install_command(*bringing)
