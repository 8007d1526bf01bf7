"""What a channel answers to a request for approval."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, cast, get_args

from hermes_core import ApprovalRequest, Decision

Choice = Literal["once", "session", "always", "deny"]
CHOICES: tuple[str, ...] = get_args(Choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What somebody decided about one request, and who it was.

    Attributes:
        choice: `once` for exactly this call, `session` and `always` for what the grant covers, or `deny`.
        by: Who decided.
        grant: The exact grant that `session` and `always` create, where the channel showed one.
        reason: Why, in words for a human.
    """

    choice: Choice
    by: str
    grant: object | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        as_choice(self.choice)

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.choice != "deny"

    def as_decision(self, request: ApprovalRequest) -> Decision:
        """Return the decision that the answer means, with the grants that it brings.

        Raises:
            TypeError: what it brings is no grant.
            ConfigError: it is a grant for something else.
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
        """Return the grants that the answer brings: for what was asked, and for nothing else."""
        from hermes_approval.grants.grant import Grant
        from hermes_approval.grants.offered_grants import require_fitting

        grants = tuple(self.grant) if isinstance(self.grant, tuple | list) else (self.grant,)
        if grants == (None,) and self.grant is None:
            return ()
        for each in grants:
            if not isinstance(each, Grant):
                raise TypeError(f"an answer carries grants, not a {type(each).__name__}")
        require_fitting(grants, request, self.choice, source=request.source)
        return grants


def as_choice(word: object) -> Choice:
    """A choice as it came from outside; raises `ValueError` for anything else."""
    if isinstance(word, str) and word in CHOICES:
        return cast("Choice", word)
    raise ValueError(f"{word!r} is not an answer; use one of {', '.join(CHOICES)}")


def must_be_askable(request: ApprovalRequest) -> None:
    """Raise `ValueError` for a request that nobody may approve: the gate should never have asked."""
    refused = [finding.rule for finding in request.findings if finding.severity == "refuse"]
    if refused:
        raise ValueError(f"{request.tool} is refused by {', '.join(refused)}: nobody can approve it")


def login_name() -> str:
    """The name of the user that this process runs as."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as a user without a name
        return f"uid {os.getuid()}"


def signed(place: str) -> str:
    """Who answers, and where."""
    return f"{login_name()} ({place})"
