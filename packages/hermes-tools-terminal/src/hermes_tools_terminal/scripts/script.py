"""One script that is to run, and what became of one that did."""

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
"""Between asking a script to end and ending it."""

DRAIN_SECONDS = 0.5
"""How long somebody listens to what a script that has ended had still to say."""

TICK_SECONDS = 0.25
"""How often somebody looks whether a running script is to be ended."""


@dataclass(frozen=True, slots=True)
class Script:
    """What is to run.

    Attributes:
        code: Its text.
        folder: Where it runs.
        timeout: Seconds that it may take.
        alone: Whether it runs in an empty folder, out of reach of the project's modules.
        memory: Megabytes that each of its processes may allocate; 0 for no limit.
        mark: What tells its processes from others.
    """

    code: str
    folder: str
    timeout: float
    alone: bool
    memory: int = 0
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def given(self, line: dict[str, object], **more: object) -> dict[str, Any]:
        """What its process is given to begin with.

        Args:
            line: How it reaches its tools.
            more: What else it needs.
        """
        return {"code": self.code, "client": runtime_source("client"), "line": line, **more}


@dataclass(slots=True)
class ScriptResult:
    """How a script ended.

    Attributes:
        why: `timeout` or `interrupted` when it was ended; empty when it ended itself.
        status: Its exit code; negative for a signal.
        output: What it printed.
        errors: What it printed as errors.
        trouble: Why there is no exit code.
        room: The folder with its text, which is not to be told.
    """

    output: Capture
    errors: Capture
    why: str = ""
    status: int = 0
    trouble: str = ""
    room: str = ""


_COMPILED_SIZE = 20_000
"""Characters up to which a script is compiled here, which its own process would take longer for."""

_MOST_LINE = 500
"""Characters of a line of the code that an error shows."""


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """What came of reading a script.

    Attributes:
        error: Why it cannot be read; None when it can.
        compiled: What an interpreter of this very version can run; None when that was not made.
    """

    error: str | None = None
    compiled: CodeType | None = None


@lru_cache(maxsize=8)  # a script is read when it is judged, and again when it runs
def compile_script(code: str) -> CompiledScript:
    """Read a script.

    Args:
        code: Its text.
    """
    flags = 0 if len(code) <= _COMPILED_SIZE else ast.PyCF_ONLY_AST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would be told to the user of this process
            made = compile(code, "script.py", "exec", flags, dont_inherit=True, optimize=0)
    except SyntaxError as error:
        lines = [truncate(line, _MOST_LINE) for line in traceback.format_exception_only(error)]
        return CompiledScript("".join(lines).strip())
    except (ValueError, RecursionError, MemoryError) as error:
        why = str(error) or "it is nested too deeply"
        return CompiledScript(f"Python cannot read the code: {why}. Write it in smaller pieces.")
    return CompiledScript(compiled=made if isinstance(made, CodeType) else None)


class RunningScripts:
    """Who can be interrupted, and what ends with the session."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._running: list[tuple[str, CommandMonitor, LocalRun | RemoteRun]] = []

    @property
    def foreign(self) -> bool:
        """Whether they belong to the process that this one was forked from."""
        return self._process != os.getpid()

    @contextlib.contextmanager
    def running(self, task: str, run: LocalRun | RemoteRun) -> Iterator[CommandMonitor]:
        """Have a script known while it runs; what it is watched by."""
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
        """End the scripts of a task, or all; whether there were any."""
        found = [watch for name, watch, _ in self._running if task is None or name == task]
        for watch in found:
            watch.stop()
        return bool(found)

    def close(self) -> None:
        """End all scripts now. Never raises."""
        if self.foreign:
            return
        for _, watch, run in self._running:
            watch.stop()
            run.end()
