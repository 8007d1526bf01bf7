"""The commands of plugins beside those of `hermes`: listed from manifests, imported when one of them is run."""

from __future__ import annotations

from collections.abc import Mapping
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
    """`hermes` itself. Its own commands come first: no plugin can put another in the place of one."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of the table, then those that plugins' manifests name."""
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
        """Suggest what the help lists."""
        from hermes_core.cli.completions import suggest

        found = super().shell_complete(ctx, incomplete)
        return [*found, *suggest(incomplete, self._own(_known_commands()[0]).items)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command: in the table, in manifests, and then in the plugins that have none."""
        name = args[0]
        if name in self.table or name.startswith("-"):
            _, command, _ = super().resolve_command(ctx, args)
        elif ctx.resilient_parsing:  # a half-typed line is no reason to import a plugin
            command = click.Command(name)
        else:
            command = self._command_of_plugin(ctx, name)
        if isinstance(command, click.Group) and (ctx.resilient_parsing or _may_need_more(command, args[1:])):
            command = _extended(command, ctx, args)
        return name, command, args[1:]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Only an `ExitCode` that it returns is an exit status; others use `ctx.exit`."""
        answer = super().invoke(ctx)
        return answer if isinstance(answer, ExitCode) else None

    def _own(self, commands: Mapping[str, str]) -> dict[str, str]:
        """Return the commands that are not below a group: the help of a group lists what plugins add to it."""
        return {name: line for name, line in sorted(commands.items()) if name not in self.table and " " not in name}

    def _command_of_plugin(self, ctx: click.Context, name: str) -> click.Command:
        known, silent = _known_commands()
        if name not in known and silent == []:
            self.refuse(ctx, name, [*self.table, *known], _may_bring_it(name))
        from hermes_core.cli.run import loaded_host
        from hermes_core.errors import ConfigError

        try:
            # A command that a manifest names needs no other plugin. One line is enough, and the error is that. What is
            # wrong with the settings is for the command to say.
            with loaded_host(warn_of_plugins=False, imports=name not in known, checked=False) as host:
                commands = plugin_commands(host)
                command = load_command(host, name) if name in commands else None
                broken = [record.name for record in host.report.problems]
        except ConfigError as error:
            if _may_bring_it(name):  # there is such a command, and the settings are to blame
                raise
            self.refuse(ctx, name, self.table, f" Plugins could not be asked: {error}")
        if command is None:
            self.refuse(ctx, name, [*self.table, *commands], _may_hide_it(broken) + _may_bring_it(name))
        add_debug_option(command)
        return command


class _PluginCommand(click.Command):
    """A command that a plugin adds to a group: listed from the manifest, imported when it is run."""

    def __init__(self, path: str, help_line: str, *, imports: bool) -> None:
        super().__init__(path.partition(" ")[2], short_help=help_line)
        self._path = path
        self._imports = imports

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Import the plugin and continue with its command; a half-typed line imports nothing."""
        if extra.get("resilient_parsing"):
            return super().make_context(info_name, args, parent, **extra)
        from hermes_core.cli.run import loaded_host

        with loaded_host(warn_of_plugins=False, imports=self._imports) as host:
            command = load_command(host, self._path)
        add_debug_option(command)
        return command.make_context(info_name, args, parent, **extra)


def _may_need_more(group: click.Group, args: list[str]) -> bool:
    """Return True when the line may name a command or show help: `hermes tools --json` reads manifests only once."""
    words = any(not each.startswith("-") or each in ("-h", "--help") for each in args)
    return words or (not args and group.no_args_is_help)


def _extended(group: click.Group, ctx: click.Context, args: list[str]) -> click.Group:
    """Copy a group and add the commands that plugins name below it; none replaces a command of the group."""
    commands, silent = _known_commands()
    if silent is None:
        return group
    group = copy(group)
    group.commands = dict(group.commands)
    prefix = f"{args[0]} "
    _add_below(group, ctx, prefix, commands, imports=False)
    word = next((each for each in args[1:] if not each.startswith("-")), "")
    if not word or ctx.resilient_parsing or word in group.list_commands(ctx):
        return group
    if silent:  # only their code can say whether they bring it
        from hermes_core.cli.run import loaded_host
        from hermes_core.errors import ConfigError

        try:
            with loaded_host(warn=False) as host:  # the command itself warns
                _add_below(group, ctx, prefix, plugin_commands(host), imports=True)
        except ConfigError:  # which the group's own commands report
            return group
    if word not in group.list_commands(ctx) and (missing := _may_bring_it(prefix + word)):
        ctx.fail(f"There is no command {prefix + word!r}.{missing}")
    return group


def _add_below(
    group: click.Group, ctx: click.Context, prefix: str, commands: Mapping[str, str], *, imports: bool
) -> None:
    taken = group.list_commands(ctx)
    for path, line in sorted(commands.items()):
        if path.startswith(prefix) and path.removeprefix(prefix) not in taken:
            group.add_command(_PluginCommand(path, line, imports=imports))


def _may_hide_it(broken: list[str]) -> str:
    return f" Plugins with a problem: {', '.join(broken)}; 'hermes plugins' says more." if broken else ""


def _may_bring_it(name: str) -> str:
    from hermes_core.families import explain_missing

    missing = explain_missing(name)
    return f" {missing}" if missing else ""


def _known_commands() -> tuple[dict[str, str], list[str] | None]:
    """Return what manifests say of commands, and the plugins without one; None when the settings are in no order."""
    try:
        from hermes_core.cli.run import warning_lines
        from hermes_core.config.home import home_folder, says_something
        from hermes_core.config.settings import Settings
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
    except Exception:  # help must be there even when the settings or an installation are not in order
        return {}, None
    return {name: clean(line) for name, line in commands.items()}, [clean(name) for name in silent]
