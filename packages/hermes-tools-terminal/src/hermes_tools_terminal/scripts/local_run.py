"""Run a script on this machine, as a child process."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import marshal
import math
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Self

import anyio

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import script_variables
from hermes_tools_terminal.environments.local import existing_directory
from hermes_tools_terminal.environments.local_processes import mark, mark_from_token, mark_of
from hermes_tools_terminal.scripts.call_server import CallServer
from hermes_tools_terminal.scripts.directory import SCRIPT, WORK, create_script_dir, remove_script_dir
from hermes_tools_terminal.scripts.interpreters import (
    FORMAT,
    START,
    bundled_json,
    choose_interpreter,
    compiled_bootstrap,
    interpreter_arguments,
    is_current_interpreter,
    runtime_source,
    waiting,
)
from hermes_tools_terminal.scripts.script import (
    DRAIN_SECONDS,
    GRACE_SECONDS,
    TICK_SECONDS,
    Script,
    ScriptResult,
    compile_script,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hermes_tools_terminal.environments.local import LocalEnvironment
    from hermes_tools_terminal.scripts.tool_calls import CallHandler
    from hermes_tools_terminal.shell.connection import CommandMonitor
    from hermes_tools_terminal.shell.output import Capture

_KILL_SECONDS = 10.0
"""How long the kernel may take to end a killed process."""

_READ_SIZE = 1 << 16
_PIPE_SIZE = 1 << 20
_POLL_SECONDS = 0.01
"""How often to check whether a script has ended, where the system does not signal it."""

_ROUNDS = 8
"""How many reads before other tasks get their turn."""


class LocalRun:
    """A script that was started on this machine."""

    def __init__(self, script: Script, environment: LocalEnvironment, answer: CallHandler) -> None:
        self._script = script
        self._environment = environment
        self._answer = answer
        self._lock = threading.Lock()
        self._reaped = False
        self._directory = ""
        self._server: CallServer | None = None
        self._input = memoryview(b"")
        self._child: subprocess.Popen[bytes] | None = None
        self._life = self._end_handle = -1
        self._ready = selectors.DefaultSelector()
        self._open = 2
        self._has_ended = False
        self.mark = 0
        self._deadline = self._drained_at = 0.0
        self._kill_at = math.inf

    @classmethod
    def start(cls, script: Script, environment: LocalEnvironment, answer: CallHandler, passed: Iterable[str]) -> Self:
        """Start a script with the variables that the user passes.

        Raises:
            TerminalEnvironmentError: it cannot be started.
        """
        environ = script_variables(passed, strict=script.strict)
        python = choose_interpreter(script.folder, environ, environment.session, strict=script.strict)
        run = cls(script, environment, answer)
        try:
            if script.strict:
                run._create_directory()
            run._spawn(python, {**environ, **environment.session.variables, MARK: script.mark})
            if not script.strict:  # while the interpreter starts, which takes longer
                run._create_directory()
            run._prepare(python)
        except (OSError, ValueError) as error:
            run.close()
            raise TerminalEnvironmentError(f"The script cannot be started with {python}: {error}") from error
        except BaseException:
            run.close()
            raise
        return run

    @property
    def group(self) -> int:
        """Return the process group that the script leads."""
        return self._running.pid

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._child is not None
        return self._child

    def _create_directory(self) -> None:
        """Create the directory with the script, and the socket for its calls."""
        self._directory = create_script_dir()
        self._server = CallServer(self._answer, self._directory)
        path = os.path.join(self._directory, SCRIPT)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(self._script.code.encode())
        if self._script.strict:
            os.mkdir(os.path.join(self._directory, WORK), 0o700)

    def _spawn(self, python: str, environ: dict[str, str]) -> None:
        strict, folder = self._script.strict, self._script.folder
        cwd = os.path.join(self._directory, WORK) if strict else existing_directory(folder)
        death, self._life = os.pipe()
        try:
            self._child = subprocess.Popen(  # noqa: S603 - scripts are approved before
                waiting(python, interpreter_arguments(strict=strict)),
                cwd=cwd,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(death,),
                bufsize=0,
            )
            self.mark = mark(self._child.pid, mark_from_token(self._script.mark), self._environment.session.limits)
            _limit_memory(self._child.pid, self._script.memory)
            _kill_with_this_process(death, self._child.pid)
            assert self._child.stdin is not None
            if python != sys.executable:
                with contextlib.suppress(BrokenPipeError):
                    self._child.stdin.write(START)
        finally:
            os.close(death)
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self._end_handle = os.pidfd_open(self._child.pid)

    def _prepare(self, python: str) -> None:
        """Prepare the input of the interpreter."""
        assert self._server is not None
        path = os.path.join(self._directory, SCRIPT)
        if not is_current_interpreter(python):
            start = runtime_source("bootstrap")
            data = self._script.payload(self._server.address, start=start, path=path, spare=bundled_json())
            self._input = memoryview(marshal.dumps(data, FORMAT))
            return
        data = self._script.payload(self._server.address, start=compiled_bootstrap(), path=path)
        if (compiled := compile_script(self._script.code).compiled) is not None:
            data["compiled"] = compiled
        self._input = memoryview(marshal.dumps(data))

    async def follow(self, ended: ScriptResult, watch: CommandMonitor, alive: Callable[[], None]) -> None:
        """Wait for the end of the script, and end it on timeout."""
        while (wait := self._advance(ended, watch)) is not None:
            with anyio.move_on_after(wait):
                await anyio.wait_readable(self._ready.fileno())
            self._step(0)
            alive()

    def follow_briefly(self, ended: ScriptResult, watch: CommandMonitor, seconds: float) -> bool:
        """Like `follow`, but block, and for a limited time; return whether the script has ended."""
        until = time.monotonic() + seconds
        while (wait := self._advance(ended, watch)) is not None:
            if (left := until - time.monotonic()) <= 0:
                return False
            self._step(min(wait, left))
        return True

    def _advance(self, ended: ScriptResult, watch: CommandMonitor) -> float | None:
        """Do the next steps that are due; return the seconds until the next one, or None at the end."""
        if self._deadline == 0.0:
            self._listen(ended)
        now = time.monotonic()
        if self._drained_at:
            return None if now >= self._drained_at or not self._open else self._drained_at - now
        if self._has_ended or (self._end_handle < 0 and _has_ended(self.group)) or now >= self._kill_at:
            ended.status = self.end()
            if watch.stopped and ended.status < 0:
                ended.why = "interrupted"
            self._drained_at = now + DRAIN_SECONDS
            return 0.0
        if self._kill_at == math.inf and (watch.stopped or now >= self._deadline):
            ended.why = "interrupted" if watch.stopped else "timeout"
            self._environment.signal(self.group, signal.SIGTERM)
            self._kill_at = now + GRACE_SECONDS
        tick = TICK_SECONDS if self._end_handle >= 0 else _POLL_SECONDS
        return max(0.0, min(tick, self._deadline - now if self._kill_at == math.inf else self._kill_at - now))

    def _listen(self, ended: ScriptResult) -> None:
        """Register everything to wait for."""
        child, server = self._running, self._server
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        assert server is not None
        self._deadline = time.monotonic() + self._script.timeout
        ended.directory = self._directory
        for pipe in (child.stdin, child.stdout, child.stderr):
            os.set_blocking(pipe.fileno(), False)
        with contextlib.suppress(OSError, AttributeError):  # above the user's limit, or not on Linux
            fcntl.fcntl(child.stdout.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        for pipe, capture in ((child.stdout, ended.output), (child.stderr, ended.errors)):
            self._ready.register(pipe, selectors.EVENT_READ, functools.partial(self._read_pipe, pipe, capture))
        self._ready.register(server, selectors.EVENT_READ, server.accept)
        if self._end_handle >= 0:
            self._ready.register(self._end_handle, selectors.EVENT_READ, self._note_end)
        self._feed()
        if not child.stdin.closed:
            self._ready.register(child.stdin, selectors.EVENT_WRITE, self._feed)

    def _step(self, wait: float) -> None:
        """Handle the events until the timeout."""
        for key, _ in self._ready.select(wait):
            key.data()

    def _feed(self) -> None:
        stdin = self._running.stdin
        assert stdin is not None
        try:
            while self._input:
                self._input = self._input[os.write(stdin.fileno(), self._input) :]
        except BlockingIOError:
            return
        except OSError:
            pass  # it ended without reading
        with contextlib.suppress(KeyError):  # everything was written at once
            self._ready.unregister(stdin)
        stdin.close()

    def _read_pipe(self, pipe: IO[bytes], capture: Capture) -> None:
        for _ in range(_ROUNDS):
            try:
                data = os.read(pipe.fileno(), _READ_SIZE)
            except BlockingIOError:
                return
            if not data:
                self._ready.unregister(pipe)
                self._open -= 1
                return
            capture.add(data)

    def _note_end(self) -> None:
        self._has_ended = True
        self._ready.unregister(self._end_handle)

    def end(self) -> int:
        """Kill the script and all that it started; return the exit status. Never raises; safe from any thread."""
        child = self._child
        if child is None:
            return 0
        with self._lock:  # after waiting for it, its process id may be reused
            if not self._reaped:
                if not _has_ended(child.pid):
                    self._environment.signal(child.pid, signal.SIGKILL)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(child.pid, signal.SIGKILL)
                end_leftovers(self._script.mark, child.pid)
                with contextlib.suppress(subprocess.TimeoutExpired):  # it waits for a disk that does not answer
                    child.wait(_KILL_SECONDS)
                self._reaped = True
        return -signal.SIGKILL if child.returncode is None else child.returncode

    def close(self) -> None:
        """Kill the script and remove everything. Never raises."""
        self.end()
        self._ready.close()
        if self._server is not None:
            self._server.close()
        if self._child is not None:
            for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        for handle in (self._end_handle, self._life):
            if handle >= 0:
                os.close(handle)
        self._end_handle = self._life = -1
        if self._directory:
            remove_script_dir(self._directory)


def _limit_memory(pid: int, megabytes: int) -> None:
    """Limit how much memory a process, and each process that it starts, may allocate.

    The limit is on private writable memory, not on reserved address space, of which some programs use many gigabytes.
    """
    # Linux only. An existing lower limit stays.
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        if megabytes:
            size = megabytes << 20
            resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


def _has_ended(pid: int) -> bool:
    """Return whether a child has ended, without waiting for it: its process id stays reserved."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _kill_with_this_process(pipe: int, group: int) -> None:
    """Have the kernel kill a group when the other end of a pipe closes, as after a crash of this process.

    The script's process holds this end. Closing the other end signals its owner; the owner and the signal can be
    chosen.
    """
    with contextlib.suppress(OSError, AttributeError):  # Linux only; elsewhere the next start reads the records
        fcntl.fcntl(pipe, fcntl.F_SETOWN, -group)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


MARK = "HERMES_SCRIPT"
"""The variable of a script and everything it starts; its value identifies the script."""

_KILL_ROUNDS = 5
"""How often to look again: a process may start another one while it is being killed."""


def end_leftovers(mark: str, since: int) -> None:
    """Kill all processes with a script's mark: descendants of the script, so their process ids are later than
    `since`.
    """
    for _ in range(_KILL_ROUNDS):
        found = [pid for pid in _later(since) if _is_marked(pid, mark)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _later(since: int) -> list[int]:
    """Return the processes with a later id. Most scripts start nothing, and then there is nothing to inspect."""
    try:
        with open("/proc/loadavg", "rb") as file:
            last = int(file.read().split()[-1])  # the last assigned id
        if last == since:
            return []
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except (OSError, ValueError, IndexError):
        return []
    if last < since:  # ids have wrapped around
        return [number for number in numbers if number not in (since, os.getpid())]
    return [number for number in numbers if since < number <= last]


def _is_marked(pid: int, mark: str) -> bool:
    if mark_of(pid) == mark_from_token(mark):
        return True
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False
