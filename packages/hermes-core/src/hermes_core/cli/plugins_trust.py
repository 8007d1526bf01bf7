"""`hermes plugins trust`: whether the plugins that lie in a project may run."""

from __future__ import annotations

import os
from typing import Any

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import Column, note, print_json, print_table, say
from hermes_core.config.home import home_folder
from hermes_core.plugins.sources import PROJECT_FOLDER, plugin_files
from hermes_core.plugins.trust import Trust, digest_of

_DIGEST_CHARS = 19
"""How much of a digest people are shown: its kind, and enough to compare two of them."""
_STYLES = {"new": "yellow", "changed": "bold red", "unchanged": "green", "gone": "dim", "trusted": "green"}

Row = dict[str, Any]


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--revoke", is_flag=True, help="Take the trust away.")
@click.option("--list", "listing", is_flag=True, help="Show the trusted folders, and what changed in them since.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
        _revoke(store, folder or os.curdir, as_json=as_json)
    else:
        _trust(store, folder or os.curdir, as_json=as_json)
    return ExitCode.OK


# -- trusting --------------------------------------------------------------------------------------------------------


def _trust(trust: Trust, given: str, *, as_json: bool) -> None:
    folder = _plugins_folder(given)
    if os.path.realpath(folder) == os.path.realpath(os.path.join(home_folder(), "plugins")):
        raise click.ClickException(f"{folder} is your own folder of plugins: they need no trust.")
    files = {file: _read(file) for file in plugin_files(folder)}
    if not files:
        raise click.ClickException(f"There is nothing to trust: no plugin in {folder}.")
    before = trust.folders().get(os.path.realpath(folder), {})
    rows = [_row(file, source, before) for file, source in files.items()]
    trust.add(folder, files)
    if as_json:
        print_json({"folder": os.path.realpath(folder), "trusted": True, "files": rows})
        return
    columns = [
        Column(title="file", style="bold cyan"),
        Column(title="size"),
        Column(title="digest"),
        Column(title="since last time", styles=_STYLES),
    ]
    cells = ((row["file"], _size(row["size"]), row["digest"][:_DIGEST_CHARS], row["state"]) for row in rows)
    print_table(columns, cells if before else ((*row[:3], "") for row in cells))
    say()
    say(f"From now on these files, as they are, run with your rights when hermes runs in {_project(folder)}.", "yellow")
    say("'hermes plugins trust --revoke' takes that back.")


def _row(file: str, source: bytes, before: dict[str, str]) -> Row:
    name, digest = os.path.basename(file), digest_of(source)
    known = before.get(name)
    state = "new" if known is None else "unchanged" if known == digest else "changed"
    return {"file": name, "size": len(source), "digest": digest, "state": state}


def _read(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


def _size(count: int) -> str:
    return f"{count:,} bytes"


def _plugins_folder(given: str) -> str:
    """The folder of plugins that somebody means: that of the project, or the folder itself."""
    folder = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(os.path.join(folder, PROJECT_FOLDER)) and _is_plugins_folder(folder):
        return folder
    return os.path.join(folder, PROJECT_FOLDER)


def _is_plugins_folder(folder: str) -> bool:
    return any(path.endswith(os.sep + PROJECT_FOLDER) for path in (folder, os.path.realpath(folder)))


def _project(folder: str) -> str:
    return os.path.dirname(os.path.dirname(folder))


# -- taking it back --------------------------------------------------------------------------------------------------


def _revoke(trust: Trust, given: str, *, as_json: bool) -> None:
    folder = _plugins_folder(given)
    if not trust.remove(folder):
        raise click.ClickException(f"{folder} is not trusted. 'hermes plugins trust --list' shows what is.")
    if as_json:
        print_json({"folder": os.path.realpath(folder), "trusted": False})
    else:
        say(f"{folder} is no longer trusted: its plugins do not run any more.")


# -- looking ---------------------------------------------------------------------------------------------------------


def _list(trust: Trust, *, as_json: bool) -> None:
    shown: list[Row] = [
        {"folder": folder, "files": _states(folder, known)} for folder, known in sorted(trust.folders().items())
    ]
    if as_json:
        print_json({"folders": shown})
    elif not shown:
        note("No folder is trusted.")
    else:
        columns = [
            Column(title="folder", fit="wrap"),
            Column(title="file", style="bold cyan"),
            Column(title="digest"),
            Column(title="state", styles=_STYLES),
        ]
        print_table(
            columns,
            (
                ("" if index else each["folder"], row["file"], (row["digest"] or "")[:_DIGEST_CHARS], row["state"])
                for each in shown
                for index, row in enumerate(each["files"])
            ),
        )


def _states(folder: str, known: dict[str, str]) -> list[Row]:
    """Each file that is or was in a trusted folder, and whether it still is what was trusted."""
    now = {os.path.basename(file): file for file in plugin_files(folder)}
    rows = []
    for name in sorted(known.keys() | now.keys()):
        if name not in now:
            state = "gone"
        elif name not in known:
            state = "new"
        else:
            state = "unchanged" if _is_unchanged(now[name], known[name]) else "changed"
        rows.append({"file": name, "digest": known.get(name), "state": state})
    return rows


def _is_unchanged(file: str, digest: str) -> bool:
    try:
        return digest_of(_read(file)) == digest
    except OSError:  # what cannot be read does not run, either
        return False
