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
        size: How many bytes it printed.
    """

    output: str
    status: int
    folder: str
    notes: tuple[str, ...] = ()
    size: int = 0


class Shell:
    """One shell in an environment. The caller runs one command at a time.

    Args:
        place: The environment, already open.
        folder: The directory in which it starts; that of the environment by default.
        limit: The maximum number of characters of a command's output.
        start_up: Shell code that runs first.
        on_start: Called with the process group and the mark of every started shell.
    """

    def __init__(
        self,
        place: Environment,
        *,
        folder: str = "",
        limit: int = 50_000,
        start_up: str = "",
        on_start: Callable[[int, int], None] | None = None,
    ) -> None:
        self.place = place
        self.folder = folder or place.folder
        self._limit = limit
        self._start_up = start_up
        self._on_start = on_start
        self._dialect = ShellProtocol(place.shell, "")
        self._talk: ShellConnection | None = None
        self._state = ""
        self._at = ""
        self._heard = 0.0
        self._rested = False

    @property
    def away(self) -> bool:
        """Return whether the shell is not in the directory of the next command, which it enters first."""
        return self._at != self.folder

    @property
    def blank(self) -> bool:
        """Return whether the next command runs in a new shell without earlier state."""
        return self._talk is None and not self._state

    @property
    def started(self) -> StartedProcess | None:
        """Return the shell's process; None while there is none."""
        return self._talk.started if self._talk else None

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
        if self._rested:
            self._rested = False
            notes.append("The idle shell was closed; a new one continues with its exported variables and functions.")
        if self._talk is not None and self._talk.started.child.poll() is not None:
            notes.append(await self._put_away("The shell was killed before this command"))
        talk = self._talk or await self._open()
        outcome = await self._told(talk, command, timeout, folder, watch, notes)
        if talk.begun or talk is self._talk or outcome.status in (TIMED_OUT, INTERRUPTED):
            return outcome
        # It died between two commands, before it started this one, which can be repeated.
        notes = ["The shell was killed before this command; a new one continues without its variables and functions."]
        return await self._told(await self._open(), command, timeout, folder, watch, notes)

    async def _told(
        self,
        talk: ShellConnection,
        command: str,
        timeout: float,
        folder: str | None,
        watch: CommandMonitor | None,
        notes: list[str],
    ) -> Outcome:
        """Send a command to a shell. With a directory, the shell returns to its own one afterwards."""
        goal = self.folder
        if folder:
            begin = talk.reader.home if folder == "~" or folder.startswith("~/") else ""
            goal = posixpath.normpath(posixpath.join(begin or self.folder, folder[2:] if begin else folder))
        if self.place.kind == "local":
            steady = os.path.isdir(goal)
        else:
            steady = goal == self._at and time.monotonic() - self._heard < _STEADY_SECONDS
        token = os.urandom(3).hex()
        elsewhere = goal if goal != self._at else None
        way: Literal["out", "back", "on"] = "back" if self.away else "on"
        if folder:
            way = "on" if self.away else "out"
        text, after = self._dialect.command(command, token, folder=elsewhere, way=way, steady=steady)
        capture = Capture(self._limit)
        talk.begun = steady and not self.place.quick  # it does not report the start
        try:
            mark, why = await talk.say(text, capture, timeout=timeout, token=token, watch=watch, after=after)
            self._heard = time.monotonic()
        except BaseException:  # cancelled: the shell was killed with the command
            if not self.place.quick:
                await require_event_loop()
                with anyio.CancelScope(shield=True):
                    await self._put_away("")
            else:
                await self._put_away("")
            raise
        return await self._concluded(mark, why, goal, capture, notes, timeout, stays=bool(folder))

    def close(self) -> None:
        """Kill the shell and everything in it. Never raises; may take as long as a signal to the environment."""
        talk, self._talk = self._talk, None
        if talk is not None:
            talk.end()

    def rest(self) -> None:
        """End an idle shell, and store its directory and state for the next one."""
        if self._talk is not None:
            self._state = self._talk.final_state() or ""
            self._rested = True
        self.close()
        self._at = ""

    async def state(self) -> str:
        """Return code that sets the exported variables, functions and `umask` in another shell; empty on failure."""
        if self._talk is None:
            return self._state
        capture = Capture(_MAX_VARIABLE)
        token = os.urandom(3).hex()
        text, _ = self._dialect.command(self._dialect.final_state, token, steady=True)
        mark, _ = await self._talk.say(text, capture, timeout=STATE_SECONDS, token=token)
        return capture.raw() if mark is not None and mark.kind == "end" and mark.status == 0 else ""

    async def _open(self) -> ShellConnection:
        self._dialect = ShellProtocol(self.place.shell, os.urandom(8).hex())
        argv = ["bash", "--noprofile", "--norc"] if self.place.shell == "bash" else ["sh"]
        text = self._dialect.opening(self._state, "" if self._state else self._start_up)
        env = None
        if self.place.quick and len(text) < _MAX_VARIABLE:
            # A shell reads its input byte by byte; a variable is available at once.
            text, env = f'eval "${OPENING}"\n', {OPENING: f"unset {OPENING}\n{text}"}
        talk = await ShellConnection.begin(self.place, argv, self.folder, self._dialect.mark, env)
        if self._on_start is not None:
            self._on_start(talk.started.group, talk.started.mark)
        said = Capture(2_000)
        mark, why = await talk.say(text, said, timeout=OPENING_SECONDS, token=OPENED)
        if mark is None or mark.kind != "end":
            talk.end()
            words = said.text().strip() or {"timeout": "it did not answer in time"}.get(why, "it ended at once")
            raise TerminalEnvironmentError(f"The shell in {self.place.kind} did not start: {words}", gone=True)
        self._talk, self._state, self._at = talk, "", mark.folder
        return talk

    async def _put_away(self, what: str) -> str:
        """Drop the shell, and return a note about what was lost."""
        if self.place.quick:
            self.close()
        else:
            await require_event_loop()
            await anyio.to_thread.run_sync(self.close)
        self._at = ""
        if self._state:
            kept = "exported variables and functions" if self.place.shell == "bash" else "exported variables"
            return f"{what}; a new one continues in {self.folder} with its {kept}, and nothing else."
        return f"{what}; a new one continues in {self.folder}. Variables and functions are lost."

    async def _concluded(
        self,
        mark: Mark | None,
        why: str,
        goal: str,
        capture: Capture,
        notes: list[str],
        timeout: float,
        *,
        stays: bool,
    ) -> Outcome:
        """Interpret the end of a command."""
        talk = self._talk
        assert talk is not None
        status = mark.status if mark else talk.exit_status()
        if mark:
            self._at = mark.folder
            if mark.folder and not stays:
                self.folder = mark.folder
        if why == "timeout":
            status = TIMED_OUT
            notes.append(f"The command was ended after {timeout:g} seconds.")
        elif why == "interrupted":
            status = INTERRUPTED
            notes.append("The command was interrupted.")
        elif mark and mark.kind == "end" and status == NO_FOLDER and self._at != goal:
            notes.append(f"The command did not run: the directory {goal} does not exist.")
        if mark is None or mark.kind != "end":
            self._state = talk.reader.final_state
            at_its_own_wish = mark is not None and mark.kind == "closed"
            what = "The shell ended with the command"
            if talk.silent:
                what = "The shell could not report how the command ended"
            elif not (mark or why) and not self.place.alive():
                what = f"The {self.place.kind} environment was lost"
            elif not (mark or why) and (status < 0 or status > _KILLED):
                what = "The shell was killed"
            told = await self._put_away(what)
            if not at_its_own_wish:
                notes.append(told)
        return Outcome(capture.text(), status, self.folder, tuple(notes), capture.size)
