"""A remote machine, reached with OpenSSH over a persistent, shared connection."""

from __future__ import annotations

import os
import posixpath
import secrets
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import ChildProcess, StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.client import ClientEnvironment, variables_to_pass
from hermes_tools_terminal.environments.ssh import connections as ssh_connections
from hermes_tools_terminal.environments.ssh import openssh
from hermes_tools_terminal.environments.ssh.connections import (
    RemoteGroups,
    SharedConnection,
    connection_pool,
    login_slots,
)
from hermes_tools_terminal.environments.ssh.openssh import connection_error
from hermes_tools_terminal.text import quoted

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import SshSettings, TerminalSettings

KIND = "ssh"

OPEN_SECONDS = 60.0
"""How long a login may take once the machine has answered, including the user's start-up files."""

CHECK_SECONDS = 5
_LOST = 255
"""The exit code of ssh for its own errors."""

_LINE = 1000
"""Shorter than the longest line of a terminal."""

# Gathers everything in one call. It ends leftovers of an earlier connection if they are still the same processes.
_INSPECT = r"""
command -v bash >/dev/null 2>&1 && kind=bash || kind=sh
home=${HOME:-$(cd && pwd)}; at=$1
case $at in "") at=$home;; "~") at=$home;; "~/"*) at=$home/${at#"~/"};; /*) ;; *) at=$home/$at;; esac
at=$(CDPATH= cd -- "$at" 2>/dev/null && pwd) || at=
{ read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null || boot=
printf '%s\0' "$kind" "$home" "$at" "$boot"
while read -r when group began; do
  [ -n "$boot" ] && [ "$when" = "$boot" ] || continue
  if { read -r line <"/proc/$group/stat"; } 2>/dev/null; then
    set -- ${line##*) }; shift 19; [ "$1" = "$began" ] || continue
  fi
  kill -s 9 -- "-$group" 2>/dev/null || kill -9 "-$group" 2>/dev/null
done
:
"""

_ENTER_DIRECTORY = (
    'until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${_h_at%/*}; [ -n "$_h_at" ] || _h_at=/; done; unset _h_at'
)

# Values are read from the input, because arguments are visible to other users. `read` does not read ahead.
_READ_VARIABLES = (
    'while IFS= read -r _h_line && [ -n "$_h_line" ]; do _h_all=${_h_all-}$_h_line; done; '
    'eval "$(printf %b "$_h_all")"; unset _h_line _h_all'
)


class SshEnvironment(ClientEnvironment):
    """A user's account on a remote machine."""

    kind = KIND

    def __init__(self, settings: TerminalSettings, *, home: str) -> None:
        super().__init__(settings.cwd or "~")
        self._settings = settings
        self._home = home
        self._passed = variables_to_pass(settings, home)
        self._options: list[str] = []
        self._connection: SharedConnection | None = None
        self._groups: RemoteGroups | None = None
        self._boot = self._home_directory = ""
        self._closed = self._unresponsive = False
        self._used = 0.0

    def open(self) -> None:
        """Connect, and find the shell and the directory in one call."""
        ssh = self._settings.ssh
        openssh.require_valid(ssh)
        self._options = openssh.options(ssh)
        key = ssh_connections.connection_key([*self._options, ssh.host])
        self._groups = RemoteGroups(self._home, key, secrets.token_hex(4))
        self._connection = connection_pool.join(self._home, key)
        self._closed = self._unresponsive = False
        try:
            self._inspect(key)
        except BaseException as error:
            self.close()
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never existed, so a new attempt does not help
                if ssh.jump and (words := _login_error(ssh, ssh.connect_timeout)):
                    raise connection_error(
                        ssh, words, gone=False
                    ) from error  # shared connections hide errors of jump hosts
            raise

    def close(self) -> None:
        """Release the connection; the last user ends it."""
        connection, groups, self._closed = self._connection, self._groups, True
        if connection is None or groups is None:
            return
        self._groups = None
        if self._unresponsive:
            connection_pool.retire(connection)
        if connection.answers():
            groups.forget()
        else:
            groups.abandon()
        connection_pool.leave(connection)

    def alive(self) -> bool:
        """Return whether the connection is alive or was ended for being idle: the next command reconnects."""
        if self._closed or self._unresponsive or self._connection is None:
            return False
        idle = time.monotonic() - self._used > self._settings.ssh.keep - 1  # ssh counts whole seconds
        return idle or self._connection.answers()

    def client(
        self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool, input: bool = True
    ) -> list[str]:
        """Return the `ssh` command for the login shell. `write_preamble` writes the variables that it reads."""
        parts = [_READ_VARIABLES] if env else []
        parts.append("cd /" if cwd == "/" else f"_h_at={quoted(self._absolute(cwd))}; {_ENTER_DIRECTORY}")
        parts.append(f"exec {' '.join(map(quoted, argv))}")
        return self._ssh("; ".join(parts), "-tt" if pty else "-T" if input else "-nT")

    def variables(self) -> dict[str, str]:
        """Return the variables of ssh itself, which could send any of them."""
        return openssh.variables()

    def write_preamble(self, child: ChildProcess, env: Mapping[str, str]) -> None:
        """Write the process's variables in lines that fit a terminal, and an empty line."""
        if not env:
            return
        text = openssh.escaped(openssh.exports(env)).encode("utf-8", "surrogateescape")
        lines = [text[at : at + _LINE] + b"\n" for at in range(0, len(text), _LINE)]
        assert child.stdin is not None
        try:
            child.stdin.write(b"".join(lines) + b"\n")
        except OSError:
            return  # it ended; its message is read next

    def record_group(self, group: int, began: int) -> None:
        """Record a group, so that it ends when this process is killed."""
        if self._groups is not None and self._boot:
            self._groups.add(self._boot, group, began)

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process with the variables that the settings pass."""
        self._used = time.monotonic()
        try:
            return super().start(argv, cwd=cwd, env={**self._passed, **(env or {})}, pty=pty)
        except TerminalEnvironmentError as error:
            raise connection_error(self._settings.ssh, error.reason, gone=True) from error

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script and return its output, without the output of start-up files."""
        self._used = time.monotonic()
        word = f"<{secrets.token_hex(8)}>"
        text = f"cd /; set -- {' '.join(map(quoted, args))}; printf %s {quoted(word)}; {script}"
        try:
            status, out, err = self._run_ssh(self._ssh(text, "-nT" if input is None else "-T"), input, timeout)
        except subprocess.TimeoutExpired as error:
            if word.encode() in (error.stdout or b""):  # the machine answers, but is slow
                raise TerminalEnvironmentError(f"It took more than {timeout:g} seconds.") from error
            self._unresponsive = True
            raise connection_error(self._settings.ssh, f"timed out after {timeout:g} seconds", gone=True) from error
        _, began, printed = out.partition(word.encode())
        words = err.decode(errors="replace").strip()[-2000:]
        if not began or (status == _LOST and words):
            raise connection_error(self._settings.ssh, words or out.decode(errors="replace").strip()[-500:], gone=True)
        if status:
            raise TerminalEnvironmentError(words[-500:] or f"It ended with {status}.")
        return printed

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal, unless the machine does not answer: do not wait for it again."""
        if not self._unresponsive:
            super().signal(group, number, spare_leader=spare_leader)

    def leaks(self) -> Sequence[str]:
        """Return everything that the user can do: the machine is in use."""
        return ("everything",)

    def _ssh(self, script: str, how: str) -> list[str]:
        assert self._connection is not None
        # A closed environment still ends what it has started, but does not open a new connection.
        share = ["-o", f"ControlMaster={'no' if self._closed else 'auto'}", "-S", self._connection.path]
        share += ["-o", f"ControlPersist={self._settings.ssh.keep}"]
        line = openssh.one_line(script)
        return [openssh.PROGRAM, *self._options, *share, how, self._settings.ssh.host, line]

    def _absolute(self, cwd: str | None) -> str:
        if cwd and (cwd == "~" or cwd.startswith("~/")):
            return self._home_directory + cwd[1:]
        return posixpath.join(self.folder, cwd or "")

    def _inspect(self, key: str) -> None:
        assert self._connection is not None
        left = ssh_connections.find_abandoned_groups(self._home, key)
        recorded = b"\n".join(left.values()) + b"\n"
        seconds = self._settings.ssh.connect_timeout + OPEN_SECONDS
        with self._connection.lock, login_slots:
            found = self.run(_INSPECT, self._settings.cwd, input=recorded, timeout=seconds)
        kind, self._home_directory, folder, self._boot = found.decode("utf-8", "surrogateescape").split("\0")[:4]
        if not folder:
            raise TerminalEnvironmentError(
                f"There is no folder {self._settings.cwd or '~'} on {self._settings.ssh.host}.",
                hint="Set terminal.cwd to an existing directory; when it is empty, commands start in the user's home.",
            )
        self.folder = folder
        self.shell = "bash" if kind == "bash" else "sh"
        for path in left:
            if os.path.exists(path):
                os.unlink(path)

    def _run_ssh(self, argv: Sequence[str], input: bytes | None, timeout: float) -> tuple[int, bytes, bytes]:
        """Run ssh without a terminal, so that it cannot prompt."""
        try:
            done = subprocess.run(  # noqa: S603 - ours
                argv,
                input=input or b"",
                capture_output=True,
                timeout=timeout,
                cwd="/",
                env=self.variables(),
                start_new_session=True,
                check=False,
            )
        except OSError as error:
            raise TerminalEnvironmentError(f"ssh cannot be started: {error}", hint="Install openssh-client.") from error
        return done.returncode, done.stdout, done.stderr


def check(settings: TerminalSettings) -> str | None:
    """Return why the login fails; None when it works. The connection is not shared, so nothing is left open."""
    from shutil import which

    if which(openssh.PROGRAM, path=openssh.variables()["PATH"]) is None:
        return "There is no ssh. Install openssh-client."
    ssh = settings.ssh
    if (wrong := openssh.setting_problem(ssh)) is not None:
        return wrong + " Set it to the machine that commands run on." * (not ssh.host)
    words = _login_error(ssh, min(CHECK_SECONDS, ssh.connect_timeout))
    if words is None:
        return None
    error = connection_error(ssh, words, gone=False)
    return f"{error.reason} {error.hint}".strip()


def _login_error(ssh: SshSettings, connect_timeout: int) -> str | None:
    """Return the message of a failed login over an unshared connection; None when it works."""
    options = openssh.options(ssh, connect_timeout=connect_timeout)
    seconds = connect_timeout + CHECK_SECONDS
    try:
        done = subprocess.run(  # noqa: S603 - ours
            [openssh.PROGRAM, *options, "-S", "none", "-nT", ssh.host, "exit 0"],
            capture_output=True,
            timeout=seconds,
            cwd="/",
            env=openssh.variables(),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"timed out after {seconds} seconds"
    return done.stderr.decode(errors="replace") if done.returncode == _LOST else None


def make(settings: TerminalSettings, *, task: str, home: str) -> SshEnvironment:  # noqa: ARG001 - a provider's
    """Return the machine for one task; tasks share connections."""
    return SshEnvironment(settings, home=home)


def reap(settings: TerminalSettings, home: str) -> int:  # noqa: ARG001 - a provider's
    """End the connections of dead processes. Their leftovers on the machine end at the next connection."""
    return ssh_connections.reap(home)
