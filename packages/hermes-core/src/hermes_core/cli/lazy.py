"""Command groups that import their commands when they are used, so that `hermes --help` is fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from hermes_core.cli.run import add_debug_option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """The module of a command and its summary."""

    module: str
    summary: str


class LazyGroup(click.Group):
    """A group with a table of commands. Each module in the table defines its command under the name `command`."""

    def __init__(self, *args: Any, table: Mapping[str, Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names in the order of the table."""
        return [*self.table, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click passes it
        """Import a command."""
        from importlib import import_module

        entry = self.table.get(cmd_name)
        if entry is None:
            return self.commands.get(cmd_name)
        command: click.Command = import_module(entry.module).command
        add_debug_option(command)
        return command

    def get_help(self, ctx: click.Context) -> str:
        """Format the help text for the width of the terminal."""
        if ctx.terminal_width is None:
            ctx.terminal_width = _help_width()
        return super().get_help(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click passes it
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(self._summaries())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Suggest commands and the group's own options without importing commands."""
        from hermes_core.cli.completion import suggest

        return [*suggest(incomplete, self._summaries), *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest similar names."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            self.refuse(ctx, name, known)
        return super().resolve_command(ctx, args)

    def _summaries(self) -> list[tuple[str, str]]:
        added = [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        return [*((name, entry.summary) for name, entry in self.table.items()), *added]

    def refuse(self, ctx: click.Context, name: str, known: Iterable[str], why: str = "") -> NoReturn:
        """Report an unknown command as a usage error, with similar names."""
        from hermes_core.errors import did_you_mean
        from hermes_schemas import nearest

        ctx.fail(f"There is no command {name!r}." + did_you_mean(nearest(name, known)) + why)


class ShowGroup(click.Group):
    """A group whose command `show` is the default: `hermes hooks NAME` means `hermes hooks show NAME`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `show` if the arguments name no command."""
        first = 1 if args[:1] == ["--debug"] else 0
        word = args[first] if len(args) > first else None
        # After the group's name alone, suggest everything that may follow.
        if word not in (*self.commands, "-h", "--help") and not (word is None and ctx.resilient_parsing):
            args = [*args[:first], "show", *args[first:]]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Suggest the arguments of `show`, the commands, and the options of both."""
        show = self.commands["show"]
        below = click.Context(show, parent=ctx, info_name="show")
        found = [*show.shell_complete(below, incomplete), *super().shell_complete(ctx, incomplete)]
        if not incomplete.startswith("-"):
            found = [*show.params[0].shell_complete(below, incomplete), *found]
        return list({item.value: item for item in found}.values())


def _help_width() -> int:
    """Return the same width as click, without importing `shutil` and the archive formats that it loads."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isascii() and columns.isdecimal() else 0
    if not width and sys.__stdout__:
        try:
            width = os.get_terminal_size(sys.__stdout__.fileno()).columns
        except (OSError, ValueError):  # not a terminal, or closed
            pass
    return max(min(width or 80, 80) - 2, 50)
