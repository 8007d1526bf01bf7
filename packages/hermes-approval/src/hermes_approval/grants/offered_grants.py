"""What a prompt can offer, and what an answer may bring: grants for what was asked, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from hermes_approval.grants.grant import REST, Grant, GrantRequest, Scope, new_id
from hermes_core import ApprovalRequest, Finding
from hermes_core.errors import ConfigError

_HOUR = 3600.0


def requests_for(
    findings: Iterable[Finding],
    *,
    tool: str,
    args: Mapping[str, Any],
    session_id: str,
    session_kind: str = "",
    source: str = "",
) -> tuple[GrantRequest, ...]:
    """What has to be granted before a call may run: one request for each rule that asks."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.severity == "ask":
            by_rule.setdefault(finding.rule, []).append(finding)
    return tuple(
        GrantRequest(
            tool=tool,
            rule=rule,
            args=args,
            session_id=session_id,
            session_kind=session_kind,
            source=source,
            bound=tuple(dict.fromkeys(fact for finding in found for fact in finding.bound)),
            once=next((finding.once for finding in found if finding.once), ""),
        )
        for rule, found in by_rule.items()
    )


def propose(
    request: GrantRequest, scope: Scope, *, session_id: str, by: str, now: float, expires: float | None = None
) -> Grant:
    """The grant that a yes would mean: this rule of this tool for exactly these arguments and these facts.

    Raises:
        ConfigError: only this one call can be approved: something it depends on is not known, or its arguments are not
            JSON, or more than a grant can hold.
    """
    if request.once:
        raise ConfigError(f"Only this call can be approved: {request.once}.", key=request.tool)
    return Grant(
        id=new_id(),
        tool=request.tool,
        rule=request.rule,
        args={name: {"equals": value} for name, value in request.args.items()},
        scope=scope,
        session=session_id,
        expires=expires,
        uses=1 if scope == "once" else None,
        by=by,
        at=now,
        source=request.source,
        bound=request.bound,
    )


def require_fitting(grants: Iterable[Grant], request: ApprovalRequest, scope: str, *, source: str = "") -> None:
    """Check that what an answer brought along allows the call that was asked about, for as long as was answered.

    Args:
        grants: What the answer brought.
        request: What was asked.
        scope: What was chosen: `session` or `always`.
        source: The plugin that the tool came from.

    Raises:
        ConfigError: one of them is for something else; `key` names the part.
    """
    asked = requests_for(
        request.findings, tool=request.tool, args=request.args, session_id=request.session_id, source=source
    )
    for grant in grants:
        wrong = _misfit(grant, request, scope, asked, source)
        if wrong:
            raise ConfigError(
                f"the grant of an answer is not for what was asked. It allows: {grant.describe()}.", key=wrong
            )


def _misfit(
    grant: Grant, request: ApprovalRequest, scope: str, asked: tuple[GrantRequest, ...], source: str
) -> str | None:
    """The part in which a grant is for something else than what was asked."""
    if grant.tool != request.tool:
        return "tool"
    if grant.source not in ("", source):
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
    """Smaller grants that can be offered in its place, each with what is said of it; times count from `grant.at`."""
    offers: list[tuple[str, dict[str, object]]] = [
        ("for one day", {"expires": grant.at + 24 * _HOUR}),
        ("for one hour", {"expires": grant.at + _HOUR}),
        ("in this session only", {"scope": "session"}),
        ("in this session, for one hour", {"scope": "session", "expires": grant.at + _HOUR}),
        ("for one use", {"uses": 1}),
        ("once", {"scope": "once", "uses": 1}),
    ]
    made = [("exactly these arguments", grant)] if _exact(grant) else []
    for label, changes in offers:
        try:
            smaller = grant.narrowed(**changes)  # type: ignore[arg-type]  # the values are right by their names above
        except ConfigError:  # it is smaller already, or has no session
            continue
        if not smaller.covers(grant):
            made.append((label, smaller))
    return made


def _exact(grant: Grant) -> bool:
    return all("equals" in pattern for pattern in grant.args.values())
