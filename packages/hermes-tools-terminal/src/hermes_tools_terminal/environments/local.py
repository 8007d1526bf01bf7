"""This machine itself, the default environment."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from hermes_core.settings import ToolSession
from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.environments.local_processes import family, mark, new_mark
from hermes_tools_terminal.text import ShellKind

if TYPE_CHECKING:
    import subprocess

    from hermes_tools_terminal.settings import TerminalSettings

ROWS, COLUMNS = 30, 120
"""The size of the pseudo-terminals of commands."""

# A session gets its terminal by opening it. This process has threads, so no code of it may run between fork and exec.
_TAKE_TERMINAL = 'exec 0<>"$0" 1>&0 2>&1; exec "$@"'


class LocalEnvironment:
    """Runs commands as children of this process, each shell in its own session.

    Args:
        folder: Where commands start; the working directory of this process by default.
        passed: Additional variables that commands get.
        home: `$HERMES_HOME` of the session; the usual one by default.
    """

    kind = "local"
    quick = True
    isolated = False

    def __init__(self, folder: str = "", passed: Iterable[str] = (), home: str = "") -> None:
        self.folder = os.path.abspath(os.path.expanduser(folder)) if folder else _here()
        self.shell: ShellKind = "bash"
        self.session = ToolSession(home or os.environ.get("HERMES_HOME") or os.path.expanduser("~/.hermes"))
        self._variables = {**command_variables(passed), **self.session.variables}

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the variables that every shell and process inherits."""
        return self._variables

    def open(self) -> None:
        """Find the shell."""
        from shutil import which

        path = self._variables.get("PATH")
        if which("bash", path=path) is None:
            if which("sh", path=path) is None:
                raise TerminalEnvironmentError("There is no shell on this machine.", hint="Install bash.")
            self.shell = "sh"

    def close(self) -> None:
        """Do nothing: shells and processes are ended by what started them."""

    def alive(self) -> bool:
        """Return True."""
        return True

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process in its own session."""
        variables = {**self._variables, **(env or {})}
        return spawn(self._wrapped(argv), cwd=cwd or self.folder, env=variables, pty=pty, session=self.session)

    def _wrapped(self, argv: Sequence[str]) -> Sequence[str]:
        return argv

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Signal a group and all its descendants; with `spare_leader`, all except the leader."""
        found = family(group)  # first: orphans in other sessions cannot be found later
        if not spare_leader:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        for process in found:
            if process.pid != group and (spare_leader or process.group != group):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, number)

    def leaks(self) -> Sequence[str]:
        """Return everything: this is the host."""
        return ("everything",)


def spawn(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    pty: bool = False,
    pass_fds: Sequence[int] = (),
    session: ToolSession | None = None,
) -> StartedProcess:
    """Start a process on this machine, with errors in its output.

    Args:
        argv: The program and its arguments.
        cwd: The working directory; the nearest existing parent when it does not exist.
        env: All of its variables.
        pty: Attach it to a pseudo-terminal.
        pass_fds: Descriptors that it inherits.
        session: The session of the tool that starts it; None when it runs no code of the agent.

    Raises:
        TerminalEnvironmentError: it cannot be started.
    """
    try:
        child = _with_terminal(argv, cwd, env, pass_fds) if pty else _with_pipes(argv, cwd, env, pass_fds)
    except (OSError, ValueError) as error:
        hint = "Write it into a file and run that." if isinstance(error, OSError) and error.errno == errno.E2BIG else ""
        raise TerminalEnvironmentError(f"{argv[0]} cannot be started: {error}", hint=hint) from error
    return StartedProcess(child, child.pid, mark(child.pid, new_mark(), session.limits if session else None))


def _with_pipes(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], pass_fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    import subprocess  # not needed by a process that only reads a file

    return subprocess.Popen(  # noqa: S603 - commands are approved before
        argv,
        cwd=existing_directory(cwd),
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=pass_fds,
        bufsize=0,
    )


def _with_terminal(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], pass_fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    import subprocess

    ours, theirs = os.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        child = subprocess.Popen(  # noqa: S603 - as above
            ["/bin/sh", "-c", _TAKE_TERMINAL, os.ttyname(theirs), *argv],
            cwd=existing_directory(cwd),
            env={**env, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    child.stdin = _writing(ours)
    child.stdout = os.fdopen(ours, "rb", buffering=0)
    return child


def _writing(terminal: int) -> IO[bytes]:
    return os.fdopen(os.dup(terminal), "wb", buffering=0)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return os.path.expanduser("~")


def existing_directory(folder: str) -> str:
    """Return the directory, or its nearest existing parent."""
    while folder != "/" and not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "/"
    return folder


KIND = "local"


def check(_settings: TerminalSettings) -> str | None:
    """Return None if there is a shell."""
    from shutil import which

    return None if which("bash") or which("sh") else "There is no shell on this machine. Install bash."


def make(settings: TerminalSettings, *, task: str, home: str) -> LocalEnvironment:  # noqa: ARG001 - the protocol's
    """Return this machine; all tasks share it, each with its own shell."""
    return LocalEnvironment(settings.cwd, settings.env_passthrough, home)


def reap(_settings: TerminalSettings, _home: str) -> int:
    """Return 0: the process records track what dead processes have started."""
    return 0
