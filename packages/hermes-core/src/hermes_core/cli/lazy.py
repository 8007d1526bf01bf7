"""A group whose commands are imported when they are used: `hermes --help` must not pay for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import debug_option


class Entry(NamedTuple):
    """Where a command lives, and what the list of commands says of it."""

    module: str
    summary: str


class LazyGroup(click.Group):
    """Knows its commands from a table. A module listed there holds its command under the name `command`."""

    def __init__(self, *args: Any, table: Mapping[str, Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """The names in the order of the table, which is the order in which people need them."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click passes it
        """The command of that name, imported now."""
        from importlib import import_module

        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        if all(parameter.name != "debug" for parameter in command.params):
            command.params.append(debug_option())  # so that it may also stand behind the command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click passes it
        """Write the list of commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.table.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a name that does not exist is answered with those that come close."""
        name = args[0]
        if name not in self.table and not name.startswith("-") and not ctx.resilient_parsing:
            from hermes_core.errors import did_you_mean
            from hermes_core.schemas.nearest import nearest

            ctx.fail(f"There is no command {name!r}." + did_you_mean(nearest(name, self.table)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A reader that went away, as `| head` does, ends it without a word."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            from hermes_core.cli.output import silence

            silence()
            return ExitCode.BROKEN_PIPE
