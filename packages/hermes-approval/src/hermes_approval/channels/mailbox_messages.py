"""The JSON of requests and answers in a mailbox."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_approval.channels.answer import Answer, as_choice
from hermes_approval.channels.process_identity import Process
from hermes_core import ApprovalRequest, Finding
from hermes_core.errors import ToolDefinitionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """Identifies a request in the mailbox: the name of its file, and the secret that its answer must carry."""

    name: str
    id: str
    token: str

    @property
    def key(self) -> str:
        """A short name that is unique in the mailbox."""
        return self.name.rpartition("-")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxEntry:
    """A request as another process reads it: who asks, since when and until when, in seconds since 1970."""

    ticket: Ticket
    request: ApprovalRequest
    process: Process
    at: float
    expires: float

    @property
    def key(self) -> str:
        """A short name that is unique in the mailbox."""
        return self.ticket.key

    @property
    def names(self) -> tuple[str, ...]:
        """The names that mean the request: its key, its id and the id of its call. Ids may not be unique."""
        return tuple(name for name in (self.key, self.request.id, self.request.call_id) if name)


def encode_entry(entry: MailboxEntry) -> dict[str, Any]:
    """Return a pending request as JSON."""
    request, process = entry.request, entry.process
    findings = [
        {
            "rule": finding.rule,
            "severity": finding.severity,
            "reason": finding.reason,
            "effects": sorted(finding.effects),
            "span": finding.span,
            "bound": [list(fact) for fact in finding.bound],
            "once": finding.once,
        }
        for finding in request.findings
    ]
    return {
        "token": entry.ticket.token,
        "at": entry.at,
        "expires": entry.expires,
        "process": {"pid": process.pid, "started": process.started, "place": process.place},
        "request": {
            "id": request.id,
            "tool": request.tool,
            "toolset": request.toolset,
            "args": dict(request.args),
            "findings": findings,
            "session_id": request.session_id,
            "session_kind": request.session_kind,
            "call_id": request.call_id,
            "origin": request.origin,
            "defaults": sorted(request.defaults),
            "source": request.source,
        },
    }


def decode_entry(name: str, facts: Mapping[str, Any] | None) -> MailboxEntry | None:
    """Read a pending request from a file of that name; None if it is not one."""
    if facts is None:
        return None
    try:
        request = _request(facts["request"])
        return MailboxEntry(
            ticket=Ticket(name=name, id=request.id, token=_text(facts["token"])),
            request=request,
            process=_process(facts["process"]),
            at=float(facts["at"]),
            expires=float(facts["expires"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, ToolDefinitionError):
        return None


def encode_answer(ticket: Ticket, answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON, bound to its request."""
    reply = {"choice": answer.choice, "by": answer.by, "reason": answer.reason}
    return {"id": ticket.id, "token": ticket.token, **reply}


def decode_answer(ticket: Ticket, facts: Mapping[str, Any] | None) -> Answer | None:
    """Read the answer to a request; None if it is invalid, or for another request."""
    if facts is None:
        return None
    try:
        known = hmac.compare_digest(_text(facts["token"]).encode(), ticket.token.encode())
        if not known or facts["id"] != ticket.id:
            return None
        return Answer(choice=as_choice(facts["choice"]), by=_text(facts["by"]), reason=_text(facts["reason"]))
    except (KeyError, TypeError, ValueError):
        return None


def _request(facts: Mapping[str, Any]) -> ApprovalRequest:
    args = facts["args"]
    if not isinstance(args, dict):
        raise TypeError("arguments must be an object")
    return ApprovalRequest(
        id=_text(facts["id"]),
        tool=_text(facts["tool"]),
        toolset=_text(facts["toolset"]),
        args=args,
        findings=tuple(_finding(finding) for finding in facts["findings"]),
        session_id=_text(facts["session_id"]),
        session_kind=_text(facts["session_kind"]),
        call_id=_text(facts.get("call_id", "")),
        origin=_text(facts.get("origin", "direct")),
        source=_text(facts.get("source", "")),
        defaults=frozenset(map(_text, facts.get("defaults", ()))),
    )


def _finding(facts: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=_text(facts["rule"]),
        severity=facts["severity"],
        reason=_text(facts["reason"]),
        effects=frozenset(map(_text, facts["effects"])),
        span=_text(facts["span"]),
        bound=facts.get("bound", ()),
        once=_text(facts.get("once", "")),
    )


def _process(facts: Mapping[str, Any]) -> Process:
    if type(facts["pid"]) is not int:
        raise TypeError("a process id must be a number")
    return Process(facts["pid"], _text(facts["started"]), _text(facts["place"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not text")
    return value
