"""Containers on this machine, run by docker, podman or a compatible engine."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.client import ANNOUNCE, ClientEnvironment, variables_to_pass
from hermes_tools_terminal.environments.docker.api import AttachedProcess, EngineApi, EngineApiError
from hermes_tools_terminal.environments.docker.cleanup import ContainerUsage, reap_containers
from hermes_tools_terminal.environments.docker.container import (
    OPTIONAL,
    WORKSPACE,
    ContainerSpec,
    build_spec,
    find_leaks,
)
from hermes_tools_terminal.environments.docker.engine import PROGRAMS, RUN_SECONDS, Engine, EngineError, clean_message

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "docker"

# Variables are passed under other names, so that a PATH for commands does not affect the engine's client.
_DISGUISE = "HERMES_SET_"
_ENTER = f"""_h_at=$1; _h_names=$2; shift 2
for _h_name in $_h_names; do
  command eval "export $_h_name=\\"\\${_DISGUISE}$_h_name\\"" 2>/dev/null; unset "{_DISGUISE}$_h_name"
done
until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${{_h_at%/*}}; [ -n "$_h_at" ] || _h_at=/; done
exec "$@" """
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_INSPECT = 'command -v bash >/dev/null && echo bash || echo sh; [ -d "$1" ] && echo there || echo not'

# A container at its process limit: engines need processes to enter it.
_FULL = re.compile(r"unable to start container process|resource temporarily unavailable|can.?t fork", re.IGNORECASE)
_NO_IMAGE = re.compile(
    r"unable to find image|pull access denied|manifest unknown|initializing source|short-name", re.IGNORECASE
)
_NO_SHELL = re.compile(r'exec: "?sh"?: .*not found', re.IGNORECASE)

_unsupported: dict[str, frozenset[str]] = {}
"""The arguments that each engine does not support. Finding out takes a failed call."""


class DockerEnvironment(ClientEnvironment):
    """One container with a persistent shell."""

    kind = KIND

    def __init__(self, settings: TerminalSettings, *, task: str, home: str) -> None:
        super().__init__(WORKSPACE)
        self.name = ""
        self._settings = settings
        self._task, self._home = task, home
        self._leaks = find_leaks(settings, home)
        self.isolated = not any(leak.breaks for leak in self._leaks)
        self._engine = Engine(settings.docker.engine or PROGRAMS[0])
        self._use_id = secrets.token_hex(4)
        self._exists = self._full = False

    def open(self) -> None:
        """Start the container, or find the one that an earlier process left for this task."""
        self._engine = Engine.found(self._settings.docker.engine)
        spec = build_spec(self._settings, task=self._task, home=self._home, podman=self._engine.is_podman)
        self.name = spec.name
        was_used = self._settings.docker.reuse and self._uses.known
        self._uses.add(self._use_id)  # first, so that a concurrent cleanup sees it in use
        try:
            if not (was_used and self._inspect()):
                self._run(spec)
        except BaseException as error:
            self._uses.remove(self._use_id)
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never existed, so a new attempt does not help
            raise
        self._exists = True

    def close(self) -> None:
        """Remove the container, unless it is persistent."""
        self._exists = False
        if self.name:
            self._uses.remove(self._use_id)
            if not self._settings.docker.reuse:
                self._remove()

    def alive(self) -> bool:
        """Return whether it existed when it was last used."""
        return self._exists

    def client(
        self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool, input: bool = True
    ) -> list[str]:
        """Return the `exec` command. It contains the names of variables, but not their values."""
        words = [self._engine.program, "exec", "--workdir", "/"]
        words += [*(["--interactive"] if input else []), *(["--tty"] if pty else [])]
        for name in _nameable(env):
            words += ["--env", _DISGUISE + name]
        return [*words, self.name, *self._entering(argv, cwd, env)]

    def _entering(self, argv: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> list[str]:
        """Return what runs in the container: it restores the variables and enters the nearest existing directory."""
        if cwd == "/" and not env:
            return list(argv)
        return ["sh", "-c", _ENTER, "sh", cwd or self.folder, " ".join(_nameable(env)), *argv]

    def variables(self) -> dict[str, str]:
        """Return the variables of the engine's client."""
        return self._engine.variables()

    def client_variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of the client, and those that it passes on."""
        return {**self.variables(), **{_DISGUISE + name: value for name, value in _nameable(env).items()}}

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process in the container, with the variables that the settings pass."""
        with self._starting():
            return super().start(argv, cwd=cwd, env=self._command_variables(env), pty=pty)

    def start_interactive(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None
    ) -> StartedProcess:
        """Start a process over the engine's API where possible, which is faster than its client.

        Read its output with the methods of `stdout`, not from the descriptor.
        """
        api = EngineApi.to(self._engine)
        if api is None:
            return self.start(argv, cwd=cwd, env=env)
        given = self._command_variables(env)
        inner = self._entering(["sh", "-c", ANNOUNCE, "sh", *argv], cwd, given)
        variables = [f"{_DISGUISE}{name}={value}" for name, value in _nameable(given).items()]
        with self._starting():
            try:
                child = AttachedProcess.start(api, self.name, inner, variables)
            except (OSError, ValueError, EngineApiError):  # the client reports the cause
                return super().start(argv, cwd=cwd, env=given)
            return self.announced(child, given)

    def _command_variables(self, env: Mapping[str, str] | None) -> dict[str, str]:
        """Return all variables of a process in addition to those of the container."""
        docker = self._settings.docker
        return {**docker.env, **variables_to_pass(self._settings, self._home, docker.forward_env), **(env or {})}

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """Record the use of the container, and whether it turns out to be gone."""
        self._uses.add(self._use_id)
        try:
            yield
        except TerminalEnvironmentError as error:
            self._exists = self._exists and not error.gone
            raise

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the container and return its output."""
        try:
            printed = super().run(script, *args, input=input, timeout=timeout)
        except TerminalEnvironmentError as error:
            self._exists = self._exists and not error.gone
            self._full = bool(_FULL.search(error.reason))
            raise
        self._full = False
        return printed

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal to a process group in the container."""
        super().signal(group, number, spare_leader=spare_leader)
        if self._full and number == signal.SIGKILL and not spare_leader:
            # No process can be started to send the signal, so everything in the container ends at once.
            with contextlib.suppress(EngineError):
                self._engine.call("restart", "-t", "0", self.name)

    def indicates_gone(self, status: int, words: str) -> bool:  # noqa: ARG002 - engines do not agree on numbers
        """Return whether the container or the engine is gone."""
        return EngineError(clean_message(words)).gone

    def leaks(self) -> Sequence[str]:
        """Return what the container can reach because of mounts, networks and extra arguments."""
        return tuple(leak.what for leak in self._leaks)

    @property
    def _uses(self) -> ContainerUsage:
        return ContainerUsage.of(self._home, self.name)

    def _run(self, spec: ContainerSpec) -> None:
        """Start the container; a concurrent process may have started it meanwhile."""
        for folder in spec.folders:
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            except OSError as error:
                raise TerminalEnvironmentError(
                    f"{folder} cannot be made: {error.strerror}.", hint="Set terminal.sandbox_dir."
                ) from error
        for _ in range(len(OPTIONAL) + 2):  # without each optional argument, and after removing a broken container
            without = _unsupported.get(self._engine.address, frozenset())
            try:
                self._engine.call(*spec.run(without), timeout=RUN_SECONDS)
            except EngineError as error:
                if error.taken and self._settings.docker.reuse:
                    if self._inspect():
                        return
                elif (refused := spec.refused(error.reason, without)) is not None:
                    _unsupported[self._engine.address] = without | {refused}
                else:
                    self._remove()
                    raise TerminalEnvironmentError(
                        f"The container did not start: {error.reason}", hint=_hint(error, spec)
                    ) from error
            except BaseException:  # interrupted: the engine may have started the container
                self._remove()
                raise
            else:
                break
        if not self._inspect():
            self._remove()
            raise TerminalEnvironmentError(
                "The container ended at once.", hint=f"Does the image {spec.image} have sh and sleep?"
            )

    def _inspect(self) -> bool:
        """Inspect the container; return False when it does not exist or cannot be started."""
        folder = WORKSPACE if self._settings.docker.mount_cwd else self._settings.cwd or WORKSPACE
        look = ("exec", "--workdir", "/", self.name, "sh", "-c", _INSPECT, "sh", folder)
        try:
            try:
                output = self._engine.call(*look)
            except EngineError as error:
                if not error.stopped:
                    raise
                self._engine.call("start", self.name)
                output = self._engine.call(*look)
        except EngineError as error:
            if error.unreachable or (not error.missing and self._uses.shared(self._use_id)):
                raise
            if not error.missing:
                self._engine.remove(self.name)
            return False
        self.shell = "bash" if output.startswith("bash") else "sh"
        self.folder = folder if output.endswith("there\n") else WORKSPACE
        return True

    def _remove(self) -> None:
        self._engine.remove(self.name)
        self._uses.forget()


def check(settings: TerminalSettings) -> str | None:
    """Return why no container can be started; None when it can."""
    try:
        return Engine.found(settings.docker.engine).check()
    except TerminalEnvironmentError as error:
        return f"{error.reason} {error.hint}".strip()


def make(settings: TerminalSettings, *, task: str, home: str) -> DockerEnvironment:
    """Return a new container that is not started yet."""
    return DockerEnvironment(settings, task=task, home=home)


def reap(settings: TerminalSettings, home: str) -> int:
    """Remove containers of dead processes, and persistent ones that were not used again."""
    if not settings.docker.orphan_reaper:
        return 0
    try:
        return reap_containers(Engine.found(settings.docker.engine), home, lifetime=settings.lifetime_seconds)
    except TerminalEnvironmentError:  # without an engine there is nothing to remove
        return 0


def _nameable(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables whose names are valid in a shell."""
    return {name: value for name, value in env.items() if _NAME.fullmatch(name)}


def _hint(error: EngineError, spec: ContainerSpec) -> str:
    """Return a hint about a container that does not start."""
    if _NO_IMAGE.search(error.reason):
        return f"Check terminal.docker.image ({spec.image}), or load it first with `docker pull`."
    if _NO_SHELL.search(error.reason):
        return f"The image {spec.image} has no `sh`; use another image (terminal.docker.image)."
    return error.hint
