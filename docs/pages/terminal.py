"""The terminal family, from its manifest: tools with their parameters, environments, settings and commands."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from docs.pages.family import commands_of, manifest_of, settings_of, tools_of
from docs.pages.pieces import table

from hermes_tools_terminal.environments.base import BUILT_IN
from hermes_tools_terminal.plugin import hermes_commands


def page() -> str:
    """Generate the page."""
    manifest = manifest_of("hermes_tools_terminal")
    sections = [
        "# The terminal family\n\nThis page describes the tools, settings and commands of `hermes-tools-terminal`. "
        "[Run commands in a sandbox](../how-to/run-commands.md), [Work with files](../how-to/work-with-files.md) and "
        "[Call tools from scripts](../how-to/call-tools-from-scripts.md) show how to use them. "
        "[The terminal](../explanation/terminal.md) and [Files](../explanation/files.md) explain the design.",
        *tools_of(manifest),
        "## Environments\n\n" + table(["`terminal.env`", "description"], _environments()),
        settings_of(
            manifest,
            "These are sections of `config.yaml`. `terminal.env` selects the environment for all tools of the family.",
        ),
        *commands_of(hermes_commands()),
    ]
    return "\n\n".join(sections)


def _environments() -> Iterator[tuple[str, str]]:
    for kind in BUILT_IN:
        module = import_module(f"hermes_tools_terminal.environments.{BUILT_IN[kind]}")
        lead = (module.__doc__ or "").strip().split("\n\n")[0]
        yield f"`{kind}`", lead
