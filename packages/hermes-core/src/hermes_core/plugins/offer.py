"""What a plugin offers to a host, in one shape: whether its manifest says so or its code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.dormant import Dormant, dormant_tool
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset

if TYPE_CHECKING:
    from hermes_core.config.sections import SectionSpec
    from hermes_core.plugins.contribution import Contribution
    from hermes_core.plugins.manifest import Manifest

Make = Callable[[], object]


class Offer:
    """Tools, toolsets, sections of settings, commands and providers, by name.

    Attributes:
        tools: The tools; without their code when a manifest offers them.
        toolsets: The toolsets.
        sections: Section name to the section, or to what a manifest says of it.
        commands: Command name to the line that `hermes --help` shows.
        providers: Extension point to name to what makes the provider.
    """

    __slots__ = ("commands", "providers", "sections", "tools", "toolsets")

    def __init__(self) -> None:
        self.tools: tuple[Tool, ...] = ()
        self.toolsets: tuple[Toolset, ...] = ()
        self.sections: Mapping[str, SectionSpec | Mapping[str, Any]] = {}
        self.commands: Mapping[str, str] = {}
        self.providers: Mapping[str, Mapping[str, Make]] = {}


def offer_of_manifest(manifest: Manifest, late: Callable[[str, str], Make]) -> Offer:
    """What a manifest offers.

    Args:
        manifest: The manifest.
        late: Gives for an extension point and a name what makes the provider once the plugin is imported.

    Raises:
        ToolDefinitionError: it offers a tool or a toolset that cannot be.
    """
    offer = Offer()
    dormant = Dormant(manifest.plugin)
    offer.tools = tuple(dormant_tool(entry, dormant) for entry in manifest.tools)
    offer.toolsets = tuple(map(_toolset, manifest.toolsets))
    offer.sections = {entry["name"]: entry for entry in manifest.settings}
    offer.commands = _help_lines(manifest)
    offer.providers = {
        point: {name: late(point, name) for name in names} for point, names in manifest.providers.items()
    }
    return offer


def offer_of_code(brought: Contribution, manifest: Manifest | None = None) -> Offer:
    """What the code of a plugin offers, and the commands of its manifest where the code was not asked for them."""
    offer = Offer()
    offer.tools = brought.tools
    offer.toolsets = brought.toolsets
    offer.sections = {section.name: section for section in brought.sections}
    offer.commands = _help_lines(manifest) if manifest and brought.commands is None else brought.help_lines
    offer.providers = brought.providers
    return offer


def _help_lines(manifest: Manifest) -> Mapping[str, str]:
    return {entry["name"]: str(entry.get("help", "")) for entry in manifest.commands}


def _toolset(entry: Mapping[str, Any]) -> Toolset:
    parts = {key: part for key, part in entry.items() if key in ("description", "tools", "includes", "aliases")}
    if not isinstance(parts.get("description", ""), str):
        raise ToolDefinitionError(entry["name"], "the toolset's description is not text.")
    return Toolset(entry["name"], **parts)
