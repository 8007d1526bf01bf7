"""What would become of a call: the same stages as in earnest, up to the point where somebody would be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_core.approval.finding import Decision, Finding
from hermes_core.approval.gate import Denial
from hermes_core.calls.judging import Answered
from hermes_core.errors import ToolError

if TYPE_CHECKING:
    from hermes_core.calls.call import ToolCall
    from hermes_core.calls.judging import Hearing


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What would become of a call.

    Attributes:
        tool: The tool's name; the name that was asked for when there is no such tool.
        args: The arguments as they would reach the tool: repaired, and as policies have rewritten them.
        repairs: What was repaired.
        problem: Why the call would end before anybody judged it; None when it would not.
        answers: What policy hooks, the tool itself and assessors said, in order.
        denials: What denies it, by hooks and by rules.
        findings: What somebody minds, also what a plugin waives.
        decision: What would be decided; None when somebody would be asked.
        approvers: The plugins that would be asked, in order.
    """

    tool: str
    args: Mapping[str, Any]
    repairs: tuple[str, ...] = ()
    problem: ToolError | None = None
    answers: tuple[Answered, ...] = ()
    denials: tuple[Denial, ...] = field(default=())
    findings: tuple[Finding, ...] = ()
    decision: Decision | None = None
    approvers: tuple[str, ...] = ()


def rehearsal_of(
    call: ToolCall,
    problem: ToolError | None,
    heard: Hearing | None,
    decision: Decision | None,
    approvers: tuple[str, ...],
) -> Rehearsal:
    """What was found out about a call that is not run. No grant is used up, and nobody is asked."""
    told: dict[str, Any] = {
        "tool": str(call.name),
        "args": call.args,
        "repairs": tuple(str(repair) for repair in call.repairs),
        "problem": problem,
    }
    if heard is None:
        return Rehearsal(**told)
    return Rehearsal(
        **told,
        answers=tuple(heard.answers or ()),
        denials=tuple(heard.denials),
        findings=heard.findings,
        decision=decision,
        approvers=approvers,
    )
