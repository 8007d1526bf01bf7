"""`hermes plugin`: for those who write plugins, and those who are given some by a project."""

from __future__ import annotations

import click

from hermes_core.cli import plugin_check, plugin_manifest, plugin_new, plugin_trust


@click.group()
def command() -> None:
    """Make and check plugins, and trust those of a project.

    'hermes plugins' lists the plugins that there are, and says what became of each.
    """


command.add_command(plugin_new.command)
command.add_command(plugin_manifest.command)
command.add_command(plugin_check.command)
command.add_command(plugin_trust.command)
