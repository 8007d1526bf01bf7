"""What a channel answers to a request for approval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from hermes_core.approval.finding import ApprovalRequest

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
