"""One call as hooks, approvers and observers see it, and the record of how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_core.findings import UNATTENDED

if TYPE_CHECKING:
    from hermes_core.calls.call_plan import Plan
    from hermes_core.calls.session import Session
    from hermes_core.calls.visibility import Scope
    from hermes_core.findings import Decision
    from hermes_core.tools.tool_spec import ToolSpec
    from hermes_schemas.repair import Repair

Status = Literal["ok", "error", "blocked", "timeout", "cancelled"]


class ToolCall:
    """A call in the pipeline. Hooks can only read it; `Rewrite` changes its arguments."""

    # The attributes below are internal: the dispatcher and the pipeline set them. Most calls use the defaults in the
    # class, which makes creating a call fast.
    current_tool: ToolSpec | None = None
    given_task_id: str | None = None
    given_origin: str = "direct"
    current_repairs: tuple[Repair, ...] = ()
    given_id: str | None = None
    plan: Plan | None = None  # adds defaults to the arguments when they are first read
    shown_args: Mapping[str, Any] | None = None
    is_unattended: bool = False
    outer: ToolCall | None = None  # the call of the tool that made this call, in any host
    is_given_up: bool = False  # it was cancelled or timed out, but its tool may still be running
    is_forwarded: bool = False  # a forwarding tool provided its name and arguments
    result_text: str  # the result for the caller

    def __init__(self, name: str, args: Any, session: Session, scope: Scope | None) -> None:
        self.current_name = name
        self.current_args = args
        self.session = session
        self.scope = scope
        self.timeout: float | None = None
        self.depth = 0  # its nesting depth

    @property
    def name(self) -> str:
        """The registered name of the tool, even if the call used an alias."""
        return self.current_name

    @property
    def args(self) -> Mapping[str, Any]:
        """A read-only copy of the arguments. A hook changes them by returning `Rewrite`."""
        if self.shown_args is None:
            if self.plan is None:
                args: Mapping[str, Any] = self.current_args
                return args
            self.shown_args = self.plan.complete(self.current_args)
        return self.shown_args

    @property
    def tool(self) -> ToolSpec | None:
        """The tool's specification; None if no tool was found."""
        return self.current_tool

    @property
    def source(self) -> str:
        """The plugin that provides the tool, in this host or a parent; `application` otherwise."""
        return self.session.dispatcher.source_of(self.current_name)

    @property
    def task_id(self) -> str | None:
        """The task within the session, for tools that keep state per task."""
        return self.given_task_id

    @property
    def origin(self) -> str:
        """How the call was made: `direct`, `batch`, `nested`, ..."""
        return self.given_origin

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs made to the arguments."""
        return self.current_repairs

    @property
    def id(self) -> str:
        """The caller's id, or a generated one that is unique among all calls of all hosts."""
        if self.given_id is None:
            dispatcher = self.session.dispatcher
            self.given_id = f"{dispatcher.call_prefix}{next(dispatcher.call_numbers)}"
        return self.given_id

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def session_kind(self) -> str:
        """The kind of the session: `interactive`, `batch`, `cron`, ... Calls made by a cron job are `cron`, too."""
        return UNATTENDED if self.is_unattended else self.session.kind

    @property
    def key(self) -> tuple[str, str, str, str, str | None]:
        """The name, session, kind of session, origin and task: a cache key for observers."""
        session = self.session
        kind = UNATTENDED if self.is_unattended else session.kind
        return self.current_name, session.id, kind, self.given_origin, self.given_task_id

    def __repr__(self) -> str:
        hidden = self.session.dispatcher.secrets.hide(repr(self.args))
        return f"ToolCall(id={self.id!r}, name={self.name!r}, args={hidden})"


class CallRecord(NamedTuple):
    """The result of one call: passed to `hermes_post_tool_call` and returned by `Hermes.run`.

    Attributes:
        call: The call, with the arguments that ran (or would have run).
        result: The JSON text that the caller gets.
        status: `ok`, `error`, `blocked`, `timeout` or `cancelled`.
        code: The error code, unless the status is `ok`.
        decision: The decision about the call; None if it ended earlier, or if no plugin of this host judges calls.
        seconds: The duration, including the time to wait for an approval.
    """

    call: ToolCall
    result: str
    status: Status
    code: str | None
    decision: Decision | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a running call: passed to `hermes_tool_progress`.

    Attributes:
        message: One sentence for the user.
        seconds: How long it has been running, if the tool knows.
        done: How much is done, in units of the tool.
        total: The total in the same units; None if it is not known.
        detail: More information, such as the last lines of a command's output.
    """

    message: str
    seconds: float | None = None
    done: float | None = None
    total: float | None = None
    detail: str = ""


current_call: ContextVar[ToolCall | tuple[ToolCall, Any] | None] = ContextVar("hermes_current_call", default=None)
"""The running call. A nested call of the same host inherits its scope, session and task.

While hooks judge or observe a call, this is a pair of that call and the previous value. Calls made by hooks count as
nested in the call, and inherit nothing from it.
"""

get_current_call, set_current_call, reset_current_call = current_call.get, current_call.set, current_call.reset
"""Bound once, because every call uses them, and looking up attributes takes time."""


def calls_around() -> tuple[ToolCall | None, int]:
    """Return the call whose tool is running here, and the nesting depth of the next call."""
    around, depth = current_call.get(), 0
    while isinstance(around, tuple):
        hooked_call, around = around
        depth = max(depth, hooked_call.depth + 1)
    return around, depth
