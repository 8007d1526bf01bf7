"""The JSON of requests and answers in a mailbox."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from hermes_approval.channels.answer import Answer, as_choice
from hermes_approval.channels.process_identity import Process
from hermes_core import ApprovalRequest, Finding
from hermes_core.errors import ToolDefinitionError

_TEXTS = ("id", "tool", "toolset", "session_id", "session_kind", "call_id", "origin", "source")
_FINDING = tuple(each.name for each in fields(Finding))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """Names the file of a request, and holds what its answer must carry: a secret, and a digest of what was shown."""

    name: str
    id: str
    token: str
    digest: str

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
    """Return a request as JSON."""
    return {
        "token": entry.ticket.token,
        "at": entry.at,
        "expires": entry.expires,
        "process": asdict(entry.process),
        "request": encode_request(entry.request),
    }


def encode_request(request: ApprovalRequest) -> dict[str, Any]:
    """Return what people read of a request as JSON."""
    return {
        **{name: getattr(request, name) for name in _TEXTS},
        "args": dict(request.args),
        "findings": [{**asdict(each), "effects": sorted(each.effects)} for each in request.findings],
        "defaults": sorted(request.defaults),
    }


def digest_of(facts: Any) -> str:
    """Return a digest of JSON; the same before it is written and after it is read."""
    written = json.loads(json.dumps(facts, default=str))
    return hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()


def decode_entry(name: str, facts: Mapping[str, Any] | None) -> MailboxEntry | None:
    """Read a request from a file of that name; None if it is not one."""
    if facts is None:
        return None
    try:
        request = _request(facts["request"])
        return MailboxEntry(
            ticket=Ticket(name=name, id=request.id, token=_text(facts["token"]), digest=digest_of(facts["request"])),
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
    return {"id": ticket.id, "token": ticket.token, "digest": ticket.digest, **reply}


def decode_answer(ticket: Ticket, facts: Mapping[str, Any] | None) -> Answer | None:
    """Read the answer to a request; None if it is invalid, or for another request."""
    if facts is None:
        return None
    try:
        known = hmac.compare_digest(_text(facts["token"]).encode(), ticket.token.encode())
        if not known or facts["id"] != ticket.id or facts["digest"] != ticket.digest:
            return None
        return Answer(choice=as_choice(facts["choice"]), by=_text(facts["by"]), reason=_text(facts["reason"]))
    except (KeyError, TypeError, ValueError):
        return None


def _request(facts: Mapping[str, Any]) -> ApprovalRequest:
    if not isinstance(facts["args"], dict):
        raise TypeError("arguments must be an object")
    texts: dict[str, Any] = {name: _text(facts[name]) for name in _TEXTS}
    return ApprovalRequest(
        **texts,
        args=facts["args"],
        findings=tuple(Finding(**{name: each[name] for name in _FINDING}) for each in facts["findings"]),
        defaults=frozenset(map(_text, facts["defaults"])),
    )


def _process(facts: Mapping[str, Any]) -> Process:
    if type(facts["pid"]) is not int:
        raise TypeError("a process id must be a number")
    return Process(facts["pid"], _text(facts["started"]), _text(facts["place"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not text")
    return value
