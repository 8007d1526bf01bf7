"""Stage 6 of a call that needs an approval: plugins waive findings, and approvers decide about the rest."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from time import monotonic

from hermes_core.calls.call import ToolCall
from hermes_core.calls.deadlines import DeadlineError
from hermes_core.calls.hooks import APPROVE, WAIVE, Hook, Hooks
from hermes_core.calls.policy import items_of
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.calls.session import Session
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import ToolDeniedError
from hermes_core.findings import UNATTENDED, ApprovalRequest, Decision, Finding, Outcome, Waiver
from hermes_core.logs import log
from hermes_schemas.defaults import find_default_values

_ROUNDS = 3  # attempts to collect waivers if a grant expires before it can be used
_MAX_ANSWERS = 10_000  # how many answers of approvers a host remembers
_INSIDE = (
    "A tool started this process, so calls in it cannot be approved. The user can run this in their own terminal, or "
    "allow it there first with 'hermes approvals add'"
)
_HINT = "Do not retry this call and do not try to reach the same end another way; tell the user what you need."
_MESSAGES = {
    "refused": "Refused: {tool} was not run, and this call can never be approved: {reason}.",
    "denied-by-policy": "Denied by policy: {tool} was not run: {reason}.",
    "denied-by-human": "Denied by the user: {tool} was not run: {reason}.",
    "timed-out": "Not approved in time: {tool} was not run. It needs approval: {reason}.",
    "no-approver": "Not approved: {tool} was not run. It needs approval, and no approver is available: {reason}.",
    "cancelled": "Cancelled: {tool} was not run: {reason}.",
}

Confirm = Callable[[], bool | Awaitable[bool]]
Opinion = dict[Finding, Waiver]
"""The waivers of one host's plugins."""

Waived = dict[Finding, list[Waiver]]
"""The waived findings, with the waiver of each host."""


def denied(tool: str, decision: Decision, *, missing: bool = False) -> ToolDeniedError:
    """Return the error for a call that may not run; `missing` is True when no plugin can approve calls."""
    reason = decision.reason.rstrip(". ") or "no reason was given"
    message = _MESSAGES[decision.outcome].format(tool=tool, reason=reason)
    if missing and decision.outcome == "no-approver":
        from hermes_core.families import install_command

        command = install_command("hermes-approval")
        message += f" No installed plugin asks for approvals; the user can install one: {command}."
    return ToolDeniedError(message, hint=_HINT, decision=decision.outcome)


class Approvals:
    """Decides about calls that need an approval. Waivers and approvers each have a deadline."""

    def __init__(self, hooks: Hooks, seconds: float) -> None:
        self._hooks = hooks
        self._seconds = seconds

    async def decide(self, call: ToolCall, findings: tuple[Finding, ...], runner: Runner) -> Decision:
        """Decide about a call: waivers first, then an approver. Without an answer, the call is denied."""
        request = _request(call, findings)
        waived: Waived = {}
        until = monotonic() + self._seconds
        for _ in range(_ROUNDS):
            waived = await self._collect(request, call.session, runner, until)
            decision = _by_waivers(request, waived)
            if decision is None:
                break
            confirms = {each.confirm: None for used in waived.values() for each in used if each.confirm is not None}
            if not confirms or await self._confirm(confirms, runner, until):
                return decision
        decision = _without_approver(request)
        if decision is not None:
            return decision
        # A waiver that needs confirmation does not count yet, so approvers also decide about its finding.
        settled = {each for each, used in waived.items() if all(waiver.confirm is None for waiver in used)}
        left = tuple(each for each in findings if each not in settled)
        defaults = find_default_values(call.tool.parameters, call.args) if call.tool else frozenset()
        asked = replace(request, findings=left, defaults=defaults) if settled or defaults else request
        decision = await self._ask(asked, call.session, runner)
        return replace(decision, findings=findings) if settled else decision

    async def foresee(self, call: ToolCall, findings: tuple[Finding, ...], runner: Runner) -> Decision | None:
        """Return the decision that would be made without an approver. Uses no grant and asks no model."""
        request = _request(call, findings)
        waived = await self._collect(request, call.session, runner, monotonic() + self._seconds)
        if any(inspect.iscoroutinefunction(waiver.confirm) for used in waived.values() for waiver in used):
            return None
        return _by_waivers(request, waived) or _without_approver(request)

    # -- waivers ---------------------------------------------------------------------------------------------

    async def _collect(self, request: ApprovalRequest, session: Session, runner: Runner, until: float) -> Waived:
        """Ask every host, the outermost first, and return the findings that are waived."""
        hooks = self._hooks
        opinions: dict[Hooks, Opinion | None] = dict.fromkeys(reversed(hooks.hosts))
        values = {"request": request, "session": session}
        for hook in hooks.of(WAIVE):
            try:
                given = hook.ask(values, runner, _left(until))
                answer = given if is_plain(given) else await given
                if answer is None:
                    continue
                waivers = items_of(answer, Waiver)
            except Exception as error:  # foreign code: a failed plugin waives nothing
                hook.report(error)
                waivers = []
            opinion = opinions[hook.owner]
            if opinion is None:
                opinion = opinions[hook.owner] = {}
            for waiver in waivers:
                if waiver.confirm is None or waiver.finding not in opinion:
                    opinion[waiver.finding] = waiver
        return self._combine(request, opinions) if any(opinions.values()) else {}

    def _combine(self, request: ApprovalRequest, opinions: Mapping[Hooks, Opinion | None]) -> Waived:
        held = [opinion for opinion in opinions.values() if opinion is not None]
        is_held_above = opinions[self._hooks.hosts[-1]] is not None
        waived: Waived = {}
        for finding in _asking(request.findings):
            waivers = [waiver for opinion in held if (waiver := opinion.get(finding)) is not None]
            # The outermost host must waive it, and every host below must waive it or have no opinion.
            if is_held_above and len(waivers) == len(held):
                waived[finding] = waivers
                continue
            # What an approver of a host has allowed for longer is waived for that host and its children.
            for host, opinion in opinions.items():
                waiver = None if opinion is None else opinion.get(finding)
                if waiver is not None and waiver.answered and self._is_answered(host, request, finding):
                    waived[finding] = [waiver]
                    break
        return waived

    def _is_answered(self, host: Hooks, request: ApprovalRequest, finding: Finding) -> bool:
        """Return True when a host's own plugin may confirm that the host's approver has answered a finding.

        If no approver of a host above would be asked, the host's own approver decides. Otherwise the approver must have
        answered exactly this call, because a host above may deny other calls.
        """
        hosts = self._hooks.hosts
        above = hosts[hosts.index(host) + 1 :]
        if _without_approver(request) is None and not any(hook.owner in above for hook in self._hooks.of(APPROVE)):
            return True
        return any(_answer_key(request, finding, session) in host.answered for session in ("", request.session_id))

    async def _confirm(self, confirms: Iterable[Confirm], runner: Runner, until: float) -> bool:
        """Use each grant once. Checks that take time run first, so that their denial uses no grant."""
        for confirm in sorted(confirms, key=inspect.iscoroutinefunction, reverse=True):
            callee = Callee(confirm, is_async=inspect.iscoroutinefunction(confirm), exact=True, grace=False)
            try:
                if await runner.run(callee, (), {}, _left(until)) is not True:
                    return False
            except Exception as error:  # foreign code: a failed confirmation waives nothing
                log.warning("A waiver could not be confirmed: %s", error)
                return False
        return True

    # -- approvers -------------------------------------------------------------------------------------------

    async def _ask(self, request: ApprovalRequest, session: Session, runner: Runner) -> Decision:
        """Return the first decision of an approver and notify observers. Without a decision, the call is denied."""
        hooks = self._hooks
        values = {"request": request, "session": session, "own": False}
        try:
            decision, hook = await self._first_answer(request, runner)
        except BaseException as error:  # cancelled or interrupted: let observers close their prompts
            if not isinstance(error, GeneratorExit):  # a coroutine that is being closed cannot wait
                values["decision"] = _not_allowed("cancelled", request, by="caller")
                await hooks.observe_to_the_end(hooks.of("hermes_approval_resolved"), values, runner)
            raise
        if hook is not None and decision.allowed and (decision.grants or decision.lasts != "once"):
            _record_answer(hook.owner, request, decision)
        values["decision"] = decision
        # Storing a grant may have to wait for a file, so observers get the same time as approvers.
        observers = hooks.of("hermes_approval_resolved")
        await hooks.observe(observers, values, runner, seconds=self._seconds, decider=hook)
        return decision

    async def _first_answer(self, request: ApprovalRequest, runner: Runner) -> tuple[Decision, Hook | None]:
        until = monotonic() + self._seconds
        for hook in self._hooks.of(APPROVE):
            try:
                answer = await runner.run(hook.callee, hook.pick({"request": request}), {}, _left(until))
            except DeadlineError:
                return _not_allowed("timed-out", request, by=hook.plugin), hook
            except Exception as error:  # foreign code: a failed approver has not approved
                hook.report(error)
                continue
            if isinstance(answer, Decision):
                return answer, hook
            if answer is not None:
                hook.report(TypeError(f"it returned a {type(answer).__name__} instead of a Decision or None"))
        return _not_allowed("no-approver", request), None


def _left(until: float) -> float:
    return max(until - monotonic(), 0.0)


def _request(call: ToolCall, findings: tuple[Finding, ...]) -> ApprovalRequest:
    tool = call.current_tool
    return ApprovalRequest(
        id=f"ask-{os.urandom(8).hex()}",  # models reuse the ids of calls in every conversation
        call_id=call.id,
        tool=call.current_name,
        toolset=tool.toolset if tool else "",
        args=call.args,
        findings=findings,
        session_id=call.session.id,
        session_kind=call.session_kind,
        origin=call.given_origin,
        source=call.source,
        effects=tool.effects if tool else frozenset(),
    )


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def _asking(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "ask"]


def _by_waivers(request: ApprovalRequest, waived: Waived) -> Decision | None:
    """Allow a call if all of its findings are waived; None otherwise."""
    if len(waived) < len(_asking(request.findings)):
        return None
    first = [used[0] for used in waived.values()]
    if len(first) == 1:
        by, reason = first[0].by, first[0].reason
    else:
        by = ", ".join({waiver.by: None for waiver in first})
        reason = "; ".join({waiver.reason: None for waiver in first if waiver.reason})
    return Decision(outcome="allowed", by=by, reason=reason, findings=request.findings)


def _without_approver(request: ApprovalRequest) -> Decision | None:
    """Return the decision where no approver may be asked: in cron jobs and in processes started by tools."""
    if request.session_kind == UNATTENDED:
        return _not_allowed("no-approver", request, by=f"session kind {UNATTENDED}")
    if tool_session() is None:
        return None
    return _not_allowed("denied-by-policy", request, "tool session", f"{request.reason.rstrip('. ')}. {_INSIDE}")


def _not_allowed(outcome: Outcome, request: ApprovalRequest, by: str = "", reason: str = "") -> Decision:
    return Decision(outcome=outcome, reason=reason or request.reason, by=by, findings=request.findings)


def _record_answer(host: Hooks, request: ApprovalRequest, decision: Decision) -> None:
    """Remember the call that an approver of a host has allowed for longer, with the session if that matters."""
    always = decision.lasts == "always" or any(getattr(each, "scope", "") == "always" for each in decision.grants)
    for finding in _asking(request.findings):
        host.answered[_answer_key(request, finding, "" if always else request.session_id)] = None
    for key in list(host.answered)[:-_MAX_ANSWERS]:
        host.answered.pop(key, None)


def _answer_key(request: ApprovalRequest, finding: Finding, session: str) -> tuple[object, ...]:
    return request.tool, _as_json(request.args), session, finding
