"""Weighs everything that was said about a call: the strictest word wins, whatever the order."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_core.approval.finding import Decision, Finding
from hermes_core.errors import ToolDeniedError

APPROVAL = "hermes-approval"
"""Our distribution with approvers, rules and grants."""

ALLOWED = Decision(outcome="allowed")
_NO_WAY_AROUND = "Do not retry this call and do not try to reach the same end another way; tell the user what you need."


@dataclass(frozen=True, slots=True)
class Denial:
    """A policy hook's no.

    Attributes:
        by: The rule that denies the call, or the plugin whose hook does.
        reason: Why.
    """

    by: str
    reason: str


def weigh(denials: list[Denial], findings: tuple[Finding, ...]) -> Decision | None:
    """The decision that needs nobody: refused, denied or allowed. None means that somebody has to be asked."""
    if not denials and not findings:
        return ALLOWED
    refusals = [finding for finding in findings if finding.severity == "refuse"]
    if refusals:
        reason = "; ".join(finding.reason for finding in refusals)
        return Decision(outcome="refused", reason=reason, by=refusals[0].rule, findings=findings)
    if denials:
        reason = "; ".join(denial.reason for denial in denials)
        return Decision(outcome="denied-by-policy", reason=reason, by=denials[0].by, findings=findings)
    if any(finding.severity == "ask" for finding in findings):
        return None
    return Decision(outcome="allowed", findings=findings) if findings else ALLOWED


def denied(tool: str, decision: Decision, *, missing: bool = False) -> ToolDeniedError:
    """What the model is told about a call that may not run.

    Args:
        tool: The tool's name.
        decision: What was decided.
        missing: Whether no plugin can approve calls in this host.
    """
    reason = decision.reason.rstrip(". ") or "no reason was given"
    said = {
        "refused": f"Refused: {tool} was not run, and nobody can approve it: {reason}.",
        "denied-by-policy": f"Denied by policy: {tool} was not run: {reason}.",
        "denied-by-human": f"Denied by the user: {tool} was not run: {reason}.",
        "timed-out": f"Not approved in time: {tool} was not run, because nobody answered. It needs approval: {reason}.",
        "no-approver": f"Not approved: {tool} was not run, because it needs approval and nobody is there to give it: "
        f"{reason}.",
        "cancelled": f"Cancelled: {tool} was not run: {reason}.",
    }
    message = said.get(decision.outcome, f"Denied: {tool} was not run: {reason}.")
    if missing and decision.outcome == "no-approver":
        from hermes_core.families import install_command

        message += f" No plugin here asks for approvals; the user can install one: {install_command(APPROVAL)}."
    return ToolDeniedError(message, hint=_NO_WAY_AROUND, decision=decision.outcome)
