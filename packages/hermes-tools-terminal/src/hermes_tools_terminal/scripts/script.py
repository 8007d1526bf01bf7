"""A script, its result, and the running scripts of a session."""

from __future__ import annotations

import ast
import contextlib
import os
import secrets
import threading
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.scripts.interpreters import runtime_source
from hermes_tools_terminal.shell.connection import CommandMonitor
from hermes_tools_terminal.shell.output import Capture, truncate

if TYPE_CHECKING:
    from hermes_tools_terminal.scripts.local_run import LocalRun
    from hermes_tools_terminal.scripts.remote_run import RemoteRun

GRACE_SECONDS = 1.0
"""Time between asking a script to end and killing it."""

DRAIN_SECONDS = 0.5
"""How long to read remaining output after the end of a script."""

TICK_SECONDS = 0.25
"""How often to check whether a running script has to end."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script to run.

    Attributes:
        code: Its source.
        folder: Its working directory.
        timeout: Its time limit in seconds.
        strict: Whether it runs in an empty directory, without the project's modules.
        memory: How many megabytes each of its processes may allocate; 0 for no limit.
        mark: Identifies its processes.
    """

    code: str
    folder: str
    timeout: float
    strict: bool
    memory: int = 0
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def payload(self, line: dict[str, object], **more: object) -> dict[str, Any]:
        """Return the data for its process."""
        return {"code": self.code, "client": runtime_source("client"), "line": line, **more}


@dataclass(slots=True)
class ScriptResult:
    """The result of a script.

    Attributes:
        why: `timeout` or `interrupted` when it was ended; otherwise empty.
        status: Its exit status; negative for a signal.
        output: Its standard output.
        errors: Its standard error.
        problem: Why there is no exit status.
        directory: Its directory, which is removed from its output.
    """

    output: Capture
    errors: Capture
    why: str = ""
    status: int = 0
    problem: str = ""
    directory: str = ""


_COMPILED_SIZE = 20_000
"""Scripts up to this many characters are compiled here, because their own process would take longer."""

_MAX_LINE = 500
"""How many characters of a line of code an error shows."""


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A compiled script, or the error; a long script is only parsed."""

    error: str | None = None
    compiled: CodeType | None = None


@lru_cache(maxsize=8)  # a script is compiled when it is assessed, and again when it runs
def compile_script(code: str) -> CompiledScript:
    """Compile a script."""
    flags = 0 if len(code) <= _COMPILED_SIZE else ast.PyCF_ONLY_AST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would be shown to the user of this process
            made = compile(code, "script.py", "exec", flags, dont_inherit=True, optimize=0)
    except SyntaxError as error:
        lines = [truncate(line, _MAX_LINE) for line in traceback.format_exception_only(error)]
        return CompiledScript("".join(lines).strip())
    except (ValueError, RecursionError, MemoryError) as error:
        why = str(error) or "it is nested too deeply"
        return CompiledScript(f"Python cannot read the code: {why}. Write it in smaller pieces.")
    return CompiledScript(compiled=made if isinstance(made, CodeType) else None)


class RunningScripts:
    """The running scripts of a session, which can be interrupted and end with it."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._running: list[tuple[str, CommandMonitor, LocalRun | RemoteRun]] = []

    @property
    def foreign(self) -> bool:
        """Return whether they belong to the process that this one was forked from."""
        return self._process != os.getpid()

    @contextlib.contextmanager
    def running(self, task: str, run: LocalRun | RemoteRun) -> Iterator[CommandMonitor]:
        """Register a script while it runs; yield its monitor."""
        watch = CommandMonitor()
        entry = (task, watch, run)
        with self._lock:
            self._running.append(entry)
        try:
            yield watch
        finally:
            with self._lock:
                self._running = [each for each in self._running if each is not entry]

    def interrupt(self, task: str | None = None) -> bool:
        """Interrupt the scripts of a task, or all; return whether there were any."""
        found = [watch for name, watch, _ in self._running if task is None or name == task]
        for watch in found:
            watch.stop()
        return bool(found)

    def close(self) -> None:
        """Kill all scripts now. Never raises."""
        if self.foreign:
            return
        for _, watch, run in self._running:
            watch.stop()
            run.end()
