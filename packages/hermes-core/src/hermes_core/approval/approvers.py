"""Who is asked, as plugins: an application's own function, the terminal, a model."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_core.approval.finding import ApprovalRequest, Decision
from hermes_core.errors import ConfigError
from hermes_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from hermes_core.approval.authority import Authority
    from hermes_core.approval.channels.answer import Choice
    from hermes_core.approval.channels.smart import SmartChannel
    from hermes_core.approval.channels.terminal import TerminalChannel

Approver = Callable[[ApprovalRequest], Any]
"""An application's function. It answers True or False, once, session, always or deny, an `Answer`, a `Decision`, or
None, which leaves it to others."""

SMART_APPROVAL = "smart approval"
"""The plugin that asks a model. It belongs to one host and its mode, and is not asked for hosts below."""

_APPLICATION = "the application"


class ApplicationApprover:
    """Asks the application: a function, sync or async, or a `Broker`.

    Args:
        approver: The function, or an object with the coroutine function `aask`.
        authority: What the host may do, when it is needed.
    """

    __name__ = "application approver"

    def __init__(self, approver: Any, authority: Callable[[], Authority]) -> None:
        self._ask: Approver = getattr(approver, "aask", approver)
        self._authority = authority

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Ask, and say what was decided."""
        try:
            answer = self._ask(request)
        except TimeoutError:
            return _timed_out(request, _APPLICATION)
        if inspect.isawaitable(answer):
            return self._awaited(request, answer)
        return self._decision(request, answer)

    async def _awaited(self, request: ApprovalRequest, answer: Awaitable[Any]) -> Decision | None:
        try:
            given = await answer
        except TimeoutError:
            return _timed_out(request, _APPLICATION)
        return self._decision(request, given)

    def _decision(self, request: ApprovalRequest, answer: Any) -> Decision | None:
        from hermes_core.approval.channels.answer import Answer, as_choice

        if answer is None:
            return None
        if isinstance(answer, Decision):
            return replace(answer, by=answer.by or _APPLICATION, findings=answer.findings or request.findings)
        if isinstance(answer, bool):
            answer = "once" if answer else "deny"
        if not isinstance(answer, Answer):
            answer = Answer(choice=as_choice(answer), by=_APPLICATION)
        return decided(
            self._authority(), request, answer.choice, answer.by or _APPLICATION, answer.reason, answer.grant
        )


class TerminalApprover:
    """Asks the person at the terminal, when there is one.

    Args:
        channel: Makes the prompt, for the first request.
        authority: What the host may do, when it is needed.
    """

    __name__ = "terminal approver"  # not "terminal": a plugin with tools may be called that

    def __init__(self, channel: Callable[[], TerminalChannel], authority: Callable[[], Authority]) -> None:
        self._make = channel
        self._channel: TerminalChannel | None = None
        self._authority = authority
        self._making = threading.Lock()
        self._open: set[int] = set()
        """The requests that the host waits for. By identity: two hosts' calls may have the same id."""

    @hookimpl(trylast=True)
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | None:
        """Show the request, and say what was decided."""
        with self._making:
            if self._channel is None:
                self._channel = self._make()
        if not self._channel.usable():
            return None
        mark = id(request)
        self._open.add(mark)
        try:
            answer = self._channel.ask(request, cancelled=lambda: mark not in self._open)
        except TimeoutError:
            return _timed_out(request, self.__name__)
        finally:
            self._open.discard(mark)
        if answer is None:
            return None
        return decided(self._authority(), request, answer.choice, answer.by, answer.reason, answer.grant)

    @hookimpl(tryfirst=True)
    def hermes_approval_resolved(self, request: ApprovalRequest) -> None:
        """Take the prompt away: the host has its decision, from here or from its deadline."""
        self._open.discard(id(request))


class SmartApprover:
    """Asks a model first. What it does not clearly allow or deny goes on to people."""

    __name__ = SMART_APPROVAL

    def __init__(self, channel: SmartChannel) -> None:
        self._channel = channel

    @hookimpl(tryfirst=True)
    async def hermes_request_approval(self, request: ApprovalRequest) -> Decision | None:
        """Ask the model about this one call."""
        answer = await self._channel.aask(request)
        if answer is None:
            return None
        if answer.allowed:
            return Decision(outcome="allowed", by=answer.by, reason=answer.reason, findings=request.findings)
        return Decision(outcome="denied-by-policy", by=answer.by, reason=answer.reason, findings=request.findings)


def decided(
    authority: Authority, request: ApprovalRequest, choice: Choice, by: str, reason: str, grant: object
) -> Decision:
    """The decision that an answer means. A yes for longer, without a grant, creates the grants for exactly this call.

    Raises:
        TypeError: what the answer carries is no grant.
        ConfigError: it is a grant for something else.
    """
    if choice == "deny":
        return Decision(outcome="denied-by-human", reason=reason or request.reason, by=by, findings=request.findings)
    grants = () if choice == "once" else _given(authority, request, choice, grant)
    if choice != "once" and not grants:
        grants = _proposed(authority, request, choice, by)
    return Decision(outcome="allowed", reason=reason, by=by, findings=request.findings, grants=grants)


def _given(authority: Authority, request: ApprovalRequest, choice: str, grant: object) -> tuple[Any, ...]:
    """The grants that an answer brought along: for what was asked, and for nothing else."""
    from hermes_core.approval.grants.grant import Grant
    from hermes_core.approval.grants.proposals import require_fitting

    given = tuple(grant) if isinstance(grant, tuple | list) else () if grant is None else (grant,)
    for each in given:
        if not isinstance(each, Grant):
            raise TypeError(f"an answer carries grants, not a {type(each).__name__}")
    require_fitting(given, request, choice, source=authority.source_of(request.tool))
    return given


def _proposed(authority: Authority, request: ApprovalRequest, scope: str, by: str) -> tuple[Any, ...]:
    try:
        return tuple(replace(grant, by=by) for grant in authority.propose(request, scope))
    except ConfigError as error:  # arguments that no grant can hold: this one call was approved all the same
        from hermes_core.logs import log

        log.warning("Only this call of %s is approved, and nothing is granted: %s", request.tool, error)
        return ()


def _timed_out(request: ApprovalRequest, by: str) -> Decision:
    return Decision(outcome="timed-out", reason=request.reason, by=by, findings=request.findings)
