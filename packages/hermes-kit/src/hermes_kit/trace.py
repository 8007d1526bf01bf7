"""Records which hooks saw which call, so that a test can check the order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_core import hookimpl

if TYPE_CHECKING:
    from hermes_core import ApprovalRequest, CallRecord, Decision, Progress, Session, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """One call of a hook.

    Attributes:
        hook: The hook.
        tool: The called tool; None for hooks that are not about one call.
        call_id: The call's id; None as above.
        args: The arguments at that moment.
        session_id: The session.
        result: The result so far, for hooks that get one.
    """

    hook: str
    tool: str | None = None
    call_id: str | None = None
    args: Mapping[str, Any] | None = None
    session_id: str | None = None
    result: str | None = None


class HookTrace:
    """A plugin that watches every call hook after all others, and decides nothing.

    Attributes:
        events: Everything it saw, in order.
    """

    __name__ = "hook-trace"

    def __init__(self) -> None:
        self.events: list[HookEvent] = []

    def hooks(self, tool: str | None = None, *, call_id: str | None = None) -> list[str]:
        """Return the hooks in the order of their calls: all of them, or those for one tool or call."""
        return [
            seen.hook
            for seen in self.events
            if (tool is None or seen.tool == tool) and (call_id is None or seen.call_id == call_id)
        ]

    def calls(self, hook: str = "hermes_post_tool_call") -> list[str]:
        """Return the tools whose calls a hook saw, in order."""
        return [seen.tool for seen in self.events if seen.hook == hook and seen.tool is not None]

    def of(self, hook: str) -> list[HookEvent]:
        """Return everything that one hook saw."""
        return [seen for seen in self.events if seen.hook == hook]

    def clear(self) -> None:
        """Forget everything so far."""
        self.events.clear()

    @hookimpl(trylast=True)
    def hermes_session_start(self, session: Session) -> None:
        """Record it."""
        self.events.append(HookEvent(hook="hermes_session_start", session_id=session.id))

    @hookimpl(trylast=True)
    def hermes_session_end(self, session: Session) -> None:
        """Record it."""
        self.events.append(HookEvent(hook="hermes_session_end", session_id=session.id))

    @hookimpl(trylast=True)
    def hermes_pre_tool_call(self, call: ToolCall) -> None:
        """Record it."""
        self._note("hermes_pre_tool_call", call)

    @hookimpl(trylast=True)
    def hermes_assess_call(self, call: ToolCall) -> None:
        """Record it."""
        self._note("hermes_assess_call", call)

    @hookimpl(tryfirst=True)  # after the first approver who answers, no other is asked
    def hermes_request_approval(self, request: ApprovalRequest) -> None:
        """Record it."""
        self._note_request("hermes_request_approval", request)

    @hookimpl(trylast=True)
    def hermes_approval_resolved(self, request: ApprovalRequest, decision: Decision) -> None:
        """Record it, with the outcome as the result."""
        self._note_request("hermes_approval_resolved", request, decision.outcome)

    @hookimpl(trylast=True)
    def hermes_tool_call_started(self, call: ToolCall) -> None:
        """Record it."""
        self._note("hermes_tool_call_started", call)

    @hookimpl(trylast=True)
    def hermes_tool_progress(self, call: ToolCall, progress: Progress) -> None:
        """Record it, with the message as the result."""
        self._note("hermes_tool_progress", call, progress.message)

    @hookimpl(trylast=True)
    def hermes_transform_tool_result(self, call: ToolCall, result: str) -> None:
        """Record it."""
        self._note("hermes_transform_tool_result", call, result)

    @hookimpl(trylast=True)
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Record it."""
        self._note("hermes_post_tool_call", record.call, record.result)

    def _note(self, hook: str, call: ToolCall, result: str | None = None) -> None:
        self.events.append(
            HookEvent(
                hook=hook, tool=call.name, call_id=call.id, args=call.args, session_id=call.session_id, result=result
            )
        )

    def _note_request(self, hook: str, request: ApprovalRequest, result: str | None = None) -> None:
        self.events.append(
            HookEvent(
                hook=hook,
                tool=request.tool,
                call_id=request.id,
                args=request.args,
                session_id=request.session_id,
                result=result,
            )
        )
