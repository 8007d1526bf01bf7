"""Containers on this machine, by any engine that has docker's commands."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import PlaceError, Started
from hermes_tools_terminal.environments.client import ClientEnvironment
from hermes_tools_terminal.environments.containers import LABEL, OPTIONAL, WORKSPACE, Plan, planned, profile_of
from hermes_tools_terminal.environments.engine import RUN_SECONDS, Engine, EngineError, said
from hermes_tools_terminal.environments.exposure import leaks_of
from hermes_tools_terminal.environments.files import Files
from hermes_tools_terminal.environments.ledger import Owner
from hermes_tools_terminal.environments.remote_files import RemoteFiles
from hermes_tools_terminal.environments.uses import Uses, known_containers
from hermes_tools_terminal.environments.variables import for_commands

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "docker"

LEAST_IDLE_SECONDS = 60.0
"""A container that is kept for the next process is kept at least as long."""

# Values travel under other names than their own, so that a PATH for commands is not one for the engine's client.
_DISGUISE = "HERMES_SET_"
_ENTER = f"""_h_at=$1; _h_names=$2; shift 2
for _h_name in $_h_names; do
  command eval "export $_h_name=\\"\\${_DISGUISE}$_h_name\\"" 2>/dev/null; unset "{_DISGUISE}$_h_name"
done
until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${{_h_at%/*}}; [ -n "$_h_at" ] || _h_at=/; done
exec "$@" """
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_LOOK_AROUND = 'command -v bash >/dev/null && echo bash || echo sh; [ -d "$1" ] && echo there || echo not'
_FULL = re.compile(r"resource temporarily unavailable|can.?t fork|cannot fork|procReady|pids limit|EAGAIN", re.IGNORECASE)

_unable: set[tuple[str, str, str]] = set()
"""What engines could not do when they were asked: program, address, argument. Asking costs a call every time."""


class DockerEnvironment(ClientEnvironment):
    """One container, with a shell in it that stays.

    Args:
        settings: The section `terminal`.
        engine: What makes it.
        task: Whose it is.
        home: `$HERMES_HOME`.
    """

    kind = KIND

    def __init__(self, settings: TerminalSettings, engine: Engine, *, task: str, home: str) -> None:
        super().__init__(WORKSPACE if settings.docker.mount_cwd else settings.cwd or WORKSPACE)
        self.engine = engine
        self.files: Files = RemoteFiles(self)
        self._settings = settings
        self._task, self._home = task, home
        self._leaks = leaks_of(settings, home)
        self.isolated = not any(leak.breaks for leak in self._leaks)
        self._plan = self._planned()
        self._word = secrets.token_hex(4)
        self._there = False

    @property
    def name(self) -> str:
        """The container's name."""
        return self._plan.name

    def open(self) -> None:
        """Start the container, or find the one that an earlier process left for this task."""
        if not self._settings.docker.reuse:
            self._plan = self._planned()
        known = self._settings.docker.reuse and self._uses.known
        self._uses.add(self._word)  # before anything else: who cleans up meanwhile sees that it is in use
        try:
            if not (known and self._entered()):
                self._run()
        except BaseException as error:
            self._uses.remove(self._word)
            if isinstance(error, PlaceError):
                error.gone = False  # it never was there, so another attempt is no remedy
            raise
        self._there = True

    def close(self) -> None:
        """Remove the container, unless it is kept for the next process."""
        self._there = False
        self._uses.remove(self._word)
        if not self._settings.docker.reuse:
            self._remove()

    def alive(self) -> bool:
        """Whether it was there when it was last used."""
        return self._there

    def client(
        self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool, input: bool = True
    ) -> list[str]:
        """`exec` in the container. Values of variables are not in it, only their names."""
        words = [self.engine.program, "exec", *(["--interactive"] if input else []), *(["--tty"] if pty else [])]
        if cwd == "/" and not env:
            return [*words, "--workdir", "/", self.name, *argv]
        names = [name for name in env if _NAME.fullmatch(name)]
        for name in names:
            words += ["--env", _DISGUISE + name]
        enter = ["sh", "-c", _ENTER, "sh", cwd or self.folder, " ".join(names)]
        return [*words, "--workdir", "/", self.name, *enter, *argv]

    def variables(self) -> dict[str, str]:
        """The variables of the engine's client."""
        return self.engine.variables()

    def handed(self, env: Mapping[str, str]) -> dict[str, str]:
        """The variables of the client, and those that it hands on."""
        return {**self.variables(), **{_DISGUISE + name: value for name, value in env.items()}}

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> Started:
        """Start a process in the container, with the variables that the settings name."""
        docker = self._settings.docker
        passed = for_commands([*self._settings.env_passthrough, *docker.forward_env], here=False)
        self._uses.add(self._word)
        try:
            return super().start(argv, cwd=cwd, env={**docker.env, **passed, **(env or {})}, pty=pty)
        except PlaceError as error:
            self._there = not error.gone
            raise

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the container and get what it printed."""
        try:
            return super().run(script, *args, input=input, timeout=timeout)
        except PlaceError as error:
            self._there = self._there and not error.gone
            raise

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal. In a container that is full, nothing more can be started that would send it: it is restarted."""
        try:
            super().signal(group, number, spare_leader=spare_leader)
        finally:
            pass

    def means_gone(self, status: int, words: str) -> bool:
        """Whether the container, or the engine itself, is gone."""
        return EngineError(said(words)).gone

    def leaks(self) -> Sequence[str]:
        """What the container can reach because of mounts, networks and further arguments."""
        return tuple(leak.what for leak in self._leaks)

    @property
    def _uses(self) -> Uses:
        return Uses.of(self._home, self.name)

    def _planned(self) -> Plan:
        return planned(self._settings, task=self._task, home=self._home, podman=self.engine.is_podman)
