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
`hermes call` looks into the result of a tool that returned normally. The call failed when the result is an object with
one of these fields, whichever tool it is from:

| field | exit code |
|---|---|
| `timed_out: true`, `status: "timeout"`, or `exit_code: 124` | `124` |
| `error` that is not empty, `success: false`, `isError: true`, or `status: "error"` | by the field `code`, else `1` |
| `exit_code` that is neither 0 nor 124 | by the field `code`, else `1` |

The codes that count in the field `code` are `invalid_arguments`, `timeout`, `unavailable` and `unknown_tool`. An
`exit_code` beside a `status` only reports on a process, as in the results of `process`, and does not count. A list of
results, at the top or in the field `results`, failed when each of its items did: `web_extract` ends with 1 when it
could read none of its pages. The form of the output (`--json`, `--raw`) makes no difference.

So `hermes call terminal command=false` ends with 1: the tool worked, but what it was asked for failed. `hermes terminal
run false` ends with the command's own exit code, whatever that is."""


def page() -> str:
    """Every command, its arguments and options, and the exit codes."""
    overview = ((f"[`hermes {name}`](#hermes-{name})", entry.summary) for name, entry in COMMANDS.items())
    parent = click.Context(hermes, info_name="hermes")
    sections = [
        f"# Commands\n\n{hermes.help}",
        table(["command", "what it does"], overview),
        "Plugins add commands of their own; `hermes --help` lists them, too. `--help` explains `hermes` and each of "
        "its commands. These options belong to `hermes` itself; `--debug` may also stand behind every command.",
        _options(hermes, parent),
    ]
    for name in COMMANDS:
        command = hermes.get_command(parent, name)
        assert command is not None
        sections += described(command, click.Context(command, parent=parent, info_name=name), level=2)
    codes = ((f"`{entry.value}`", entry.meaning) for entry in ExitCode)
    sections.append(f"## Exit codes\n\nThe numbers are stable.\n\n{table(['code', 'meaning'], codes)}")
    sections.append(_RESULTS)
    return "\n\n".join(sections)


def described(command: click.Command, ctx: click.Context, *, level: int) -> Iterator[str]:
    """A command, and below it the commands of its group."""
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield f"{'#' * level} {ctx.command_path}"
    yield f"```text\n{usage}\n```"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):  # click's mark for lines that must stay as they are
            yield f"```text\n{paragraph.removeprefix(chr(8)).strip()}\n```"
        else:
            yield paragraph
    yield _options(command, ctx)
    if isinstance(command, click.Group):
        inside = {name: click.Context(each, parent=ctx, info_name=name) for name, each in command.commands.items()}
        rows = [
            (f"[`{each.command_path}`](#{_anchor(each.command_path)})", each.command.get_short_help_str(200))
            for each in inside.values()
        ]
        yield table(["subcommand", "what it does"], rows)
        for each in inside.values():
            yield from described(each.command, each, level=level + 1)


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
