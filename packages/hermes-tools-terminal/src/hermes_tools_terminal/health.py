"""Health checks of this package: run a command, edit a file, run a script, and inspect stored state."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes_core.health import HealthCheck, HealthContext, HealthProblem
from hermes_tools_terminal.settings import TerminalSettings

_ON_THIS_MACHINE = frozenset({"local", "sandbox"})
"""The environments that need neither network nor money, and that share the files of this machine."""
_SECONDS = 60.0
"""Time limit of a check, which includes starting an environment on a busy machine."""
_MARK = "hermes-doctor"
_REMEDY = "Run 'hermes terminal doctor' to check the environments."


def health_checks() -> list[HealthCheck]:
    """Return the health checks."""
    shells, files = ("terminal", "process"), ("read_file", "write_file", "patch", "search_files")
    return [
        HealthCheck(name="run commands", run=run_commands, tools=shells, timeout=_SECONDS),
        HealthCheck(name="write, read, search, patch and undo a file", run=edit_file, tools=files, timeout=_SECONDS),
        HealthCheck(name="run a script", run=run_script, tools=("execute_code",), timeout=_SECONDS),
        HealthCheck(name="undo store", run=inspect_undo_store),
        HealthCheck(name="leftover processes", run=find_leftover_processes),
        HealthCheck(name="stored snapshots", run=inspect_snapshots),
    ]


# -- exercises -------------------------------------------------------------------------------------------------------


def run_commands(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Run a command and kill a background process, in the configured environment."""
    from hermes_tools_terminal.environments.base import EXTENSION_POINT, unavailable_reason

    env = _environment(ctx)
    if reason := unavailable_reason(env, ctx.settings("terminal", TerminalSettings), ctx.providers(EXTENSION_POINT)):
        yield HealthProblem(message=f"terminal.env is {env!r}, which does not work: {reason}", remedy=_REMEDY)
        return
    if env not in _ON_THIS_MACHINE and not ctx.online:
        yield _skipped(f"terminal.env is {env!r}, which is checked with 'hermes doctor --online' only.")
        return
    answer = _call(ctx, "terminal", command=f"echo {_MARK}")
    if _MARK not in str(answer.get("output")):
        yield _failed("terminal", answer)
        return
    started = _call(ctx, "terminal", command="sleep 60", background=True)
    ended = _call(ctx, "process", action="kill", session_id=started.get("session_id"))
    if ended.get("status") != "killed":
        yield _failed("process", {"error": started.get("error") or json.dumps(ended)})


def edit_file(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Use every file tool on a scratch file, and undo the last change."""
    if (env := _environment(ctx)) not in _ON_THIS_MACHINE:
        yield _skipped(f"files are checked on this machine only, and terminal.env is {env!r}.")
        return
    path = _workspace(ctx) / "sample.txt"
    steps: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("write_file", {"content": f"first line\n{_MARK}\n"}, "bytes_written"),
        ("read_file", {}, _MARK),
        ("search_files", {"pattern": _MARK, "path": str(path.parent)}, path.name),
        ("patch", {"old_string": _MARK, "new_string": "changed"}, "changed"),
    )
    for tool, args, expected in steps:
        answer = _call(ctx, tool, **{"path": str(path), **args})
        if answer.get("error") or expected not in json.dumps(answer):
            yield _failed(tool, answer)
            return
    if env != "local":
        return  # changes in a sandbox are undone in that sandbox
    from hermes_tools_terminal.undo import FOLDER, UndoStore, undo_last

    undo_last(UndoStore(ctx.scratch / "home" / FOLDER), 1)
    if path.read_text(encoding="utf-8") != f"first line\n{_MARK}\n":
        yield HealthProblem(message="undoing a patch does not restore the file")


def run_script(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Run a one-line script."""
    if (env := _environment(ctx)) not in _ON_THIS_MACHINE:
        yield _skipped(f"scripts are checked on this machine only, and terminal.env is {env!r}.")
        return
    answer = _call(ctx, "execute_code", code="print(6 * 7)")
    if "42" not in str(answer.get("output")):
        yield _failed("execute_code", answer)


def _environment(ctx: HealthContext) -> str:
    return ctx.settings("terminal", TerminalSettings).env


def _workspace(ctx: HealthContext) -> Path:
    """Return a directory beside the home of the calls, because a sandbox must not contain the home."""
    folder = ctx.scratch / "work"
    folder.mkdir(exist_ok=True)
    return folder


def _call(ctx: HealthContext, tool: str, **args: Any) -> dict[str, Any]:
    """Call a tool in the configured environment, but in the scratch directory."""
    terminal = ctx.settings("terminal")
    if terminal["env"] in _ON_THIS_MACHINE:
        terminal["cwd"] = str(_workspace(ctx))
    answer = ctx.call(tool, args, {"terminal": terminal, "files": {}})
    return answer if isinstance(answer, dict) else {"error": str(answer)}


def _failed(tool: str, answer: dict[str, Any]) -> HealthProblem:
    shown = str(answer.get("error") or json.dumps(answer))
    return HealthProblem(message=f"{tool} does not work: {shown[:300]}", remedy=str(answer.get("hint") or _REMEDY))


def _skipped(reason: str) -> HealthProblem:
    return HealthProblem(message=reason, level="skipped")


# -- stored state ----------------------------------------------------------------------------------------------------


def inspect_undo_store(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Report unusable receipts, and changes that a killed process did not complete."""
    from hermes_tools_terminal.undo import FOLDER, Damaged, UndoStore

    folder = ctx.home / FOLDER
    if not os.path.isdir(folder):
        if os.path.lexists(folder):
            message = f"{folder} is not a directory, so no change of a file can be undone"
            yield HealthProblem(message=message, remedy="Move it away.")
        return
    for entry in UndoStore(folder).entries():
        if isinstance(entry, Damaged):
            yield _damaged(str(folder / entry.name), entry.reason)
        elif entry.state == "unfinished":
            message = f"call {entry.call} of {entry.tool} was killed before it changed all of its files"
            remedy = f"Run 'hermes undo --finish {entry.number}' or 'hermes undo --receipt {entry.number}'."
            yield HealthProblem(message=message, remedy=remedy, level="warning")


def _damaged(path: str, reason: str) -> HealthProblem:
    """Describe a file of the undo store that is no valid receipt, or one of a newer version."""
    from hermes_tools_terminal.undo.receipt import FORMAT

    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(1_000_000))
        version = first.get("format") if isinstance(first, dict) else None
    except (OSError, ValueError, RecursionError):
        version = None
    if isinstance(version, int) and version > FORMAT:
        message = f"{path} was written by a newer version (format {version}; this one reads {FORMAT})"
        return HealthProblem(message=message, remedy="Upgrade hermes-tools-terminal, or move the file away.")
    return HealthProblem(message=f"{path} cannot be undone: {reason}", remedy="Move it away.", level="warning")


def find_leftover_processes(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Report processes that a killed host left running."""
    from hermes_tools_terminal.environments.process_records import find_leftovers

    for left in find_leftovers(ctx.home):
        message = f"process {left.pid} still runs, but its host {left.host} is gone: {left.command}"
        remedy = f"Run: kill {left.pid}. The next terminal call also ends it."
        yield HealthProblem(message=message, remedy=remedy, level="warning")


def inspect_snapshots(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Report a damaged list of snapshots: environments would start without their files."""
    file = ctx.home / "modal_snapshots.json"
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        known = error
    if not isinstance(known, dict):
        why = known if isinstance(known, Exception) else "it is not an object"
        yield HealthProblem(message=f"{file} is damaged: {why}", remedy="Move it away.", level="warning")
