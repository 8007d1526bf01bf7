"""The grants of one host: which of them answer a request, and which an answer adds."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_core import ApprovalRequest, ConfigError, Decision, Finding, HermesError, Waiver

if TYPE_CHECKING:
    from hermes_approval.grants.grant import Grant
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_core import Session

log = logging.getLogger("hermes.approval")

_FORGOTTEN = "hermes_approval.forgotten"
"""The key in a session's state for the hosts that drop their grants when the session ends."""


class HostGrants:
    """The grants of one host, loaded when they are first needed.

    Args:
        grants: The grants, or a function that loads them; None for a host that starts without any.
    """

    def __init__(self, grants: GrantSet | Callable[[], GrantSet] | None) -> None:
        self._grants = grants
        self._loading = threading.Lock()
        self._answered: set[str] = set()

    def __bool__(self) -> bool:
        return self._grants is not None

    @property
    def all(self) -> GrantSet:
        """All grants of the host."""
        with self._loading:
            if self._grants is None:
                from hermes_approval.grants.grant_set import GrantSet

                self._grants = GrantSet()
            elif callable(self._grants):
                self._grants = self._grants()
            return self._grants

    def waive(self, request: ApprovalRequest, findings: list[Finding], session: Session) -> list[Waiver]:
        """Return a waiver for each finding that a grant answers."""
        from hermes_approval.grants.offered_grants import requests_for

        requests = requests_for(request, findings)
        try:
            granted = self.all.match(requests)
        except (HermesError, OSError) as error:  # an unreadable file permits nothing
            log.warning("Grants cannot be used: %s", error)
            return []
        found = {asked.rule: grant for asked, grant in zip(requests, granted, strict=True) if grant is not None}
        confirms = {grant.id: _Use(self.all, grant.id) for grant in found.values() if grant.uses_left is not None}
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

    def use(self, request: ApprovalRequest) -> str:
        """Use the grants that answer a whole request, and return their names; empty when they do not."""
        from hermes_approval.grants.offered_grants import requests_for

        try:
            used = self.all.permit(requests_for(request))
        except (HermesError, OSError) as error:
            log.warning("Grants cannot be used: %s", error)
            return ""
        return ", ".join(dict.fromkeys(f"grant {grant.id}" for grant in used)) if used else ""

    def store(self, request: ApprovalRequest, decision: Decision, session: Session) -> None:
        """Store the grants that a decision brings or implies."""
        for grant in decision.grants or self._proposed(request, decision):
            self._store(grant, request, session)

    def _proposed(self, request: ApprovalRequest, decision: Decision) -> tuple[Grant, ...]:
        from hermes_approval.grants.offered_grants import propose

        try:
            return propose(request, decision.lasts, by=decision.by)
        except ConfigError as error:  # no grant can hold the arguments, but this call is approved
            log.warning("Only this call of %s is approved, and nothing is granted: %s", request.tool, error)
            return ()

    def _store(self, grant: object, request: ApprovalRequest, session: Session) -> None:
        from hermes_approval.grants.grant import Grant
        from hermes_approval.grants.offered_grants import require_fitting

        if not isinstance(grant, Grant):
            return
        try:
            require_fitting([grant], request, grant.scope)
            try:
                self.all.add(grant)
            except OSError as error:  # only grants for always are written
                grant = replace(grant, scope="session", session=request.session_id)
                self.all.add(grant)
                log.warning("Approved for this session only, because the approval cannot be saved: %s", error)
        except (ConfigError, OSError) as error:  # this call is still approved
            log.warning("A grant could not be stored: %s", error)
            return
        self._answered.add(grant.id)
        if grant.scope != "always":
            self._forget_at_end(session, grant.session)

    def _forget_at_end(self, session: Session, granted_for: str | None) -> None:
        """Drop the grants of a session when it ends, even if it belongs to a child host."""
        hosts: set[int] = session.state.setdefault(_FORGOTTEN, set())
        if granted_for is None or session.id != granted_for or id(self) in hosts:
            return
        hosts.add(id(self))
        grants = self.all
        try:
            session.on_close(lambda: grants.end_session(granted_for))
        except HermesError:  # the session has already ended
            grants.end_session(granted_for)


class _Use:
    """Uses a grant once for a call, however many findings the grant answers."""

    def __init__(self, grants: GrantSet, grant: str) -> None:
        self._grants = grants
        self._grant = grant

    def __call__(self) -> bool:
        try:
            return self._grants.use(self._grant)
        except (HermesError, OSError) as error:  # a use that cannot be counted permits nothing
            log.warning("Grants cannot be used: %s", error)
            return False
