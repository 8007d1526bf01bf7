"""`hermes audit`: what tools did here, who let them, and how long it took."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from hermes_core.approval.audit.reader import Entries, Wanted, outcome_of, read_entries
from hermes_core.approval.audit.segments import is_there
from hermes_core.approval.audit.times import local
from hermes_core.approval.audit.writer import FILE_NAME
from hermes_core.approval.finding import Outcome
from hermes_core.calls.call import Status
from hermes_core.cli.completions import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import clean, line_width, note, print_json_text, say
from hermes_core.cli.since import since_option
from hermes_core.cli.table import Column, cut, print_facts, print_table
from hermes_core.config.home import hermes_home

if TYPE_CHECKING:
    from hermes_core.approval.audit.stats import ToolStats

_OUTCOMES = tuple(dict.fromkeys((*get_args(Status), *get_args(Outcome))))
_BAD, _HELD = "red", "yellow"
_STYLES = {"ok": "green", "error": _BAD, "timeout": _BAD, "cancelled": _HELD, **dict.fromkeys(get_args(Outcome), _HELD)}
_LONGEST_ARGS = 400
# Soon enough for somebody who watches, and too seldom for anybody to notice what it costs.
_POLL_SECONDS = 0.2


class _TailByDefault(click.Group):
    """`hermes audit -n 5` means `hermes audit tail -n 5`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = 1 if args[:1] == ["--debug"] else 0
        word = args[first] if len(args) > first else "-"
        # While somebody presses Tab, the words that may stand here are what is wanted.
        if word.startswith("-") and word not in ("-h", "--help") and not ctx.resilient_parsing:
            args = [*args[:first], "tail", *args[first:]]
        return super().parse_args(ctx, args)


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=_TailByDefault)
def command() -> None:
    """Show what tools did here, who let them, and how long it took.

    Every call is a line of audit.jsonl in $HERMES_HOME, without its result and without secrets. Without a word behind
    it, 'hermes audit' shows the last calls, as 'hermes audit tail' does. Exit status: 0 when it worked, also when there
    is no log yet; 2 when it cannot be read.
    """


@command.command()
@click.option("-n", "number", type=click.IntRange(min=0), default=20, show_default=True, help="How many.")
@click.option("-f", "--follow", is_flag=True, help="Go on with the calls that come, until Ctrl-C.")
@click.option("--tool", shell_complete=tool_names, help="Only of this tool.")
@click.option("--outcome", type=click.Choice(_OUTCOMES), metavar="WORD", help="Only with this status or decision.")
@click.option("--session", metavar="ID", help="Only of this session.")
@since_option
@_json
def tail(
    number: int,
    follow: bool,
    tool: str | None,
    outcome: str | None,
    session: str | None,
    since: float | None,
    as_json: bool,
) -> None:
    """Show the last calls, the newest at the end.

    With --json a list of entries; with --follow one entry in each line. Exit status: 0 when it worked, also when there
    is no log yet; 2 for wrong usage, or when the log cannot be read; 130 when --follow is ended with Ctrl-C.
    """
    wanted = Wanted(since=since, tool=tool, outcome=outcome, session=session)
    if follow:
        _follow(wanted, number, as_json=as_json)
        return
    found = Entries(_file(), wanted, newest_first=True, limit=number)
    entries = list(found)[::-1]
    if as_json:
        print_json_text(json.dumps(entries, indent=2))
    elif entries:
        print_table(_COLUMNS, (_row(entry) for entry in entries))
    _note_missing(nothing=not entries and number > 0, skipped=found.skipped)


@command.command()
@click.argument("id")
@_json
def show(id: str, as_json: bool) -> ExitCode:
    """Show everything about one call.

    ID is what 'hermes audit tail' shows, or its beginning; of several calls the newest is shown. Exit status: 0 when
    it is there, 1 when it is not, 2 when the log cannot be read.
    """
    entry = _found(id)
    if entry is None:
        _note_missing(nothing=False)
        note(f"There is no call {clean(id)} in the audit log. 'hermes audit tail' shows the last ones.")
        return ExitCode.FOUND
    if as_json:
        print_json_text(json.dumps(entry, indent=2))
    else:
        print_facts(_facts(entry))
    return ExitCode.OK


@command.command()
@since_option
@_json
def stats(since: float | None, as_json: bool) -> None:
    """Count calls: how they ended, and how long they took.

    Exit status: 0 when it worked, also when there is no log yet; 2 for wrong usage, or when the log cannot be read.
    """
    from hermes_core.approval.audit.stats import stats_of

    entries = read_entries(_file(), since=since)
    counted = stats_of(entries)
    if as_json:
        print_json_text(json.dumps({**counted.as_dict(), "skipped": entries.skipped}, indent=2))
    elif counted.total:
        print_table(_STATS_COLUMNS, (_stats_row(each) for each in counted.tools))
        calls = "1 call" if counted.total == 1 else f"{counted.total} calls"
        say(clean(f"{calls} from {local(counted.first or '')} to {local(counted.last or '')}."))
    _note_missing(nothing=not counted.total, skipped=entries.skipped)


# -- looking -----------------------------------------------------------------------------------------------------


def _file() -> Path:
    return hermes_home() / FILE_NAME


def _found(id: str) -> dict[str, Any] | None:
    """The newest call of that id; failing that, the newest whose id begins so, or was shortened so by `_short`."""
    beginning, _, end = id.partition("…")
    near: list[dict[str, Any]] = []
    for entry in read_entries(_file(), newest_first=True):
        if entry["id"] == id:
            return entry
        if len(near) < 2 and entry["id"].startswith(beginning) and entry["id"].endswith(end):
            near.append(entry)
    if len(near) > 1:
        note(f"Several ids look like {clean(id)}; this is the newest call.")
    return near[0] if near else None


def _follow(wanted: Wanted, number: int, *, as_json: bool) -> None:
    from hermes_core.approval.audit.follow import Follower

    follower = Follower(_file(), wanted)
    try:
        _print_lines(follower.start(number), as_json=as_json)
        _note_missing(nothing=False)
        while True:
            _print_lines(follower.poll(), as_json=as_json)
            time.sleep(_POLL_SECONDS)
    finally:
        follower.close()


def _note_missing(*, nothing: bool, skipped: int = 0) -> None:
    """Say beside the output why there is so little of it."""
    if skipped:
        note(f"{skipped} damaged {'line was' if skipped == 1 else 'lines were'} skipped.")
    if not is_there(_file()):
        note(f"There is no audit log yet: {clean(_file())} is written when the first tool is called.")
    elif nothing:
        note("The audit log has no such call.")


# -- words -------------------------------------------------------------------------------------------------------

_COLUMNS = (
    Column(title="time"),
    Column(title="id"),
    Column(title="result", styles=_STYLES),
    Column(title="took"),
    Column(title="call", fit="cut"),
)
_STATS_COLUMNS = (
    Column(title="tool", fit="cut"),
    Column(title="calls"),
    Column(title="ended", fit="wrap"),
    Column(title="decided", fit="wrap"),
    Column(title="median"),
    Column(title="p95"),
    Column(title="last", fit="wrap"),
)


def _print_lines(entries: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    for entry in entries:
        if as_json:
            click.echo(json.dumps(entry, separators=(",", ":")))
            continue
        at, call_id, result, took, call = (clean(cell) for cell in _row(entry))
        line = f"{at}  {result:<16}  {took:>8}  {call_id}  {call}"
        say(cut(line, line_width() or len(line) * 2), _STYLES.get(result, "") if result != "ok" else "")


def _row(entry: dict[str, Any]) -> tuple[str, str, str, str, str]:
    return (_time(entry["at"]), _short(entry["id"]), _result(entry), _seconds(entry.get("seconds")), _call(entry))


def _short(id: str) -> str:
    """An id in a third of the line. The ids of one host differ at their ends, so the middle is left out."""
    room = max((line_width() or 1_000) // 3 - 2, 24)
    return id if len(id) <= room else f"{id[: room - 13]}…{id[-12:]}"


def _stats_row(each: ToolStats) -> tuple[object, ...]:
    took = _seconds(each.median_seconds), _seconds(each.p95_seconds)
    return (each.tool, each.calls, _counts(each.statuses), _counts(each.outcomes), *took, local(each.last))


def _time(at: str) -> str:
    """The time of day; for another day than today, its date as well."""
    said = local(at)
    return said[11:] if said[:10] == time.strftime("%Y-%m-%d") else said[5:16]


def _result(entry: dict[str, Any]) -> str:
    """How it ended; of a call that was not allowed, what was decided."""
    outcome = outcome_of(entry)
    return str(entry.get("status")) if outcome in (None, "allowed") else str(outcome)


def _call(entry: dict[str, Any]) -> str:
    args = entry.get("args")
    said = [f"{key}={_value(each)}" for key, each in args.items()] if isinstance(args, dict) else [_value(args)]
    return " ".join((entry["tool"], *said))[:_LONGEST_ARGS]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _seconds(seconds: Any) -> str:
    if not isinstance(seconds, int | float):
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _counts(counter: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counter.items())


def _facts(entry: dict[str, Any]) -> Iterable[tuple[str, str]]:
    def said(key: str) -> str:
        value = entry.get(key)
        return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    yield "id", entry["id"]
    yield "time", local(entry["at"])
    for key in ("tool", "toolset", "source", "effects", "session", "session_kind", "origin", "task", "user"):
        yield key.replace("_", " "), said(key)
    yield "status", " ".join(part for part in (said("status"), said("code")) if part)
    decision = entry.get("decision")
    if isinstance(decision, dict):
        yield "decision", str(decision.get("outcome"))
        yield "by", str(decision.get("by") or "")
        yield "reason", str(decision.get("reason") or "")
    for each in _dicts(entry.get("findings")):
        yield "finding", f"{each.get('severity')} {each.get('rule')}: {each.get('reason')}"
    for each in _dicts(entry.get("repairs")):
        yield "repair", f"{each.get('path') or 'the arguments'}: {each.get('kind')}"
    yield "took", _seconds(entry.get("seconds"))
    yield "result", f"{said('result_chars')} chars"
    args = entry.get("args")
    for key, value in args.items() if isinstance(args, dict) else [("", args)]:
        yield cut(clean(f"args {key}"), 30), _value(value)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
