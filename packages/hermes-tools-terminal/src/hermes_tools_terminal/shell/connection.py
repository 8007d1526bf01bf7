"""Says something to a shell and listens until it marks the end, under a deadline."""

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
from hermes_tools_terminal.environments.base import Environment, StartedProcess
from hermes_tools_terminal.environments.local_processes import kill_marked
from hermes_tools_terminal.shell.output import Capture
from hermes_tools_terminal.shell.protocol import Mark, MarkReader
from hermes_tools_terminal.text import as_bytes

GRACE_SECONDS = 1.0
"""Between asking a command to end, ending it, and ending the shell, too."""

_TICK_SECONDS = 0.25
"""How often somebody looks whether a shell that says nothing still lives."""

_PIPE_SIZE = 1 << 20
_SMALL, _READ_SIZE = 1 << 12, 1 << 18
_NEARLY = _SMALL - 64
"""What fills the small buffer; some of it may have been taken up by what is put around the output."""
_ROUNDS = 8
"""How often one reads before others get their turn."""

_SHORT_MILLISECONDS = 1
_SHORT_SECONDS = 0.002
"""A command that is over so soon, and output that goes on so soon, is not worth the way through the event loop."""


@dataclass(slots=True)
class CommandMonitor:
    """Who looks at a running command.

    Attributes:
        tick: Called now and then with the seconds since it began, and what it has printed.
        stopped: Whether somebody has interrupted it.
    """

    tick: Callable[[float, Capture], None] | None = None
    stopped: bool = False

    def stop(self) -> None:
        """Interrupt the command, from any thread: it ends with 130."""
        self.stopped = True


def _ignored(_data: bytes | bytearray, _start: int, _end: int) -> None:
    """What a shell says before anybody listens."""


_STEPS: tuple[tuple[int, bool], ...] = ((signal.SIGTERM, False), (signal.SIGKILL, True), (signal.SIGKILL, False))
"""Signals, and whether the shell is spared."""


class _Ending:
    """Ends a command step by step: it is asked, then it is ended, then the shell with it."""

    __slots__ = ("_next", "_steps", "why")

    def __init__(self) -> None:
        self.why = ""
        self._next = 0.0
        self._steps = _STEPS

    def due(self, now: float, deadline: float, watch: CommandMonitor | None) -> tuple[int, bool] | None:
        """The signal that it is time for, and whether the shell is spared."""
        if not self.why:
            self.why = "timeout" if now >= deadline else "interrupted" if watch and watch.stopped else ""
        if not self.why or now < self._next or not self._steps:
            return None
        self._next = now + GRACE_SECONDS
        step, *rest = self._steps
        self._steps = tuple(rest)
        return step

    def over(self, now: float) -> bool:
        """Whether everything was tried, and nothing more is waited for."""
        return not self._steps and now >= self._next

    def wait(self, now: float, deadline: float) -> float:
        """How long nothing needs to be done."""
        return max(0.0, min(_TICK_SECONDS, (self._next if self.why else deadline) - now))


class ShellConnection:
    """One shell's pipes.

    Args:
        place: Where it runs.
        started: Its process.
        mark: How its marks begin.
    """

    def __init__(self, place: Environment, started: StartedProcess, mark: bytes) -> None:
        self.place = place
        self.started = started
        self.reader = MarkReader(mark, _ignored)
        self._buffer = bytearray(_SMALL)
        self._ready = select.poll()
        self._written = 0
        self.silent = False
        self.begun = False
        """Whether the shell has begun with what was said to it last: one that died before has done nothing of it."""
        stdin, stdout = started.child.stdin, started.child.stdout
        assert stdin is not None
        assert stdout is not None
        self._in, self._out = stdin.fileno(), stdout.fileno()
        # What is no plain file knows by itself how it is read; what keeps something back is read past that.
        self._fill = stdout.readinto if isinstance(stdout, RawIOBase) else self._fill_from_pipe
        for pipe in (self._in, self._out):
            os.set_blocking(pipe, False)
            with contextlib.suppress(OSError):  # what is not a pipe, or more than a user may have, stays as it is
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        self._ready.register(self._out, select.POLLIN)

    @classmethod
    async def begin(
        cls, place: Environment, argv: Sequence[str], folder: str, mark: bytes, env: Mapping[str, str] | None = None
    ) -> Self:
        """Start a shell."""
        if place.quick:
            return cls(place, place.start(argv, cwd=folder, env=env), mark)
        await require_event_loop()
        start = getattr(
            place, "start_interactive", place.start
        )  # some have a quicker way for what is spoken to all the time
        started = await anyio.to_thread.run_sync(lambda: start(argv, cwd=folder, env=env))
        return cls(place, started, mark)

    async def say(
        self,
        text: str,
        capture: Capture,
        *,
        timeout: float,
        token: str,
        watch: CommandMonitor | None = None,
        after: int = 0,
    ) -> tuple[Mark | None, str]:
        """Say something and listen.

        Args:
            text: What is said.
            capture: Gets what is printed.
            timeout: How many seconds it may take.
            token: What the mark at its end bears; another is not its end.
            watch: Who looks at it meanwhile.
            after: How many bytes of the text stand behind the command in it.

        Returns:
            The mark at the end, None when the shell died without one; and `timeout` or `interrupted` when it was
            ended early.
        """
        self.reader.direct(capture.add)
        began = time.monotonic()
        ending = _Ending()
        try:
            await self._write(as_bytes(text), began + timeout)
            mark = await self._listen(ending, began, began + timeout, capture, watch, token)
            self.begun = self.begun or mark is not None or (self.place.quick and self._was_read(after))
            if ending.why:
                self._kill_escaped(began)
            return mark, ending.why
        except BaseException:  # cancelled, most likely: nothing that was started stays behind
            if self.place.quick:
                await self._signal(signal.SIGKILL)
                self._kill_escaped(began)
            else:
                await require_event_loop()
                with anyio.CancelScope(shield=True):
                    await self._signal(signal.SIGKILL)
            raise

    def _kill_escaped(self, began: float) -> None:
        """Kill what a command has put out of reach of signals to its group; what earlier ones started lives on."""
        if self.started.mark:
            shell = self.started.child.pid
            kill_marked({self.started.mark}, since=began, spared=shell)

    def _was_read(self, after: int) -> bool:
        """Whether a dead shell had read the command that was said to it last: what it had not is still in the pipe."""
        left = array("i", [0])
        try:
            fcntl.ioctl(self._in, termios.FIONREAD, left)
        except OSError:
            return True
        return left[0] <= after < self._written

    def end(self) -> None:
        """End the shell and all that runs in its group, and let go of its pipes. Never raises."""
        with contextlib.suppress(Exception):  # the place may be gone, with all that was in it
            if self.place.quick or self.started.child.poll() is None:  # what it started may outlive it
                self.place.signal(self.started.group, signal.SIGKILL)
        child = self.started.child
        with contextlib.suppress(Exception):
            child.kill()
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            child.wait(GRACE_SECONDS)

    def final_state(self) -> str:
        """Have an idle shell end by itself, and hear what it knows; nothing when it does not answer soon."""
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
        """How the shell's process ended, in the numbers of a shell; -1 when it lives, but cannot tell of commands."""
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
            except OSError:  # nobody reads any more: listening tells why
                return

    async def _listen(
        self,
        ending: _Ending,
        began: float,
        deadline: float,
        capture: Capture,
        watch: CommandMonitor | None,
        token: str,
    ) -> Mark | None:
        last: Mark | None = None
        read, dead = 0, False
        heard = began
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
                heard = now
            elif now - heard < _SHORT_SECONDS and self._ready.poll(_SHORT_MILLISECONDS):
                continue
            if (step := ending.due(now, deadline, watch)) is not None:
                await self._signal(step[0], spare_leader=step[1])
            elif ending.over(now):
                return last
            if watch and watch.tick:
                watch.tick(now - began, capture)
            if size is None:
                if dead:
                    return last  # others hold its pipe open, but they are not the command
                if self.started.child.poll() is not None or self._at_rest(now - heard):
                    dead = True  # what it said last may have come since
                    continue
                await require_event_loop()
                with anyio.move_on_after(ending.wait(now, deadline)):
                    await anyio.wait_readable(self._out)
            elif read % _ROUNDS == 0:
                await require_event_loop()
                await anyio.sleep(0)

    def _at_rest(self, seconds: float) -> bool:
        """Whether the shell waits for the next command and never told of this one's end; a stopped one goes on."""
        if seconds < _TICK_SECONDS or not self.place.quick:
            return False
        state = process_state(self.started.child.pid, self._in)
        if state == "stopped":
            self.place.signal(self.started.group, signal.SIGCONT)
        self.silent = state == "waiting"
        return self.silent

    def _read(self) -> int | None:
        """Read what is there into the buffer, and how much that is: None for nothing yet, 0 at the end.

        The buffer is small until a command prints much: most print little, and many shells may be open.
        """
        try:
            size = self._fill(self._buffer)
        except BlockingIOError:
            return None
        except (OSError, ValueError):  # a terminal whose other side is closed, or a pipe of this side
            return 0
        if size and size >= _NEARLY and len(self._buffer) == _SMALL:
            self._buffer = self._buffer + bytes(_READ_SIZE - _SMALL)
        return size

    def _fill_from_pipe(self, buffer: bytearray) -> int | None:
        return os.readv(self._out, [buffer])

    async def _signal(self, number: int, *, spare_leader: bool = False) -> None:
        with contextlib.suppress(Exception):  # a place that is gone has nothing left to end
            if self.place.quick:
                self.place.signal(self.started.group, number, spare_leader=spare_leader)
            else:
                await require_event_loop()
                await anyio.to_thread.run_sync(
                    lambda: self.place.signal(self.started.group, number, spare_leader=spare_leader)
                )


State = Literal["busy", "waiting", "stopped"]

# What the kernel calls waiting for something to come out of a pipe, over the years.
_READING = frozenset({"pipe_read", "anon_pipe_read", "pipe_wait", "pipe_wait_readable"})


def process_state(shell: int, pipe: int) -> State:
    """What a shell does right now; `busy` where nobody can tell.

    A command's input is never the shell's own, so a shell that waits for that one has finished with all it was told.

    Args:
        shell: Its process, on this machine.
        pipe: The end of its input that is written to.
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
    with open(f"/proc/{shell}/syscall", encoding="ascii") as file:  # names are hidden: its first argument is 0
        words = file.read().split()
    return len(words) > 2 and words[1] == "0x0" and words[3] == "0x1"  # byte by byte, as shells read from pipes
