"""What a call would do, what hooks answer about it, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from hermes_core.errors import ToolDefinitionError

Severity = Literal["refuse", "ask", "note"]
Outcome = Literal["allowed", "denied-by-human", "denied-by-policy", "refused", "timed-out", "no-approver", "cancelled"]
_SEVERITIES = ("refuse", "ask", "note")
_OUTCOMES = get_args(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a call would do and somebody might mind.

    Attributes:
        rule: A stable id, such as `delete.recursive`.
        severity: `refuse` never runs, `ask` needs an approval, `note` is for the record.
        reason: One sentence for a human.
        effects: What it would do, in the words of tool effects.
        span: The exact part of the arguments that is meant.
    """

    rule: str
    severity: Severity
    reason: str
    effects: frozenset[str] = frozenset()
    span: str = ""

    def __post_init__(self) -> None:
        if self.severity not in _SEVERITIES:
            raise ToolDefinitionError(
                self.rule, f"{self.severity!r} is not a severity.", remedy="Use 'refuse', 'ask' or 'note'."
            )
        if not isinstance(self.effects, frozenset):
            object.__setattr__(self, "effects", frozenset(self.effects))


@dataclass(frozen=True, slots=True)
class Allow:
    """A hook's answer: nothing against it. The same as None."""


@dataclass(frozen=True, slots=True)
class Deny:
    """A hook's answer: this call must not run."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A hook's answer: let somebody decide."""

    reason: str
    rule: str = "policy.ask"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A hook's answer: run it with these arguments instead. They are validated again."""

    args: Mapping[str, Any]
    reason: str = ""


HookAnswer = Allow | Deny | Ask | Rewrite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What an approver is asked: may this one call run?"""

    id: str
    tool: str
    toolset: str
    args: Mapping[str, Any]
    findings: tuple[Finding, ...]
    session_id: str
    session_kind: str

    @property
    def reason(self) -> str:
        """Every reason for asking, in one line."""
        return "; ".join(finding.reason for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided about one call, by whom and why.

    Attributes:
        outcome: What may happen.
        reason: Why.
        by: The rule, plugin, grant or person that decided.
        findings: What was known about the call.
        grants: What the answer allows beyond this one call, to be kept.
    """

    outcome: Outcome
    reason: str = ""
    by: str = ""
    findings: tuple[Finding, ...] = field(default=())
    grants: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in _OUTCOMES:
            raise ToolDefinitionError(
                self.by or "?", f"{self.outcome!r} is not a decision.", remedy=f"Use one of {', '.join(_OUTCOMES)}."
            )

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.outcome == "allowed"


def as_findings(answer: object) -> tuple[Finding, ...]:
    """What an assessor returned, as findings; raises `TypeError` for anything else."""
    if answer is None:
        return ()
    if isinstance(answer, Finding):
        return (answer,)
    if isinstance(answer, Iterable) and not isinstance(answer, str | bytes | Mapping):
        findings = tuple(answer)
        if all(isinstance(finding, Finding) for finding in findings):
            return findings
    raise TypeError(f"an assessor returns findings or None, not {type(answer).__name__}")
