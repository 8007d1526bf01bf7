"""A background process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio

from hermes_tools_terminal.environments.base import Environment, StartedProcess
from hermes_tools_terminal.environments.local_processes import end, family, kill_marked, marked, send, still_running
from hermes_tools_terminal.processes.input_assessment import InputHistory
from hermes_tools_terminal.processes.output import OutputBuffer, PatternWatcher
from hermes_tools_terminal.text import as_bytes, part_of

KILL_GRACE = 2.0
"""Time between asking a process to end and killing it."""

WRITE_SECONDS = 5.0
"""How long a process may take to read its input."""

_POLL_SECONDS = 0.01
_WRITE_SIZE = 1 << 16
_SECRET_SIZE = 500
_END_OF_INPUT = "\x04"


@dataclass(eq=False)
class BackgroundProcess:
    """A background process that was started.

    Attributes:
        id: Its id for the model.
        command: Its command.
        task: The name of its task.
        environment: Its environment.
        started: Its pipes and its group.
        folder: Its working directory.
        pty: Whether it has a pseudo-terminal.
        notify: Whether to report its end.
        watcher: What is looked for in its output.
        reason: How it ended: `exited`, `killed` or `lost`.
        input_history: What was written to it.
        end_handle: The descriptor that signals its end, where there is one.
        printed: When it last printed something.
    """

    id: str
    command: str
    task: str
    environment: Environment
    started: StartedProcess
    folder: str
    pty: bool
    notify: bool
    watcher: PatternWatcher | None = None
    output: OutputBuffer = field(default_factory=OutputBuffer)
    began: float = field(default_factory=time.time)
    clock: float = field(default_factory=time.monotonic)
    ended: float | None = None
    exit_code: int | None = None
    reason: str = ""
    consumed: bool = False
    end_handle: int = -1
    printed: float = 0.0
    input_history: InputHistory = field(default_factory=InputHistory)
    over: threading.Event = field(default_factory=threading.Event)
    _killed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def running(self) -> bool:
        """Return whether it still runs."""
        return not self.over.is_set()

    @property
    def enter(self) -> str:
        """Return what ends an input line: in a terminal the key, which full-screen programs wait for."""
        return "\r" if self.pty else "\n"

    @property
    def uptime(self) -> int:
        """Return the seconds that it has run; independent of changes of the clock."""
        return int((self.ended or time.monotonic()) - self.clock)

    def finish(self, code: int, reason: str = "exited") -> bool:
        """Record its end; return False when that was known."""
        with self._lock:
            if self.over.is_set():
                return False
            self.exit_code = code if code >= 0 else 128 - code
            self.reason = "killed" if self._killed else reason
            self.ended = time.monotonic()
            self.over.set()
            return True

    async def kill(self) -> bool:
        """Ask it and all that it started to end, then kill them; return whether it ended."""
        self._killed = True
        escaped = marked({self.started.mark})
        processes = [*family(self.started.group), *escaped] if self.environment.quick else []
        deadline = time.monotonic() + KILL_GRACE
        await self._signal(signal.SIGTERM)
        send(escaped, signal.SIGTERM)
        ended = await self.wait(KILL_GRACE)
        while still_running(processes) and time.monotonic() < deadline:
            await anyio.sleep(_POLL_SECONDS)
        if not ended or not self.environment.quick:  # elsewhere it is unknown whether all of them ended
            await self._signal(signal.SIGKILL)
        end(processes)
        kill_marked({self.started.mark})
        if not await self.wait(KILL_GRACE):
            with contextlib.suppress(Exception):  # the client of an environment that does not answer
                self.started.child.kill()
        return await self.wait(KILL_GRACE)

    def end(self) -> None:
        """Kill it now. Never raises."""
        self._killed = True
        with contextlib.suppress(Exception):  # the environment may be gone
            self.environment.signal(self.started.group, signal.SIGKILL)
            kill_marked({self.started.mark})
        with contextlib.suppress(Exception):
            self.started.child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self.finish(self.started.child.wait(KILL_GRACE))

    async def wait(self, seconds: float) -> bool:
        """Wait for its end; return False on timeout."""
        deadline = time.monotonic() + seconds
        pause = 0.002
        while not self.over.is_set():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            await anyio.sleep(min(pause, left))
            pause = min(pause * 2, 0.05)
        return True

    async def write(self, text: str) -> str | None:
        """Write to its input; return why that failed, or None."""
        view = memoryview(as_bytes(text))
        deadline = time.monotonic() + WRITE_SECONDS
        while view:
            try:
                written = self._write(view)
            except OSError as error:
                return f"It no longer reads its input: {error.strerror}."
            if written is None:
                return "Its input is closed."
            view = view[written:]
            if not written:
                if time.monotonic() > deadline:
                    return f"It does not read its input; {len(view)} bytes were not written."
                await anyio.sleep(_POLL_SECONDS)
        return None

    def _write(self, view: memoryview) -> int | None:
        """Write what fits; return None when the input is closed."""
        with self._lock:  # the reader of its output closes its input at the end
            pipe = self.started.child.stdin
            if pipe is None or pipe.closed:
                return None
            os.set_blocking(pipe.fileno(), False)
            try:
                return os.write(pipe.fileno(), view[:_WRITE_SIZE])
            except BlockingIOError:
                return 0

    async def close_input(self) -> str | None:
        """Close its input; in a terminal, send the end-of-file key."""
        if self.pty:
            return await self.write(_END_OF_INPUT)
        return None if self.shut_input() else "Its input is already closed."

    def shut_input(self) -> bool:
        """Close its input; return whether it was open."""
        with self._lock:
            pipe = self.started.child.stdin
            if pipe is None or pipe.closed:
                return False
            with contextlib.suppress(OSError):
                pipe.close()
            return True

    def recent_output(self, characters: int, mask: Callable[[str], str]) -> str:
        """Return the end of its output, with secrets masked even if they start before it."""
        text = mask(self.output.tail(characters + _SECRET_SIZE))
        return part_of(text, max(0, len(text) - characters), len(text))

    def facts(self, preview: int, mask: Callable[[str], str]) -> dict[str, Any]:
        """Return what `list` and `poll` show."""
        result: dict[str, Any] = {
            "session_id": self.id,
            "command": self.command,
            "status": "running" if self.running else "exited",
            "pid": self.started.group,
            "uptime_seconds": self.uptime,
            "output_preview": self.recent_output(preview, mask),
        }
        if not self.running:
            result["exit_code"] = self.exit_code
            result["completion_reason"] = self.reason
        return result

    async def _signal(self, number: int) -> None:
        with contextlib.suppress(Exception):  # an environment that is gone has nothing left to end
            if self.environment.quick:
                self.environment.signal(self.started.group, number)
            else:
                await anyio.to_thread.run_sync(lambda: self.environment.signal(self.started.group, number))
