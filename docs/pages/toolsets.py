"""The built-in toolsets, the old names, and the distributions."""

from __future__ import annotations

from collections.abc import Mapping

from docs.pages.pieces import code, table

import hermes_core
from hermes_compat.distributions import Distributions
from hermes_compat.plugin import CORE_TOOLS, LEGACY_TOOLSETS, PLATFORM_TOOLSETS
from hermes_core.tools.builtin_toolsets import PRESETS


def page() -> str:
    """Generate the page."""
    presets, platforms = (
        [(f"`{each.name}`", each.description, _tools_of(each)) for each in toolsets]
        for toolsets in (PRESETS, PLATFORM_TOOLSETS)
    )
    legacy = ((f"`{name}`", code(tools)) for name, tools in LEGACY_TOOLSETS.items())
    known = Distributions()
    rows = ((f"`{name}`", known.get(name).description, _chances(known.get(name).chances)) for name in known.names())
    return "\n\n".join(
        [
            "# Toolsets\n\nA toolset is a named group of tools. These are built in; plugins, applications and "
            "`config.yaml` add more. [Compose toolsets](../how-to/compose-toolsets.md) shows how to use them.",
            "A toolset may list tools that are not installed; a tool exists only if its plugin is installed. "
            "`all` and `*` always mean every installed tool.",
            f"## Presets\n\n{table(['toolset', 'purpose', 'tools'], presets)}",
            "## Platforms\n\n`hermes-compat` adds the toolsets of Hermes Agent's platforms.\n\n"
            + table(["toolset", "used by", "tools"], platforms),
            f"### The core tools\n\nThe command line and the chat platforms share this list: {code(CORE_TOOLS)}.",
            "## Old names\n\nWith `hermes-compat`, these names in old configurations still work.\n\n"
            + table(["name", "tools"], legacy),
            "## Distributions\n\nIn `hermes-compat`, a distribution gives each toolset a probability of being included "
            "in one run of a batch. Toolsets are selected independently.\n\n"
            + table(["distribution", "purpose", "probability of each toolset"], rows),
        ]
    )


def _tools_of(preset: hermes_core.Toolset) -> str:
    if preset.tools == CORE_TOOLS:
        return "[the core tools](#the-core-tools)"
    included = f"everything in {code(preset.includes)}" if preset.includes else ""
    return "; ".join(part for part in (code(preset.tools), included) if part) or "the tools that its family registers"


def _chances(chances: Mapping[str, float]) -> str:
    return ", ".join(f"`{toolset}` {chance:g} %" for toolset, chance in chances.items())
