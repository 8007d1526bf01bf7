"""The state of each task: its environment, its shell and its background processes."""

from __future__ import annotations

import contextlib
import os
import posixpath
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from hermes_tools_terminal.disk_usage import DiskUsageMonitor
from hermes_tools_terminal.eager_execution import require_event_loop
from hermes_tools_terminal.environments.base import (
    Environment,
    EnvironmentProvider,
    TerminalEnvironmentError,
    find_provider,
)
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.environments.process_records import ProcessRecords, kill_leftovers
from hermes_tools_terminal.shell.history import ShellHistory
from hermes_tools_terminal.text import quoted_path

if TYPE_CHECKING:
    from hermes_core import Binding
    from hermes_guard import ShellState, Uses
    from hermes_tools_terminal.processes.registry import Processes
    from hermes_tools_terminal.settings import TerminalSettings
    from hermes_tools_terminal.shell.connection import CommandMonitor
    from hermes_tools_terminal.shell.shell import Outcome, Shell

Answer = TypeVar("Answer")

REAP_SECONDS = 60.0
"""How often to look for idle environments."""

CLOSE_SECONDS = 9.0
"""How long the end of a session waits for its environments; slightly less than a session allows."""

_BUSY_SECONDS = 0.002
"""How soon a command retries while its task's shell is busy."""


class CallAssessment(NamedTuple):
    """The assessment of a call before it runs.

    Attributes:
        version: The version of the task's history at that time.
        reasons: The reasons of the findings.
        syntax_error: The shell's message about a command that it cannot parse; such a command never runs.
        after: The shell state after the command.
        binding: What an approval of the call depends on; None when it needed none.
    """

    version: int
    reasons: frozenset[str]
    syntax_error: str | None = None
    after: ShellState | None = None
    binding: Binding | None = None


NOT_ASSESSED = CallAssessment(-1, frozenset())


class Task:
    """A task: an environment and the shell in it.

    Args:
        name: The task's name.
        settings: The `terminal` settings.
        provider: The provider of the environment.
        home: The state directory.
        records: The records of started processes.
        clean: Removes leftovers of dead processes; called before an environment is opened.
    """

    def __init__(
        self,
        name: str,
        settings: TerminalSettings,
        provider: EnvironmentProvider,
        home: str,
        records: ProcessRecords,
        clean: Callable[[], None],
    ) -> None:
        self.name = name
        self.settings = settings
        self.used = time.monotonic()
        self.watch: CommandMonitor | None = None
        self._provider = provider
        self._home = home
        self._records = records
        self._clean = clean
        self._environment: Environment | None = None
        self._made: Environment | None = None
        self._shell: Shell | None = None
        self._folder = ""
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self.leaving: list[Callable[[], None]] = []
        """Called before the environment is closed, by users of it."""
        self._history: ShellHistory | None = None
        self.assessments: OrderedDict[str, CallAssessment] = OrderedDict()
        """The calls that were assessed and have not run yet."""
        self.uses: dict[tuple[str, str, int], Uses] = {}
        """What commands use, by their text, directory and version of the shell's state."""
        self.project = ""
        """The project in which it started, once determined."""
        self._disk = DiskUsageMonitor(settings.sandbox_dir or os.path.join(home, "sandboxes"), settings.disk_warning_gb)

    @property
    def folder(self) -> str:
        """Return the task's directory; empty when unknown."""
        return (
            self._shell.folder
            if self._shell
            else self._folder or (self._environment.folder if self._environment else "")
        )

    @property
    def environment(self) -> Environment | None:
        """Return its environment; None while it is not open."""
        return self._environment

    @property
    def planned(self) -> Environment:
        """Return the environment of the next command, open or not.

        Raises:
            TerminalEnvironmentError: it cannot be created.
        """
        if self._environment is not None:
            return self._environment
        if self._made is None:
            self._made = self._provider.make(self.settings, task=self.name, home=self._home)
        return self._made

    @property
    def history(self) -> ShellHistory:
        """Return the shell state as the guard knows it.

        Raises:
            TerminalEnvironmentError: its environment cannot be created.
        """
        if self._history is None:
            local = self.planned.quick
            self._history = ShellHistory(
                command_variables(self.settings.env_passthrough) if local else {},
                os.environ.get("HOME", "") if local else "/root",
            )
        if self._shell is None or self._shell.blank:
            self._history.restarted()
        return self._history

    @property
    def busy(self) -> bool:
        """Return whether a command is running."""
        return self._lock.locked()

    @property
    def real_folder(self) -> str:
        """Return the real path of the shell's directory, which commands may call by another name."""
        started = (
            self._shell.started if self._shell and self._environment and self._environment.kind == "local" else None
        )
        if started is None or self._shell is None:
            return self.folder
        if self._shell.away:
            return os.path.realpath(self.folder)
        try:
            return os.readlink(f"/proc/{started.child.pid}/cwd")
        except OSError:
            return self.folder

    def directory(self, workdir: str | None = None) -> str:
        """Return the absolute working directory of a command that asks for `workdir`; empty when unknown.

        Raises:
            TerminalEnvironmentError: its environment cannot be created.
        """
        base = self.real_folder or (self.planned.folder if self.planned.quick else self.settings.cwd)
        if workdir and workdir.startswith("~"):
            return posixpath.normpath(workdir.replace("~", self.history.home, 1))
        return posixpath.normpath(posixpath.join(base, workdir)) if workdir else base

    def open_environment(self) -> Environment:
        """Return the open environment, for callers that need no shell and do not wait for running commands.

        Raises:
            TerminalEnvironmentError: it cannot be used.
        """
        self.used = time.monotonic()
        environment = self._environment
        if environment is not None and not environment.alive():
            with self._lock:  # a running command notices that it is gone
                if self._environment is environment:
                    self._drop()
        return self._environment or self._open_now()

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        folder: str | None,
        watch: CommandMonitor | None = None,
        check: Callable[[], CallAssessment] | None = None,
    ) -> Outcome:
        """Run a command in the task's shell, after the previous one.

        Args:
            command: The command.
            timeout: The time limit in seconds.
            folder: Its working directory, if not that of the shell.
            watch: Observes and can interrupt it.
            check: Called just before the command runs; returns its assessment, or raises when it must not run.

        Raises:
            TerminalEnvironmentError: its environment cannot be used.
        """
        async with _Turn(self._lock):
            assessments = check() if check is not None else NOT_ASSESSED
            cwd = self.directory(folder) if self._environment is not None or self.planned.quick else ""
            notes: list[str] = []

            async def run_it(shell: Shell) -> Outcome:
                return await self._run_in_shell(shell, command, timeout=timeout, folder=folder, watch=watch)

            try:
                outcome = await self._retry_if_gone(run_it, notes)
            finally:  # a command that was ended has effects, too
                if not cwd:  # the directory of an environment is known once it is open
                    assessments = NOT_ASSESSED
                    cwd = posixpath.join(self._environment.folder if self._environment else "", folder or "")
                self.history.ran(command, cwd=cwd, after=assessments.after, version=assessments.version)
        if (warning := self._disk.warning()) is not None:
            notes.append(warning)
        if not notes:
            return outcome
        return replace(outcome, notes=(*notes, *outcome.notes))

    async def begin(
        self, start: Callable[[Environment, str], Awaitable[Answer]], check: Callable[[], object] | None = None
    ) -> Answer:
        """Start something beside the shell, in the same environment.

        Args:
            start: Starts it; gets the environment, and code that sets what the task's shell has exported.
            check: As for `run`.

        Raises:
            TerminalEnvironmentError: its environment cannot be used.
        """
        async with _Turn(self._lock):
            if check is not None:
                check()

            async def start_it(shell: Shell) -> Answer:
                return await start(shell.environment, await shell.state())

            return await self._retry_if_gone(start_it, [])

    async def _retry_if_gone(self, work: Callable[[Shell], Awaitable[Answer]], notes: list[str]) -> Answer:
        """Run a function in the environment; retry in a new one if it is gone."""
        try:
            return await work(await self._ready(notes))
        except TerminalEnvironmentError as error:
            if not error.gone:
                raise
            notes.append(f"{error.reason} A new environment was opened.")
            await self._thread(self._drop)
            return await work(await self._ready(notes))

    def interrupt(self) -> bool:
        """End the running command with 130; return False when there is none."""
        watch = self.watch
        if watch is None or not self.busy:
            return False
        watch.stop()
        return True

    def suspend(self) -> None:
        """Close the environment, and store the shell's directory and state for the next command."""
        if self._lock.acquire(blocking=False):
            try:
                if self._shell is not None:
                    self._shell.suspend()
                self._drop(keep=True)
            finally:
                self._lock.release()

    def close(self) -> None:
        """End everything. Never raises."""
        if self.watch is not None:
            self.watch.stop()
        self._drop()

    async def _run_in_shell(self, shell: Shell, command: str, *, watch: CommandMonitor | None, **how: Any) -> Outcome:
        from hermes_tools_terminal.shell.connection import CommandMonitor

        self.watch = watch or CommandMonitor()
        try:
            outcome = await shell.run(command, watch=self.watch, **how)
        finally:
            self.watch = None
            self.used = time.monotonic()
        self._folder = outcome.folder
        return outcome

    async def _ready(self, notes: list[str]) -> Shell:
        self.used = time.monotonic()
        if self._environment is not None and not self._environment.alive():
            notes.append(f"The {self._environment.kind} environment was gone; a new one was opened.")
            await self._thread(self._drop)
        if self._environment is None:
            await self._open()
            notes += getattr(self._environment, "notes", ())  # features that are not available
        environment = self._environment
        assert environment is not None
        if self._shell is None:
            from hermes_tools_terminal.shell.shell import Shell

            self._shell = Shell(
                environment,
                folder=self._folder,
                limit=self.settings.output_limit,
                start_up=start_up_code(self.settings) if environment.kind == "local" else "",
                on_start=self._records.add if environment.quick else None,
            )
        else:
            self._shell.environment = environment
        return self._shell

    async def _open(self) -> None:
        if self.planned.quick:
            self._open_now()
        else:
            await self._thread(self._open_now)

    def _open_now(self) -> Environment:
        with self._opening:
            if self._environment is None:
                environment = self.planned
                self._clean()
                environment.open()
                self._environment, self._made = environment, None
            return self._environment

    def _drop(self, *, keep: bool = False) -> None:
        shell, environment, self._environment = self._shell, self._environment, None
        if not keep:
            self._shell = None
        if shell is not None:
            shell.close()
        if environment is not None:
            for leave in self.leaving:
                leave()
            with contextlib.suppress(Exception):  # foreign code: closing never fails a session's end
                environment.close()

    @staticmethod
    async def _thread(function: Callable[[], object]) -> None:
        await require_event_loop()
        import anyio

        with anyio.CancelScope(shield=True):  # a partial container would be left
            await anyio.to_thread.run_sync(function)


class _Turn:
    """A lock for any event loops and threads."""

    __slots__ = ("_lock",)

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    async def __aenter__(self) -> None:
        while not self._lock.acquire(blocking=False):
            await require_event_loop()
            import anyio

            await anyio.sleep(_BUSY_SECONDS)

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class Tasks:
    """The tasks of a session."""

    def __init__(self, settings: TerminalSettings, home: str, others: Mapping[str, Any]) -> None:
        self.settings = settings
        self.records = ProcessRecords(home, watched=True)
        self._home = home
        self._provider = find_provider(settings.env, others)
        self._tasks: dict[str, Task] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._reaper: threading.Thread | None = None
        self._process = os.getpid()
        self._cleaned = False
        self._cleaning = threading.Lock()
        self.killed = kill_leftovers(home)
        """What dead hosts had left running, which was killed when this session started."""

    @cached_property
    def processes(self) -> Processes:
        """Return the background processes of the session."""
        from hermes_tools_terminal.processes.registry import Processes  # not needed by a process that only reads a file

        with self._lock:
            return cast("Processes", vars(self).setdefault("processes", Processes(self.records)))

    def task(self, name: str) -> Task:
        """Return the task of that name, created on first use."""
        task = self._tasks.get(name)
        if task is None:
            with self._lock:
                made = Task(name, self.settings, self._provider, self._home, self.records, self._clean)
                task = self._tasks.setdefault(name, made)
                if self._reaper is None:
                    self._reaper = threading.Thread(target=self._reap, name="hermes-terminal-reaper", daemon=True)
                    self._reaper.start()
        return task

    def __iter__(self) -> Iterator[Task]:
        return iter(list(self._tasks.values()))

    @property
    def foreign(self) -> bool:
        """Return whether they belong to the process that this one was forked from, and must not be used or ended."""
        return self._process != os.getpid()

    def close(self) -> None:
        """End all commands, background processes and environments."""
        if self.foreign:
            return
        self._closed.set()
        try:
            if "processes" in vars(self):
                self.processes.close()
            closing = [threading.Thread(target=task.close) for task in self if task.environment is not None]
            for thread in closing:  # in parallel: a container takes time
                thread.start()
            for thread in closing:
                thread.join(CLOSE_SECONDS)
        finally:  # even if interrupted, leave nothing running
            self.records.close()

    def _clean(self) -> None:
        """Remove leftovers once, before the first environment is used: asking an engine or a service takes time."""
        with self._cleaning:
            if not self._cleaned:
                self._cleaned = True
                with contextlib.suppress(Exception):  # foreign code; the next process tries again
                    self._provider.reap(self.settings, self._home)

    def _reap(self) -> None:
        lifetime = self.settings.lifetime_seconds
        while not self._closed.wait(min(REAP_SECONDS, max(0.5, lifetime / 4))):
            for task in self:
                idle = time.monotonic() - task.used > lifetime
                if idle and task.environment is not None and not task.busy and not self.processes.running(task.name):
                    task.suspend()


def start_up_code(settings: TerminalSettings) -> str:
    """Return shell code that sources the existing files among those in the settings."""
    files = [*settings.shell_init_files, *(["~/.bashrc"] if settings.auto_source_bashrc else [])]
    lines = []
    for file in files:
        word = quoted_path(file)
        lines.append(f"[ -r {word} ] && . {word}")
    return "\n".join([*lines, ":"]) if lines else ""
