"""The `process` tool: manage background processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hermes_core import Binding, Finding, ToolContext, tool
from hermes_tools_terminal.command_assessment import as_heredoc, assess_command
from hermes_tools_terminal.processes.input_assessment import Assess
from hermes_tools_terminal.processes.process import BackgroundProcess
from hermes_tools_terminal.secret_masks import mask_in, masking
from hermes_tools_terminal.session_state import task_of, tasks_of
from hermes_tools_terminal.tasks import Tasks
from hermes_tools_terminal.text import as_bytes

if TYPE_CHECKING:
    from pydantic import Field

Action = Literal["list", "poll", "log", "wait", "kill", "write", "submit", "close"]

_LINES = 200


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """Assess input for a process: the guard reads it as the input of its program."""
    if args.get("action") not in ("write", "submit"):
        return []
    process = tasks_of(ctx).processes.find(str(args.get("session_id") or ""), task_of(ctx).name)
    if process is None or not process.running:
        return []
    return process.input_history.findings(process.command, _input_text(args), _assessor(process, ctx))


def binding(_args: Mapping[str, Any], _ctx: ToolContext) -> Binding:
    """Return a binding for one call: the effect of input depends on all earlier input."""
    return Binding(once="the effect of its input depends on earlier input")


def _assessor(process: BackgroundProcess, ctx: ToolContext) -> Assess:
    task = task_of(ctx)
    ask_everywhere, state = task.settings.guard_isolated, task.history.state
    return lambda text: assess_command(
        text, cwd=process.folder, environment=process.environment, ask_everywhere=ask_everywhere, state=state
    )


def _input_text(args: Mapping[str, Any]) -> str:
    return str(args.get("data") or "") + ("\n" if args.get("action") == "submit" else "")


@tool(
    toolset="terminal",
    always_load=True,
    emoji="⚙️",
    effects=["exec", "read"],
    assess=assess,
    binding=binding,
    max_result_size_chars=100_000,
    timeout=float("inf"),
    keywords=["background", "job", "kill", "wait", "log", "stdin"],
)
async def process(
    action: Annotated[Action, Field(description="The action to perform.")],
    ctx: ToolContext,
    session_id: Annotated[str | None, Field(description="The process; required except for list.")] = None,
    data: Annotated[str | None, Field(description="The input for write and submit.")] = None,
    timeout: Annotated[int | None, Field(ge=1, description="For wait: maximum seconds to wait.")] = None,
    offset: Annotated[int | None, Field(ge=0, description="For log: the first line. Default: the last lines.")] = None,
    limit: Annotated[int, Field(ge=1, description="For log: maximum number of lines.")] = _LINES,
) -> dict[str, Any]:
    """Manage background processes: list them, read their output, wait for them, write to them, or kill them.

    Actions: list; poll (status and recent output); log (output by line); wait (until the process ends); kill; write (to
    its input); submit (write and press Enter); close (its input).
    """
    tasks, task = tasks_of(ctx), task_of(ctx)
    mask = masking(ctx)
    if action == "list":
        return _list_processes(tasks, task.name, mask)
    found = tasks.processes.find(session_id or "", task.name)
    if found is None:
        known = ", ".join(each.id for each in tasks.processes.of_task(task.name))
        return {
            "session_id": session_id,
            "status": "not_found",
            "error": f"There is no process {session_id!r}. " + (f"Known: {known}." if known else "None is running."),
        }
    if action == "poll":
        found.consumed = found.consumed or not found.running
        return found.facts(1000, mask)
    if action == "log":
        return _log(found, offset, limit, mask)
    if action == "wait":
        return await _wait(found, timeout, tasks.settings.timeout, mask)
    if action == "kill":
        return await _kill(found)
    result = await _input(found, action, data, _assessor(found, ctx))
    if data and result["status"] == "ok":
        task.history.record_parallel_command(
            as_heredoc(found.command, _input_text({"action": action, "data": data})), cwd=found.folder
        )
    return result


def _list_processes(tasks: Tasks, task: str, mask: Callable[[str], str]) -> dict[str, Any]:
    result: dict[str, Any] = {"processes": [_list_entry(each, mask) for each in tasks.processes.of_task(task)]}
    if tasks.killed:
        result["note"] = "Commands left running by dead Hermes processes were killed when this session started."
        result["killed_leftovers"] = [
            {"pid": each.pid, "command": mask(each.command), "started_at": _time(each.since), "host_pid": each.host}
            for each in tasks.killed
        ]
    return result


def _log(found: BackgroundProcess, offset: int | None, limit: int, mask: Callable[[str], str]) -> dict[str, Any]:
    running = found.running  # first: an end during reading is reported later
    gone, lines = found.output.lines()
    start = max(0, len(lines) - limit) if offset is None else max(0, offset - gone)
    shown = lines[start : start + limit]
    found.consumed = found.consumed or not running
    result = {
        "session_id": found.id,
        "status": "running" if running else "exited",
        "output": mask("\n".join(shown)),
        "total_lines": gone + len(lines),
        "showing": f"lines {gone + start} to {gone + start + len(shown) - 1}" if shown else "no lines",
    }
    if gone:
        result["note"] = f"The first {gone} lines were discarded."
    return result


async def _wait(
    found: BackgroundProcess, timeout: int | None, maximum: int, mask: Callable[[str], str]
) -> dict[str, Any]:
    seconds = min(timeout or maximum, maximum)
    ended = await found.wait(seconds)
    if ended:
        found.consumed = True
    result = {**found.facts(2000, mask), "status": "exited" if ended else "timeout"}
    result["output"] = result.pop("output_preview")
    if timeout is not None and timeout > maximum:
        result["timeout_note"] = f"Waited {maximum} seconds, the most that terminal.timeout allows."
    return result


async def _kill(found: BackgroundProcess) -> dict[str, Any]:
    if not found.running:
        return {"session_id": found.id, "status": "already_exited", "exit_code": found.exit_code}
    if await found.kill():
        found.consumed = True
        return {"session_id": found.id, "status": "killed", "exit_code": found.exit_code}
    return {"session_id": found.id, "status": "error", "error": "The process was killed, but did not end."}


async def _input(found: BackgroundProcess, action: str, data: str | None, assess_text: Assess) -> dict[str, Any]:
    if not found.running:
        return {"session_id": found.id, "status": "already_exited", "exit_code": found.exit_code}
    result: dict[str, Any] = {"session_id": found.id, "status": "ok"}
    if action == "close":
        problem = await found.close_input()
    elif data is None:
        problem = f"{action} needs data."
    elif (masked := mask_in("data", data)) is not None:
        problem = masked
    else:
        found.input_history.add(found.command, _input_text({"action": action, "data": data}), assess_text)
        text = data + (found.enter if action == "submit" else "")
        result["bytes_written"] = len(as_bytes(text))
        problem = await found.write(text)
    if problem is not None:
        return {"session_id": found.id, "status": "error", "error": problem}
    return result


def _list_entry(found: BackgroundProcess, mask: Callable[[str], str]) -> dict[str, Any]:
    result = found.facts(200, mask)
    result["command"] = result["command"][:200]
    result["cwd"] = found.folder
    result["started_at"] = _time(found.began)
    return result


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
