"""The plugin with the commands for plugin authors."""

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_commands() -> "list[Command]":
    """Return `hermes plugin` with its subcommands, and `hermes hooks prove`."""
    import click

    from hermes_kit.cli import check, manifest, new, prove

    @click.group("plugin", short_help="Create and check plugins.")
    def plugin() -> None:
        """Create and check plugins.

        'hermes plugins' lists the installed plugins and their load status.
        """

    for each in (new, manifest, check):
        plugin.add_command(each.command)
    return [plugin, prove.command]
