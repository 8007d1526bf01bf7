"""Decides about a call that needs an approval: plugins may waive findings, approvers are asked about the rest."""

from __future__ import annotations

import inspect
import os
from dataclasses import replace
from time import monotonic
from typing import Any

from hermes_core.approval.finding import UNATTENDED, ApprovalRequest, Decision, Finding, Waiver
from hermes_core.approval.waivers import Opinion, as_waivers, asked, combine
from hermes_core.calls.call import ToolCall
from hermes_core.calls.deadlines import Late
from hermes_core.calls.hooks import LATER, Hook, Hooks, report
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.calls.session import Session
from hermes_core.config.tool_session import tool_session
from hermes_core.logs import log

_ROUNDS = 3
"""How often waivers are collected, when the last use of a grant is gone by the time that it is taken."""

_INSIDE = (
    "A tool started this process, so nobody can approve calls in it. The user can run this in their own terminal, or "
    "allow it there first with 'hermes approvals add'"
)

Waived = dict[Finding, tuple[Waiver, ...]]


class Approvals:
    """Decides about calls of one host that need an approval.

    Args:
        hooks: The host's hooks, and those of the hosts above.
        seconds: How long waivers, and then approvers, are waited for.
    """

    def __init__(self, hooks: Hooks, seconds: float) -> None:
        self._hooks = hooks
        self._seconds = seconds

    async def decide(self, call: ToolCall, findings: tuple[Finding, ...], runner: Runner) -> Decision:
        """Decide about a call: by waivers, or by an approver about what they leave open. No answer is a no."""
        request = _request(call, findings)
        waived: Waived = {}
        if self._hooks.levels:
            until = monotonic() + self._seconds
            for _ in range(_ROUNDS):
                waived = await self._collect(request, call._session, runner, until)
                decision = _by_waivers(request, waived)
                if decision is None:
                    break
                if await self._confirm(waived, runner, until):
                    return decision
        decision = _without_approver(request)
        if decision is not None:
            return decision
        # What a waiver has to confirm is not waived yet: approvers are asked about it, too.
        settled = {each for each, used in waived.items() if all(waiver.confirm is None for waiver in used)}
        if settled:
            request = replace(request, findings=tuple(each for each in findings if each not in settled))
        decision = await self._request(request, call._session, runner)
        return replace(decision, findings=findings) if settled else decision

    async def foresee(self, call: ToolCall, findings: tuple[Finding, ...], runner: Runner) -> Decision | None:
        """Return the decision that would be made without an approver. No grant is used, and no model is asked."""
        request = _request(call, findings)
        waived = await self._collect(request, call._session, runner, monotonic() + self._seconds)
        if any(inspect.iscoroutinefunction(waiver.confirm) for used in waived.values() for waiver in used):
            return None
        return _by_waivers(request, waived) or _without_approver(request)

    # -- waivers ---------------------------------------------------------------------------------------------

    async def _collect(self, request: ApprovalRequest, session: Session, runner: Runner, until: float) -> Waived:
        """Return what is waived after every host was asked, the outermost first."""
        findings = asked(request.findings)
        values = {"request": request, "session": session}
        opinions = [
            await self._opinion(level, findings, values, runner, until) if level else None
            for level in self._hooks.levels
        ]

        def is_answered(position: int, finding: Finding) -> bool:
            return self._hooks.is_answered(len(opinions) - 1 - position, request, finding)

        return combine(findings, opinions, is_answered) if opinions else {}

    async def _opinion(
        self,
        level: tuple[Hook, ...],
        findings: tuple[Finding, ...],
        values: dict[str, Any],
        runner: Runner,
        until: float,
    ) -> Opinion:
        """Return what the plugins of one host waive. One that fails has an opinion: it waives nothing."""
        found: dict[Finding, Waiver] | None = None
        for hook in level:
            left = max(until - monotonic(), 0.0)
            try:
                answer = hook.now(values, left) if runner.in_place() else LATER
                if answer is LATER:
                    answer = await hook.ask(values, runner, left)
                elif not is_plain(answer):
                    answer = await runner.hear(answer, left)
                if answer is None:
                    continue
                waivers = as_waivers(answer, findings)
            except Exception as error:  # foreign code: a plugin that cannot answer waives nothing
                report(hook, error)
                waivers = {}
            found = found or {}
            for finding, waiver in waivers.items():
                if finding not in found or waiver.confirm is None:
                    found[finding] = waiver
        return found

    async def _confirm(self, waived: Waived, runner: Runner, until: float) -> bool:
        """Take one use of each grant. A model, or whatever else takes time, is asked first: its no costs no use."""
        confirms = dict.fromkeys(each.confirm for used in waived.values() for each in used if each.confirm is not None)
        for confirm in sorted(confirms, key=inspect.iscoroutinefunction, reverse=True):
            callee = Callee(confirm, is_async=inspect.iscoroutinefunction(confirm), exact=True, grace=False)
            try:
                if await runner.run(callee, (), {}, max(until - monotonic(), 0.0)) is not True:
                    return False
            except Exception as error:  # foreign code: what cannot be confirmed is not waived
                log.warning("A waiver could not be confirmed: %s", error)
                return False
        return True

    # -- approvers -------------------------------------------------------------------------------------------

    async def _request(self, request: ApprovalRequest, session: Session, runner: Runner) -> Decision:
        """Return the first decision that an approver gives, and tell everyone; without one the answer is no."""
        hooks = self._hooks
        values = {"request": request, "session": session, "own": False}
        try:
            decision, hook = await self._first_answer(request, runner)
        except BaseException as error:  # cancelled, or interrupted: whoever still shows the question can put it away
            if not isinstance(error, GeneratorExit):  # a coroutine that is being closed cannot wait for anybody
                gone = Decision(outcome="cancelled", reason=_reason(request), by="caller", findings=request.findings)
                await hooks.observe_to_the_end("hermes_approval_resolved", {**values, "decision": gone}, runner)
            raise
        if hook is not None and decision.allowed and (decision.grants or decision.lasts != "once"):
            hooks.record_answer(hook, request, decision)
        # Storing what was granted may have to wait for a file, as an approver waits for people.
        await hooks.observe(
            "hermes_approval_resolved", {**values, "decision": decision}, runner, seconds=self._seconds, decider=hook
        )
        return decision

    async def _first_answer(self, request: ApprovalRequest, runner: Runner) -> tuple[Decision, Hook | None]:
        until = monotonic() + self._seconds
        for hook in self._hooks.of("hermes_request_approval"):
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
                late = Decision(outcome="timed-out", reason=_reason(request), by=hook.plugin, findings=request.findings)
                return late, hook
            except Exception as error:  # foreign code: an approver that fails has not approved
                report(hook, error)
                continue
            if isinstance(answer, Decision):
                return answer, hook
            if answer is not None:
                report(hook, TypeError(f"it returned a {type(answer).__name__} instead of a Decision or None"))
        return Decision(outcome="no-approver", reason=_reason(request), findings=request.findings), None


def _request(call: ToolCall, findings: tuple[Finding, ...]) -> ApprovalRequest:
    tool = call.tool
    return ApprovalRequest(
        id=f"ask-{os.urandom(8).hex()}",  # a model counts its calls from zero in every conversation
        call_id=call.id,
        tool=call.name,
        toolset=tool.toolset if tool else "",
        args=call.args,
        findings=findings,
        session_id=call.session_id,
        session_kind=call.session_kind,
        origin=call.origin,
        source=call.source,
        effects=tool.effects if tool else frozenset(),
    )


def _by_waivers(request: ApprovalRequest, waived: Waived) -> Decision | None:
    """Return the decision to run a call of which every finding is waived; None when one is not."""
    if len(waived) < len(set(asked(request.findings))):
        return None
    first = [used[0] for used in waived.values()]
    return Decision(
        outcome="allowed",
        by=", ".join(dict.fromkeys(waiver.by for waiver in first)),
        reason="; ".join(dict.fromkeys(waiver.reason for waiver in first if waiver.reason)),
        findings=request.findings,
    )


def _without_approver(request: ApprovalRequest) -> Decision | None:
    """Return the decision where nobody may be asked: in cron jobs, and in processes that tools started."""
    if request.session_kind == UNATTENDED:
        by = f"session kind {UNATTENDED}"
        return Decision(outcome="no-approver", reason=_reason(request), by=by, findings=request.findings)
    if tool_session() is None:
        return None
    reason = "; ".join(finding.reason.rstrip(". ") for finding in asked(request.findings))
    return Decision(
        outcome="denied-by-policy", reason=f"{reason}. {_INSIDE}", by="tool session", findings=request.findings
    )


def _reason(request: ApprovalRequest) -> str:
    return "; ".join(finding.reason for finding in asked(request.findings))
