"""Asks the user at the terminal about the calls of one host, and offers the exact grants for a lasting yes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from hermes_core import ApprovalRequest, ConfigError, Decision, hookimpl

if TYPE_CHECKING:
    from hermes_approval.channels.answer import Answer
    from hermes_approval.channels.terminal_queue import TerminalChannel
    from hermes_approval.grants.grant import Grant
    from hermes_approval.host_approval import HostApproval
    from hermes_core.plugin_context import PluginContext

_NAME = "terminal approver"  # not "terminal", which may be the name of a plugin with tools


class TerminalApprover:
    """Makes the approver that `hermes call` and other commands add to their host."""

    __name__ = _NAME
    hermes_hooks = ("hermes_request_approval", "hermes_approval_resolved")

    def hermes_factory(self, context: PluginContext) -> object:
        """Make the approver for one host.

        Raises:
            ConfigError: the host has no approval.
        """
        from hermes_approval.host_approval import HostApproval

        approval = context.plugin(HostApproval)
        if approval is None:
            raise ConfigError("the terminal approver needs the plugin 'approval', which is disabled.")
        return TerminalPrompt(approval)


class TerminalPrompt:
    """Shows the requests of one host at the terminal, if there is one.

    Args:
        approval: The host's rules, grants and settings.
    """

    def __init__(self, approval: HostApproval) -> None:
        self._approval = approval
        self._channel: TerminalChannel | None = None
        self._making = threading.Lock()
        self._open: set[str] = set()
        """The ids of requests that the host waits for."""

    @hookimpl(trylast=True)
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | None:
        """Show the request, and return the decision."""
        with self._making:
            if self._channel is None:
                self._channel = self._new_channel()
        if not self._channel.usable():
            return None
        self._open.add(request.id)
        try:
            answer = self._channel.ask(request, cancelled=lambda: request.id not in self._open)
        except TimeoutError:
            return Decision(outcome="timed-out", reason=request.reason, by=_NAME, findings=request.findings)
        finally:
            self._open.discard(request.id)
        return None if answer is None else answer.as_decision(request)

    @hookimpl(tryfirst=True)
    def hermes_approval_resolved(self, request: ApprovalRequest) -> None:
        """Remove the prompt: the host has its decision."""
        self._open.discard(request.id)

    def _new_channel(self) -> TerminalChannel:
        from hermes_approval.channels.terminal_queue import TerminalChannel

        return TerminalChannel(
            seconds=self._approval.settings.terminal_seconds,
            propose=lambda request, scope: _offer(self._approval.propose(request, scope)),
            narrowings=_narrowings,
            settled=self._settled,
        )

    def _settled(self, request: ApprovalRequest) -> Answer | None:
        from hermes_approval.channels.answer import Answer

        by = self._approval.granted(request)
        return Answer(choice="once", by=by) if by else None


class _GrantTuple(tuple["Grant", ...]):
    """The grants for one call with several findings, all with the same scope."""

    __slots__ = ()

    @property
    def scope(self) -> str:
        """The scope of all of them."""
        return self[0].scope


def _offer(grants: tuple[Grant, ...]) -> object:
    return grants[0] if len(grants) == 1 else _GrantTuple(grants) if grants else None


def _narrowings(offered: object) -> list[tuple[str, object]]:
    """Return narrower variants of an offer. Several grants are all narrowed in the same way."""
    from hermes_approval.grants.offered_grants import narrowings

    grants: tuple[Any, ...] = offered if isinstance(offered, _GrantTuple) else (offered,)
    ways = [dict(narrowings(grant)) for grant in grants]
    shared = [label for label in ways[0] if all(label in way for way in ways)]
    return [(label, _offer(tuple(way[label] for way in ways))) for label in shared]
