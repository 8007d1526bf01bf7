"""What a prompt can offer, and what an answer may bring: grants for what was asked, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hermes_core.approval.finding import ApprovalRequest
from hermes_core.approval.grants.grant import REST, Grant, GrantRequest, Scope, new_id
from hermes_core.errors import ConfigError

_HOUR = 3600.0


def propose(
    request: GrantRequest, scope: Scope, *, session_id: str, by: str, now: float, expires: float | None = None
) -> Grant:
    """The grant that a yes would mean: this rule of this tool for exactly these arguments.

    Raises:
        ConfigError: the arguments are not JSON, or more than a grant can hold; approve the one call without a grant.
    """
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
    asked = [finding.rule for finding in request.findings if finding.severity == "ask"]
    for grant in grants:
        wrong = _misfit(grant, request, scope, asked, source)
        if wrong:
            raise ConfigError(
                f"the grant of an answer is not for what was asked. It allows: {grant.describe()}.", key=wrong
            )


def _misfit(grant: Grant, request: ApprovalRequest, scope: str, asked: list[str], source: str) -> str | None:
    """The part in which a grant is for something else than what was asked."""
    if grant.tool != request.tool:
        return "tool"
    if grant.source not in ("", source):
        return "source"
    if grant.scope != scope:
        return "scope"
    if scope == "session" and grant.session != request.session_id:
        return "session"
    rule = next((rule for rule in asked if grant.rule in (rule, REST)), None)
    if rule is None:
        return "rule"
    if not grant.live(time.time()):
        return "uses" if grant.uses_left == 0 else "expires"
    call = GrantRequest(tool=request.tool, rule=rule, args=request.args, session_id=request.session_id, source=source)
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
