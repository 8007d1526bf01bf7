"""The hooks of one host: what its rules, its mode and its grants say about a call, and who is asked."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from hermes_approval.grants.host_grants import HostGrants
from hermes_approval.settings import ApprovalSettings
from hermes_core import ApprovalRequest, Decision, Deny, Finding, PluginError, Waiver, hookimpl
from hermes_core.approvers import ApplicationApprover

if TYPE_CHECKING:
    from hermes_approval.channels.terminal_approver import TerminalPrompt
    from hermes_approval.grants.grant import Grant
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.policy.ruleset import RuleSet, Verdicts
    from hermes_core import Hermes, Session, ToolCall

UNATTENDED = "cron"
"""The session kind without anyone to ask: there `approvals.cron_mode` decides, and no other mode."""

TERMINAL = "terminal"
"""The approver that asks the user at the terminal."""

_MAX_DENIED = 1000
"""How many requests that a model did not allow are remembered until an approver has answered them."""


class HostApproval:
    """Rules, grants and mode of one host.

    Without any of them, it leaves all decisions to the parent host.
    """

    @classmethod
    def of(cls, hermes: Hermes) -> HostApproval:
        """Return the approval of a host.

        Raises:
            PluginError: the host has none.
        """
        from hermes_core.inspection import find_plugin

        found = find_plugin(hermes, cls)
        if found is None:
            raise PluginError("this host has no approval plugin.", remedy="Use Hermes.load(), or add Approval().")
        return found

    def __init__(
        self,
        settings: ApprovalSettings | None = None,
        ruleset: RuleSet | None = None,
        grants: GrantSet | Callable[[], GrantSet] | None = None,
        approver: Any = None,
    ) -> None:
        self.settings = settings or ApprovalSettings()
        self.ruleset = ruleset
        self._grants = HostGrants(grants)
        self._judged = threading.local()
        self._has_opinion = bool(self.settings.explicit or (ruleset and ruleset.rules) or grants is not None)
        self._prompt: TerminalPrompt | None = None
        self._application: ApplicationApprover | None = None
        if approver == TERMINAL:
            from hermes_approval.channels.terminal_approver import TerminalPrompt

            self._prompt = TerminalPrompt(self)
        elif approver is not None:
            self._application = ApplicationApprover(approver)

    @property
    def grants(self) -> GrantSet:
        """The calls that were approved before."""
        return self._grants.all

    def judge(self, about: ToolCall | ApprovalRequest) -> Verdicts:
        """Return what the rules say about a call. A call is judged once, however many hooks ask."""
        assert self.ruleset is not None
        judged = self._judged
        if getattr(judged, "args", None) is not about.args:
            judged.verdicts = self.ruleset.judge(about)
            judged.args = about.args
        verdicts: Verdicts = judged.verdicts
        return verdicts

    # -- without an approver ---------------------------------------------------------------------------------

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest, session: Session) -> list[Waiver] | None:
        """Waive the findings that a rule, the mode or a grant answers."""
        waivers: list[Waiver] = []
        left: list[Finding] = []
        verdicts = self.judge(request) if self.ruleset is not None and self.ruleset.lifts else None
        by_mode = self._by_mode(request)
        for finding in request.findings:
            if finding.severity != "ask":
                continue
            rule = verdicts.lifted_by(finding) if verdicts is not None else None
            if rule is not None:
                waivers.append(Waiver(finding=finding, by=rule.id, reason=rule.reason))
            elif by_mode is not None and not finding.unknown:  # a failed assessor may have missed a refusal
                waivers.append(Waiver(finding=finding, by=by_mode[0], reason=by_mode[1]))
            else:
                left.append(finding)
        if left and self._grants:
            waivers += self._grants.waive(request, left, session)
        return waivers if waivers or self._has_opinion else None

    def _by_mode(self, request: ApprovalRequest) -> tuple[str, str] | None:
        if request.session_kind == UNATTENDED:
            return ("approvals.cron_mode", "") if self.settings.cron_approves else None
        return ("approvals.mode", "approvals are off") if self.settings.mode == "off" else None

    def granted(self, request: ApprovalRequest) -> str:
        """Use the grants that answer a waiting request, and return their names; empty when they do not."""
        return self._grants.use(request)

    # -- with an approver ------------------------------------------------------------------------------------

    def _ask(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        if self._prompt is not None:
            return self._prompt.hermes_request_approval(request)
        return self._application.hermes_request_approval(request) if self._application is not None else None

    @hookimpl
    def hermes_approval_resolved(
        self, request: ApprovalRequest, decision: Decision, session: Session, own: bool
    ) -> None:
        """Store the grants for a yes that lasts, given by an approver of this host or of one above it."""
        if self._prompt is not None:
            self._prompt.hermes_approval_resolved(request)
        if not own or not decision.allowed or (decision.lasts == "once" and not decision.grants):
            return
        self._grants.store(request, decision, session)

    def propose(self, request: ApprovalRequest, scope: str) -> tuple[Grant, ...]:
        """Return the grants that a yes for the session or for always would store: one for each rule that asks.

        Raises:
            ConfigError: only this one call can be approved.
        """
        from hermes_approval.grants.offered_grants import propose

        return propose(request, scope)


# -- hooks that only some hosts need: a hook costs every call -----------------------------------------------------


class DenyRules(HostApproval):
    """A host with rules that deny calls."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        """Deny the calls that a rule denies."""
        denials = self.judge(call).denials
        if not denials:
            return None
        return Deny("; ".join(denial.reason for denial in denials), rule=denials[0].rule)


class AskRules(HostApproval):
    """A host with rules that ask."""

    @hookimpl
    def hermes_assess_call(self, call: ToolCall) -> list[Finding]:
        """Return a finding for each rule that asks, and a note for each rule in shadow."""
        verdicts = self.judge(call)
        return [*verdicts.findings(), *verdicts.notes()]


class Approver(HostApproval):
    """A host with an approver of its application."""

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Ask the approver."""
        return self._ask(request)


class SmartApproval(HostApproval):
    """Asks a model before it asks people, who get every request that the model does not clearly allow or deny."""

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest, session: Session) -> list[Waiver] | None:
        """Waive what rules and grants waive. The model is asked about the rest, after all other waivers."""
        waivers = HostApproval.hermes_waive_findings(self, request, session) or []
        waived = {waiver.finding for waiver in waivers}
        left = [each for each in request.findings if each.severity == "ask" and each not in waived]
        if left and request.session_kind != UNATTENDED and request.id not in self._not_allowed:
            confirm = self._confirmation(request)
            by, reason = f"smart approval ({self._channel.model})", "the model found it harmless"
            waivers += [Waiver(finding=each, by=by, reason=reason, confirm=confirm) for each in left]
        return waivers

    def __init__(self, *args: Any, **options: Any) -> None:
        from hermes_approval.channels.smart_approval import SmartChannel

        super().__init__(*args, **options)
        assert self.settings.smart is not None
        model, base_url, api_key = self.settings.smart
        self._channel = SmartChannel(base_url=base_url, api_key=api_key, model=model)
        self._not_allowed: dict[str, Decision | None] = {}
        """The requests that the model did not allow: its denial, or None when it did not decide."""

    def _confirmation(self, request: ApprovalRequest) -> Callable[[], Awaitable[bool]]:
        async def ask() -> bool:
            answer = None
            try:
                answer = await self._channel.aask(request)
            finally:
                if answer is None or not answer.allowed:
                    if len(self._not_allowed) >= _MAX_DENIED:
                        self._not_allowed.clear()
                    self._not_allowed[request.id] = None if answer is None else _denied(request, answer)
            return answer is not None and answer.allowed

        return ask

    @hookimpl(tryfirst=True)
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Deny what the model denied, and ask people about the rest."""
        denied = self._not_allowed.pop(request.id, None)
        return denied or self._ask(request)


def _denied(request: ApprovalRequest, answer: Any) -> Decision:
    return Decision(outcome="denied-by-policy", by=answer.by, reason=answer.reason, findings=request.findings)
