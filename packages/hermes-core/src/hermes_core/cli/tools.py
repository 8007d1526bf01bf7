"""`hermes tools`: the tools that can be used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hermes_core.cli.completions import toolset_names
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import note, print_json
from hermes_core.families import describe_families, explain_missing

if TYPE_CHECKING:
    from hermes_core import Hermes, ToolSpec

_NOTHING_INSTALLED = """\
No tools are installed yet.
  Install a family:           {command}
  Or another plugin:          any package with an entry point in the group "hermes.plugins"
  Or write one:               hermes plugin new NAME, or a single file in the folder plugins of $HERMES_HOME
  See how it works:           hermes demo
These packages bring tools:
  {families}"""


@click.group(invoke_without_command=True, subcommand_metavar="[COMMAND]")
@click.option(
    "--toolset",
    "toolsets",
    multiple=True,
    metavar="NAME",
    shell_complete=toolset_names,
    help="Only tools of this toolset; repeatable.",
)
@click.option("--all", "everything", is_flag=True, help="Also tools that cannot run here, with the reason.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, toolsets: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List the tools that can be used here.

    Exit status: 0, also when there are none; 2 for a toolset that nobody knows.
    """
    if ctx.invoked_subcommand is not None:
        if toolsets or everything or as_json:
            raise click.UsageError(f"Options of 'hermes tools {ctx.invoked_subcommand}' stand behind that word.")
        return
    with loaded_host() as host:
        selected = host.tools(toolsets or None, available=False)
        usable = frozenset(spec.name for spec in host.tools(toolsets or None))
        rows = [_row(host, spec) for spec in selected if everything or spec.name in usable]
        installed = len(host.registry)
    if as_json:
        print_json({"tools": rows})
        return
    if rows:
        _print(rows, everything=everything)
    hidden = len(selected) - len(rows)
    if not installed:
        *families, command = describe_families()
        note(_NOTHING_INSTALLED.format(command=command, families="\n  ".join(families)))
    elif not selected:
        named = ", ".join(repr(name) for name in toolsets)
        how = explain_missing(toolsets[0]) or f"'hermes toolsets {toolsets[0]}' shows what belongs to it."
        note(f"None of the tools of {named} is installed. {how}")
    elif hidden:
        note(f"{hidden} more cannot run here: 'hermes tools --all' says why." if rows else _none_usable(hidden))


def _none_usable(count: int) -> str:
    return f"None of the {count} installed tools can run here: 'hermes tools --all' says why."


def _row(host: Hermes, spec: ToolSpec) -> dict[str, Any]:
    verdict = host.why(spec.name)
    return {
        "name": spec.name,
        "toolset": spec.toolset,
        "emoji": spec.emoji,
        "description": spec.description,
        "effects": sorted(spec.effects),
        "available": verdict.available,
        "reason": verdict.reason or None,
        "remedy": verdict.remedy or None,
    }


def _print(rows: list[dict[str, Any]], *, everything: bool) -> None:
    from hermes_core.cli.table import Column, print_table

    columns = [Column(title="name", style="bold cyan"), Column(title="toolset", style="magenta")]
    if everything:
        columns.append(Column(title="available", styles={"yes": "green", "no": "red"}))
    columns.append(Column(title="description", fit="cut"))
    if everything:
        columns.append(Column(title="why not", fit="wrap", style="yellow"))
    print_table(columns, (_cells(row, everything=everything) for row in rows))


def _cells(row: dict[str, Any], *, everything: bool) -> list[str]:
    first_line = next(iter(row["description"].strip().splitlines()), "")
    cells = [row["name"], row["toolset"], f"{row['emoji']} {first_line}".strip()]
    if everything:
        cells.insert(2, "yes" if row["available"] else "no")
        cells.append(" ".join(part for part in (_sentence(row["reason"]), row["remedy"]) if part))
    return cells


def _sentence(reason: str | None) -> str:
    return f"{reason.rstrip('.')}." if reason else ""
