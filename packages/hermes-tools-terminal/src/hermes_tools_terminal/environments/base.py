"""The protocol of terminal environments, and the lookup of the built-in ones and those of plugins."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings
    from hermes_tools_terminal.text import ShellKind

EXTENSION_POINT = "terminal_environment"
"""The extension point of `hermes_providers`: it maps a name to a function that returns an `EnvironmentProvider`."""


class TerminalEnvironmentError(Exception):
    """An environment cannot be used.

    Attributes:
        reason: What is wrong, in one sentence.
        hint: What to do about it.
        gone: Whether the environment existed and is gone, so that a new one can be opened.
    """

    def __init__(self, reason: str, *, hint: str = "", gone: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.gone = gone


class ChildProcess(Protocol):
    """A process started in an environment. `subprocess.Popen` is one.

    Attributes:
        pid: Its process id on this machine, or that of the client program that represents it.
        stdin: Its input; None when it has none.
        stdout: Its output including errors; `fileno()` can be polled.
    """

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end. Raises `subprocess.TimeoutExpired`."""

    def kill(self) -> None:
        """Kill the client program; `Environment.signal` ends what runs in the environment."""


def close_pipes(child: ChildProcess) -> None:
    """Close the input and the output of a process. Never raises."""
    for pipe in (child.stdin, child.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()


class StartedProcess(NamedTuple):
    """A process started in an environment.

    Attributes:
        child: Its pipes and its state.
        group: The process group that it leads, as numbered in the environment; signals go to it.
        mark: The mark inherited by everything it starts on this machine; 0 when it is not marked or runs elsewhere.
    """

    child: ChildProcess
    group: int
    mark: int = 0


def agent_home(environment: object) -> str:
    """Return the agent's home where an environment shares the files of this machine; empty elsewhere."""
    return getattr(getattr(environment, "session", None), "home", None) or ""


@runtime_checkable
class Environment(Protocol):
    """Where commands run: this machine, a container or a remote machine.

    All methods block and may be called from any thread. `open` is called first. An environment may also define
    `start_interactive`, a faster `start` without `pty` for shells: its `stdout` is then read with `readinto`, and its
    descriptor is only polled.

    Attributes:
        kind: Its name in the settings, such as `docker`.
        quick: Whether starting and signalling are as fast as on this machine; other environments get a thread.
        isolated: Whether commands cannot affect this machine, so that dangerous ones need no approval.
        shell: The kind of shell.
        folder: The directory in which commands start.
    """

    kind: str
    quick: bool
    isolated: bool
    shell: ShellKind
    folder: str

    def open(self) -> None:
        """Make the environment ready. Raises `TerminalEnvironmentError` with a hint when that fails."""

    def close(self) -> None:
        """Remove everything that is not persistent. Never raises; may be called twice."""

    def alive(self) -> bool:
        """Return whether it still exists, as far as that is known without running anything in it."""

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process with pipes for its input and its combined output.

        Args:
            argv: The program and its arguments.
            cwd: The working directory.
            env: Variables in addition to those of the environment.
            pty: Attach its input and output to a pseudo-terminal.
        """

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal to a process group in the environment. A missing group is not an error.

        Args:
            group: The group.
            number: The signal.
            spare_leader: Signal all descendants, including those in other groups, but not the leader.
        """

    def leaks(self) -> Sequence[str]:
        """List what can be reached from inside although the environment is isolated.

        Each entry is `network`; `folder:PATH`, a writable directory of this machine by its path inside; `socket:PATH`,
        the socket of a container engine or agent; `host`, other ways to affect this machine; or `everything`.
        """


class EnvironmentProvider(Protocol):
    """Creates environments of one kind. A module with these functions is a provider.

    Attributes:
        KIND: Its name in the settings.
    """

    KIND: str

    def check(self, settings: TerminalSettings) -> str | None:
        """Return why the environment cannot work and what to install or set; None when it can. Takes seconds."""

    def make(self, settings: TerminalSettings, *, task: str, home: str) -> Environment:
        """Return a new environment that is not open yet.

        Args:
            settings: The `terminal` settings.
            task: The task that it is for; persistent containers are reused for the same task.
            home: The state directory, `$HERMES_HOME`.
        """

    def reap(self, settings: TerminalSettings, home: str) -> int:
        """Remove what dead processes left behind, and return how much. Called once, before the first `make`."""


BUILT_IN = {
    "local": "local",
    "docker": "docker.environment",
    "ssh": "ssh.environment",
    "singularity": "singularity.environment",
    "modal": "cloud.modal",
    "daytona": "cloud.daytona",
    "sandbox": "sandbox.environment",
}
"""The environments of this package and their modules."""


def find_provider(kind: str, others: Mapping[str, Any]) -> EnvironmentProvider:
    """Return the provider of an environment: a built-in one, or one that plugins registered.

    Raises:
        TerminalEnvironmentError: there is no such environment.
    """
    if kind in BUILT_IN:
        return cast("EnvironmentProvider", import_module(f"hermes_tools_terminal.environments.{BUILT_IN[kind]}"))
    if kind in others:
        return cast("EnvironmentProvider", others[kind])
    names = sorted({*BUILT_IN, *others})
    import difflib

    near = difflib.get_close_matches(kind, names, n=1)
    raise TerminalEnvironmentError(
        f"There is no environment {kind!r}" + (f"; did you mean {near[0]!r}?" if near else "."),
        hint=f"Set terminal.env to one of: {', '.join(names)}.",
    )


def unavailable_reason(kind: str, settings: TerminalSettings, others: Mapping[str, Any]) -> str | None:
    """Return why an environment does not work; None when it does."""
    try:
        return find_provider(kind, others).check(settings)
    except TerminalEnvironmentError as error:
        return f"{error.reason} {error.hint}".strip()
