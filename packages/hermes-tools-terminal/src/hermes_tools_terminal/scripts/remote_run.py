"""Run a script in any other environment, through a supervisor that is started there.

It only needs pipes: the script goes in, and its results come out, in frames. Tool calls are files in the environment,
which the supervisor transfers, or use a socket where both sides can reach one.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import marshal
import os
import secrets
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Self

import anyio

from hermes_tools_terminal.environments.base import Environment, StartedProcess, close_pipes
from hermes_tools_terminal.environments.local_processes import mark_from_token
from hermes_tools_terminal.scripts.call_server import MAX_BYTES, CallServer
from hermes_tools_terminal.scripts.directory import remove_script_dir
from hermes_tools_terminal.scripts.interpreters import (
    FORMAT,
    LACKING,
    OLDEST,
    SUPERVISOR_START,
    bundled_json,
    interpreter_arguments,
    runtime_source,
)
from hermes_tools_terminal.scripts.script import GRACE_SECONDS, TICK_SECONDS, Script, ScriptResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hermes_tools_terminal.scripts.tool_calls import CallHandler
    from hermes_tools_terminal.shell.connection import CommandMonitor

END_REPORT_SECONDS = 5.0
"""How long a supervisor may take to report the end of a script."""

_LATE_SECONDS = 30.0
"""How long after its time limit a script ends by itself if this process is gone."""

_MAX_CALLS = 64
"""How many calls are answered at once. A supervisor sends half as many, so more are not from it."""

_MAX_FRAME = MAX_BYTES + 4096
_MAX_HELD = 8 * MAX_BYTES
"""How many bytes of calls are stored at once; a supervisor sends fewer."""

_MAX_NOISE = 1 << 16
"""How much output before that of the supervisor is kept."""

_FORGED = "The script was ended: another process wrote to its supervisor's output."
_READ_SIZE = 1 << 18
_NO_PYTHON = 97
_CHOICES = ("python3", "python", "/usr/bin/python3", "/usr/local/bin/python3")

# Runs the first Python that starts and is new enough.
_FIND_PYTHON = f"""
for python in "$@"; do
  if "$python" -S -c 'import sys; sys.exit(sys.version_info < {OLDEST})' </dev/null >/dev/null 2>&1; then
    exec "$python" -S -B -c "$0"
  fi
done
exit {_NO_PYTHON}
"""


class RemoteRun:
    """A script that was started in another environment."""

    def __init__(self, script: Script, environment: Environment, started: StartedProcess, answer: CallHandler) -> None:
        self._script = script
        self._environment = environment
        self._started = started
        self._answer = answer
        self._hello = f"\x1e{secrets.token_hex(16)}\n".encode()
        self._buffer = bytearray()
        self._has_started = False
        self._context = contextvars.copy_context()
        self._writing = threading.Lock()
        self._answering = threading.BoundedSemaphore(_MAX_CALLS)
        self._held: dict[int, int] = {}
        self._numbers = itertools.count()
        self._server: CallServer | None = None
        self._shared_directory = ""
        self._over = False

    @classmethod
    def start(
        cls, script: Script, environment: Environment, answer: CallHandler, preferred: Sequence[str] = ()
    ) -> Self:
        """Start a script; blocks. The preferred interpreters are tried first, and only in the environment.

        Raises:
            TerminalEnvironmentError: it cannot be started.
        """
        limited = f"ulimit -d {script.memory << 10} 2>/dev/null\n" if script.memory else ""
        argv = ["sh", "-c", limited + _FIND_PYTHON, SUPERVISOR_START, *preferred, *_CHOICES]
        run = cls(script, environment, environment.start(argv, cwd=script.folder or None), answer)
        try:
            run._begin()
        except BaseException:
            run.close()
            raise
        return run

    @property
    def group(self) -> int:
        """Return the process group that the supervisor leads."""
        return self._started.group

    def _begin(self) -> None:
        line = self._line()
        orders = {
            "start": runtime_source("supervisor"),
            "hello": self._hello,
            "seconds": self._script.timeout + _LATE_SECONDS,
            "argv": interpreter_arguments(strict=self._script.strict),
            "strict": self._script.strict,
            "mark": self._script.mark,
            "limit": self._started.mark or mark_from_token(self._script.mark),  # a process has only one mark
            "most": MAX_BYTES,
            "at_once": _MAX_CALLS // 2,
            "given": self._script.payload(line, start=runtime_source("bootstrap"), spare=bundled_json()),
        }
        self._send(marshal.dumps(orders, FORMAT))

    def _line(self) -> dict[str, object]:
        """Return how the script reaches its tools: by a socket, where both sides can use a directory."""
        shared: tuple[str, str] | None = getattr(self._environment, "shared_directory", None)
        if shared is None:
            return {"folder": "", "seconds": self._script.timeout + _LATE_SECONDS}
        name = f"calls-{self._script.mark}"
        self._shared_directory = os.path.join(shared[0], name)
        os.mkdir(self._shared_directory, 0o700)
        self._server = CallServer(self._answer, self._shared_directory, os.path.join(shared[1], name))
        return self._server.address

    async def follow(self, ended: ScriptResult, watch: CommandMonitor, alive: Callable[[], None]) -> None:
        """Wait for the end of the script, and end it on timeout. As in `LocalRun`."""
        stdout = self._started.child.stdout
        assert stdout is not None
        os.set_blocking(stdout.fileno(), False)
        async with anyio.create_task_group() as tasks:
            if self._server is not None:
                tasks.start_soon(self._accept, self._server)
            tasks.start_soon(self._end_in_time, ended, watch, alive)
            await self._listen(stdout.fileno(), ended)
            tasks.cancel_scope.cancel()
        self._over = True
        if watch.stopped:
            ended.why, ended.problem = "interrupted", ""
        elif not self._has_started:
            ended.problem = await anyio.to_thread.run_sync(self._start_problem)

    async def _accept(self, server: CallServer) -> None:
        while True:
            await anyio.wait_readable(server)
            server.accept()

    async def _end_in_time(self, ended: ScriptResult, watch: CommandMonitor, alive: Callable[[], None]) -> None:
        deadline = time.monotonic() + self._script.timeout
        while not watch.stopped and (left := deadline - time.monotonic()) > 0:
            await anyio.sleep(min(TICK_SECONDS, left))
            alive()
        ended.why = "interrupted" if watch.stopped else "timeout"
        ended.status = -signal.SIGTERM
        with anyio.move_on_after(GRACE_SECONDS + END_REPORT_SECONDS):  # the supervisor may not read it
            await anyio.to_thread.run_sync(self._send, b"S", abandon_on_cancel=True)
            await anyio.sleep_forever()
        await anyio.to_thread.run_sync(self.end)

    async def _listen(self, pipe: int, ended: ScriptResult) -> None:
        while True:
            try:
                data = os.read(pipe, _READ_SIZE)
            except BlockingIOError:
                await anyio.wait_readable(pipe)
                continue
            except OSError:
                data = b""
            self._buffer += data
            while (frame := self._frame()) is not None:
                if not self._handle_frame(frame, ended):
                    return
            if self._has_started and int.from_bytes(self._buffer[:4], "big") > _MAX_FRAME:
                ended.problem = _FORGED
                return
            if not data:
                if self._has_started and not ended.problem and not ended.why:
                    ended.problem = f"The {self._environment.kind} environment was lost while the script ran in it."
                return
            await anyio.sleep(0)

    def _frame(self) -> bytes | None:
        """Return the next complete frame."""
        if not self._has_started:
            noise, found, _ = self._buffer.partition(self._hello)
            if not found:
                del self._buffer[:-_MAX_NOISE]
                return None
            del self._buffer[: len(noise) + len(found)]
            self._has_started = True
        size = int.from_bytes(self._buffer[:4], "big")
        if len(self._buffer) < 4 or len(self._buffer) < 4 + size:
            return None
        frame = bytes(self._buffer[4 : 4 + size])
        del self._buffer[: 4 + size]
        return frame

    def _handle_frame(self, frame: bytes, ended: ScriptResult) -> bool:
        """Handle a frame; return False after the last one."""
        kind, data = frame[:1], frame[1:]
        if kind == b"O":
            ended.output.add(data)
        elif kind == b"E":
            ended.errors.add(data)
        elif kind == b"C":
            if not self._call(data):
                ended.problem = _FORGED
                return False
        elif kind == b"R":
            ended.directory = os.fsdecode(data)
        elif kind == b"X":
            ended.status = int(data)
            return False
        else:
            ended.problem = data.decode(errors="replace")[:500]
            return False
        return True

    def _call(self, data: bytes) -> bool:
        """Answer a call in a thread; return False when there are more than a supervisor would send."""
        name, _, request = data.partition(b"\0")
        if sum(list(self._held.values())) > _MAX_HELD or not self._answering.acquire(timeout=GRACE_SECONDS):
            return False
        number = next(self._numbers)
        self._held[number] = len(request)

        def answer() -> None:
            try:
                self._send(b"A" + name + b"\0" + self._answer(request))
            finally:
                del self._held[number]
                self._answering.release()

        run = self._context.copy().run
        threading.Thread(target=run, args=(answer,), name="hermes-script-calls", daemon=True).start()
        return True

    def _send(self, data: bytes) -> None:
        """Send a frame to the supervisor. If it is gone, reading its output shows that."""
        stdin = self._started.child.stdin
        assert stdin is not None
        view = memoryview(len(data).to_bytes(4, "big") + data)
        with self._writing, contextlib.suppress(OSError, ValueError):
            while view and not stdin.closed:
                view = view[os.write(stdin.fileno(), view) :]

    def _start_problem(self) -> str:
        """Return why the script never started."""
        try:
            status = self._started.child.wait(END_REPORT_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        if status == _NO_PYTHON:
            return (
                f"There is no Python in the {self._environment.kind} environment that can run the script: "
                f"python3 {'.'.join(map(str, OLDEST))} or newer is required. Install it there (such as "
                "`apt-get install python3` or `apk add python3`), or use the tool terminal."
            )
        words = bytes(self._buffer).decode(errors="replace").strip()[-500:]
        if status == LACKING:
            return (
                f"The Python in the {self._environment.kind} environment lacks the module {words}, which scripts need. "
                "Install the full Python there (such as `apt-get install python3`), or use the tool terminal."
            )
        return f"The script did not start in the {self._environment.kind} environment: {words or 'it said nothing'}"

    def end(self) -> int:
        """Kill the supervisor, and the script with it. Never raises; safe from any thread."""
        with contextlib.suppress(Exception):  # the environment may be gone
            if self._started.child.poll() is None:
                self._environment.signal(self._started.group, signal.SIGTERM)  # it cleans up
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._started.child.wait(GRACE_SECONDS)
                    return 0
                self._environment.signal(self._started.group, signal.SIGKILL)
        with contextlib.suppress(Exception):
            self._started.child.kill()
        return 0

    def close(self) -> None:
        """End everything. Never raises; may take as long as a signal to the environment."""
        child = self._started.child
        if self._over:  # it has sent its last frame, and is about to end
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                child.wait(GRACE_SECONDS)
        if child.poll() is None:
            self.end()
        if self._server is not None:
            self._server.close()
        held = self._writing.acquire(timeout=GRACE_SECONDS)  # a blocked writer has failed by now
        close_pipes(child)
        if held:
            self._writing.release()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            child.wait(GRACE_SECONDS)
        if self._shared_directory:
            remove_script_dir(self._shared_directory)
