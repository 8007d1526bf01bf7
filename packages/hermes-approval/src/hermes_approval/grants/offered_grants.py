"""Grants for one request: those that a prompt offers, and the check of those that an answer brings."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hermes_approval.grants.grant import REST, Grant, GrantRequest, Scope, new_id
from hermes_core import ApprovalRequest, Finding
from hermes_core.errors import ConfigError

_HOUR = 3600.0


def requests_for(request: ApprovalRequest, findings: Iterable[Finding] | None = None) -> tuple[GrantRequest, ...]:
    """Return one grant request for each rule that asks, in all findings of a call or in the given ones."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in request.findings if findings is None else findings:
        if finding.severity == "ask":
            by_rule.setdefault(finding.rule, []).append(finding)
    return tuple(
        GrantRequest(
            tool=request.tool,
            rule=rule,
            args=request.args,
            session_id=request.session_id,
            session_kind=request.session_kind,
            source=request.source,
            bound=tuple(dict.fromkeys(fact for finding in found for fact in finding.bound)),
            once=next((finding.once for finding in found if finding.once), ""),
        )
        for rule, found in by_rule.items()
    )


def propose(request: ApprovalRequest, scope: str, *, by: str = "user") -> tuple[Grant, ...]:
    """Return the grants that a yes for the session or for always would store: one for each rule that asks.

    Raises:
        ConfigError: only this one call can be approved: an assessor failed, the call depends on something unknown, or
            its arguments do not fit into a grant.
    """
    if any(finding.unknown for finding in request.findings if finding.severity == "ask"):
        raise ConfigError("A call that no assessor could judge can only be approved once.", key=request.tool)
    lasting: Scope = "session" if scope == "session" else "always"
    return tuple(propose_grant(each, lasting, by=by, now=time.time()) for each in requests_for(request))


def propose_grant(request: GrantRequest, scope: Scope, *, by: str, now: float) -> Grant:
    """Return the grant for one rule of one tool, bound to exactly these arguments and facts.

    Raises:
        ConfigError: only this one call can be approved.
    """
    if request.once:
        raise ConfigError(f"Only this call can be approved: {request.once}.", key=request.tool)
    return Grant(
        id=new_id(),
        tool=request.tool,
        rule=request.rule,
        args={name: {"equals": value} for name, value in request.args.items()},
        scope=scope,
        session=request.session_id,
        uses=1 if scope == "once" else None,
        by=by,
        at=now,
        source=request.source,
        bound=request.bound,
    )


def require_fitting(grants: Iterable[Grant], request: ApprovalRequest, scope: str) -> None:
    """Check that the grants of an answer allow only the call that was asked about, for as long as was answered.

    Raises:
        ConfigError: a grant is for something else; `key` names the field.
    """
    asked = requests_for(request)
    for grant in grants:
        wrong = _misfit(grant, request, scope, asked)
        if wrong:
            raise ConfigError(
                f"the grant of an answer is not for the call that was asked about. It allows: {grant.describe()}.",
                key=wrong,
            )


def _misfit(grant: Grant, request: ApprovalRequest, scope: str, asked: tuple[GrantRequest, ...]) -> str | None:
    if grant.tool != request.tool:
        return "tool"
    if grant.source not in ("", request.source):
        return "source"
    if grant.scope != scope:
        return "scope"
    if scope == "session" and grant.session != request.session_id:
        return "session"
    call = next((each for each in asked if grant.rule in (each.rule, REST)), None)
    if call is None:
        return "rule"
    if not grant.live(time.time()):
        return "uses" if grant.uses_left == 0 else "expires"
    if not grant.holds_for(call):
        return "bound"
    return None if grant.matches(call, time.time()) else "args"


def narrowings(grant: Grant) -> list[tuple[str, Grant]]:
    """Return narrower grants to offer as well, each with a label. Times count from `grant.at`."""
    offers: list[tuple[str, dict[str, object]]] = [
        ("for one day", {"expires": grant.at + 24 * _HOUR}),
        ("for one hour", {"expires": grant.at + _HOUR}),
        ("in this session only", {"scope": "session"}),
        ("in this session, for one hour", {"scope": "session", "expires": grant.at + _HOUR}),
        ("for one use", {"uses": 1}),
        ("once", {"scope": "once", "uses": 1}),
    ]
    is_exact = all("equals" in pattern for pattern in grant.args.values())
    made = [("exactly these arguments", grant)] if is_exact else []
    for label, changes in offers:
        try:
            smaller = grant.narrowed(**changes)  # type: ignore[arg-type]  # each name has a value of its type
        except ConfigError:  # it already is as narrow, or has no session
            continue
        if not smaller.covers(grant):
            made.append((label, smaller))
    return made
