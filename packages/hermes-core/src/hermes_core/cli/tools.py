"""`hermes tools`: list the available tools."""

from __future__ import annotations

from typing import Any

import click

from hermes_core.cli.completion import toolset_option
from hermes_core.cli.output import counted, json_option, note, print_json, print_table
from hermes_core.cli.run import loaded_host
from hermes_core.families import describe_families, explain_missing
from hermes_core.tools.requirements import Verdict
from hermes_text.tables import Column

_NOTHING_INSTALLED = """\
No tools are installed yet.
  Install a family:           {command}
  Install another plugin:     any package with an entry point in the group "hermes.plugins"
  Write a plugin:             hermes plugin new NAME, or a single file in $HERMES_HOME/plugins
  See a demonstration:        hermes demo
These packages provide tools:
  {families}"""


@click.group(invoke_without_command=True, subcommand_metavar="[COMMAND]")
@toolset_option
@click.option("--all", "everything", is_flag=True, help="Also list unavailable tools, with the reason.")
@json_option
@click.pass_context
def command(ctx: click.Context, toolsets: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List the available tools.

    Exit code: 0, even if there are none; 2 for an unknown toolset.
    """
    if ctx.invoked_subcommand is not None:
        if toolsets or everything or as_json:
            raise click.UsageError(f"Options must follow the subcommand: hermes tools {ctx.invoked_subcommand} --json.")
        return
    with loaded_host() as host:
        selected = host.tools(toolsets or None, available=False)
        usable = frozenset(spec.name for spec in host.tools(toolsets or None))
        rows = [
            {
                "name": spec.name,
                "toolset": spec.toolset,
                "emoji": spec.emoji,
                "description": spec.description,
                "effects": sorted(spec.effects),
                **availability(host.why(spec.name)),
            }
            for spec in selected
            if everything or spec.name in usable
        ]
        installed = len(host.registry)
    if as_json:
        print_json({"tools": rows})
        return
    _print(rows, everything=everything)
    hidden = len(selected) - len(rows)
    if not installed:
        *families, install = describe_families()
        note(_NOTHING_INSTALLED.format(command=install, families="\n  ".join(families)))
    elif not selected:
        named = ", ".join(repr(name) for name in toolsets)
        how = explain_missing(toolsets[0]) or f"'hermes toolsets {toolsets[0]}' lists its tools."
        note(f"None of the tools of {named} is installed. {how}")
    elif hidden:
        note(f"Not available: {counted(hidden, 'tool')}. 'hermes tools --all' explains why.")


def availability(verdict: Verdict) -> dict[str, Any]:
    """Return the availability of a tool for `--json`."""
    return {
        "available": verdict.available,
        "reason": verdict.reason or None,
        "remedy": verdict.remedy or None,
    }


def _print(rows: list[dict[str, Any]], *, everything: bool) -> None:
    columns = [
        Column(title="name", style="bold cyan"),
        Column(title="toolset", style="magenta"),
        Column(title="available", styles={"yes": "green", "no": "red"}),
        Column(title="description", fit="cut"),
        Column(title="why not", fit="wrap", style="yellow"),
    ]
    cells = []
    for row in rows:
        available = ("yes" if row["available"] else "no") if everything else ""
        first_line = next(iter(row["description"].strip().splitlines()), "")
        reason = f"{row['reason'].rstrip('.')}. {row['remedy'] or ''}" if row["reason"] else ""
        cells.append((row["name"], row["toolset"], available, f"{row['emoji']} {first_line}", reason))
    print_table(columns, cells)
