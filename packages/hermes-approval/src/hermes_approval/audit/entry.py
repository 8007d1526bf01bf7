"""Converts one call to a line of the audit log: who, what, the decision, and the duration."""

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
"""The maximum size of a line, so that a single call cannot push all others out of the log."""

# For the names of keys, punctuation, and notes about omissions.
_FRAME = 4_608
# Reserved for the arguments, however long the rest is.
FOR_ARGUMENTS = 6_000
_MAX_CUT = 600
_MAX_ID = 200
_MAX_REASON = 500
_MAX_LISTED = 20

to_json = JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def entry_of(record: CallRecord, *, source: str | None, at: float | None = None) -> dict[str, Any]:
    """Return the log entry of a finished call: without its result and secrets, and at most 16 KB. Raises nothing.

    `args_cut` names the arguments that are not complete; `*` means that any may be.

    Args:
        record: The call and its result.
        source: Where the tool came from: a plugin, a file, a server.
        at: When it ended, in seconds since 1970; now by default.
    """
    moment = stamp(time.time() if at is None else at)
    trim = Trimmer(MAX_BYTES - _FRAME - FOR_ARGUMENTS)
    try:
        return _whole_entry(record, trim, moment, source)
    except Exception as error:  # a record that a plugin has corrupted: log at least that there was a call
        return _least_entry(record, Trimmer(MAX_BYTES - _FRAME), moment, error)


def call_fields(trim: Trimmer, call: ToolCall, source: str | None) -> dict[str, Any]:
    """Return the fields that all calls of a tool in one session have in common."""
    tool = call.tool
    return {
        "session": trim.name(call.session_id),
        "session_kind": trim.name(call.session_kind),
        "origin": trim.name(call.origin),
        "task": trim.optional(call.task_id),
        "user": None,
        "tool": trim.name(call.name),
        "toolset": trim.optional(tool.toolset if tool else None),
        "effects": sorted(tool.effects) if tool else [],
        "source": trim.optional(source),
    }


def cut_arguments(entry: Mapping[str, Any]) -> frozenset[str]:
    """Return the arguments that are not complete; `*` means that any may be cut or missing."""
    names = entry.get("args_cut")
    if names is None:
        return frozenset()
    known = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return frozenset(names) if known else frozenset({ALL})


def _whole_entry(record: CallRecord, trim: Trimmer, moment: str, source: str | None) -> dict[str, Any]:
    call = record.call
    # The arguments come last: they get the bytes that everything else leaves.
    entry = {
        "v": VERSION,
        "at": moment,
        "id": trim.text(call.id, _MAX_ID),
        **call_fields(trim, call, source),
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
    def read(*names: str) -> str:
        found: Any = record
        with contextlib.suppress(Exception):  # any attribute may raise
            for name in names:
                found = getattr(found, name)
            return trim.name(found)
        return "?"

    return {
        "v": VERSION,
        "at": moment,
        "id": read("call", "id"),
        "session": read("call", "session_id"),
        "tool": read("call", "name"),
        "args": None,
        "args_cut": [ALL],
        "status": read("status"),
        "decision": {"outcome": read("decision", "outcome"), "by": "", "reason": ""},
        "problem": trim.name(f"The record of this call cannot be read: {type(error).__name__}."),
    }


def _declared(call: ToolCall) -> dict[str, None]:
    parameters = call.tool.parameters if call.tool else None
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return dict.fromkeys(properties) if isinstance(properties, Mapping) else {}


def line_of(entry: Mapping[str, Any]) -> bytes:
    """Return an entry as one line of ASCII, whatever is in it."""
    try:
        text = to_json(entry)
    except Exception:  # not JSON, a loop, or an object whose methods raise
        text = ""
    if not 0 < len(text) < MAX_BYTES:  # one byte is for the line break
        text = to_json(Trimmer(MAX_BYTES - _FRAME).value(entry))
    return text.encode("ascii") + b"\n"


def judgement_of(record: CallRecord, trim: Trimmer) -> dict[str, Any]:
    """Return the decision about a call and its findings, as fields of an entry."""
    findings = () if record.decision is None else record.decision.findings[:_MAX_LISTED]
    return {"decision": _decision(trim, record), "findings": [_finding(trim, each) for each in findings]}


def _decision(trim: Trimmer, record: CallRecord) -> dict[str, str] | None:
    decision = record.decision
    if decision is None:
        # In a host without rules there is no decision; a call that ran was allowed.
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
