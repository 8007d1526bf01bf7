"""`hermes plugins`: installed plugins and their load status, and trust in the plugins of a project."""

from __future__ import annotations

import os
from typing import Any

import click

from hermes_core.cli.completion import plugin_names
from hermes_core.cli.lazy import ShowGroup
from hermes_core.cli.output import json_option, note, print_either, print_facts, print_json, print_table, say
from hermes_core.cli.run import loaded_host
from hermes_core.config.home import home_folder
from hermes_core.plugins.plugin_records import LoadReport, PluginRecord
from hermes_core.plugins.plugin_sources import PROJECT_FOLDER, plugin_files
from hermes_core.plugins.trust import Trust, digest_of
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
_FILE_STYLES = {"new": "yellow", "changed": "bold red", "unchanged": "green", "gone": "dim", "trusted": "green"}
_FILE = Column(title="file", style="bold cyan")


@click.group(cls=ShowGroup, subcommand_metavar="[NAME] [--json]")
def command() -> None:
    """List installed plugins and their load status.

    With NAME, a plugin or its distribution, show everything about that one. 'hermes plugins trust' allows the plugins
    of a project.
    """


@command.command()
@click.argument("name", required=False, shell_complete=plugin_names)
@json_option
def show(name: str | None, as_json: bool) -> None:
    """List installed plugins.

    'hermes plugins' does the same, and its help describes NAME. Exit code: 0, even if a plugin has a problem, which
    disables only itself; 2 if there is no plugin NAME.
    """
    with loaded_host(warn_of_plugins=False) as host:  # the table shows these warnings
        report = host.report
    if name is not None:
        _show(_named(report, name), as_json=as_json)
    elif as_json:
        print_json({"plugins": [_fields(record) for record in report]})
    elif not len(report):
        note("No plugins are installed. 'hermes tools' explains how to install some.")
    else:
        _print_all(report)


def _fields(record: PluginRecord) -> dict[str, Any]:
    return record._asdict() | {"seconds": round(record.seconds, 6), "remedy": record.remedy or None}


def _status(record: PluginRecord) -> str:
    """Return the load status. It is not known whether a plugin that was not imported can be loaded."""
    return "not imported" if record.status == "loaded" and not record.imported else record.status


# -- list ------------------------------------------------------------------------------------------------------------


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
    if record.imported or record.seconds:
        return f"{record.seconds * 1000:.0f} ms"
    return "on first call" if record.status in ("loaded", "partial") else ""


# -- single plugins --------------------------------------------------------------------------------------------------


def _named(report: LoadReport, name: str) -> list[PluginRecord]:
    """Return the plugins of that name or distribution: several if distributions claim the same name."""
    from hermes_files.installed_packages import normalize

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


# -- plugins of a project -------------------------------------------------------------------------------------------


@command.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--revoke", is_flag=True, help="Stop trusting the directory.")
@click.option("--list", "listing", is_flag=True, help="List trusted directories and changes of their files.")
@json_option
def trust(folder: str | None, revoke: bool, listing: bool, as_json: bool) -> None:
    """Allow the plugins of a project to run.

    Project plugins are the files in .hermes/plugins. They run when you start hermes in the project's directory.

    FOLDER is the project or its .hermes/plugins; the current directory by default. Review the files first: they run
    with all your permissions. A file that is added or changed later does not run until you trust the directory again.

    Exit code: 0 on success, 2 if there is nothing to trust or to revoke.
    """
    if listing and (revoke or folder):
        raise click.UsageError("--list takes no other options.", ctx=click.get_current_context())
    store = Trust(home_folder())
    if listing:
        _list(store, as_json=as_json)
        return
    chosen = _plugins_folder(folder or os.curdir)
    if revoke:
        _revoke(store, chosen, as_json=as_json)
    else:
        _trust(store, chosen, as_json=as_json)


def _plugins_folder(given: str) -> str:
    folder = os.path.abspath(os.path.expanduser(given))
    inside = os.path.join(folder, PROJECT_FOLDER)
    is_itself = any(path.endswith(os.sep + PROJECT_FOLDER) for path in (folder, os.path.realpath(folder)))
    return folder if is_itself and not os.path.isdir(inside) else inside


def _trust(trust: Trust, folder: str, *, as_json: bool) -> None:
    if os.path.realpath(folder) == os.path.realpath(os.path.join(home_folder(), "plugins")):
        raise click.ClickException(f"{folder} is your own plugin directory, which needs no trust.")
    files = {os.path.basename(file): _read(file) for file in plugin_files(folder)}
    if not files:
        raise click.ClickException(f"There is nothing to trust: no plugin in {folder}.")
    before = trust.folders().get(os.path.realpath(folder), {})
    rows = [_row(name, source, before) for name, source in files.items()]
    trust.add(folder, files)
    if as_json:
        print_json({"folder": os.path.realpath(folder), "trusted": True, "files": rows})
        return
    since = Column(title="since last time", styles=_FILE_STYLES)
    shown = (
        (row["file"], f"{row['size']:,} bytes", _short(row["digest"]), row["state"] if before else "") for row in rows
    )
    print_table([_FILE, Column(title="size"), Column(title="digest"), since], shown)
    say()
    project = os.path.dirname(os.path.dirname(folder))
    say(
        f"From now on, these versions of the files run with your permissions when you start hermes in {project}.",
        "yellow",
    )
    say("'hermes plugins trust --revoke' undoes that.")


def _revoke(trust: Trust, folder: str, *, as_json: bool) -> None:
    if not trust.remove(folder):
        raise click.ClickException(f"{folder} is not trusted. 'hermes plugins trust --list' lists trusted directories.")
    said = f"{folder} is no longer trusted: its plugins do not run."
    print_either(as_json, {"folder": os.path.realpath(folder), "trusted": False}, said)


def _list(trust: Trust, *, as_json: bool) -> None:
    folders = sorted(trust.folders().items())
    shown: list[dict[str, Any]] = [{"folder": folder, "files": _states(folder, known)} for folder, known in folders]
    if as_json:
        print_json({"folders": shown})
    elif not shown:
        note("No directory is trusted.")
    else:
        columns = [Column(title="folder", fit="wrap"), _FILE, Column(title="digest")]
        rows = (
            ("" if index else each["folder"], row["file"], _short(row["digest"]), row["state"])
            for each in shown
            for index, row in enumerate(each["files"])
        )
        print_table([*columns, Column(title="state", styles=_FILE_STYLES)], rows)


def _states(folder: str, known: dict[str, str]) -> list[dict[str, Any]]:
    """Return each file that is or was in a trusted directory, and whether it has changed."""
    rows = {name: {"file": name, "size": None, "digest": digest, "state": "gone"} for name, digest in known.items()}
    for file in plugin_files(folder):
        name = os.path.basename(file)
        try:
            rows[name] = _row(name, _read(file), known)
        except OSError:  # files that cannot be read do not run
            rows[name] = {"file": name, "size": None, "digest": None, "state": "changed" if name in known else "new"}
    return [rows[name] for name in sorted(rows)]


def _row(name: str, source: bytes, known: dict[str, str]) -> dict[str, Any]:
    digest = digest_of(source)
    state = "new" if name not in known else "unchanged" if known[name] == digest else "changed"
    return {"file": name, "size": len(source), "digest": digest, "state": state}


def _read(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


def _short(digest: str | None) -> str:
    return (digest or "")[:19]
