"""The skills family, from its manifest: tools with their parameters, settings and commands."""

from __future__ import annotations

from docs.pages.family import commands_of, manifest_of, settings_of, tools_of

from hermes_tools_skills.plugin import hermes_commands


def page() -> str:
    """Generate the page."""
    manifest = manifest_of("hermes_tools_skills")
    sections = [
        "# The skills family\n\nThis page describes the tools, settings and commands of `hermes-tools-skills`. "
        "[Use skills](../how-to/use-skills.md) shows how to use them.",
        *tools_of(manifest),
        settings_of(manifest, "These keys are in the section `skills` of `config.yaml`."),
        *commands_of(hermes_commands()),
    ]
    return "\n\n".join(sections)
