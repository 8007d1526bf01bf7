"""The plugin: rules, grants and mode of one host, on public hooks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_approval.settings import MODES, ApprovalSettings, raise_first, read_approvals, read_policy, smart_of
from hermes_core import (
    ApprovalRequest,
    ConfigError,
    Decision,
    Deny,
    Finding,
    HermesError,
    PluginError,
    Waiver,
    hookimpl,
)
from hermes_core.approvers import ApplicationApprover, require_approver

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_approval.channels.terminal_approver import TerminalPrompt
    from hermes_approval.grants.grant import Grant, GrantRequest
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.policy.ruleset import RuleSet, Verdicts
    from hermes_core import Hermes, Session, ToolCall
    from hermes_core.plugin_context import PluginContext

log = logging.getLogger("hermes.approval")

UNATTENDED = "cron"
"""The kind of session in which nobody can be asked: `approvals.cron_mode` decides there, and no other mode."""

TERMINAL = "terminal"
"""The approver that asks the person at the terminal."""

_FORGOTTEN = "hermes_approval.forgotten"
"""Where a session remembers which hosts forget their grants at its end."""

_MAX_DENIED = 1000
"""So many requests that a model did not allow are remembered until an approver has answered them."""


class Approval:
    """Approval for a host: give it to `Hermes(plugins=[Approval(...)])`. It may be given to several hosts.

    An installed hermes-approval does the same by itself, from `config.yaml`; one that an application gives takes its
    place, and adds what the application wants.

    Args:
        approver: Who decides about calls that need an approval: a function, sync or async, that gets an
            `ApprovalRequest` and answers True, False, `once`, `session`, `always`, `deny`, an `Answer` or a `Decision`;
            a `Broker`; or the word `terminal`.
        policy: Rules, as the section `policy` of `config.yaml` lists them; they come beside those of the user.
        mode: `manual`, `smart` or `off`, over what the user's settings say; or all settings.
        grants: What was approved before. When it is not given, `Hermes.load` uses the user's stored grants.
    """

    __name__ = "approval"
    hermes_hooks = (
        "hermes_pre_tool_call",
        "hermes_assess_call",
        "hermes_waive_findings",
        "hermes_request_approval",
        "hermes_approval_resolved",
    )

    def __init__(
        self,
        *,
        approver: Any = None,
        policy: Iterable[Mapping[str, Any]] | RuleSet | None = None,
        mode: str | ApprovalSettings | None = None,
        grants: GrantSet | None = None,
    ) -> None:
        self._approver = approver if approver in (None, TERMINAL) else require_approver(approver)
        self._policy = policy
        self._mode = mode
        self._grants = grants

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        """Return the sections `approvals` and `policy`."""
        from hermes_approval.settings_schema import APPROVAL_SECTIONS

        return {section.name: section.schema for section in APPROVAL_SECTIONS}

    def hermes_factory(self, context: PluginContext) -> HostApproval:
        """Make the plugin for one host, with the hooks that its rules, mode and grants need.

        Raises:
            ConfigError: the settings, the rules or the mode cannot be used.
        """
        settings = _settings(context, self._mode)
        ruleset = _ruleset(context, self._policy)
        grants = _grants(context, settings, self._grants)
        if context.approval_timeout is None:
            context.approval_timeout = settings.callback_seconds
        kinds: list[type[HostApproval]] = []
        if ruleset is not None:
            kinds += [_DenyRules] if ruleset.denies else []
            kinds += [_AskRules] if ruleset.asks else []
        if settings.smart is not None and not context.is_inside_tool:
            kinds.append(_Smart)
        elif self._approver is not None:
            kinds.append(_Approver)
        made: type[HostApproval] = type("HostApproval", (*kinds, HostApproval), {})
        return made(settings, ruleset, grants, self._approver)


class HostApproval:
    """Rules, grants and mode of one host.

    A host without rules, without a mode of its own and without grants has no opinion about what its parent waives.
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
        self._grants = grants
        self._making_grants = threading.Lock()
        self._answered: set[str] = set()
        self._known = threading.local()
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
        """What was approved before."""
        with self._making_grants:
            if self._grants is None:
                from hermes_approval.grants.grant_set import GrantSet

                self._grants = GrantSet()
            elif callable(self._grants):
                self._grants = self._grants()
            return self._grants

    def judge(self, about: ToolCall | ApprovalRequest) -> Verdicts:
        """Return what the rules say about a call. One call is judged once, however many hooks want to know."""
        assert self.ruleset is not None
        known = self._known
        if getattr(known, "args", None) is not about.args:
            known.verdicts = self.ruleset.judge(about)
            known.args = about.args
        verdicts: Verdicts = known.verdicts
        return verdicts

    # -- without an approver ---------------------------------------------------------------------------------

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest, session: Session) -> list[Waiver] | None:
        """Waive what a rule lifts, what the mode leaves alone, and what was approved before."""
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
            elif by_mode is not None and not finding.unknown:  # a failed assessor may stand for what is never allowed
                waivers.append(Waiver(finding=finding, by=by_mode[0], reason=by_mode[1]))
            else:
                left.append(finding)
        if left and self._grants is not None:
            waivers += self._by_grants(request, left, session)
        return waivers if waivers or self._has_opinion else None

    def _by_mode(self, request: ApprovalRequest) -> tuple[str, str] | None:
        if request.session_kind == UNATTENDED:
            return ("approvals.cron_mode", "") if self.settings.cron_approves else None
        return ("approvals.mode", "approvals are off") if self.settings.mode == "off" else None

    def _by_grants(self, request: ApprovalRequest, findings: list[Finding], session: Session) -> list[Waiver]:
        requests = self._requests(request, findings)
        try:
            granted = self.grants.match(requests)
        except (HermesError, OSError) as error:  # a file of grants that cannot be read permits nothing
            log.warning("Grants cannot be used: %s", error)
            return []
        found = {asked.rule: grant for asked, grant in zip(requests, granted, strict=True) if grant is not None}
        confirms = {grant.id: _Use(self.grants, grant.id) for grant in found.values() if grant.uses_left is not None}
        for grant in found.values():
            if grant.scope != "always":
                self._forget_at_end(session, grant.session)
        return [
            Waiver(
                finding=finding,
                by=f"grant {found[finding.rule].id}",
                answered=found[finding.rule].id in self._answered,
                confirm=confirms.get(found[finding.rule].id),
            )
            for finding in findings
            if finding.rule in found
        ]

    def _asked(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        if self._prompt is not None:
            return self._prompt.ask(request)
        return self._application.hermes_request_approval(request) if self._application is not None else None

    def granted(self, request: ApprovalRequest) -> str:
        """Return the grants, used once, that answer a request which waits for an approver; nothing without them."""
        try:
            used = self.grants.permit(self._requests(request, request.findings))
        except (HermesError, OSError) as error:
            log.warning("Grants cannot be used: %s", error)
            return ""
        return ", ".join(dict.fromkeys(f"grant {grant.id}" for grant in used)) if used else ""

    # -- what a yes creates ----------------------------------------------------------------------------------

    @hookimpl
    def hermes_approval_resolved(
        self, request: ApprovalRequest, decision: Decision, session: Session, own: bool
    ) -> None:
        """Store what an approver of this host, or of one above it, has allowed for longer."""
        if self._prompt is not None:
            self._prompt.withdraw(request)
        if not own or not decision.allowed or (decision.lasts == "once" and not decision.grants):
            return
        grants = decision.grants or self._proposed(request, decision)
        for grant in grants:
            self._store(grant, request, session)

    def _proposed(self, request: ApprovalRequest, decision: Decision) -> tuple[Grant, ...]:
        try:
            return tuple(replace(grant, by=decision.by) for grant in self.propose(request, decision.lasts))
        except ConfigError as error:  # arguments that no grant can hold: this one call was approved all the same
            log.warning("Only this call of %s is approved, and nothing is granted: %s", request.tool, error)
            return ()

    def propose(self, request: ApprovalRequest, scope: str) -> tuple[Grant, ...]:
        """Return the grants that a yes for the session or for always would create: one for each question.

        Raises:
            ConfigError: only this one call can be approved: nobody could say what it would do or what it depends on, or
                its arguments cannot be in a grant.
        """
        if any(finding.unknown for finding in request.findings if finding.severity == "ask"):
            raise ConfigError("What nobody could assess can be approved once, and not for longer.", key=request.tool)
        from hermes_approval.grants.offered_grants import propose

        now = time.time()
        return tuple(
            propose(
                each, "session" if scope == "session" else "always", session_id=request.session_id, by="user", now=now
            )
            for each in self._requests(request, request.findings)
        )

    def _store(self, grant: object, request: ApprovalRequest, session: Session) -> None:
        from hermes_approval.grants.grant import Grant
        from hermes_approval.grants.offered_grants import require_fitting

        if not isinstance(grant, Grant):
            return
        try:
            require_fitting([grant], request, grant.scope, source=request.source)
            try:
                self.grants.add(grant)
            except OSError as error:  # only grants for always are written
                grant = replace(grant, scope="session", session=request.session_id)
                self.grants.add(grant)
                log.warning("Approved for this session only, because the approval cannot be saved: %s", error)
        except (ConfigError, OSError) as error:  # this call was approved all the same
            log.warning("A grant could not be kept: %s", error)
            return
        self._answered.add(grant.id)
        if grant.scope != "always":
            self._forget_at_end(session, grant.session)

    def _forget_at_end(self, session: Session, granted_for: str | None) -> None:
        """Forget what was granted for a session when it ends, also for a session of a host below."""
        hosts: set[int] = session.state.setdefault(_FORGOTTEN, set())
        if granted_for is None or session.id != granted_for or id(self) in hosts:
            return
        hosts.add(id(self))
        grants = self.grants
        try:
            session.on_close(lambda: grants.end_session(granted_for))
        except HermesError:  # it has ended meanwhile
            grants.end_session(granted_for)

    def _requests(self, request: ApprovalRequest, findings: Iterable[Finding]) -> tuple[GrantRequest, ...]:
        """Return what grants have to answer before a call may run."""
        from hermes_approval.grants.offered_grants import requests_for

        return requests_for(
            findings,
            tool=request.tool,
            args=request.args,
            session_id=request.session_id,
            session_kind=request.session_kind,
            source=request.source,
        )


class _Use:
    """Takes one use of a grant, once for a call however many findings it answers."""

    def __init__(self, grants: GrantSet, grant: str) -> None:
        self._grants = grants
        self._grant = grant

    def __call__(self) -> bool:
        try:
            return self._grants.use(self._grant)
        except (HermesError, OSError) as error:  # uses that cannot be counted permit nothing
            log.warning("Grants cannot be used: %s", error)
            return False


# -- hooks that only some hosts need: a hook costs every call -----------------------------------------------------


class _DenyRules(HostApproval):
    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        """Deny what a rule denies."""
        denials = self.judge(call).denials
        if not denials:
            return None
        return Deny("; ".join(denial.reason for denial in denials), rule=denials[0].rule)


class _AskRules(HostApproval):
    @hookimpl
    def hermes_assess_call(self, call: ToolCall) -> list[Finding]:
        """Ask where a rule asks, and note what rules in shadow would have done."""
        verdicts = self.judge(call)
        return [*verdicts.findings(), *verdicts.notes()]


class _Approver(HostApproval):
    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Ask whom the application named."""
        return self._asked(request)


class _Smart(HostApproval):
    """Asks a model before people. What it does not clearly allow or deny goes on to them."""

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest, session: Session) -> list[Waiver] | None:
        """Waive what rules and grants waive. The model is asked about the rest, once everything else is waived."""
        waivers = HostApproval.hermes_waive_findings(self, request, session) or []
        waived = {waiver.finding for waiver in waivers}
        left = [each for each in request.findings if each.severity == "ask" and each not in waived]
        if left and request.session_kind != UNATTENDED and request.id not in self._said:
            confirm = self._asking(request)
            by, reason = f"smart approval ({self._channel.model})", "the model found it harmless"
            waivers += [Waiver(finding=each, by=by, reason=reason, confirm=confirm) for each in left]
        return waivers

    def __init__(self, *args: Any, **options: Any) -> None:
        from hermes_approval.channels.smart_approval import SmartChannel

        super().__init__(*args, **options)
        assert self.settings.smart is not None
        model, base_url, api_key = self.settings.smart
        self._channel = SmartChannel(base_url=base_url, api_key=api_key, model=model)
        self._said: dict[str, Decision | None] = {}
        """What the model said of requests that it did not allow."""

    def _asking(self, request: ApprovalRequest) -> Callable[[], Awaitable[bool]]:
        async def ask() -> bool:
            answer = None
            try:
                answer = await self._channel.aask(request)
            finally:
                if answer is None or not answer.allowed:
                    if len(self._said) >= _MAX_DENIED:
                        self._said.clear()
                    self._said[request.id] = None if answer is None else _denied(request, answer)
            return answer is not None and answer.allowed

        return ask

    @hookimpl(tryfirst=True)
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Deny what the model denied, and ask people about the rest."""
        denied = self._said.pop(request.id, None)
        return denied or self._asked(request)


def _denied(request: ApprovalRequest, answer: Any) -> Decision:
    return Decision(outcome="denied-by-policy", by=answer.by, reason=answer.reason, findings=request.findings)


# -- what a host starts with ---------------------------------------------------------------------------------------


def _settings(context: PluginContext, mode: str | ApprovalSettings | None) -> ApprovalSettings:
    """Return what the user decided, and the application over it: its mode comes with all that belongs to the mode."""
    if isinstance(mode, ApprovalSettings):
        return mode._replace(explicit=True)
    settings = read_approvals(context.configs[0]) if context.configs else ApprovalSettings()
    if mode is None:
        return settings
    if mode not in MODES:
        raise ConfigError(f"{mode!r} is not a mode of approvals.", example=", ".join(MODES))
    config = context.configs[0] if context.configs else context.config
    smart = smart_of(config.section("approvals")) if mode == "smart" else None
    return settings._replace(mode=mode, smart=smart, explicit=True)  # type: ignore[arg-type]  # one of MODES


def _ruleset(context: PluginContext, policy: Iterable[Mapping[str, Any]] | RuleSet | None) -> RuleSet | None:
    """Return the user's rules, and those of the application beside them: of all that match the strictest counts."""
    configs = (each for each in context.configs if each.get_configured("policy") is not None)
    rulesets = [read_policy(each, context.tools) for each in configs]
    if policy is not None:
        rulesets.append(_given_rules(policy, context.tools))
    if not rulesets:
        return None
    first, *others = rulesets
    for other in others:
        first = first.joined(other)
    return first


def _given_rules(policy: Iterable[Mapping[str, Any]] | RuleSet, tools: Mapping[str, Any]) -> RuleSet:
    from hermes_approval.policy.rule_reader import read_rules
    from hermes_approval.policy.ruleset import RuleSet

    if isinstance(policy, RuleSet):
        return policy
    rules = {"rules": list(policy)}
    ruleset, problems = read_rules(rules, file="policy", line_of=lambda _steps: None, known_tools=tools)
    raise_first(problems)
    return ruleset


def _grants(
    context: PluginContext, settings: ApprovalSettings, grants: GrantSet | None
) -> GrantSet | Callable[[], GrantSet] | None:
    """Return what the application gives, or what the user approved before and what `command_allowlist` allows."""
    if grants is not None:
        from hermes_approval.grants.grant_set import GrantSet

        if not isinstance(grants, GrantSet):
            raise ConfigError(f"{grants!r} is not a set of grants.", key="grants", example="grants=GrantSet()")
        return grants
    if not context.is_loaded or context.parent is not None:
        return None
    if settings.allowlist:  # its problems are reported at the start
        return _stored_grants(context.home, settings.allowlist)
    return partial(_stored_grants, context.home, ())


def _stored_grants(home: Path, allowlist: object) -> GrantSet:
    from hermes_approval.grants.allowlist import allowlist_grants
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.grants.grant_store import GrantStore

    allowed, problems = allowlist_grants(allowlist)
    for problem in problems:
        log.warning("command_allowlist: %s", problem)
    return GrantSet(allowed, store=GrantStore(home))
