"""One background process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import anyio

from hermes_tools_terminal.environments.base import Environment, Started
from hermes_tools_terminal.processes.ring import Ring
from hermes_tools_terminal.processes.watching import Watching

KILL_GRACE = 2.0
"""Between asking a process to end and ending it."""

WRITE_SECONDS = 5.0
"""How long a process may take to read what was written to it."""

_MOST_REMEMBERED = 32_768
_END_OF_INPUT = b"\x04"


@dataclass(eq=False)
class BackgroundProcess:
    """A process that was started and is looked after.

    Attributes:
        id: What the model calls it.
        command: What was started.
        task: Whose it is.
        place: Where it runs.
        started: Its pipes and its group.
        folder: Where it was started.
        pty: Whether it has a terminal.
        notify: Whether its end is told.
        watching: What is looked for in its output.
        reason: How it ended: `exited`, `killed` or `lost`.
    """

    id: str
    command: str
    task: str
    place: Environment
    started: Started
    folder: str
    pty: bool
    notify: bool
    watching: Watching | None = None
    ring: Ring = field(default_factory=Ring)
    began: float = field(default_factory=time.time)
    clock: float = field(default_factory=time.monotonic)
    ended: float | None = None
    exit_code: int | None = None
    reason: str = ""
    consumed: bool = False
    said: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    _killed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return not self.over.is_set()

    @property
    def uptime(self) -> int:
        """Seconds that it has run, or did run; a clock that is set back does not count."""
        return int((self.ended or time.monotonic()) - self.clock)

    def finish(self, code: int, reason: str = "exited") -> bool:
        """Take note of its end; False when that was known."""
        with self._lock:
            if self.over.is_set():
                return False
            self.exit_code = code if code >= 0 else 128 - code
            self.reason = "killed" if self._killed else reason
            self.ended = time.monotonic()
            self.over.set()
            return True

    async def kill(self) -> bool:
        """Ask it to end, then end it, with all that it started; whether it did."""
        self._killed = True
        await self._signal(signal.SIGTERM)
        if not await self.wait(KILL_GRACE):
            await self._signal(signal.SIGKILL)
            if not await self.wait(KILL_GRACE):
                with contextlib.suppress(Exception):  # the client of a place that does not answer
                    self.started.child.kill()
        return await self.wait(KILL_GRACE)

    def end(self) -> None:
        """End it now, without asking. Never raises."""
        self._killed = True
        with contextlib.suppress(Exception):  # the place may be gone
            self.place.signal(self.started.group, signal.SIGKILL)
        with contextlib.suppress(Exception):
            self.started.child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self.finish(self.started.child.wait(KILL_GRACE))

    async def wait(self, seconds: float) -> bool:
        """Wait for its end; whether it came in time."""
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
        """Give it something to read; why that was not possible, or None."""
        pipe = self.started.child.stdin
        if pipe is None or pipe.closed:
            return "Its input is closed."
        self.said = (self.said + text)[-_MOST_REMEMBERED:]
        os.set_blocking(pipe.fileno(), False)
        view = memoryview(text.encode("utf-8", "surrogateescape"))
        deadline = time.monotonic() + WRITE_SECONDS
        while view:
            try:
                view = view[os.write(pipe.fileno(), view) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return f"It does not read its input; {len(view)} bytes were not written."
                with anyio.move_on_after(0.1):
                    await anyio.wait_writable(pipe.fileno())
            except OSError as error:
                return f"It does not read any more: {error.strerror}."
        return None

    async def close_input(self) -> str | None:
        """Tell it that nothing more comes."""
        pipe = self.started.child.stdin
        if pipe is None or pipe.closed:
            return "Its input is closed already."
        if self.pty:
            return await self.write(_END_OF_INPUT.decode())
        with contextlib.suppress(OSError):
            pipe.close()
        return None

    def facts(self, preview: int) -> dict[str, Any]:
        """What `list` and `poll` tell of it."""
        told: dict[str, Any] = {
            "session_id": self.id,
            "command": self.command,
            "status": "running" if self.running else "exited",
            "pid": self.started.group,
            "uptime_seconds": self.uptime,
            "output_preview": self.ring.tail(preview),
        }
        if not self.running:
            told["exit_code"] = self.exit_code
            told["completion_reason"] = self.reason
        return told

    async def _signal(self, number: int) -> None:
        with contextlib.suppress(Exception):  # a place that is gone has nothing left to end
            if self.place.quick:
                self.place.signal(self.started.group, number)
            else:
                await anyio.to_thread.run_sync(lambda: self.place.signal(self.started.group, number))
