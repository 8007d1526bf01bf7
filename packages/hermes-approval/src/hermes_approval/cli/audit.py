"""`hermes audit`: prints the audit log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hermes_approval.audit.log_files import is_there
from hermes_approval.audit.reader import Entries, EntryFilter, read_entries
from hermes_approval.audit.timestamps import local
from hermes_approval.audit.writer import FILE_NAME
from hermes_approval.cli.audit_format import (
    COLUMNS,
    STATS_COLUMNS,
    STYLES,
    call_in_words,
    facts,
    row,
    stats_row,
    time_of,
)
from hermes_approval.cli.options import json_option, since_option
from hermes_core import HermesError
from hermes_core.commands import (
    ExitCode,
    clean,
    cut,
    line_width,
    note,
    print_facts,
    print_json_text,
    print_table,
    say,
    tool_names,
)
from hermes_core.findings import OUTCOMES
from hermes_core.settings import Config, hermes_home

_OUTCOMES = tuple(dict.fromkeys(("ok", "error", "blocked", "timeout", "cancelled", *OUTCOMES)))
_MAX_LISTED = 20
# Often enough for people, and rarely enough to cost nothing.
_POLL_SECONDS = 0.2


class _TailByDefault(click.Group):
    """Makes `hermes audit -n 5` mean `hermes audit tail -n 5`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = 1 if args[:1] == ["--debug"] else 0
        word = args[first] if len(args) > first else "-"
        # For shell completion, `tail` must not be added.
        if word.startswith("-") and word not in ("-h", "--help") and not ctx.resilient_parsing:
            args = [*args[:first], "tail", *args[first:]]
        return super().parse_args(ctx, args)


@click.group("audit", cls=_TailByDefault)
def command() -> None:
    """Show what tools did, who allowed it, and how long it took.

    Each call is one line in audit.jsonl in $HERMES_HOME; results and secrets are not recorded. Without a subcommand,
    'hermes audit' shows the latest calls, like 'hermes audit tail'. Exit code: 0 on success, even if there is no log
    yet; 2 if it cannot be read.
    """


@command.command()
@click.option(
    "-n", "number", type=click.IntRange(min=0), metavar="N", default=20, show_default=True, help="Number of calls."
)
@click.option("-f", "--follow", is_flag=True, help="Wait for new calls and print them, until Ctrl-C.")
@click.option("--tool", shell_complete=tool_names, help="Only calls of this tool.")
@click.option(
    "--outcome", type=click.Choice(_OUTCOMES), metavar="WORD", help="Only calls with this status or decision."
)
@click.option("--session", metavar="ID", help="Only calls of this session.")
@since_option
@json_option
def tail(
    number: int,
    follow: bool,
    tool: str | None,
    outcome: str | None,
    session: str | None,
    since: float | None,
    as_json: bool,
) -> None:
    """Show the latest calls, newest last.

    --json prints a list of entries, or one entry per line with --follow. Exit code: 0 on success, even if there is no
    log yet; 2 for invalid usage, or if the log cannot be read; 130 when you end --follow with Ctrl-C.
    """
    entry_filter = EntryFilter(since=since, tool=tool, outcome=outcome, session=session)
    if follow:
        _follow(entry_filter, number, as_json=as_json)
        return
    found = Entries(_file(), entry_filter, newest_first=True, limit=number)
    entries = list(found)[::-1]
    if as_json:
        print_json_text(json.dumps(entries, indent=2))
    elif entries:
        print_table(COLUMNS, (row(entry) for entry in entries))
    _note_missing(nothing=not entries and number > 0, skipped=found.skipped)


@command.command()
@click.argument("id")
@json_option
def show(id: str, as_json: bool) -> ExitCode:
    """Show everything about one call.

    ID is an ID from 'hermes audit tail', or the beginning of one. If several calls have exactly that ID, the newest is
    shown. Exit code: 0 if the call is found; 1 if it is not, or if several IDs begin like that; 2 for invalid usage, or
    if the log cannot be read.
    """
    if not id.strip():
        raise click.BadParameter("It is empty.", param_hint="'ID'")
    found = _found(id)
    if len(found) != 1:
        _note_missing(nothing=False)
        _note_not_one(id, found)
        return ExitCode.FOUND
    if as_json:
        print_json_text(json.dumps(found[0], indent=2))
    else:
        print_facts(facts(found[0]))
    return ExitCode.OK


@command.command()
@since_option
@json_option
def stats(since: float | None, as_json: bool) -> None:
    """Count calls by result, and show how long they took.

    Exit code: 0 on success, even if there is no log yet; 2 for invalid usage, or if the log cannot be read.
    """
    from hermes_approval.audit.stats import stats_of

    entries = read_entries(_file(), since=since)
    counted = stats_of(entries)
    if as_json:
        print_json_text(json.dumps({**asdict(counted), "skipped": entries.skipped}, indent=2))
    elif counted.total:
        print_table(STATS_COLUMNS, (stats_row(each) for each in counted.tools))
        calls = "1 call" if counted.total == 1 else f"{counted.total} calls"
        say(clean(f"{calls} from {local(counted.first or '')} to {local(counted.last or '')}."))
    _note_missing(nothing=not counted.total, skipped=entries.skipped)


def _file() -> Path:
    return hermes_home() / FILE_NAME


def _is_turned_off() -> bool:
    """Return True if the log is disabled. Invalid settings are reported elsewhere."""
    from hermes_approval.audit.host_audit import AUDIT_SECTION, read_audit

    config = Config()
    config.declare([AUDIT_SECTION])
    try:
        return not read_audit(config).enabled
    except HermesError:
        return False


def _found(id: str) -> list[dict[str, Any]]:
    """Return the newest call with that id, or one of each id that begins so or was shortened so in a table."""
    beginning, _, end = id.partition("…")
    near: dict[str, dict[str, Any]] = {}
    for entry in read_entries(_file(), newest_first=True):
        if entry["id"] == id:
            return [entry]
        if len(near) <= _MAX_LISTED and entry["id"].startswith(beginning) and entry["id"].endswith(end):
            near.setdefault(entry["id"], entry)
    return list(near.values())


def _note_not_one(id: str, found: list[dict[str, Any]]) -> None:
    if not found:
        note(f"There is no call {clean(id)} in the audit log. 'hermes audit tail' shows the last calls.")
        return
    more = ", and others" if len(found) > _MAX_LISTED else ""
    note(f"Several ids match {clean(id)}{more}; use one of these:")
    for entry in found[:_MAX_LISTED]:
        line = f"  {clean(entry['id'])}  {clean(time_of(entry['at']))}  {clean(call_in_words(entry))}"
        note(cut(line, line_width() or len(line) * 2))


def _follow(entry_filter: EntryFilter, number: int, *, as_json: bool) -> None:
    from hermes_approval.audit.reader import Follower

    follower = Follower(_file(), entry_filter)
    try:
        _print_lines(follower.start(number), as_json=as_json)
        _note_missing(nothing=False)
        while True:
            _print_lines(follower.poll(), as_json=as_json)
            time.sleep(_POLL_SECONDS)
    finally:
        follower.close()


def _print_lines(entries: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    for entry in entries:
        if as_json:
            click.echo(json.dumps(entry, separators=(",", ":")))
            continue
        at, call_id, result, took, call = (clean(cell) for cell in row(entry))
        line = f"{at}  {result:<16}  {took:>8}  {call_id}  {call}"
        say(cut(line, line_width() or len(line) * 2), STYLES.get(result, "") if result != "ok" else "")


def _note_missing(*, nothing: bool, skipped: int = 0) -> None:
    """Explain on stderr why there are so few entries."""
    if skipped:
        note(f"{skipped} damaged {'line was' if skipped == 1 else 'lines were'} skipped.")
    if not is_there(_file()):
        if _is_turned_off():
            note("There is no audit log: audit.enabled is false, so no call is logged.")
        else:
            note(f"There is no audit log yet: {clean(_file())} is written when the first tool is called.")
    elif nothing and _is_turned_off():
        note("The audit log has no such call. audit.enabled is false, so no call is logged.")
    elif nothing:
        note("The audit log has no such call.")
