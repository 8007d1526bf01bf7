"""`hermes plugins`: installed plugins and their load status."""

from __future__ import annotations

from typing import Any

import click

from hermes_core.cli.completion import plugin_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.lazy import ShowGroup
from hermes_core.cli.output import json_option, note, print_facts, print_json, print_table, say
from hermes_core.cli.plugins_trust import trust
from hermes_core.cli.run import loaded_host
from hermes_core.plugins.records import LoadReport, PluginRecord
from hermes_text.tables import Column
from hermes_text.terminal import clean

_STATUS_STYLES = {
    "loaded": "green",
    "not imported": "green",
    "partial": "yellow",
    "failed": "bold red",
    "disabled": "dim",
    "untrusted": "magenta",
}


@click.group(cls=ShowGroup, subcommand_metavar="[NAME] [--json] | trust [FOLDER]")
def command() -> None:
    """List installed plugins and their load status.

    With NAME, a plugin or the distribution that ships it, show everything about that one. 'hermes plugins trust' lets
    the plugins of a project run.
    """


command.add_command(trust)


@command.command()
@click.argument("name", required=False, shell_complete=plugin_names)
@json_option
def show(name: str | None, as_json: bool) -> ExitCode:
    """List installed plugins and their load status; 'hermes plugins' alone does the same.

    With NAME, a plugin or the distribution that ships it, everything about that one.

    A plugin with a problem disables only itself, so the exit status is 0 even then. It is 2 when there is no plugin
    of that name.
    """
    with loaded_host(warn_of_plugins=False) as host:  # the table tells what those warnings would say
        report = host.report
    if name is not None:
        _show(_named(report, name), as_json=as_json)
    elif as_json:
        print_json({"plugins": [_fields(record) for record in report]})
    elif not len(report):
        note("No plugins are installed. 'hermes tools' says how to get some.")
    else:
        _print_all(report)
    return ExitCode.OK


def _fields(record: PluginRecord) -> dict[str, Any]:
    return record._asdict() | {"seconds": round(record.seconds, 6), "remedy": record.remedy or None}


def _status(record: PluginRecord) -> str:
    """Return the load status; whether a plugin loads that was not imported is not known yet."""
    return "not imported" if record.status == "loaded" and not record.imported else record.status


# -- all of them -----------------------------------------------------------------------------------------------------


def _print_all(report: LoadReport) -> None:
    columns = [
        Column(title="name", style="bold cyan"),
        Column(title="origin", fit="cut"),
        Column(title="status", styles=_STATUS_STYLES),
        Column(title="tools"),
        Column(title="held", style="yellow"),
        Column(title="hooks"),
        Column(title="import", fit="cut"),
    ]
    print_table(columns, map(_cells, report))
    for record in report:
        if not record.problems and record.status != "disabled":
            continue
        say()
        say(f"{clean(record.name)} ({record.status})", _STATUS_STYLES[record.status])
        for problem in record.problems:
            say(f"  {clean(problem)}")
        if record.remedy:
            say(f"  What to do: {clean(record.remedy)}")
    if report.problems:
        say()
        wrong, others = len(report.problems), len(report) - len(report.problems)
        said = f"{wrong} of {len(report)} plugins {'has' if wrong == 1 else 'have'} a problem"
        say(f"{said}; the others work." if others else f"{said}.", "yellow")
    if denying := [record.name for record in report if record.denies]:
        say(clean(f"Every call is denied because of {' and '.join(denying)}."), "bold red")


def _cells(record: PluginRecord) -> tuple[object, ...]:
    return (
        record.name,
        " ".join(filter(None, (record.distribution, record.version))) or record.origin,
        _status(record),
        len(record.tools),
        len(record.quarantined) + len(record.unaccepted) or "",
        len(record.hooks),
        _import(record),
    )


def _import(record: PluginRecord) -> str:
    """Return when the plugin's code is imported, or how long that took."""
    if record.imported or record.seconds:
        return f"{record.seconds * 1000:.0f} ms"
    return "on first call" if record.status in ("loaded", "partial") else ""


# -- one of them -----------------------------------------------------------------------------------------------------


def _named(report: LoadReport, name: str) -> list[PluginRecord]:
    """Return the plugins of that name, or of the distribution: there are two when two distributions claim it.

    Raises:
        click.UsageError: there is none.
    """
    from hermes_files.installed import normalize

    found = [record for record in report if record.name == name]
    shipped = [record for record in report if record.distribution and normalize(record.distribution) == normalize(name)]
    if not found and not shipped:
        from hermes_core.errors import did_you_mean
        from hermes_schemas import nearest

        near = did_you_mean(nearest(name, [record.name for record in report]))
        ctx = click.get_current_context()
        raise click.UsageError(f"There is no plugin {name!r}.{near}", ctx=ctx.parent or ctx)
    return found or shipped


def _show(records: list[PluginRecord], *, as_json: bool) -> None:
    if as_json:
        shown = [_fields(record) for record in records]
        print_json(shown[0] if len(shown) == 1 else {"plugins": shown})
        return
    for number, record in enumerate(records):
        if number:
            say()
        say(clean(record.name), "bold cyan")
        print_facts(
            [
                ("Status", _status(record)),
                ("Effect", "every call is denied" if record.denies else ""),
                ("Origin", record.origin),
                ("Distribution", " ".join(filter(None, (record.distribution, record.version)))),
                ("Manifest", record.manifest or "none"),
                ("Import", _import(record)),
                ("Tools", ", ".join(record.tools)),
                ("Quarantined", ", ".join(record.quarantined)),
                ("Held back", ", ".join(record.unaccepted)),
                ("Hooks", ", ".join(record.hooks)),
                *(("Problem", problem) for problem in record.problems),
                ("What to do", record.remedy),
                *(("Left out", sentence) for sentence in record.notes),
            ]
        )
