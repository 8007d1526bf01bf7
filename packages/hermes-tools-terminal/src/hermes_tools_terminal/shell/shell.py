"""A persistent shell: commands run one after another, and their effects persist."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import anyio

from hermes_tools_terminal.eager_execution import require_event_loop
from hermes_tools_terminal.environments.base import Environment, StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.shell.connection import CommandMonitor, ShellConnection
from hermes_tools_terminal.shell.output import Capture
from hermes_tools_terminal.shell.protocol import NO_FOLDER, OPENED, Mark, ShellProtocol

TIMED_OUT, INTERRUPTED = 124, 130
OPENING = "_h_opening"
_MAX_VARIABLE = 100_000
"""Linux limits a variable to 128 KB."""

_KILLED = 128
"""Higher exit codes mean signals."""

_STEADY_SECONDS = 1.0
"""A remote shell that answered this recently is assumed to exist, with its directory."""

STATE_SECONDS = 5.0
OPENING_SECONDS = 30.0
"""How long a new shell may take to start, including start-up files."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a command.

    Attributes:
        output: Its output, truncated to the limit.
        status: Its exit code; 124 on timeout, 130 when interrupted, 126 when its directory does not exist.
        folder: The directory of the shell.
        notes: What the reader should know: that the shell was replaced, and what was lost.
    """

    output: str
    status: int
    folder: str
    notes: tuple[str, ...] = ()


class Shell:
    """One shell in an environment. The caller runs one command at a time.

    Args:
        environment: The environment, already open.
        folder: The directory in which it starts; that of the environment by default.
        limit: The maximum number of characters of a command's output.
        start_up: Shell code that runs first.
        on_start: Called with the process group and the mark of every started shell.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        folder: str = "",
        limit: int = 50_000,
        start_up: str = "",
        on_start: Callable[[int, int], None] | None = None,
    ) -> None:
        self.environment = environment
        self.folder = folder or environment.folder
        self._limit = limit
        self._start_up = start_up
        self._on_start = on_start
        self._protocol = ShellProtocol(environment.shell, "")
        self._connection: ShellConnection | None = None
        self._state = ""
        self._directory = ""
        self._last_answer = 0.0
        self._suspended = False

    @property
    def away(self) -> bool:
        """Return whether the shell is not in the directory of the next command, which it enters first."""
        return self._directory != self.folder

    @property
    def blank(self) -> bool:
        """Return whether the next command runs in a new shell without earlier state."""
        return self._connection is None and not self._state

    @property
    def started(self) -> StartedProcess | None:
        """Return the shell's process; None while there is none."""
        return self._connection.started if self._connection else None

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        folder: str | None = None,
        watch: CommandMonitor | None = None,
    ) -> Outcome:
        """Run a command and wait for its end.

        Raises:
            TerminalEnvironmentError: the environment cannot be used, or is gone.
        """
        notes: list[str] = []
        if self._suspended:
            self._suspended = False
            notes.append("The idle shell was closed; a new one continues with its exported variables and functions.")
        if self._connection is not None and self._connection.started.child.poll() is not None:
            notes.append(await self._drop("The shell was killed before this command"))
        connection = self._connection or await self._open()
        outcome = await self._send(connection, command, timeout, folder, watch, notes)
        if connection.begun or connection is self._connection or outcome.status in (TIMED_OUT, INTERRUPTED):
            return outcome
        # It died between two commands, before it started this one, which can be repeated.
        notes = ["The shell was killed before this command; a new one continues without its variables and functions."]
        return await self._send(await self._open(), command, timeout, folder, watch, notes)

    async def _send(
        self,
        connection: ShellConnection,
        command: str,
        timeout: float,
        folder: str | None,
        watch: CommandMonitor | None,
        notes: list[str],
    ) -> Outcome:
        """Send a command to a shell. With a directory, the shell returns to its own one afterwards."""
        target = self.folder
        if folder:
            begin = connection.reader.home if folder == "~" or folder.startswith("~/") else ""
            target = posixpath.normpath(posixpath.join(begin or self.folder, folder[2:] if begin else folder))
        if self.environment.kind == "local":
            steady = os.path.isdir(target)
        else:
            steady = target == self._directory and time.monotonic() - self._last_answer < _STEADY_SECONDS
        token = os.urandom(3).hex()
        elsewhere = target if target != self._directory else None
        way: Literal["out", "back", "on"] = "back" if self.away else "on"
        if folder:
            way = "on" if self.away else "out"
        text, after = self._protocol.command(command, token, folder=elsewhere, way=way, steady=steady)
        capture = Capture(self._limit)
        connection.begun = steady and not self.environment.quick  # it does not report the start
        try:
            mark, why = await connection.send(text, capture, timeout=timeout, token=token, watch=watch, after=after)
            self._last_answer = time.monotonic()
        except BaseException:  # cancelled: the shell was killed with the command
            if not self.environment.quick:
                await require_event_loop()
                with anyio.CancelScope(shield=True):
                    await self._drop("")
            else:
                await self._drop("")
            raise
        return await self._conclude(mark, why, target, capture, notes, timeout, stays=bool(folder))

    def close(self) -> None:
        """Kill the shell and everything in it. Never raises; may take as long as a signal to the environment."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()

    def suspend(self) -> None:
        """End an idle shell, and store its directory and state for the next one."""
        if self._connection is not None:
            self._state = self._connection.final_state() or ""
            self._suspended = True
        self.close()
        self._directory = ""

    async def state(self) -> str:
        """Return code that sets the exported variables, functions and `umask` in another shell; empty on failure."""
        if self._connection is None:
            return self._state
        capture = Capture(_MAX_VARIABLE)
        token = os.urandom(3).hex()
        text, _ = self._protocol.command(self._protocol.final_state, token, steady=True)
        mark, _ = await self._connection.send(text, capture, timeout=STATE_SECONDS, token=token)
        return capture.raw() if mark is not None and mark.kind == "end" and mark.status == 0 else ""

    async def _open(self) -> ShellConnection:
        self._protocol = ShellProtocol(self.environment.shell, os.urandom(8).hex())
        argv = ["bash", "--noprofile", "--norc"] if self.environment.shell == "bash" else ["sh"]
        text = self._protocol.opening(self._state, "" if self._state else self._start_up)
        env = None
        if self.environment.quick and len(text) < _MAX_VARIABLE:
            # A shell reads its input byte by byte; a variable is available at once.
            text, env = f'eval "${OPENING}"\n', {OPENING: f"unset {OPENING}\n{text}"}
        connection = await ShellConnection.begin(self.environment, argv, self.folder, self._protocol.mark, env)
        if self._on_start is not None:
            self._on_start(connection.started.group, connection.started.mark)
        printed = Capture(2_000)
        mark, why = await connection.send(text, printed, timeout=OPENING_SECONDS, token=OPENED)
        if mark is None or mark.kind != "end":
            connection.end()
            words = printed.text().strip() or {"timeout": "it did not answer in time"}.get(why, "it ended at once")
            raise TerminalEnvironmentError(f"The shell in {self.environment.kind} did not start: {words}", gone=True)
        self._connection, self._state, self._directory = connection, "", mark.folder
        return connection

    async def _drop(self, reason: str) -> str:
        """Drop the shell, and return a note about what was lost."""
        if self.environment.quick:
            self.close()
        else:
            await require_event_loop()
            await anyio.to_thread.run_sync(self.close)
        self._directory = ""
        if self._state:
            kept_state = (
                "exported variables and functions" if self.environment.shell == "bash" else "exported variables"
            )
            return f"{reason}; a new one continues in {self.folder} with its {kept_state}, and nothing else."
        return f"{reason}; a new one continues in {self.folder}. Variables and functions are lost."

    async def _conclude(
        self,
        mark: Mark | None,
        why: str,
        target: str,
        capture: Capture,
        notes: list[str],
        timeout: float,
        *,
        stays: bool,
    ) -> Outcome:
        """Interpret the end of a command."""
        connection = self._connection
        assert connection is not None
        status = mark.status if mark else connection.exit_status()
        if mark:
            self._directory = mark.folder
            if mark.folder and not stays:
                self.folder = mark.folder
        if why == "timeout":
            status = TIMED_OUT
            notes.append(f"The command was ended after {timeout:g} seconds.")
        elif why == "interrupted":
            status = INTERRUPTED
            notes.append("The command was interrupted.")
        elif mark and mark.kind == "end" and status == NO_FOLDER and self._directory != target:
            notes.append(f"The command did not run: the directory {target} does not exist.")
        if mark is None or mark.kind != "end":
            self._state = connection.reader.final_state
            was_requested = mark is not None and mark.kind == "closed"
            reason = "The shell ended with the command"
            if connection.silent:
                reason = "The shell could not report how the command ended"
            elif not (mark or why) and not self.environment.alive():
                reason = f"The {self.environment.kind} environment was lost"
            elif not (mark or why) and (status < 0 or status > _KILLED):
                reason = "The shell was killed"
            note = await self._drop(reason)
            if not was_requested:
                notes.append(note)
        return Outcome(capture.text(), status, self.folder, tuple(notes))
