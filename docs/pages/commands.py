"""Every command with its subcommands, arguments and options, and the exit codes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
from docs.pages.pieces import table

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.main import COMMANDS, hermes

_RESULTS = """\
`hermes call` inspects the result of every tool that returned normally. The call failed if the result is an object with
one of these fields:

| field | exit code |
|---|---|
| `timed_out: true`, `status: "timeout"`, or `exit_code: 124` | `124` |
| non-empty `error`, `success: false`, `isError: true`, or `status: "error"` | by the field `code`, else `1` |
| any other `exit_code` except 0 | by the field `code`, else `1` |

The field `code` can contain `invalid_arguments`, `timeout`, `unavailable` or `unknown_tool`. An
`exit_code` next to a `status` only describes a process, as in the results of `process`, and is ignored. A list of
results, at the top level or in the field `results`, failed if all of its items failed: `web_extract` exits with 1 if it
could not read any page. `--json` and `--raw` do not change the exit code.

For example, `hermes call terminal command=false` exits with 1: the tool worked, but the command failed. `hermes
terminal run false` exits with the exit code of the command."""


def page() -> str:
    """Generate the page."""
    overview = ((f"[`hermes {name}`](#hermes-{name})", entry.summary) for name, entry in COMMANDS.items())
    parent = click.Context(hermes, info_name="hermes")
    sections = [
        f"# Commands\n\n{hermes.help}",
        table(["command", "description"], overview),
        "Plugins can add commands: see [Features](features.md) and the pages of the tool families. `hermes --help` "
        "lists all. Every command accepts `--help`. These options belong to `hermes` itself; you may put `--debug` "
        "after any command.",
        _options(hermes, parent),
    ]
    for name in COMMANDS:
        command = hermes.get_command(parent, name)
        assert command is not None
        sections += described(command, click.Context(command, parent=parent, info_name=name), level=2)
    codes = ((f"`{entry.value}`", entry.meaning) for entry in ExitCode)
    sections.append(f"## Exit codes\n\nExit codes are stable.\n\n{table(['code', 'meaning'], codes)}")
    sections.append(_RESULTS)
    return "\n\n".join(sections)


def described(command: click.Command, ctx: click.Context, *, level: int) -> Iterator[str]:
    """Describe a command and, if it is a group, its subcommands."""
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield f"{'#' * level} {ctx.command_path}"
    yield f"```text\n{usage}\n```"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):  # click's mark for lines that must not be wrapped
            yield f"```text\n{paragraph.removeprefix(chr(8)).strip()}\n```"
        else:
            yield paragraph
    yield _options(command, ctx)
    if not isinstance(command, click.Group):
        return
    found = [(name, command.get_command(ctx, name)) for name in (*getattr(command, "table", ()), *command.commands)]
    inside = [(each, click.Context(each, parent=ctx, info_name=name)) for name, each in found if each is not None]
    if inside:
        rows = [
            (f"[`{each.command_path}`](#{_anchor(each.command_path)})", each.command.get_short_help_str(200))
            for _, each in inside
        ]
        yield table(["subcommand", "description"], rows)
        for subcommand, context in inside:
            yield from described(subcommand, context, level=level + 1)


def _anchor(title: str) -> str:
    return re.sub(r"\s+", "-", title.lower())


def _options(command: click.Command, ctx: click.Context) -> str:
    rows = []
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts:
            metavar = "" if parameter.is_flag else f" {_metavar(parameter, ctx)}"
            rows.append((f"`{', '.join(parameter.opts)}{metavar}`", parameter.help or ""))
    return table(["option", "meaning"], rows)


def _metavar(option: click.Option, ctx: click.Context) -> str:
    if isinstance(option.type, click.Choice):
        return "[" + "|".join(str(choice) for choice in option.type.choices) + "]"
    return option.metavar or option.make_metavar(ctx)
