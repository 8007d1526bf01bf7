"""The commands that plugins add to `hermes`: listed from manifests, imported when they run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.lazy import LazyGroup
from hermes_core.cli.run import add_debug_option
from hermes_core.inspection import load_command, plugin_commands

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class RootGroup(LazyGroup):
    """`hermes` itself. Plugins cannot replace its own commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of the table, then those in the plugins' manifests."""
        super().format_commands(ctx, formatter)
        commands, silent = _known_commands()
        if shown := self._own(commands):
            with formatter.section("Plugin commands"):
                formatter.write_dl(list(shown.items()))
        if silent:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"Plugins without a manifest may add more: {', '.join(silent)}")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Suggest the commands that the help lists."""
        from hermes_core.cli.completion import suggest

        found = super().shell_complete(ctx, incomplete)
        return [*found, *suggest(incomplete, self._own(_known_commands()[0]).items)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command in the table, in manifests, or in plugins without a manifest."""
        name, *words = args
        if name in self.table or name.startswith("-"):
            _, command, _ = super().resolve_command(ctx, args)
        elif ctx.resilient_parsing:  # shell completion must not import a plugin
            command = click.Command(name)
        else:
            command = self._find_in_plugins(ctx, name)
        return name, _extended(command, ctx, name, words) if command else None, words

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Only a returned `ExitCode` is an exit code; other commands use `ctx.exit`."""
        answer = super().invoke(ctx)
        return answer if isinstance(answer, ExitCode) else None

    def _own(self, commands: Mapping[str, str]) -> dict[str, str]:
        """Return the commands outside of groups; the help of a group lists those that plugins add to it."""
        return {name: line for name, line in sorted(commands.items()) if name not in self.table and " " not in name}

    def _find_in_plugins(self, ctx: click.Context, name: str) -> click.Command:
        from hermes_core.errors import ConfigError

        commands, silent = _known_commands()
        if name in commands:
            return _PluginCommand(name, commands[name])
        command, known, broken = None, [*commands], ""
        missing = _explain_missing(name)
        try:
            if silent != []:
                command, known, problems = _ask_plugins(name)
                broken = (
                    f" Plugins with a problem: {', '.join(problems)}; 'hermes plugins' says more." if problems else ""
                )
        except ConfigError as error:
            if missing:  # the command exists, but the settings are invalid
                raise
            broken = f" Plugins could not be asked: {error}"
        if command is None:
            self.refuse(ctx, name, [*self.table, *known], broken + missing)
        return command


class _PluginCommand(click.Command):
    """A command in a manifest: `NAME` or `GROUP NAME`."""

    def __init__(self, path: str, summary: str) -> None:
        super().__init__(path.rpartition(" ")[2], short_help=summary)
        self._path = path

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Import the plugin and continue with its command; shell completion imports nothing."""
        if parent is None or extra.get("resilient_parsing"):
            return super().make_context(info_name, args, parent, **extra)
        command, _, _ = _ask_plugins(self._path, imports=False)
        if command is None:
            parent.fail(f"There is no command {self._path!r}.")
        return _extended(command, parent, self._path, args).make_context(info_name, args, parent, **extra)


def _ask_plugins(path: str, *, imports: bool = True) -> tuple[click.Command | None, list[str], list[str]]:
    """Return a command of a plugin, the names of all plugin commands, and the plugins with problems."""
    from hermes_core.cli.run import loaded_host

    # The command itself reports problems of plugins and settings.
    with loaded_host(warn_of_plugins=False, imports=imports, checked=False) as host:
        commands = plugin_commands(host)
        command = load_command(host, path) if path in commands else None
        if command is not None:
            add_debug_option(command)
        return command, [*commands], [record.name for record in host.report.problems]


def _extended(command: click.Command, ctx: click.Context, name: str, words: list[str]) -> click.Command:
    """Copy a group and add the commands of plugins, unless `hermes tools --json` and the like need none of them."""
    word = next((each for each in words if not each.startswith("-")), "")
    shows_help = not {"-h", "--help"}.isdisjoint(words)
    if not isinstance(command, click.Group) or not (
        word or shows_help or ctx.resilient_parsing or (not words and command.no_args_is_help)
    ):
        return command
    commands, silent = _known_commands()
    if silent is None:
        return command
    group = copy(command)
    group.commands = dict(group.commands)
    taken = group.list_commands(ctx)
    for path, summary in sorted(commands.items()):
        if path.startswith(f"{name} ") and path.removeprefix(f"{name} ") not in taken:
            group.add_command(_PluginCommand(path, summary))
    if not word or ctx.resilient_parsing or word in group.list_commands(ctx):
        return group
    path = f"{name} {word}"
    if silent:  # only their code knows their commands
        from hermes_core.errors import ConfigError

        with suppress(ConfigError):  # reported by the group's own commands
            if found := _ask_plugins(path)[0]:
                group.add_command(found, word)
                return group
    if missing := _explain_missing(path):
        ctx.fail(f"There is no command {path!r}.{missing}")
    return group


def _explain_missing(name: str) -> str:
    from hermes_core.families import explain_missing

    missing = explain_missing(name)
    return f" {missing}" if missing else ""


def _known_commands() -> tuple[dict[str, str], list[str] | None]:
    """Return the commands in manifests, and the plugins without a manifest; None if the settings are invalid."""
    try:
        from hermes_core.cli.run import warning_lines
        from hermes_core.config.core_settings import Settings
        from hermes_core.config.home import home_folder, says_something
        from hermes_core.config.tool_session import settings_environ
        from hermes_core.plugins.discovery import list_commands
        from hermes_text.terminal import clean

        home = home_folder()
        settings = Settings()
        if says_something(home, settings_environ()):
            from hermes_core.config.config import Config

            with warning_lines(show=False):
                settings = Config(home).settings()
        commands, silent = list_commands(settings, home)
    except Exception:  # help must work even if the settings or the installation are broken
        return {}, None
    return {name: clean(line) for name, line in commands.items()}, [clean(name) for name in silent]
