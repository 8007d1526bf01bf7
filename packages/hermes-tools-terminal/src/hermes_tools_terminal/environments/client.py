"""Environments reached through a client program such as `docker exec`, `ssh` or `apptainer exec`.

The client's pipes are the pipes of the process. They carry neither signals nor process ids: every process announces
its own id before it starts, and a second client call sends signals.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import select
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from shutil import which
from socket import gethostname
from typing import TYPE_CHECKING

from hermes_core.settings import ToolSession
from hermes_tools_terminal.environments.base import ChildProcess, StartedProcess, TerminalEnvironmentError, close_pipes
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.environments.local import spawn
from hermes_tools_terminal.text import ShellKind

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

LABEL = "hermes-tools"
"""The label of our containers, and with a suffix the labels of facts about them, such as `hermes-tools.owner`."""

ANNOUNCE_SECONDS = 30.0
"""How long a process may take to announce itself."""

# Prints the ids of the process and its group, then becomes the process. Without `/proc` the process is taken for the
# leader of its group, as container engines and sshd make it.
ANNOUNCE = (
    "{ read -r _h_stat </proc/$$/stat; } 2>/dev/null || _h_stat=; "
    'printf "\\036%s\\037%s\\n" "$$" "$_h_stat"; unset _h_stat; exec "$@"'
)

# dash accepts `--` only after `-s`; other shells need it in front of a group.
_KILL = 'kill -s "$2" -- "-$1" 2>/dev/null || kill -"$2" "-$1" 2>/dev/null || kill -"$2" "$1"'

# Signals the members of a group except its leader, and all their descendants. A plain sh only has /proc for that.
_SPARING = """
seen=" $1 "; grown=1
while [ "$grown" = 1 ]; do grown=0
  for f in /proc/[0-9]*/stat; do
    { read -r line <"$f"; } 2>/dev/null || continue
    pid=${line%% *}; rest=${line##*) }; set -- "$1" "$2" $rest
    case $seen in *" $pid "*) continue;; esac
    case $seen in *" $4 "*) ;; *) [ "$5" = "$1" ] || continue;; esac
    [ "$pid" = "$$" ] || { seen="$seen$pid "; grown=1; }
  done
done
for pid in $seen; do [ "$pid" = "$1" ] || kill -"$2" "$pid" 2>/dev/null; done
"""


class ClientEnvironment(ABC):
    """Base class of such environments. A subclass builds the command of the client program."""

    kind = ""
    quick = False
    isolated = False

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.shell: ShellKind = "sh"

    @abstractmethod
    def client(
        self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool, input: bool = True
    ) -> list[str]:
        """Return the client command that runs `argv` in the environment."""

    def variables(self) -> dict[str, str]:
        """Return the variables of the client program."""
        return command_variables()

    def client_variables(self, env: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG002 - some clients pass them on
        """Return the variables of the client program for a process; its command line would expose their values."""
        return self.variables()

    def write_preamble(self, child: ChildProcess, env: Mapping[str, str]) -> None:  # noqa: B027 - optional
        """Write what the client program reads before the input of the process."""

    def record_group(self, group: int, began: int) -> None:  # noqa: B027 - optional
        """Record a process group and its start time, as numbered in the environment; 0 when unknown."""

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process in the environment and wait until it runs.

        Raises:
            TerminalEnvironmentError: it did not start; contains the message of the client program.
        """
        inner = ["sh", "-c", ANNOUNCE, "sh", *argv]
        env = env or {}
        client = spawn(self.client(inner, cwd=cwd, env=env, pty=pty), cwd="/", env=self.client_variables(env), pty=pty)
        return self.announced(client.child, env)

    def announced(self, child: ChildProcess, env: Mapping[str, str]) -> StartedProcess:
        """Wait until a process announces its group, and kill it if it does not."""
        try:
            self.write_preamble(child, env)
            return StartedProcess(child, self._read_group(child))
        except BaseException:
            child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(ANNOUNCE_SECONDS)
            close_pipes(child)
            raise

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the environment and return its output.

        Raises:
            TerminalEnvironmentError: it failed; `gone` when the environment does not answer.
        """
        argv = self.client(["sh", "-c", script, "sh", *args], cwd="/", env={}, pty=False, input=input is not None)
        try:
            done = subprocess.run(  # noqa: S603 - ours
                argv, input=input or b"", capture_output=True, timeout=timeout, env=self.variables(), check=False
            )
        except subprocess.TimeoutExpired as error:
            raise TerminalEnvironmentError(f"{self.kind} did not answer for {timeout:g} seconds.", gone=True) from error
        except OSError as error:
            raise TerminalEnvironmentError(f"{argv[0]} cannot be started: {error}") from error
        if done.returncode:
            words = (done.stderr or done.stdout).decode(errors="replace").strip()[-500:]
            raise TerminalEnvironmentError(
                words or f"It ended with {done.returncode}.", gone=self.indicates_gone(done.returncode, words)
            )
        return done.stdout

    def indicates_gone(self, status: int, words: str) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether the client's message means that the environment is gone."""
        return False

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal with a second client call."""
        try:
            if spare_leader:
                self.run(_SPARING, str(group), str(number), timeout=10)
            else:
                self.run(_KILL, str(group), str(number), timeout=10)
        except TerminalEnvironmentError:
            return  # the process or the environment has ended

    def _read_group(self, child: ChildProcess) -> int:
        """Read the process group from the line that every process prints first."""
        out = child.stdout
        assert out is not None
        deadline = time.monotonic() + ANNOUNCE_SECONDS
        line = b""
        while not line.endswith(b"\n") or b"\x1e" not in line:
            left = deadline - time.monotonic()
            if left <= 0 or len(line) > 65_536:
                raise TerminalEnvironmentError(
                    f"{self.kind} did not start the process: {_words(line) or 'no answer'}", gone=True
                )
            if not select.select([out], [], [], left)[0]:
                continue
            try:
                byte = out.read(1)  # byte by byte: what follows is output of the process
            except OSError:
                byte = b""
            if byte is None:
                continue  # protocol data of the connection
            if not byte:
                raise TerminalEnvironmentError(
                    f"{self.kind} did not start the process: {_words(line) or 'it ended'}", gone=True
                )
            line += byte
        pid, _, stat = line[line.rindex(b"\x1e") + 1 :].decode(errors="replace").strip().partition("\x1f")
        words = stat.rpartition(")")[2].split()
        group = int(words[2]) if len(words) > 2 and words[2].isdigit() else 0
        group = group or int(pid)
        self.record_group(group, int(words[19]) if len(words) > 19 and words[19].isdigit() else 0)
        return group


def _words(line: bytes) -> str:
    return line.decode(errors="replace").strip()[-500:]


def storage_directory(settings: TerminalSettings, home: str, kind: str) -> str:
    """Return the directory in which environments of one kind store files."""
    base = os.path.expanduser(settings.sandbox_dir) if settings.sandbox_dir else os.path.join(home, "sandboxes")
    return os.path.join(os.path.abspath(base), kind)


def find_engine(wanted: str, names: Sequence[str], hint: str) -> str:
    """Return the path of the program named in the settings, or of the first one of these that is installed."""
    path = command_variables()["PATH"]
    for name in (os.path.expanduser(wanted),) if wanted else names:
        if (found := which(name, path=path)) is not None:
            return found
    missing = f"There is no program {wanted!r}." if wanted else f"Neither {' nor '.join(names)} is installed."
    raise TerminalEnvironmentError(missing, hint=hint)


def variables_to_pass(settings: TerminalSettings, home: str, names: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables of this process and of the session that commands elsewhere get."""
    passed = command_variables([*settings.env_passthrough, *names], local=False)
    return {**passed, **ToolSession(home).remote_variables}


def profile_id(home: str) -> str:
    """Identify the home and machine of containers: an engine may serve several machines with different process ids."""
    return digest(gethostname(), os.path.realpath(home))[:16]


def safe_name(task: str) -> str:
    """Return a task's name for files and labels: unchanged when it is valid, otherwise with a hash appended."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", task)[:60].strip("-.")
    return task if safe == task and task else f"{safe or 'task'}-{digest(task)[:8]}"


def digest(*words: str) -> str:
    """Return the SHA-256 of some words."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
