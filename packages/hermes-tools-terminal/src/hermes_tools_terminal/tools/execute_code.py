"""The `execute_code` tool: run a Python script that calls other tools."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import anyio

from hermes_core import Binding, Finding, ToolContext, ToolUnavailableError, tool
from hermes_tools_terminal.approval_binding import script_binding
from hermes_tools_terminal.command_assessment import assess_command
from hermes_tools_terminal.eager_execution import require_event_loop, run_eagerly
from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import script_variables
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.scripts.interpreters import project_interpreters
from hermes_tools_terminal.scripts.local_run import LocalRun
from hermes_tools_terminal.scripts.remote_run import RemoteRun
from hermes_tools_terminal.scripts.script import Script, ScriptResult, compile_script
from hermes_tools_terminal.scripts.tool_calls import OFFERED, ScriptCalls
from hermes_tools_terminal.secret_masks import mask_in, masking
from hermes_tools_terminal.session_state import scripts_of, task_of, tasks_of
from hermes_tools_terminal.settings import CodeSettings
from hermes_tools_terminal.shell.output import Capture
from hermes_tools_terminal.tasks import Task, Tasks
from hermes_tools_terminal.text import quoted

if TYPE_CHECKING:
    from pydantic import Field

MAX_CODE = 1_000_000
"""Size limit of a script in characters: larger data belongs in a file."""

BRIEF_SECONDS = 0.25
"""How long a blocking caller waits right here: most scripts end before they need an event loop."""

Run = LocalRun | RemoteRun

# Python, C programs and C++ programs, in this order.
_OUT_OF_MEMORY = re.compile(r"^MemoryError\b|Cannot allocate memory|std::bad_alloc", re.MULTILINE)

_LAST_CALLS_SECONDS = 2.0
"""How long the end of a script waits for its running calls."""


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """Assess what a script does itself; its tool calls are assessed when they are made."""
    code = args.get("code")
    if not isinstance(code, str) or _code_problem(code) is not None:
        return []  # it does not run
    try:
        task = task_of(ctx)
        return assess_command(
            _as_command(code),
            cwd=task.directory(),
            environment=task.planned,
            ask_everywhere=task.settings.guard_isolated,
            state=task.history.state,
        )
    except (TerminalEnvironmentError, ToolUnavailableError):
        return []  # it cannot run; the tool reports why


def binding(args: Mapping[str, Any], ctx: ToolContext) -> Binding | None:
    """Return what an approval of a script depends on: its directory, its Python, and its files."""
    code = args.get("code")
    if not isinstance(code, str):
        return None
    try:
        strict = ctx.settings("code_execution", CodeSettings).mode == "strict"
        return script_binding(task_of(ctx), code, strict=strict)
    except (TerminalEnvironmentError, ToolUnavailableError):
        return None  # it cannot run; the tool reports why


@tool(
    toolset="code_execution",
    always_load=True,
    emoji="🐍",
    effects=["exec", "read", "write", "delete", "network"],
    assess=assess,
    binding=binding,
    calls=sorted(OFFERED),
    max_result_size_chars=100_000,
    timeout=float("inf"),  # the tool has its own time limit
    is_async=True,
    keywords=["python", "script", "code", "program", "loop", "run"],
)
def execute_code(
    code: Annotated[str, Field(description="The Python source code to run.")], ctx: ToolContext
) -> dict[str, Any] | Awaitable[dict[str, Any]]:
    """Run a Python script that can call other tools as functions, and return what it prints.

    Use it for several tool calls with logic between them: loops, filters, conditions, or results too large to read.
    Import the tools that you need: `from hermes_tools import NAME`. Each function returns a dict, with "error" in it if
    the call failed. Only printed output is returned. Default limits: 5 minutes, 50 tool calls, 50 KB of output and
    4 GB of memory. Helper functions in `hermes_tools`: json_parse(text), shell_quote(text) and
    retry(function, max_attempts=3, delay=2).
    """
    return run_eagerly(_execute(code, ctx))


async def _execute(code: str, ctx: ToolContext) -> dict[str, Any]:
    began, mask = time.monotonic(), masking(ctx)
    if (problem := _code_problem(code)) is not None:
        return _result(began, None, None, problem, mask)
    settings = ctx.settings("code_execution", CodeSettings)
    calls = ScriptCalls(ctx, settings.max_tool_calls)
    try:
        ended, unfinished = await _run(code, ctx, settings, calls)
    except TerminalEnvironmentError as error:
        return _result(began, None, calls, " ".join(filter(None, (error.reason, error.hint))), mask)
    result = _result(began, ended, calls, _error(ended, settings), mask)
    if unfinished:
        result["note"] = f"{unfinished} calls had not finished when the script ended; they may still take effect."
    return result


def _as_command(code: str) -> str:
    return f"python3 -c {quoted(code)}"


def _code_problem(code: str) -> str | None:
    """Return what is wrong with a script, for the model to fix."""
    if not code.strip():
        return "The code is empty. Send a Python script."
    if "\0" in code:
        return "The code contains a NUL character, which Python cannot read. Write it as '\\0'."
    if len(code) > MAX_CODE:
        return f"The code is {len(code):,} characters long; the limit is {MAX_CODE:,}. Put data into files."
    try:
        code.encode()
    except UnicodeEncodeError as error:
        return f"The code contains a lone surrogate at {error.start}, which no file can contain. Write it as an escape."
    return mask_in("script", code) or compile_script(code).error


async def _run(code: str, ctx: ToolContext, settings: CodeSettings, calls: ScriptCalls) -> tuple[ScriptResult, int]:
    """Run a script to its end; return its result, and how many of its calls were unfinished."""
    tasks, task = tasks_of(ctx), task_of(ctx)
    ended = ScriptResult(Capture(settings.max_stdout), Capture(settings.max_stderr))
    cancelled = threading.Event()

    def begin(environment: Environment) -> Run:
        script = Script(code, task.folder, settings.timeout, settings.mode == "strict", settings.memory_mb)
        run: Run
        if isinstance(environment, LocalEnvironment) and environment.kind == "local":
            run = LocalRun.start(script, environment, calls.answer, task.settings.env_passthrough)
        else:
            run = RemoteRun.start(script, environment, calls.answer, _preferred_interpreters(script, environment))
        if cancelled.is_set():  # cancelled meanwhile
            run.close()
        return run

    async def start(environment: Environment, _state: str) -> Run:
        if environment.kind == "local" and _may_block():
            return begin(environment)
        await require_event_loop()
        return await anyio.to_thread.run_sync(begin, environment)

    def alive() -> None:
        task.used = time.monotonic()  # the environment is in use

    try:
        run = await task.begin(start)
        task.history.record_parallel_command(
            _as_command(code), cwd=task.directory()
        )  # a command may run what it writes
    except BaseException:
        cancelled.set()
        raise
    try:
        if isinstance(run, LocalRun):
            tasks.records.add(run.group, run.mark)
        with scripts_of(ctx).running(task.name, run) as watch:
            if not (isinstance(run, LocalRun) and _may_block() and run.follow_briefly(ended, watch, BRIEF_SECONDS)):
                await require_event_loop()
                await run.follow(ended, watch, alive)
        return ended, await _wait_for_calls(calls, task)
    finally:
        calls.close()
        await _close_run(run, tasks)


def _may_block() -> bool:
    """Return whether only the caller waits in this thread."""
    try:
        anyio.get_current_task()
    except RuntimeError:
        return True
    return False


def _preferred_interpreters(script: Script, environment: Environment) -> list[str]:
    """Return the interpreters to try first remotely: the project's, and in a sandbox that of this machine."""
    if environment.kind == "sandbox":
        interpreters = [] if script.strict else project_interpreters(script.folder, script_variables())
        return [*interpreters, sys.executable] if sys.executable else interpreters
    return [] if script.strict else project_interpreters(script.folder, {})


async def _wait_for_calls(calls: ScriptCalls, task: Task) -> int:
    """Wait briefly for the running calls of a script."""
    calls.close()
    if not calls.wait(0):
        return 0
    if calls.running("terminal"):
        task.interrupt()
    await require_event_loop()
    return await anyio.to_thread.run_sync(calls.wait, _LAST_CALLS_SECONDS)


async def _close_run(run: Run, tasks: Tasks) -> None:
    if isinstance(run, LocalRun):
        run.close()
        tasks.records.ended(run.group)
        return
    await require_event_loop()
    with anyio.CancelScope(shield=True):  # the remote process would be left running
        await anyio.to_thread.run_sync(run.close)


def _error(ended: ScriptResult, settings: CodeSettings) -> str | None:
    """Return what went wrong; None for success."""
    if ended.problem:
        return ended.problem
    if ended.why == "timeout":
        ended_after = f"The script was ended after {settings.timeout:g} seconds."
        return f"{ended_after} Do less in one script, or run it in the background with terminal."
    if ended.why == "interrupted":
        return "The script was interrupted."
    if ended.status == 0:
        return None
    errors = ended.errors.text().strip()
    if settings.memory_mb and _OUT_OF_MEMORY.search(errors):
        limit = f"The script reached its memory limit of {settings.memory_mb} MB per process"
        return f"{limit} (setting code_execution.memory_mb). Keep less data in memory.\n{errors}"
    if ended.status < 0:
        name = signal.Signals(-ended.status).name if -ended.status in set(signal.Signals) else str(-ended.status)
        return f"The script was killed by {name}.\n{errors}".strip()
    return errors or f"The script ended with exit code {ended.status} and no error message."


def _result(
    began: float, ended: ScriptResult | None, calls: ScriptCalls | None, error: str | None, mask: Callable[[str], str]
) -> dict[str, Any]:
    status = "success" if error is None else (ended.why if ended and ended.why else "error")
    result: dict[str, Any] = {
        "status": status,
        "output": mask(_without_script_path(ended.output.text(), ended)) if ended else "",
        "tool_calls_made": calls.made if calls else 0,
        "duration_seconds": round(time.monotonic() - began, 3),
    }
    if error is not None:
        result["error"] = mask(_without_script_path(error, ended))
    if ended is not None and ended.status > 0:
        result["exit_code"] = ended.status
    if ended is not None and ended.errors.size and (error is None or ended.why):
        result["stderr"] = mask(_without_script_path(ended.errors.text(), ended))
    return result


def _without_script_path(text: str, ended: ScriptResult | None) -> str:
    """Remove the path of the deleted script directory from a text."""
    if ended is not None and ended.directory:
        for name in ("script.py", "hermes_tools.py"):
            text = text.replace(f"{ended.directory}/{name}", name)
    return text
