"""One call as a line of the audit log: who, what, decided how, and how long it took."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from json import JSONEncoder
from typing import TYPE_CHECKING, Any

from hermes_approval.audit.redaction import ALL, Trimmer
from hermes_approval.audit.timestamps import stamp

if TYPE_CHECKING:
    from hermes_core import CallRecord, Finding, ToolCall

VERSION = 1
MAX_BYTES = 16_384
"""What one line may take, so that no single call can push all others out of the log."""

# Names of keys, punctuation, and the notes about what was left out.
_FRAME = 4_608
# What the arguments get in any case, however much there is to say about the call.
FOR_ARGUMENTS = 6_000
_MAX_CUT = 600
_MAX_ID = 200
_MAX_REASON = 500
_MAX_LISTED = 20

to_json = JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def entry_of(record: CallRecord, *, source: str | None, at: float | None = None) -> dict[str, Any]:
    """What the log keeps of a finished call: never its result, no secrets, and at most 16 KB. Raises nothing.

    Where arguments could not be kept in full, `args_cut` names them; `*` stands for any.

    Args:
        record: The call and what became of it.
        source: Where the tool came from: a plugin, a file, a server.
        at: When it ended, in seconds since 1970; now, when nobody says.
    """
    moment = stamp(time.time() if at is None else at)
    trim = Trimmer(MAX_BYTES - _FRAME - FOR_ARGUMENTS)
    try:
        return _whole_entry(record, trim, moment, source)
    except Exception as error:  # a record that a plugin has spoilt: that there was a call is written all the same
        return _least_entry(record, Trimmer(MAX_BYTES - _FRAME), moment, error)


def cut_arguments(entry: Mapping[str, Any]) -> frozenset[str]:
    """The arguments that were not kept in full; `*` among them means that any may be, or is missing."""
    names = entry.get("args_cut")
    if names is None:
        return frozenset()
    known = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return frozenset(names) if known else frozenset({ALL})


def _whole_entry(record: CallRecord, trim: Trimmer, moment: str, source: str | None) -> dict[str, Any]:
    call, tool = record.call, record.call.tool
    # The arguments come last: they get the room that everything else leaves.
    entry = {
        "v": VERSION,
        "at": moment,
        "id": trim.text(call.id, _MAX_ID),
        "session": trim.name(call.session_id),
        "session_kind": trim.name(call.session_kind),
        "origin": trim.name(call.origin),
        "task": trim.optional(call.task_id),
        "user": None,
        "tool": trim.name(call.name),
        "toolset": trim.optional(tool.toolset if tool else None),
        "effects": sorted(tool.effects) if tool else [],
        "source": trim.optional(source),
        "args": None,
        "status": record.status,
        "code": trim.optional(record.code),
        **judgement_of(record, trim),
        "repairs": [
            {"path": trim.name(each.path), "kind": trim.name(each.kind)} for each in call.repairs[:_MAX_LISTED]
        ],
        "seconds": round(record.seconds, 6),
        "result_chars": len(record.result),
    }
    trim.left = max(trim.left, 0) + FOR_ARGUMENTS
    entry["args"], cut = trim.arguments(call.args, _declared(call))
    if cut:
        entry["args_cut"] = cut if ALL not in cut and len(to_json(cut)) <= _MAX_CUT else [ALL]
    return entry


def _least_entry(record: Any, trim: Trimmer, moment: str, error: Exception) -> dict[str, Any]:
    """What can be said of a record that is not what it should be."""

    def told(*names: str) -> str:
        found: Any = record
        with contextlib.suppress(Exception):  # whatever stands there may raise
            for name in names:
                found = getattr(found, name)
            return trim.name(found)
        return "?"

    return {
        "v": VERSION,
        "at": moment,
        "id": told("call", "id"),
        "session": told("call", "session_id"),
        "tool": told("call", "name"),
        "args": None,
        "args_cut": [ALL],
        "status": told("status"),
        "decision": {"outcome": told("decision", "outcome"), "by": "", "reason": ""},
        "problem": trim.name(f"The record of this call cannot be read: {type(error).__name__}."),
    }


def _declared(call: ToolCall) -> dict[str, None]:
    """The arguments that the tool knows, in its order."""
    parameters = call.tool.parameters if call.tool else None
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return dict.fromkeys(properties) if isinstance(properties, Mapping) else {}


def line_of(entry: Mapping[str, Any]) -> bytes:
    """An entry as one line of ASCII, whatever is in it: nothing in it can end the line early."""
    try:
        text = to_json(entry)
    except Exception:  # not JSON, a loop, or an object whose methods raise: it is copied with care
        text = ""
    if not 0 < len(text) < MAX_BYTES:  # the line's end takes one more
        text = to_json(Trimmer(MAX_BYTES - _FRAME).value(entry))
    return text.encode("ascii") + b"\n"


def judgement_of(record: CallRecord, trim: Trimmer) -> dict[str, Any]:
    """Return the parts of an entry that say who decided about a call, and what was found."""
    findings = () if record.decision is None else record.decision.findings[:_MAX_LISTED]
    return {"decision": _decision(trim, record), "findings": [_finding(trim, each) for each in findings]}


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


def _finding(trim: Trimmer, finding: Finding) -> dict[str, str]:
    return {
        "rule": trim.name(finding.rule),
        "severity": finding.severity,
        "reason": trim.text(finding.reason, _MAX_REASON),
    }
