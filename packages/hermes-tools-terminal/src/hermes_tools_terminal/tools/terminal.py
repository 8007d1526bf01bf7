"""The `terminal` tool: run a command in the task's shell or in the background."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from hermes_core import Binding, Finding, ToolContext, ToolUnavailableError, tool
from hermes_tools_terminal.approval_binding import command_binding
from hermes_tools_terminal.command_assessment import assess_with_verdict
from hermes_tools_terminal.eager_execution import require_event_loop, run_eagerly
from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.processes.process import BackgroundProcess
from hermes_tools_terminal.processes.registry import TooManyProcessesError
from hermes_tools_terminal.secret_masks import mask_in, masking
from hermes_tools_terminal.session_state import task_of, tasks_of
from hermes_tools_terminal.shell.command_checks import background_reason, exit_code_meaning, syntax_error
from hermes_tools_terminal.shell.connection import CommandMonitor
from hermes_tools_terminal.shell.output import Capture, readable, truncate
from hermes_tools_terminal.shell.shell import TIMED_OUT
from hermes_tools_terminal.tasks import NOT_ASSESSED, CallAssessment, Task, Tasks

if TYPE_CHECKING:
    from pydantic import Field

    from hermes_guard import Verdict

_MAX_ASSESSED = 256
_UNREAD = frozenset({"shell.unreadable", "shell.unknown-command"})
SYNTAX_ERROR = 2
"""The exit code of shells for a command that they cannot parse."""

PROGRESS_SECONDS = 5.0
"""How long a command runs before progress is reported, and the interval between later reports."""

_PROCESS_WOULD_END = (
    "The command was not run: a background process ends with the Hermes process that started it, and this one ends "
    "with the call."
)
_KEEP_HOST_OPEN = (
    "Run it in the foreground with a longer timeout, or from a program that keeps its host open "
    "(`with Hermes.load() as hermes`)."
)

_WORKDIR = re.compile(r"[A-Za-z0-9/\\:_\-.~ +@=,()\[\]#%À-￿]+")
_NEEDS_PASSWORD = re.compile(r"sudo: (?:a (?:terminal|password) is required|no tty present|no askpass)")


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """Assess a command in its environment, after all earlier commands."""
    command = args.get("command")
    if not isinstance(command, str):
        return []
    try:
        task = task_of(ctx)
        task.assessments.pop(ctx.call.id, None)  # a model may reuse an id
        version = task.history.version
        found, verdict = _assess(task, command, args.get("workdir"))
        problem = _syntax_error(task, command, found)
        asks = any(finding.severity == "ask" for finding in found)
        bound = command_binding(task, command, args.get("workdir"), verdict.uses) if asks and problem is None else None
    except (TerminalEnvironmentError, ToolUnavailableError):
        return []  # it cannot run; the tool reports why
    while len(task.assessments) > _MAX_ASSESSED:
        task.assessments.popitem(last=False)
    reasons = frozenset(finding.reason for finding in found)
    task.assessments[ctx.call.id] = CallAssessment(version, reasons, problem, verdict.after, bound)
    if problem is not None:  # nothing runs, so nothing needs approval
        return [finding for finding in found if finding.severity == "refuse"]
    return found


def binding(args: Mapping[str, Any], ctx: ToolContext) -> Binding | None:
    """Return what an approval of a command depends on: its directory, and what its words refer to there."""
    command = args.get("command")
    if not isinstance(command, str):
        return None
    try:
        task = task_of(ctx)
        known = task.assessments.get(ctx.call.id, NOT_ASSESSED)
        if known.binding is None:  # the approval was not requested by the guard
            known = known._replace(binding=command_binding(task, command, args.get("workdir")))
            task.assessments[ctx.call.id] = known
        return known.binding
    except (TerminalEnvironmentError, ToolUnavailableError):
        return None  # it cannot run; the tool reports why


def _syntax_error(task: Task, command: str, found: list[Finding]) -> str | None:
    """Return the shell's message about a command that it cannot parse.

    Only commands that need approval, or that the guard could not read, are checked, because it takes time.
    """
    doubtful = any(finding.severity == "ask" or finding.rule in _UNREAD for finding in found)
    if not doubtful or "\0" in command:
        return None
    environment = task.environment
    if environment is None:
        environment = task.planned
        if not environment.quick:  # do not open a container for an assessment
            return None
    state = task.history.state
    if state.aliases or state.incomplete or "posix" in state.options or "POSIXLY_CORRECT" in state.variables:
        return None  # these change the syntax, and a shell that only parses does not know them
    return syntax_error(command, environment)


def _assess(task: Task, command: str, workdir: str | None) -> tuple[list[Finding], Verdict]:
    cwd = task.directory(workdir)
    ask_everywhere = task.settings.guard_isolated
    state = task.history.state
    return assess_with_verdict(state, command, cwd=cwd, environment=task.planned, ask_everywhere=ask_everywhere)


def _require_unchanged(task: Task, command: str, workdir: str | None, call: str) -> CallAssessment:
    """Verify that the assessment still applies: another command may have changed the shell meanwhile."""
    known = task.assessments.pop(call, NOT_ASSESSED)
    if known.binding is not None and command_binding(task, command, workdir).facts != known.binding.facts:
        raise TerminalEnvironmentError(
            "The command was not run: its directory, or a link or variable that it uses, has changed since it was "
            "approved.",
            hint="Send it again.",
        )
    version = task.history.version
    if known.version == version:
        return known
    found, verdict = _assess(task, command, workdir)
    if any(finding.reason not in known.reasons for finding in found if finding.severity != "note"):
        raise TerminalEnvironmentError(
            "The command was not run: another command has changed the shell since this one was assessed.",
            hint="Send it again.",
        )
    return known._replace(version=version, after=verdict.after)


@tool(
    toolset="terminal",
    always_load=True,
    emoji="💻",
    effects=["exec", "read", "write", "delete", "network"],
    assess=assess,
    binding=binding,
    max_result_size_chars=100_000,
    timeout=float("inf"),  # the tool has its own time limit
    is_async=True,
    keywords=["shell", "bash", "command", "run", "execute", "console"],
)
def terminal(
    command: Annotated[str, Field(description="The shell command, one or more lines.")],
    ctx: ToolContext,
    background: Annotated[
        bool, Field(description="Run in the background, for servers and long tasks; manage it with the process tool.")
    ] = False,
    timeout: Annotated[
        int | None, Field(ge=1, description="Time limit in seconds. Default: 180, unless configured otherwise.")
    ] = None,
    workdir: Annotated[str | None, Field(description="Working directory for this command only.")] = None,
    pty: Annotated[bool, Field(description="Run in a pseudo-terminal, for programs that need one.")] = False,
    notify_on_complete: Annotated[bool, Field(description="Notify when it ends; background only.")] = False,
    watch_patterns: Annotated[
        list[str] | None,
        Field(
            description="Notify when its output contains one of these texts; background only, not with "
            "notify_on_complete."
        ),
    ] = None,
) -> dict[str, Any] | Awaitable[dict[str, Any]]:
    """Run a shell command and return its output and exit code.

    Commands share one persistent shell: the working directory, exported variables and functions carry over to the next
    command. Use the file tools, if available, instead of cat, grep, sed or echo to read, search and change files.
    Commands cannot be interactive; use options such as -y. For commands that do not end, such as servers, use
    background=true.
    """
    tasks, task = tasks_of(ctx), task_of(ctx)
    if (problem := _problem(command, timeout, workdir, background, tasks)) is not None:
        return _failed(problem)
    if background and ctx.call.origin == "direct" and ctx.session.services.has("single_call"):
        return _failed(_PROCESS_WOULD_END, hint=_KEEP_HOST_OPEN)
    if (message := task.assessments.get(ctx.call.id, NOT_ASSESSED).syntax_error) is not None:
        del task.assessments[ctx.call.id]
        error = "The shell cannot parse the command, so none of it was run. Fix the syntax and send it again."
        return {"output": f"{message}\n", "exit_code": SYNTAX_ERROR, "error": error, "status": "error"}
    mask = masking(ctx)
    check = functools.partial(_require_unchanged, task, command, workdir, ctx.call.id)
    if background:
        patterns = watch_patterns or []
        work = _run_in_background(tasks, task, command, workdir, pty, notify_on_complete, patterns, check)
    else:
        seconds = float(timeout or tasks.settings.timeout)
        run = _run_in_terminal(tasks, task, command, seconds, workdir, check, mask) if pty else None
        work = run or _run(task, command, seconds, workdir, ctx, check, mask)
    return run_eagerly(_with_errors_as_results(work))


async def _with_errors_as_results(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    try:
        return await work
    except TerminalEnvironmentError as error:
        return _failed(error.reason, hint=error.hint)


def _problem(command: str, timeout: int | None, workdir: str | None, background: bool, tasks: Tasks) -> str | None:
    """Return what is wrong with a call, for the model to fix."""
    settings = tasks.settings
    if "\0" in command:
        return "The command contains a NUL character, which no shell can read."
    if not command.strip():
        return "The command is empty."
    if (masked := mask_in("command", command)) is not None:
        return masked
    if workdir is not None and not _WORKDIR.fullmatch(workdir):
        return f"workdir {workdir!r} is not a directory name."
    if background:
        return None
    if timeout is not None and timeout > settings.max_foreground_timeout:
        return (
            f"timeout {timeout} exceeds the limit of {settings.max_foreground_timeout} seconds for a command. "
            "Run it with background=true, and wait for it with the process tool."
        )
    if settings.foreground_guard and (reason := background_reason(command)) is not None:
        return f"It was not run in the foreground, because {reason}. Run it with background=true."
    return None


async def _run(
    task: Task,
    command: str,
    timeout: float,
    workdir: str | None,
    ctx: ToolContext,
    check: Callable[[], CallAssessment],
    mask: Callable[[str], str],
) -> dict[str, Any]:
    reporter = _Reporter(ctx, command, mask)
    watch = CommandMonitor(reporter.tick)
    if reporter.needed:
        await require_event_loop()
        import anyio

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reporter.send)
            outcome = await task.run(command, timeout=timeout, folder=workdir, watch=watch, check=check)
            tasks.cancel_scope.cancel()
    else:
        outcome = await task.run(command, timeout=timeout, folder=workdir, watch=watch, check=check)
    return _result(command, outcome.output, outcome.status, list(outcome.notes), mask)


async def _run_in_terminal(
    tasks: Tasks,
    task: Task,
    command: str,
    timeout: float,
    workdir: str | None,
    check: Callable[[], CallAssessment],
    mask: Callable[[str], str],
) -> dict[str, Any]:
    """Run a command in its own pseudo-terminal, and wait for it."""
    try:
        process = await _start_process(tasks, task, command, check, folder=workdir, pty=True)
    except TooManyProcessesError as error:
        return _failed(str(error))
    try:
        await require_event_loop()
        ended = await process.wait(timeout)
    except BaseException:
        process.end()
        raise
    notes = ["It ran in a separate terminal: its changes to the shell are lost."]
    if not ended:
        await process.kill()
        notes.append(f"The command was ended after {timeout:g} seconds.")
    tasks.processes.forget(process)
    status = process.exit_code if ended and process.exit_code is not None else TIMED_OUT
    return _result(command, truncate(process.output.text(), task.settings.output_limit), status, notes, mask)


def _result(command: str, output: str, status: int, notes: list[str], mask: Callable[[str], str]) -> dict[str, Any]:
    if _NEEDS_PASSWORD.search(output):
        notes.append("sudo needs a password, which cannot be typed here. Use a user without one, or avoid sudo.")
    result: dict[str, Any] = {"output": mask(output), "exit_code": status, "error": None}
    if (meaning := exit_code_meaning(command, status)) is not None:
        result["exit_code_meaning"] = meaning
    if notes:
        result["note"] = " ".join(notes)
    return result


async def _start_process(
    tasks: Tasks, task: Task, command: str, check: Callable[[], CallAssessment], *, folder: str | None, **how: Any
) -> BackgroundProcess:
    """Start a process beside the task's shell, without blocking others."""

    async def start(environment: Environment, state: str) -> BackgroundProcess:
        begin = functools.partial(
            tasks.processes.start,
            environment,
            command,
            task=task.name,
            folder=folder or task.folder,
            state=state,
            **how,
        )
        if environment.quick:
            return begin()
        await require_event_loop()
        import anyio

        return await anyio.to_thread.run_sync(begin)

    try:
        return await task.begin(start, check)
    finally:  # the shell may run what it writes, but does not share its state
        task.history.record_parallel_command(command, cwd=task.directory(folder))


async def _run_in_background(
    tasks: Tasks,
    task: Task,
    command: str,
    workdir: str | None,
    pty: bool,
    notify: bool,
    patterns: list[str],
    check: Callable[[], CallAssessment],
) -> dict[str, Any]:
    watched = [] if notify else [pattern for pattern in patterns if pattern]
    try:
        process = await _start_process(
            tasks, task, command, check, folder=workdir, pty=pty, notify=notify, patterns=watched
        )
    except TooManyProcessesError as error:
        return _failed(str(error))
    result: dict[str, Any] = {
        "output": "Background process started",
        "session_id": process.id,
        "pid": process.started.group,
        "exit_code": 0,
        "error": None,
    }
    if notify:
        result["notify_on_complete"] = True
        if patterns:
            result["watch_patterns_ignored"] = "Patterns are not used together with notify_on_complete."
    elif watched:
        result["watch_patterns"] = watched
    else:
        result["hint"] = f"Check it with process(action='poll', session_id='{process.id}')."
    return result


def _failed(error: str, *, hint: str = "") -> dict[str, Any]:
    return {"output": "", "exit_code": -1, "error": error, "status": "error", **({"hint": hint} if hint else {})}


class _Reporter:
    """Reports the progress of a command with its latest output."""

    def __init__(self, ctx: ToolContext, command: str, mask: Callable[[str], str]) -> None:
        self._ctx = ctx
        self._mask = mask
        self._command = command.strip().splitlines()[0][:80]
        self._began = time.monotonic()
        self._capture: Capture | None = None
        self.needed = ctx.watched

    @property
    def tick(self) -> Callable[[float, Capture], None] | None:
        """Return the callback of the shell; None without observers."""
        return self._note if self.needed else None

    def _note(self, _seconds: float, capture: Capture) -> None:
        self._capture = capture

    async def send(self) -> None:
        """Report at intervals until cancelled."""
        import anyio

        while True:
            await anyio.sleep(PROGRESS_SECONDS)
            seconds = time.monotonic() - self._began
            capture = self._capture
            detail = self._mask(readable(capture.last(2000)))[-500:] if capture else ""
            await self._ctx.aprogress(f"still running: {self._command}", seconds=seconds, detail=detail)
