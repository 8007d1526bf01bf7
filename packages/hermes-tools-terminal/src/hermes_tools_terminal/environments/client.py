"""Places that a program of this machine leads to: `docker exec`, `ssh`, `apptainer exec` and their like.

The program's pipes are the pipes of what runs in the place. What they do not carry are signals and process numbers:
every process announces its own before it starts, and signals are sent by a second program.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from io import RawIOBase
from socket import gethostname

from hermes_tools_terminal.environments.base import ChildProcess, StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.environments.local import spawn
from hermes_tools_terminal.text import ShellKind, quoted

LABEL = "hermes-tools"
"""Containers of ours have it, and with a word behind it the facts that others need: `hermes-tools.owner` and so on."""

ANNOUNCE_SECONDS = 30.0
"""How long a process may take to appear in its place."""

# The numbers of a process and its group, then the process itself in its stead. `/proc` knows the group; where there is
# none, the process is taken for the leader of one, as container engines and sshd make it.
ANNOUNCE = (
    "{ read -r _h_stat </proc/$$/stat; } 2>/dev/null || _h_stat=; "
    'printf "\\036%s\\037%s\\n" "$$" "$_h_stat"; unset _h_stat; exec "$@"'
)

# dash knows `--` only behind `-s`, and others do not take a group without it.
_KILL = 'kill -s "$2" -- "-$1" 2>/dev/null || kill -"$2" "-$1" 2>/dev/null || kill -"$2" "$1"'

# Everything of a group but its leader, and what descends from that; a plain sh has nothing better than /proc.
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
    """What such places have in common. A subclass says how its program is called.

    Attributes:
        quick: No: another program is started for everything.
    """

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
        """The program and its arguments that run `argv` in the place.

        Args:
            argv: What is to run.
            cwd: Where; where the place starts when it is not given.
            env: Variables that it gets.
            pty: Whether it gets a terminal.
            input: Whether it reads anything.
        """

    def variables(self) -> dict[str, str]:
        """The variables of the program itself."""
        return command_variables()

    def client_variables(self, env: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG002 - for those that hand them on so
        """The variables of the program when a process gets these; a command line would show them to everybody."""
        return self.variables()

    def write_preamble(self, child: ChildProcess, env: Mapping[str, str]) -> None:  # noqa: B027 - most have nothing to say
        """Write what the program wants to read before the process gets its input: nothing, for most."""

    def record_group(self, group: int, began: int) -> None:  # noqa: B027 - most keep no record
        """Take note of a process group that was started, and when, by the place's own count; 0 when nobody knows."""

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        pty: bool = False,
    ) -> StartedProcess:
        """Start a process in the place and wait until it is there.

        Raises:
            TerminalEnvironmentError: it never appeared; with what the program said.
        """
        inner = ["sh", "-c", ANNOUNCE, "sh", *argv]
        env = env or {}
        client = spawn(self.client(inner, cwd=cwd, env=env, pty=pty), cwd="/", env=self.client_variables(env), pty=pty)
        try:
            self.write_preamble(client.child, env)
            return StartedProcess(client.child, self._announced(client.child))
        except BaseException:
            client.child.kill()
            client.child.wait(ANNOUNCE_SECONDS)
            for pipe in (client.child.stdin, client.child.stdout):
                if pipe is not None:
                    pipe.close()
            raise

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the place and get what it printed.

        Raises:
            TerminalEnvironmentError: it failed; `gone` when the place does not answer.
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

    def indicates_gone(self, status: int, words: str) -> bool:  # noqa: ARG002 - for those whose program tells
        """Whether what the program said means that the place is not there any more."""
        return False

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal by a second program."""
        try:
            if spare_leader:
                self.run(_SPARING, str(group), str(number), timeout=10)
            else:
                self.run(_KILL, str(group), str(number), timeout=10)
        except TerminalEnvironmentError:
            return  # it is over already, or the place is

    def _announced(self, child: object) -> int:
        """The process group, from the line that every process prints before it starts."""
        out: RawIOBase = child.stdout  # type: ignore[attr-defined]
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
                byte = out.read(1)  # one by one: what follows belongs to the process
            except OSError:
                byte = b""
            if byte is None:
                continue  # what came belongs to the connection
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


def remote_command(argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str]) -> str:
    """A process as one line for a shell that is not ours: folder, variables, program."""
    line = " ".join(map(quoted, argv))
    if env:
        line = "env " + " ".join(quoted(f"{name}={value}") for name, value in env.items()) + f" {line}"
    return f"cd {quoted(cwd)} && exec {line}" if cwd else f"exec {line}"


def profile_id(home: str) -> str:
    """Whose containers these are. An engine may serve many machines, and process numbers mean nothing on others."""
    return digest(gethostname(), os.path.realpath(home))[:16]


def safe_name(task: str) -> str:
    """A task's name as a file's and a label's: as it is when it can be, with a hash behind it when not."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", task)[:60].strip("-.")
    return task if safe == task and task else f"{safe or 'task'}-{digest(task)[:8]}"


def digest(*words: str) -> str:
    """Return the SHA-256 of some words."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
