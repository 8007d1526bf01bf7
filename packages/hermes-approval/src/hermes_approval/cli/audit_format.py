"""Formats entries of the audit log for people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hermes_approval.audit.entry import cut_arguments
from hermes_approval.audit.reader import outcome_of
from hermes_approval.audit.redaction import ALL
from hermes_approval.audit.timestamps import local
from hermes_core.commands import Column, clean, cut, line_width
from hermes_core.findings import OUTCOMES

if TYPE_CHECKING:
    from hermes_approval.audit.stats import ToolStats

_BAD, _HELD = "red", "yellow"
STYLES = {"ok": "green", "error": _BAD, "timeout": _BAD, "cancelled": _HELD, **dict.fromkeys(OUTCOMES, _HELD)}
_LONGEST_ARGS = 400
COLUMNS = (
    Column(title="time"),
    Column(title="id"),
    Column(title="result", styles=STYLES),
    Column(title="took"),
    Column(title="call", fit="cut"),
)
STATS_COLUMNS = (
    Column(title="tool", fit="cut"),
    Column(title="calls"),
    Column(title="ended", fit="wrap"),
    Column(title="decided", fit="wrap"),
    Column(title="median"),
    Column(title="p95"),
    Column(title="last", fit="wrap"),
)


def row(entry: dict[str, Any]) -> tuple[str, str, str, str, str]:
    """Return a call as a row of a table."""
    return (
        time_of(entry["at"]),
        _short(entry["id"]),
        _result(entry),
        _seconds(entry.get("seconds")),
        call_in_words(entry),
    )


def _short(id: str) -> str:
    """Shorten an id to a third of the line. The ids of one host differ at the end, so the middle is cut."""
    width = max((line_width() or 1_000) // 3 - 2, 24)
    return id if len(id) <= width else f"{id[: width - 13]}…{id[-12:]}"


def stats_row(each: ToolStats) -> tuple[object, ...]:
    """Return the statistics of a tool as a row of a table."""
    took = _seconds(each.median_seconds), _seconds(each.p95_seconds)
    return (each.tool, each.calls, _counts(each.statuses), _counts(each.outcomes), *took, local(each.last))


def time_of(at: str) -> str:
    """Format the time of day, with the date if it is not today."""
    time_text = local(at)
    return time_text[11:] if time_text[:10] == time.strftime("%Y-%m-%d") else time_text[5:16]


def _result(entry: dict[str, Any]) -> str:
    outcome = outcome_of(entry)
    return str(entry.get("status")) if outcome in (None, "allowed") else str(outcome)


def call_in_words(entry: dict[str, Any]) -> str:
    """Format the tool and its arguments as they are typed."""
    args = entry.get("args")
    words = [f"{key}={_value(each)}" for key, each in args.items()] if isinstance(args, dict) else [_value(args)]
    return " ".join((entry["tool"], *words))[:_LONGEST_ARGS]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _seconds(seconds: Any) -> str:
    if not isinstance(seconds, int | float):
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _counts(counter: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counter.items())


def facts(entry: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield everything about a call."""

    def text(key: str) -> str:
        value = entry.get(key)
        return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    yield "id", entry["id"]
    yield "time", local(entry["at"])
    for key in ("tool", "toolset", "source", "effects", "session", "session_kind", "origin", "task", "user"):
        yield key.replace("_", " "), text(key)
    yield "status", " ".join(part for part in (text("status"), text("code")) if part)
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
    yield "result", f"{text('result_chars')} chars"
    yield "problem", text("problem")
    cut_names = cut_arguments(entry)
    if cut_names:
        which = "some arguments" if ALL in cut_names else ", ".join(sorted(cut_names))
        yield "not in full", f"{which}: too long for the log"
    args = entry.get("args")
    for key, value in args.items() if isinstance(args, dict) else [("", args)]:
        yield cut(clean(f"args {key}"), 30), _value(value)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
