"""The answer of a channel to a request for approval."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, cast, get_args

from hermes_core import ApprovalRequest, Decision

Choice = Literal["once", "session", "always", "deny"]
CHOICES: tuple[str, ...] = get_args(Choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A decision about one request, and who made it.

    Attributes:
        choice: `once` for exactly this call, `session` and `always` for everything the grant covers, or `deny`.
        by: Who decided.
        grant: The grant, or the grants, that `session` and `always` create, if the channel showed any.
        reason: Why, as text for people.
    """

    choice: Choice
    by: str
    grant: object | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        as_choice(self.choice)

    @property
    def allowed(self) -> bool:
        """True if the call may run."""
        return self.choice != "deny"

    def as_decision(self, request: ApprovalRequest) -> Decision:
        """Return the decision with the grants of the answer.

        Raises:
            TypeError: `grant` is not a grant.
            ConfigError: a grant does not fit the request.
        """
        if self.choice == "deny":
            reason = self.reason or request.reason
            return Decision(outcome="denied-by-human", reason=reason, by=self.by, findings=request.findings)
        grants = () if self.choice == "once" else self._grants(request)
        return Decision(
            outcome="allowed",
            reason=self.reason,
            by=self.by,
            findings=request.findings,
            lasts=self.choice,
            grants=grants,
        )

    def _grants(self, request: ApprovalRequest) -> tuple[object, ...]:
        from hermes_approval.grants.grant import Grant
        from hermes_approval.grants.offered_grants import require_fitting

        grants = tuple(self.grant) if isinstance(self.grant, tuple | list) else (self.grant,)
        if grants == (None,) and self.grant is None:
            return ()
        for each in grants:
            if not isinstance(each, Grant):
                raise TypeError(f"an answer carries grants, not a {type(each).__name__}")
        require_fitting(grants, request, self.choice)
        return grants


def as_choice(word: object) -> Choice:
    """Check a choice from outside; raise `ValueError` if it is not one."""
    if isinstance(word, str) and word in CHOICES:
        return cast("Choice", word)
    raise ValueError(f"{word!r} is not an answer; use one of {', '.join(CHOICES)}")


def must_be_askable(request: ApprovalRequest) -> None:
    """Raise `ValueError` for a refused call, which no one may approve."""
    refused = [finding.rule for finding in request.findings if finding.severity == "refuse"]
    if refused:
        raise ValueError(f"{request.tool} is refused by {', '.join(refused)}: no one can approve it")


def login_name() -> str:
    """Return the name of the user that this process runs as."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as a user without a name
        return f"uid {os.getuid()}"


def signed(place: str) -> str:
    """Return who answers, and where."""
    return f"{login_name()} ({place})"
