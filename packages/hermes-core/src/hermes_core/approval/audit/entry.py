"""One call as a line of the audit log: who, what, decided how, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from json import JSONEncoder
from typing import TYPE_CHECKING, Any

from hermes_core.approval.audit.redaction import Trimmer
from hermes_core.approval.audit.times import stamp

if TYPE_CHECKING:
    from hermes_core.approval.finding import Decision, Finding
    from hermes_core.calls.call import CallRecord

VERSION = 1
MAX_BYTES = 16_384
"""What one line may take, so that no single call can push all others out of the log."""

# Names of keys, punctuation, and the notes about what was left out.
_FRAME = 4_608
_MAX_ID = 200
_MAX_REASON = 500
_MAX_LISTED = 20

_to_json = JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def entry_of(
    record: CallRecord,
    *,
    source: str | None,
    user: str | None = None,
    known_secrets: frozenset[str] = frozenset(),
    at: float | None = None,
) -> dict[str, Any]:
    """What the log keeps of a finished call: never its result, no secrets, and at most 16 KB.

    Args:
        record: The call and what became of it.
        source: Where the tool came from: a plugin, a file, a server.
        user: On whose behalf it ran, where the application knows.
        known_secrets: Values that must not be shown wherever they stand, such as those of `requires_env`.
        at: When it ended, in seconds since 1970; now, when nobody says.
    """
    call, tool = record.call, record.call.tool
    trim = Trimmer(MAX_BYTES - _FRAME, known_secrets)
    # The arguments come last: they get the room that everything else leaves.
    entry = {
        "v": VERSION,
        "at": stamp(time.time() if at is None else at),
        "id": trim.text(call.id, _MAX_ID),
        "session": trim.name(call.session_id),
        "session_kind": trim.name(call.session_kind),
        "origin": trim.name(call.origin),
        "task": trim.optional(call.task_id),
        "user": trim.optional(user),
        "tool": trim.name(call.name),
        "toolset": trim.optional(tool.toolset if tool else None),
        "effects": sorted(tool.effects) if tool else [],
        "source": trim.optional(source),
        "args": None,
        "status": record.status,
        "code": trim.optional(record.code),
        "decision": _decision(trim, record),
        "findings": [_finding(trim, each) for each in _findings(record.decision)],
        "repairs": [
            {"path": trim.name(each.path), "kind": trim.name(each.kind)} for each in call.repairs[:_MAX_LISTED]
        ],
        "seconds": round(record.seconds, 6),
        "result_chars": len(record.result),
    }
    entry["args"] = trim.value(call.args)
    return entry


def line_of(entry: Mapping[str, Any]) -> bytes:
    """An entry as one line of ASCII, whatever is in it: nothing in it can end the line early."""
    try:
        text = _to_json(entry)
    except Exception:  # not JSON, a loop, or an object whose methods raise: it is copied with care
        text = ""
    if not 0 < len(text) < MAX_BYTES:
        text = _to_json(Trimmer(MAX_BYTES - _FRAME).value(entry))
    return text.encode("ascii") + b"\n"


def _decision(trim: Trimmer, record: CallRecord) -> dict[str, str] | None:
    decision = record.decision
    if decision is None:
        # Where nobody judges calls, nobody decides; that it ran is all that tells it was allowed.
        return {"outcome": "allowed", "by": "", "reason": ""} if record.status == "ok" else None
    return {
        "outcome": decision.outcome,
        "by": trim.name(decision.by),
        "reason": trim.text(decision.reason, _MAX_REASON),
    }


def _findings(decision: Decision | None) -> tuple[Finding, ...]:
    return () if decision is None else decision.findings[:_MAX_LISTED]


def _finding(trim: Trimmer, finding: Finding) -> dict[str, str]:
    return {
        "rule": trim.name(finding.rule),
        "severity": finding.severity,
        "reason": trim.text(finding.reason, _MAX_REASON),
    }
