"""`hermes plugins trust`: whether the plugins that lie in a project may run."""

from __future__ import annotations

import os
from typing import Any

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import json_option, note, print_either, print_json, print_table, say
from hermes_core.config.home import home_folder
from hermes_core.plugins.sources import PROJECT_FOLDER, plugin_files
from hermes_core.plugins.trust import Trust, digest_of
from hermes_text.tables import Column

_STYLES = {"new": "yellow", "changed": "bold red", "unchanged": "green", "gone": "dim", "trusted": "green"}
_FILE = Column(title="file", style="bold cyan")


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--revoke", is_flag=True, help="Take the trust away.")
@click.option("--list", "listing", is_flag=True, help="Show the trusted folders, and what changed in them since.")
@json_option
def trust(folder: str | None, revoke: bool, listing: bool, as_json: bool) -> ExitCode:
    """Let the plugins that lie in a project run.

    They lie in .hermes/plugins, and run when hermes is started in the project's folder.

    FOLDER is the project, or its .hermes/plugins; the current folder when it is not given. Look at the files first:
    they run with all your rights. A file that changes afterwards, or that is new, does not run until you trust again.

    The exit status is 0 when it worked, 2 when there is nothing to trust or to revoke.
    """
    if listing and (revoke or folder):
        raise click.UsageError("--list stands alone.", ctx=click.get_current_context())
    store = Trust(home_folder())
    if listing:
        _list(store, as_json=as_json)
    elif revoke:
        _revoke(store, _plugins_folder(folder or os.curdir), as_json=as_json)
    else:
        _trust(store, _plugins_folder(folder or os.curdir), as_json=as_json)
    return ExitCode.OK


def _plugins_folder(given: str) -> str:
    """Return the folder of plugins that is meant: that of the project, or the folder itself."""
    folder = os.path.abspath(os.path.expanduser(given))
    inside = os.path.join(folder, PROJECT_FOLDER)
    is_itself = any(path.endswith(os.sep + PROJECT_FOLDER) for path in (folder, os.path.realpath(folder)))
    return folder if is_itself and not os.path.isdir(inside) else inside


def _trust(trust: Trust, folder: str, *, as_json: bool) -> None:
    if os.path.realpath(folder) == os.path.realpath(os.path.join(home_folder(), "plugins")):
        raise click.ClickException(f"{folder} is your own folder of plugins: they need no trust.")
    files = {os.path.basename(file): _read(file) for file in plugin_files(folder)}
    if not files:
        raise click.ClickException(f"There is nothing to trust: no plugin in {folder}.")
    before = trust.folders().get(os.path.realpath(folder), {})
    rows = [_row(name, source, before) for name, source in files.items()]
    trust.add(folder, files)
    if as_json:
        print_json({"folder": os.path.realpath(folder), "trusted": True, "files": rows})
        return
    columns = [_FILE, Column(title="size"), Column(title="digest"), Column(title="since last time", styles=_STYLES)]
    shown = (
        (row["file"], f"{row['size']:,} bytes", _short(row["digest"]), row["state"] if before else "") for row in rows
    )
    print_table(columns, shown)
    say()
    project = os.path.dirname(os.path.dirname(folder))
    say(f"From now on these files, as they are, run with your rights when hermes runs in {project}.", "yellow")
    say("'hermes plugins trust --revoke' takes that back.")


def _revoke(trust: Trust, folder: str, *, as_json: bool) -> None:
    if not trust.remove(folder):
        raise click.ClickException(f"{folder} is not trusted. 'hermes plugins trust --list' shows what is.")
    said = f"{folder} is no longer trusted: its plugins do not run any more."
    print_either(as_json, {"folder": os.path.realpath(folder), "trusted": False}, said)


def _list(trust: Trust, *, as_json: bool) -> None:
    folders = sorted(trust.folders().items())
    shown: list[dict[str, Any]] = [{"folder": folder, "files": _states(folder, known)} for folder, known in folders]
    if as_json:
        print_json({"folders": shown})
    elif not shown:
        note("No folder is trusted.")
    else:
        columns = [Column(title="folder", fit="wrap"), _FILE, Column(title="digest")]
        rows = (
            ("" if index else each["folder"], row["file"], _short(row["digest"]), row["state"])
            for each in shown
            for index, row in enumerate(each["files"])
        )
        print_table([*columns, Column(title="state", styles=_STYLES)], rows)


def _states(folder: str, known: dict[str, str]) -> list[dict[str, Any]]:
    """Return each file that is or was in a trusted folder, and whether it still is what was trusted."""
    rows = {name: {"file": name, "size": None, "digest": digest, "state": "gone"} for name, digest in known.items()}
    for file in plugin_files(folder):
        name = os.path.basename(file)
        try:
            rows[name] = _row(name, _read(file), known)
        except OSError:  # what cannot be read does not run, either
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
    """Return the kind of a digest, and enough of it to compare two of them."""
    return (digest or "")[:19]
