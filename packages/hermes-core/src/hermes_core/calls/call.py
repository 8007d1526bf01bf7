"""One call as hooks, approvers and observers see it, and what became of it."""

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
    """A call on its way through the pipeline. Hooks look at it; nothing they do to it changes what runs."""

    # Defaults live on the class: most calls never touch them, and creating a call is on the hottest path there is. What
    # every call is asked for is set on the call, where it is found faster.
    _tool: ToolSpec | None = None
    _task_id: str | None = None
    _origin: str = "direct"
    _repairs: tuple[Repair, ...] = ()
    _id: str | None = None
    _plan: Plan | None = None  # completes the arguments when they are first looked at
    _shown: Mapping[str, Any] | None = None
    _unattended: bool = False
    _outer: ToolCall | None = None  # the call of the tool that made this one, of whatever host
    _is_forwarded: bool = False  # a forwarding tool gave its name and arguments
    _text: str  # what the caller gets

    def __init__(self, name: str, args: Any, session: Session, scope: Scope | None) -> None:
        self._name = name
        self._args = args
        self._session = session
        self._scope = scope
        self._seconds: float | None = None
        self._depth = 0  # how many calls it runs inside of

    @property
    def name(self) -> str:
        """The tool's registered name, also when an alias was used."""
        return self._name

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments. What hooks and observers see is a copy: a hook changes them by returning `Rewrite`."""
        if self._shown is None:
            if self._plan is None:
                args: Mapping[str, Any] = self._args
                return args
            self._shown = self._plan.shown(self._args)
        return self._shown

    @property
    def tool(self) -> ToolSpec | None:
        """The tool's specification; None when no tool was found."""
        return self._tool

    @property
    def source(self) -> str:
        """The plugin that the tool came from, here or in a host above; else `application`."""
        return self._session._dispatcher.source_of(self._name)

    @property
    def task_id(self) -> str | None:
        """The task inside the session, for tools that keep state for each task."""
        return self._task_id

    @property
    def origin(self) -> str:
        """The path that the call came by: `direct`, `batch`, `nested`, ..."""
        return self._origin

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs that were made to the arguments."""
        return self._repairs

    @property
    def id(self) -> str:
        """Unique among all calls of all hosts, unless the caller gave one."""
        if self._id is None:
            dispatcher = self._session._dispatcher
            self._id = f"{dispatcher.call_prefix}{next(dispatcher.call_numbers)}"
        return self._id

    @property
    def session_id(self) -> str:
        """The session that it belongs to."""
        return self._session.id

    @property
    def session_kind(self) -> str:
        """What kind of session that is: `interactive`, `batch`, `cron`, ... What a cron job calls is one, too."""
        return UNATTENDED if self._unattended else self._session.kind

    @property
    def key(self) -> tuple[str, str, str, str, str | None]:
        """The name, session, kind of session, origin and task at once: observers can cache by it what calls share."""
        session = self._session
        kind = UNATTENDED if self._unattended else session.kind
        return self._name, session.id, kind, self._origin, self._task_id

    def __repr__(self) -> str:
        hidden = self._session._dispatcher.secrets.hide(repr(self.args))
        return f"ToolCall(id={self.id!r}, name={self.name!r}, args={hidden})"


class CallRecord(NamedTuple):
    """What became of one call: given to `hermes_post_tool_call`, and returned by `Hermes.run`.

    Attributes:
        call: The call, with the arguments that ran (or would have run).
        result: The JSON text that the caller gets.
        status: `ok`, `error`, `blocked`, `timeout` or `cancelled`.
        code: The error code, when it is not `ok`.
        decision: What was decided about it; None when it never got that far, or nothing judges calls in this host.
        seconds: How long it took, approval included.
    """

    call: ToolCall
    result: str
    status: Status
    code: str | None
    decision: Decision | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a running call: given to `hermes_tool_progress`.

    Attributes:
        message: One sentence for a human.
        seconds: How long it has been running, when the tool knows.
        done: How much is done, in the units of the tool.
        total: Out of how much; None when it is not known.
        detail: More for a human who wants to look: the last lines that a command printed.
    """

    message: str
    seconds: float | None = None
    done: float | None = None
    total: float | None = None
    detail: str = ""


current_call: ContextVar[ToolCall | tuple[ToolCall, Any] | None] = ContextVar("hermes_current_call", default=None)
"""The call that is running here: a nested call of the same host inherits its scope, session and task.

While hooks judge or observe a call, it is that call together with what was here before. What hooks call counts as
nested in the call, and inherits nothing from it.
"""

get_current_call, set_current_call, reset_current_call = current_call.get, current_call.set, current_call.reset
"""Bound here, because every call uses them, and an attribute of an imported name is found slowly."""


def calls_around() -> tuple[ToolCall | None, int]:
    """Return the call whose tool runs here, and in how many calls the next one would run."""
    around, depth = current_call.get(), 0
    while isinstance(around, tuple):
        hooked_call, around = around
        depth = max(depth, hooked_call._depth + 1)
    return around, depth
