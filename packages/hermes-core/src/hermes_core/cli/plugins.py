"""`hermes plugins`: what became of each installed plugin."""

from __future__ import annotations

from typing import Any

import click

from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.cli.table import Column, print_table
from hermes_core.plugins.report import PluginRecord

_STATUS_STYLES = {"loaded": "green", "partial": "yellow", "failed": "bold red", "disabled": "dim"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Show what became of each installed plugin.

    A plugin with a problem disables only itself, so the exit status is 0 even then.
    """
    with loaded_host(warn=False) as host:  # the table tells what the warnings would say
        report = host.report
    if as_json:
        print_json({"plugins": [_fields(record) for record in report]})
        return
    if not len(report):
        note("No plugins are installed. 'hermes tools' says how to get some.")
        return
    _print(list(report))
    for record in report:
        if record.problems or record.status == "disabled":
            _explain(record)
    if report.problems:
        say()
        say(f"{len(report.problems)} of {len(report)} plugins have a problem; the others work.", "yellow")


def _fields(record: PluginRecord) -> dict[str, Any]:
    return {
        "name": record.name,
        "origin": record.origin,
        "distribution": record.distribution,
        "version": record.version,
        "status": record.status,
        "tools": list(record.tools),
        "hooks": list(record.hooks),
        "seconds": round(record.seconds, 6),
        "problems": list(record.problems),
        "remedy": record.remedy or None,
    }


def _print(records: list[PluginRecord]) -> None:
    columns = [
        Column(title="name", style="bold cyan"),
        Column(title="distribution"),
        Column(title="version"),
        Column(title="status", styles=_STATUS_STYLES),
        Column(title="tools"),
        Column(title="hooks"),
        Column(title="time"),
    ]
    rows = (
        (
            record.name,
            record.distribution or record.origin,
            record.version or "",
            record.status,
            len(record.tools),
            len(record.hooks),
            f"{record.seconds * 1000:.0f} ms",
        )
        for record in records
    )
    print_table(columns, rows)


def _explain(record: PluginRecord) -> None:
    say()
    say(f"{clean(record.name)} ({record.status})", _STATUS_STYLES[record.status])
    for problem in record.problems:
        say(f"  {clean(problem)}")
    if record.remedy:
        say(f"  What to do: {clean(record.remedy)}")
