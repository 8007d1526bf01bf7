"""Asks whoever can approve a call, under one deadline for all of them."""

from __future__ import annotations

import os
from time import monotonic

from hermes_core.approval.authority import Authority, asked
from hermes_core.approval.finding import ApprovalRequest, Decision, Finding
from hermes_core.calls.call import ToolCall
from hermes_core.calls.deadlines import Late
from hermes_core.calls.hooks import Hook, Hooks, report
from hermes_core.calls.runner import Callee, Runner
from hermes_core.calls.session import Session
from hermes_core.logs import log


async def decide(
    hooks: Hooks,
    authority: Authority,
    call: ToolCall,
    findings: tuple[Finding, ...],
    runner: Runner,
    seconds: float,
) -> Decision:
    """What is decided about a call that needs an approval: by settings, by grants, or by somebody who is asked."""
    decision = authority.settled(call, findings)
    if decision is None and authority.has_grants:
        # Grants may lie in a file that others write, too: reading it belongs in a thread.
        by_grant = Callee(authority.by_grant, is_async=False, exact=True)
        try:
            decision = await runner.run(by_grant, (call, findings), {}, seconds)
        except Late:
            decision = None
    if decision is None:
        decision = authority.without_anybody(call, findings)
    if decision is not None:
        return decision
    request = _request(call, findings)
    decision, hook = await request_approval(hooks, request, call._session, runner, seconds)
    if decision.allowed and decision.grants:
        keep = Callee(authority.remember, is_async=False, exact=True)
        above = hooks.height_of(hook) if hook is not None else 0
        try:
            await runner.run(keep, (request, decision.grants), {"above": above}, seconds)
        except Late as late:  # this call was approved all the same
            log.warning("Keeping what was granted takes long: %s", late)
    return decision


def _request(call: ToolCall, findings: tuple[Finding, ...]) -> ApprovalRequest:
    return ApprovalRequest(
        id=f"ask-{os.urandom(8).hex()}",  # a model counts its calls from zero in every conversation
        call_id=call.id,
        tool=call.name,
        toolset=call.tool.toolset if call.tool else "",
        args=call.args,
        findings=findings,
        session_id=call.session_id,
        session_kind=call.session_kind,
        origin=call.origin,
        source=call.source,
        effects=call.tool.effects if call.tool else frozenset(),
    )


async def request_approval(
    hooks: Hooks, request: ApprovalRequest, session: Session, runner: Runner, seconds: float
) -> tuple[Decision, Hook | None]:
    """The first decision that an approver gives, and who gave it; without one the answer is no."""
    findings = request.findings
    reason = "; ".join(finding.reason for finding in asked(findings))
    try:
        decision, hook = await _first_answer(hooks, request, runner, seconds, reason)
    except BaseException as error:  # cancelled, or interrupted: whoever still shows the question can put it away
        if not isinstance(error, GeneratorExit):  # a coroutine that is being closed cannot wait for anybody
            gone = Decision(outcome="cancelled", reason=reason, by="caller", findings=findings)
            values = {"request": request, "decision": gone, "session": session, "own": False}
            await hooks.observe_to_the_end("hermes_approval_resolved", values, runner)
        raise
    values = {"request": request, "decision": decision, "session": session, "own": False}
    await hooks.observe("hermes_approval_resolved", values, runner, decider=hook)
    return decision, hook


async def _first_answer(
    hooks: Hooks, request: ApprovalRequest, runner: Runner, seconds: float, reason: str
) -> tuple[Decision, Hook | None]:
    until = monotonic() + seconds
    for hook in hooks.of("hermes_request_approval"):
        # An approver waits for a human: its time is the approval's, and it always gets a thread to wait in.
        patient = Callee(
            hook.callee.function,
            is_async=hook.callee.is_async,
            exact=True,
            bridge=hook.callee.bridge,
            patient=True,
            grace=False,
        )
        left = max(until - monotonic(), 0.0)
        try:
            answer = await runner.run(patient, hook.pick({"request": request}), {}, left)
        except Late:
            return Decision(outcome="timed-out", reason=reason, by=hook.plugin, findings=request.findings), hook
        except Exception as error:  # foreign code: an approver that fails has not approved
            report(hook, error)
            continue
        if isinstance(answer, Decision):
            return answer, hook
        if answer is not None:
            report(hook, TypeError(f"it returned a {type(answer).__name__} instead of a Decision or None"))
    return Decision(outcome="no-approver", reason=reason, findings=request.findings), None
