"""The connection to a persistent shell: send a command, and read its output until the end marker or the deadline."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import termios
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import RawIOBase
from typing import Literal, Self

import anyio

from hermes_tools_terminal.eager_execution import require_event_loop
from hermes_tools_terminal.environments.base import Environment, StartedProcess, close_pipes
from hermes_tools_terminal.environments.local_processes import kill_marked
from hermes_tools_terminal.shell.output import Capture
from hermes_tools_terminal.shell.protocol import Mark, MarkReader
from hermes_tools_terminal.text import as_bytes

GRACE_SECONDS = 1.0
"""Time between asking a command to end, killing it, and killing the shell."""

_TICK_SECONDS = 0.25
"""How often to check whether a silent shell is alive."""

_PIPE_SIZE = 1 << 20
_SMALL, _READ_SIZE = 1 << 12, 1 << 18
_NEARLY = _SMALL - 64
"""When the small buffer counts as full; framing may take some of it."""
_ROUNDS = 8
"""How many reads before other tasks get their turn."""

_SHORT_MILLISECONDS = 1
_SHORT_SECONDS = 0.002
"""Commands and output pauses shorter than this are not worth using the event loop."""


@dataclass(slots=True)
class CommandMonitor:
    """Observes and interrupts a running command.

    Attributes:
        tick: Called regularly with the seconds since the start, and the output so far.
        stopped: Whether the command was interrupted.
    """

    tick: Callable[[float, Capture], None] | None = None
    stopped: bool = False

    def stop(self) -> None:
        """Interrupt the command, from any thread: it ends with 130."""
        self.stopped = True


def _ignore(_data: bytes | bytearray, _start: int, _end: int) -> None:
    """Ignore output before the first command."""


_STEPS: tuple[tuple[int, bool], ...] = ((signal.SIGTERM, False), (signal.SIGKILL, True), (signal.SIGKILL, False))
"""Signals, and whether the shell is spared."""


class _Termination:
    """Ends a command in steps: ask it to end, kill it, kill the shell."""

    __slots__ = ("_next", "_steps", "why")

    def __init__(self) -> None:
        self.why = ""
        self._next = 0.0
        self._steps = _STEPS

    def due(self, now: float, deadline: float, watch: CommandMonitor | None) -> tuple[int, bool] | None:
        """Return the signal that is due, and whether the shell is spared."""
        if not self.why:
            self.why = "timeout" if now >= deadline else "interrupted" if watch and watch.stopped else ""
        if not self.why or now < self._next or not self._steps:
            return None
        self._next = now + GRACE_SECONDS
        step, *rest = self._steps
        self._steps = tuple(rest)
        return step

    def over(self, now: float) -> bool:
        """Return whether all steps were tried and the grace period is over."""
        return not self._steps and now >= self._next

    def wait(self, now: float, deadline: float) -> float:
        """Return how long nothing is due."""
        return max(0.0, min(_TICK_SECONDS, (self._next if self.why else deadline) - now))


class ShellConnection:
    """The pipes of a shell."""

    def __init__(self, environment: Environment, started: StartedProcess, mark: bytes) -> None:
        self.environment = environment
        self.started = started
        self.reader = MarkReader(mark, _ignore)
        self._buffer = bytearray(_SMALL)
        self._ready = select.poll()
        self._written = 0
        self.silent = False
        self.begun = False
        """Whether the shell has started the last command: if it dies before that, the command had no effect."""
        stdin, stdout = started.child.stdin, started.child.stdout
        assert stdin is not None
        assert stdout is not None
        self._in, self._out = stdin.fileno(), stdout.fileno()
        # Custom streams know how they are read; buffered files are bypassed.
        self._fill = stdout.readinto if isinstance(stdout, RawIOBase) else self._fill_from_pipe
        for pipe in (self._in, self._out):
            os.set_blocking(pipe, False)
            with contextlib.suppress(OSError):  # not a pipe, or above the user's limit
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        self._ready.register(self._out, select.POLLIN)

    @classmethod
    async def begin(
        cls,
        environment: Environment,
        argv: Sequence[str],
        folder: str,
        mark: bytes,
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a shell."""
        if environment.quick:
            return cls(environment, environment.start(argv, cwd=folder, env=env), mark)
        await require_event_loop()
        start = getattr(environment, "start_interactive", environment.start)  # some have a faster connection for shells
        started = await anyio.to_thread.run_sync(lambda: start(argv, cwd=folder, env=env))
        return cls(environment, started, mark)

    async def send(
        self,
        text: str,
        capture: Capture,
        *,
        timeout: float,
        token: str,
        watch: CommandMonitor | None = None,
        after: int = 0,
    ) -> tuple[Mark | None, str]:
        """Send a command and read its output.

        Args:
            text: The text to send.
            capture: Receives the output.
            timeout: The time limit in seconds.
            token: The token of the end marker; other markers are ignored.
            watch: Observes and can interrupt it.
            after: How many bytes of the text follow the command.

        Returns:
            The end marker, None when the shell died without one; and `timeout` or `interrupted` when the command was
            ended early.
        """
        self.reader.direct(capture.add)
        began = time.monotonic()
        ending = _Termination()
        try:
            await self._write(as_bytes(text), began + timeout)
            mark = await self._read_until_end(ending, began, began + timeout, capture, watch, token)
            self.begun = self.begun or mark is not None or (self.environment.quick and self._was_read(after))
            if ending.why:
                self._kill_escaped(began)
            return mark, ending.why
        except BaseException:  # cancelled, most likely: leave nothing running
            if self.environment.quick:
                await self._signal(signal.SIGKILL)
                self._kill_escaped(began)
            else:
                await require_event_loop()
                with anyio.CancelScope(shield=True):
                    await self._signal(signal.SIGKILL)
            raise

    def _kill_escaped(self, began: float) -> None:
        """Kill what a command has moved out of its group; what earlier commands started lives on."""
        if self.started.mark:
            shell = self.started.child.pid
            kill_marked({self.started.mark}, since=began, spared=shell)

    def _was_read(self, after: int) -> bool:
        """Return whether a dead shell had read the last command: otherwise it is still in the pipe."""
        left = array("i", [0])
        try:
            fcntl.ioctl(self._in, termios.FIONREAD, left)
        except OSError:
            return True
        return left[0] <= after < self._written

    def end(self) -> None:
        """Kill the shell and its group, and close its pipes. Never raises."""
        with contextlib.suppress(Exception):  # the environment may be gone
            if self.environment.quick or self.started.child.poll() is None:  # its processes may outlive it
                self.environment.signal(self.started.group, signal.SIGKILL)
        child = self.started.child
        with contextlib.suppress(Exception):
            child.kill()
        close_pipes(child)
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            child.wait(GRACE_SECONDS)

    def final_state(self) -> str:
        """End an idle shell, and return its final state; empty when it does not answer soon."""
        with contextlib.suppress(OSError, ValueError):
            os.write(self._in, b"exit\n")
            deadline = time.monotonic() + GRACE_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                if not self._ready.poll(left * 1000) or not (size := self._read()):
                    break
                if any(mark.kind == "gone" for mark in self.reader.feed(self._buffer, size)):
                    break
        return self.reader.final_state

    def exit_status(self) -> int:
        """Return the exit status of the shell; -1 when it runs, but does not report commands."""
        if self.silent:
            return -1
        try:
            code = self.started.child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return -1
        return code if code >= 0 else 128 - code

    async def _write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        self._written = 0
        while view and time.monotonic() < deadline:
            try:
                written = os.write(self._in, view)
                self._written += written
                view = view[written:]
            except BlockingIOError:
                await require_event_loop()
                with anyio.move_on_after(_TICK_SECONDS):
                    await anyio.wait_writable(self._in)
                if self.started.child.poll() is not None:
                    return
            except OSError:  # the shell is gone: reading its output shows why
                return

    async def _read_until_end(
        self,
        ending: _Termination,
        began: float,
        deadline: float,
        capture: Capture,
        watch: CommandMonitor | None,
        token: str,
    ) -> Mark | None:
        last: Mark | None = None
        read, dead = 0, False
        last_output = began
        self._ready.poll(_SHORT_MILLISECONDS)
        while True:
            size = self._read()
            if size:
                for mark in self.reader.feed(self._buffer, size):
                    if mark.kind == "end" and mark.token == token:
                        return mark
                    if mark.kind == "begin":
                        self.begun = True
                    if mark.kind in ("begin", "end", "home"):
                        continue
                    if mark.kind == "gone":
                        return last
                    last = mark
                read += 1
            elif size is not None:
                return last
            now = time.monotonic()
            if size:
                last_output = now
            elif now - last_output < _SHORT_SECONDS and self._ready.poll(_SHORT_MILLISECONDS):
                continue
            if (step := ending.due(now, deadline, watch)) is not None:
                await self._signal(step[0], spare_leader=step[1])
            elif ending.over(now):
                return last
            if watch and watch.tick:
                watch.tick(now - began, capture)
            if size is None:
                if dead:
                    return last  # other processes hold the pipe open
                if self.started.child.poll() is not None or self._waits_for_input(now - last_output):
                    dead = True  # read once more
                    continue
                await require_event_loop()
                with anyio.move_on_after(ending.wait(now, deadline)):
                    await anyio.wait_readable(self._out)
            elif read % _ROUNDS == 0:
                await require_event_loop()
                await anyio.sleep(0)

    def _waits_for_input(self, seconds: float) -> bool:
        """Return whether the shell waits for input without having reported the end; continue a stopped shell."""
        if seconds < _TICK_SECONDS or not self.environment.quick:
            return False
        state = process_state(self.started.child.pid, self._in)
        if state == "stopped":
            self.environment.signal(self.started.group, signal.SIGCONT)
        self.silent = state == "waiting"
        return self.silent

    def _read(self) -> int | None:
        """Read into the buffer; return the size, None when nothing is available, 0 at the end.

        The buffer grows when a command prints much: most print little, and many shells may be open.
        """
        try:
            size = self._fill(self._buffer)
        except BlockingIOError:
            return None
        except (OSError, ValueError):  # a closed terminal or pipe
            return 0
        if size and size >= _NEARLY and len(self._buffer) == _SMALL:
            self._buffer = self._buffer + bytes(_READ_SIZE - _SMALL)
        return size

    def _fill_from_pipe(self, buffer: bytearray) -> int | None:
        return os.readv(self._out, [buffer])

    async def _signal(self, number: int, *, spare_leader: bool = False) -> None:
        with contextlib.suppress(Exception):  # an environment that is gone has nothing left to end
            if self.environment.quick:
                self.environment.signal(self.started.group, number, spare_leader=spare_leader)
            else:
                await require_event_loop()
                await anyio.to_thread.run_sync(
                    lambda: self.environment.signal(self.started.group, number, spare_leader=spare_leader)
                )


State = Literal["busy", "waiting", "stopped"]

# The kernel's names for waiting for a pipe, over the years.
_READING = frozenset({"pipe_read", "anon_pipe_read", "pipe_wait", "pipe_wait_readable"})


def process_state(shell: int, pipe: int) -> State:
    """Return what a shell is doing; `busy` when unknown.

    A command never gets the shell's input, so a shell that waits for it has finished all commands.

    Args:
        shell: Its process id on this machine.
        pipe: The write end of its input.
    """
    try:
        with open(f"/proc/{shell}/stat", "rb") as file:
            letter = file.read().rpartition(b")")[2].split()[0]
        if letter in (b"T", b"t"):
            return "stopped"
        if letter != b"S" or _unread(pipe) or not os.path.samestat(os.stat(f"/proc/{shell}/fd/0"), os.fstat(pipe)):
            return "busy"
        return "waiting" if _reads(shell) else "busy"
    except (OSError, IndexError):
        return "busy"


def _unread(pipe: int) -> int:
    left = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0]


def _reads(shell: int) -> bool:
    with open(f"/proc/{shell}/wchan", encoding="ascii") as file:
        where = file.read()
    if where not in ("", "0"):
        return where in _READING
    with open(f"/proc/{shell}/syscall", encoding="ascii") as file:  # names are hidden: check its arguments
        words = file.read().split()
    return len(words) > 2 and words[1] == "0x0" and words[3] == "0x1"  # shells read pipes byte by byte
