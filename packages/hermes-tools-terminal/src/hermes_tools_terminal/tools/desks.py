"""What a session has of files: its desks, made at the first call and closed with the session."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_core import Binding, ToolUnavailableError
from hermes_tools_terminal.desk.desk import Desk, Desks
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.settings import FileSettings
from hermes_tools_terminal.tools.session_state import task_of

if TYPE_CHECKING:
    from hermes_core import Session, ToolContext
    from hermes_tools_terminal.desk.memory import Access

_KEY = "terminal.files"
_making = threading.Lock()


def desk_of(ctx: ToolContext) -> Desk:
    """The desk of the task that a call belongs to."""
    task = task_of(ctx)
    desks = ctx.session.state.get(_KEY)
    if desks is None:
        settings = ctx.settings("files", FileSettings)
        with _making:
            desks = ctx.session.state.get(_KEY)
            if desks is None:
                desks = Desks(settings, str(ctx.home))
                ctx.session.on_close(desks.close)
                ctx.session.state[_KEY] = desks
    assert isinstance(desks, Desks)
    return desks.of(task)


def binding(_args: Mapping[str, Any], ctx: ToolContext) -> Binding | None:
    """What an approval of a call depends on that uses files: which ones its paths lead to."""
    from hermes_tools_terminal.binding import file_binding

    try:
        desk = desk_of(ctx)
        return file_binding(desk.task, desk.files(ctx.call.id))
    except (TerminalEnvironmentError, ToolUnavailableError):
        return None  # nothing will be done; the tool itself says why


def accesses(session: Session, task: str | None = None) -> list[Access]:
    """What a session, or one of its tasks, did with files, oldest first."""
    desks = session.state.get(_KEY) or ()
    found = [access for desk in desks if task is None or desk.task.name == task for access in desk.memory.log]
    return sorted(found, key=lambda access: access.time)


def forget_reads(session: Session) -> None:
    """Have files given out again that were read before: the model does not see them any more.

    An application calls this when it shortens a conversation.
    """
    for desk in session.state.get(_KEY) or ():
        desk.memory.forget_reads()
