"""What a place is where commands run: the protocol that every environment keeps, ours and third parties'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    from hermes_tools_terminal.environments.files import Files
    from hermes_tools_terminal.settings import TerminalSettings
    from hermes_tools_terminal.text import ShellKind

EXTENSION_POINT = "terminal_environment"
"""The extension point of `hermes_providers`: a name to a function that gives an `EnvironmentProvider`."""


class TerminalEnvironmentError(Exception):
    """A place cannot be used.

    Attributes:
        reason: What is wrong, in one sentence.
        hint: What to do about it.
        gone: Whether it was there and is not any more: then a new one can be opened.
    """

    def __init__(self, reason: str, *, hint: str = "", gone: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.gone = gone


class ChildProcess(Protocol):
    """A process that was started in a place. `subprocess.Popen` is one.

    Attributes:
        pid: Its number on this machine, or that of the client that speaks for it.
        stdin: Where it reads from; None when it has nothing to read.
        stdout: What it prints, its errors too; its `fileno()` can be waited for.
    """

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """How it ended; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends; raises `subprocess.TimeoutExpired`."""

    def kill(self) -> None:
        """End the client at once; what runs in the place is ended by `Environment.signal`."""


class StartedProcess(NamedTuple):
    """A process in a place.

    Attributes:
        child: Its pipes and its life, as seen from here.
        group: The process group that it leads, by the place's own count; signals go there.
        mark: What all that it starts can be found by on this machine; 0 when it could not be marked, or is elsewhere.
    """

    child: ChildProcess
    group: int
    mark: int = 0


def agent_home(place: object) -> str:
    """Return the home of the agent's session where a place shares the files of this machine; empty elsewhere."""
    return getattr(getattr(place, "session", None), "home", None) or ""


@runtime_checkable
class Environment(Protocol):
    """A place where commands run: this machine, a container, another machine.

    All of it blocks, and may be called from any thread. `open` is called before anything else. A place may also have
    `converse`, a quicker `start` without `pty` for shells that are spoken to all the time; what its `stdout` gives is
    then read by `readinto` and not from the descriptor, which is only waited for.

    Attributes:
        kind: Its name in the settings, such as `docker`.
        quick: Whether starting and signalling take no longer than on this machine: others get a thread.
        isolated: Whether what runs in it cannot touch this machine: then nobody is asked before a dangerous command.
        shell: The shell that is there.
        folder: Where commands start.
        files: Its files.
    """

    kind: str
    quick: bool
    isolated: bool
    shell: ShellKind
    folder: str
    files: Files

    def open(self) -> None:
        """Make the place ready. Raises `TerminalEnvironmentError` with what to do when it cannot be."""

    def close(self) -> None:
        """Leave nothing behind that was not asked to stay. Never raises; may be called twice."""

    def alive(self) -> bool:
        """Whether it is still there, as far as can be told without asking it to do anything."""

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        pty: bool = False,
    ) -> StartedProcess:
        """Start a process with pipes for its input and its output, errors included.

        Args:
            argv: The program and its arguments, as the place knows them.
            cwd: Where it starts.
            env: Variables beside those that the place has.
            pty: Give it a terminal; its input and output are that terminal's.
        """

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal to a process group in the place. That it is not there any more is no error.

        Args:
            group: The group.
            number: The signal.
            spare_leader: Leave the leader alone, and reach its descendants in other groups, too.
        """

    def leaks(self) -> Sequence[str]:
        """What can be reached from inside though the place is isolated.

        Each is one of `network`; `folder:PATH`, a folder of this machine that can be written, as it is called inside;
        `socket:PATH`, the socket of an engine or agent; `host`, other ways to this machine; `everything`.
        """


class EnvironmentProvider(Protocol):
    """Makes environments of one kind. A module with these functions is one.

    Attributes:
        KIND: Its name in the settings.
    """

    KIND: str

    def check(self, settings: TerminalSettings) -> str | None:
        """Why it cannot work here, and what to install or set; None when it can. Quick: a few seconds at most."""

    def make(self, settings: TerminalSettings, *, task: str, home: str) -> Environment:
        """A new environment, not yet open.

        Args:
            settings: The section `terminal`.
            task: Whose it is: the same task gets the same container, where containers are kept.
            home: The folder for state, `$HERMES_HOME`.
        """

    def reap(self, settings: TerminalSettings, home: str) -> int:
        """Remove what processes that died have left behind; how much that was. Called once, before the first `make`."""


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
    """Who makes environments of that kind.

    Args:
        kind: The name in the settings.
        others: What plugins registered.

    Raises:
        TerminalEnvironmentError: nobody does.
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
    """Why a kind of environment cannot work here; None when it can."""
    try:
        return find_provider(kind, others).check(settings)
    except TerminalEnvironmentError as error:
        return f"{error.reason} {error.hint}".strip()
