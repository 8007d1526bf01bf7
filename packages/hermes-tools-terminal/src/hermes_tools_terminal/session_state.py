"""The state of a session: its tasks and running scripts, created on first use and closed with the session."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hermes_core import Session, ToolContext, ToolUnavailableError
from hermes_tools_terminal.environments.base import EXTENSION_POINT, TerminalEnvironmentError
from hermes_tools_terminal.secret_masks import masking_of
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.tasks import Task, Tasks

if TYPE_CHECKING:
    from hermes_tools_terminal.scripts.script import RunningScripts

SCRIPTS = "terminal_scripts"
_KEY = "terminal"
_making = threading.Lock()


def tasks_of(ctx: ToolContext) -> Tasks:
    """Return the tasks of the call's session."""
    found = ctx.session.state.get(_KEY)
    if found is not None and not found.foreign:
        assert isinstance(found, Tasks)
        return found
    settings = ctx.settings("terminal", TerminalSettings)
    with _making:
        known = ctx.session.state.get(_KEY)
        if known is None or known.foreign:
            try:
                tasks = Tasks(settings, str(ctx.home), ctx.providers(EXTENSION_POINT))
            except TerminalEnvironmentError as error:
                raise ToolUnavailableError(error.reason, hint=error.hint) from error
            ctx.session.on_close(tasks.close)
            ctx.session.state[_KEY] = tasks
        made = ctx.session.state[_KEY]
    assert isinstance(made, Tasks)
    return made


def task_of(ctx: ToolContext) -> Task:
    """Return the task of a call."""
    return tasks_of(ctx).task(ctx.call.task_id or "default")


def scripts_of(ctx: ToolContext) -> RunningScripts:
    """Return the running scripts of the call's session."""
    from hermes_tools_terminal.scripts.script import RunningScripts

    with _making:
        found = ctx.session.state.get(SCRIPTS)
        if found is None or found.foreign:
            found = ctx.session.state[SCRIPTS] = RunningScripts()
            ctx.session.on_close(found.close)
    assert isinstance(found, RunningScripts)
    return found


def interrupt(session: Session, task: str | None = None) -> bool:
    """Interrupt the running commands and scripts of a session, or of one task; return whether there were any."""
    tasks = session.state.get(_KEY)
    if tasks is None:
        return False
    stopped = [each.interrupt() for each in tasks if task is None or each.name == task]
    scripts = session.state.get(SCRIPTS)
    return (scripts.interrupt(task) if scripts is not None else False) or any(stopped)


def notices(session: Session) -> list[dict[str, object]]:
    """Return new notices of the session's background processes: ends, and lines that matched a pattern."""
    tasks = session.state.get(_KEY)
    return tasks.processes.notices(masking_of(session)) if tasks is not None else []
