"""Decides for one host what may run: its rules, its grants, its mode. Who has to be asked, the pipeline asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hermes_core.approval.finding import ApprovalRequest, Decision, Finding
from hermes_core.approval.gate import Denial
from hermes_core.approval.policy.subject import UNATTENDED, Subject
from hermes_core.approval.settings import ApprovalSettings
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import ConfigError, HermesError
from hermes_core.plugins.candidate import APPLICATION

if TYPE_CHECKING:
    from hermes_core.approval.grants.grant import Grant, GrantRequest, Scope
    from hermes_core.approval.grants.grant_set import GrantSet
    from hermes_core.approval.policy.book import RuleBook, Verdicts
    from hermes_core.calls.call import ToolCall

_INSIDE = (
    "A tool started this process, so nobody can approve calls in it. The user can run this in their own terminal, or "
    "allow it there first with 'hermes approvals add'"
)


class Authority:
    """Rules, grants and mode of one host, within those of its parent.

    Args:
        settings: What the user decided.
        book: The rules; None when there are none.
        grants: What was allowed before; None when nothing is kept.
        parent: The authority that this one must stay within.
        source_of: The plugin that a tool came from.
    """

    def __init__(
        self,
        settings: ApprovalSettings | None = None,
        *,
        book: RuleBook | None = None,
        grants: GrantSet | None = None,
        parent: Authority | None = None,
        source_of: Callable[[str], str] | None = None,
    ) -> None:
        self.settings = _within(settings or ApprovalSettings(), parent)
        self.book = book
        self._grants = grants
        self._making_grants = threading.Lock()
        self._parent = parent
        self._source_of = source_of or (lambda _name: APPLICATION)
        books = (self.book, *(parent.books if parent else ()))
        self.books: tuple[RuleBook, ...] = tuple(each for each in books if each is not None and each.rules)
        self.judges = bool(self.books)
        # A host without rules keeps those of its parent. The outermost one has no parent: it lifts nothing then.
        self._lifts: bool = parent._lifts if parent else self.judges

    def source_of(self, tool: str) -> str:
        """The plugin that a tool came from, or `application`; a host may hand on what its parent has from a plugin."""
        found = self._source_of(tool)
        return self._parent.source_of(tool) if found == APPLICATION and self._parent is not None else found

    def judge(
        self, call: ToolCall, denials: list[Denial], findings: tuple[Finding, ...]
    ) -> tuple[list[Denial], tuple[Finding, ...]]:
        """What was said about a call, with what the rules say: denials, questions, and what they answer.

        A finding is answered only when the rules of this host and of every host above it answer it.
        """
        subject = Subject.of(call, self.source_of(call.name))
        said: list[Verdicts] = [book.judge(subject) for book in self.books]
        # Two hosts may have the same rules.
        denials = list(dict.fromkeys([*denials, *(denial for verdicts in said for denial in verdicts.denials)]))
        asked = tuple(dict.fromkeys([*findings, *(finding for verdicts in said for finding in verdicts.findings())]))
        if self._lifts:
            asked = tuple(finding for finding in asked if not all(verdicts.lifts(finding) for verdicts in said))
        return denials, asked + tuple(note for verdicts in said for note in verdicts.notes())

    # -- without asking anybody ------------------------------------------------------------------------------

    @property
    def asks_nobody(self) -> bool:
        """Whether the mode is off, here and in every host above."""
        return self.settings.mode == "off" and (self._parent is None or self._parent.asks_nobody)

    def settled(self, call: ToolCall, findings: tuple[Finding, ...]) -> Decision | None:
        """The decision that the user's settings make; None when they leave it open."""
        if self.asks_nobody and call.session_kind != UNATTENDED and not _unknown(findings):
            return Decision(outcome="allowed", by="approvals.mode", reason="approvals are off", findings=findings)
        return None

    def without_anybody(self, call: ToolCall, findings: tuple[Finding, ...]) -> Decision | None:
        """The decision where there is nobody to ask, as in cron jobs; None where somebody may be."""
        if call.session_kind != UNATTENDED:
            return self._inside(findings)
        if self._cron_approves() and not _unknown(findings):
            return Decision(outcome="allowed", by="approvals.cron_mode", findings=findings)
        reason = "; ".join(finding.reason for finding in asked(findings))
        return Decision(outcome="no-approver", reason=reason, by="approvals.cron_mode", findings=findings)

    def _inside(self, findings: tuple[Finding, ...]) -> Decision | None:
        """The decision in a process that a tool started; None in others. There every approver would be the agent's."""
        if tool_session() is None:
            return None
        reason = "; ".join(finding.reason.rstrip(". ") for finding in asked(findings))
        return Decision(outcome="denied-by-policy", reason=f"{reason}. {_INSIDE}", by="tool session", findings=findings)

    def _cron_approves(self) -> bool:
        return self.settings.cron_approves and (self._parent is None or self._parent._cron_approves())

    @property
    def has_grants(self) -> bool:
        """Whether a grant may answer; looking at none costs nothing."""
        return any(level._grants is not None or "_answers" in level.__dict__ for level in self._levels())

    @property
    def grants(self) -> GrantSet:
        """What was allowed before. An empty set is made here, so that whoever is within it sees what is added later."""
        with self._making_grants:
            if self._grants is None:
                from hermes_core.approval.grants.grant_set import GrantSet

                self._grants = self._parent.grants.child() if self._parent else GrantSet()
            return self._grants

    def end_session(self, session: str) -> None:
        """Forget what was allowed for one session, here and in every host above."""
        for level in self._levels():
            if level._grants is not None:
                level._grants.end_session(session)
            if "_answers" in level.__dict__:
                level._answers.end_session(session)

    def by_grant(self, call: ToolCall, findings: tuple[Finding, ...]) -> Decision | None:
        """The decision that was made before; each use counts."""
        return self._by(call, findings, use=True)

    def _by(self, call: ToolCall, findings: tuple[Finding, ...], *, use: bool) -> Decision | None:
        by = self._held(self._requests(call, findings), use=use)
        return Decision(outcome="allowed", by=by, findings=findings) if by else None

    def granted(self, request: ApprovalRequest) -> str:
        """Which grants answer a request that somebody was to be asked about, used once; empty when none do."""
        return self._held(self._requests(request, request.findings), use=True)

    def _held(self, requests: Sequence[GrantRequest], *, use: bool) -> str:
        """Which grants answer all of these: what the outermost host knows, or what an approver on the way allowed."""
        for held in (self.grants, *(level._answers for level in self._levels() if "_answers" in level.__dict__)):
            try:
                used = held.permit(requests) if use else held.peek(requests)
            except (HermesError, OSError) as error:  # a file of grants that cannot be read or written permits nothing
                from hermes_core.logs import log

                log.warning("Grants cannot be used: %s", error)
                continue
            if used:
                return "grant " + ", ".join(dict.fromkeys(grant.id for grant in used))
        return ""

    def _levels(self) -> Iterator[Authority]:
        """This host, and each above it."""
        level: Authority | None = self
        while level is not None:
            yield level
            level = level._parent

    def foreseen(self, call: ToolCall, findings: tuple[Finding, ...]) -> Decision | None:
        """The decision that would be made without asking anybody; no grant is used. None: somebody would be asked."""
        decision = self.settled(call, findings)
        if decision is None and self.has_grants:
            decision = self._by(call, findings, use=False)
        return decision or self.without_anybody(call, findings)

    # -- what a yes creates ----------------------------------------------------------------------------------

    def propose(self, request: ApprovalRequest, scope: str) -> tuple[Grant, ...]:
        """The grants that a yes for the session or for always would create: one for each question.

        Raises:
            ConfigError: only this one call can be approved: nobody could say what it would do or what it depends on, or
                its arguments cannot be in a grant.
        """
        if _unknown(request.findings):
            raise ConfigError("What nobody could assess can be approved once, and not for longer.", key=request.tool)
        from hermes_core.approval.grants.proposals import propose

        now = time.time()
        kept: Scope = "session" if scope == "session" else "always"
        return tuple(
            propose(each, kept, session_id=request.session_id, by="user", now=now)
            for each in self._requests(request, request.findings)
        )

    def remember(self, request: ApprovalRequest, grants: Iterable[object], *, above: int = 0) -> None:
        """Keep what somebody granted, if it is for what was asked.

        Whoever approves for the outermost host grants for all within it. What only the approver of a host below has
        granted holds in that host and those below: it may not widen those above.

        Args:
            request: What was asked.
            grants: What the answer brought.
            above: How many hosts above this one the approver is who answered.
        """
        from hermes_core.approval.grants.grant import Grant
        from hermes_core.approval.grants.proposals import require_fitting

        level = list(self._levels())[above]
        for grant in grants:
            if isinstance(grant, Grant):
                try:
                    require_fitting([grant], request, grant.scope, source=self.source_of(request.tool))
                    if level._parent is not None:
                        level._answers.add(grant)
                    else:
                        self._store_or_keep(grant, request.session_id)
                except (ConfigError, OSError) as error:  # this call was approved all the same
                    from hermes_core.logs import log

                    log.warning("A grant could not be kept: %s", error)

    def _store_or_keep(self, grant: Grant, session: str) -> None:
        """Keep a grant. Where nothing can be written, one for always lasts for the session."""
        try:
            self._keep(grant)
        except OSError as error:  # only grants for always are written
            from dataclasses import replace

            from hermes_core.logs import log

            self._keep(replace(grant, scope="session", session=session))
            log.warning("Approved for this session only, because the approval cannot be saved: %s", error)

    def _keep(self, grant: Grant) -> None:
        """The outermost host first: what it cannot keep, nobody within it may use."""
        if self._parent is not None:
            self._parent._keep(grant)
        self.grants.add(grant)

    @cached_property
    def _answers(self) -> GrantSet:
        """What this host's own approver has said yes to for longer: the same answer again, and nothing else."""
        from hermes_core.approval.grants.grant_set import GrantSet

        return GrantSet()

    def _requests(self, about: ToolCall | ApprovalRequest, findings: Iterable[Finding]) -> tuple[GrantRequest, ...]:
        """What grants have to answer before a call may run."""
        from hermes_core.approval.grants.proposals import requests_for

        name = about.tool if isinstance(about, ApprovalRequest) else about.name
        return requests_for(
            findings,
            tool=name,
            args=about.args,
            session_id=about.session_id,
            session_kind=about.session_kind,
            source=self.source_of(name),
        )


def asked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those findings that somebody has to answer."""
    return tuple(finding for finding in findings if finding.severity == "ask")


def _unknown(findings: Iterable[Finding]) -> bool:
    """Whether an assessor failed: what it would have refused must not run because nobody is asked."""
    return any(finding.unknown for finding in asked(findings))


def _within(settings: ApprovalSettings, parent: Authority | None) -> ApprovalSettings:
    """The settings of a child: no model answers for it what people, or another model, answer for its parent."""
    if parent is None or settings.smart is None or parent.asks_nobody:
        return settings
    if parent.settings.smart is not None:
        return settings._replace(smart=parent.settings.smart)
    return settings._replace(mode="manual", smart=None)
