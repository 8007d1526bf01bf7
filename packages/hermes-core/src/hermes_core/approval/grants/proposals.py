"""What a prompt can offer: a grant for exactly what was asked, and ways to make it smaller."""

from __future__ import annotations

from hermes_core.approval.grants.grant import Grant, GrantRequest, Scope, new_id
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
    )


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
