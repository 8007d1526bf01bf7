"""A sandbox on this machine: read-only files, a writable workspace, no secrets and no network."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import IO, TYPE_CHECKING

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError, close_pipes
from hermes_tools_terminal.environments.client import storage_directory
from hermes_tools_terminal.environments.local import LocalEnvironment, spawn
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.environments.sandbox import bubblewrap, landlock
from hermes_tools_terminal.environments.sandbox.bubblewrap import Bubblewrap
from hermes_tools_terminal.environments.sandbox.landlock import Landlock
from hermes_tools_terminal.environments.sandbox.launch import (
    SandboxCommand,
    SandboxNotBuiltError,
    retry_build,
    start_in_lasting_thread,
)
from hermes_tools_terminal.environments.sandbox.policy import SandboxPolicy, build_policy
from hermes_tools_terminal.environments.sandbox.self_test import BARE_VARIABLES, run_command, verify_sandbox

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "sandbox"

_LOOK_SECONDS = 1.0
"""How often to check whether a secret has appeared where there was none."""

_END_SECONDS = 5.0
"""How long a failed or killed program may take to end."""

_MAX_WORDS = 2_000

# Connections to programs outside are blocked, and these caches are not writable.
_DROPPED = frozenset(
    """
    SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY
    DOCKER_HOST DOCKER_CONFIG KUBECONFIG TMP TEMP PIP_CACHE_DIR UV_CACHE_DIR GOCACHE
    """.split()  # noqa: SIM905 - words are easier to read
)


def check(settings: TerminalSettings) -> str | None:
    """Return why no sandbox can be built and what to install; None when one can."""
    try:
        _engine(settings.sandbox.engine)
    except TerminalEnvironmentError as error:
        return f"{error.reason} {error.hint}".strip()
    return None


def make(settings: TerminalSettings, *, task: str, home: str) -> SandboxEnvironment:
    """Return a new sandbox that is not open yet. Each task has its own."""
    del task
    return SandboxEnvironment(settings, home)


def reap(settings: TerminalSettings, home: str) -> int:
    """Remove the scratch directories of dead processes. Their sandboxes ended with them."""
    removed = 0
    base = storage_directory(settings, home, KIND)
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            owner = Owner.named(name.rpartition("-")[0])
            if owner is not None and not owner.alive:
                _remove(os.path.join(base, name))
                removed += 1
    return removed


class SandboxEnvironment(LocalEnvironment):
    """Runs commands on this machine that see only what they need, and change only the workspace.

    It is not `isolated`: isolated commands need no approval because their effects can be thrown away, but the
    workspace is the user's project. A command can delete it, or leave a git hook or a Makefile line that the user runs
    outside later. The sandbox protects the rest of the machine, which makes such commands easier to approve.
    """

    kind = KIND
    quick = True
    isolated = False

    def __init__(self, settings: TerminalSettings, home: str) -> None:
        super().__init__(settings.cwd, settings.env_passthrough, home)
        self._settings = settings
        self._home = home
        self._policy: SandboxPolicy | None = None
        self._box: Bubblewrap | Landlock | None = None
        self._own = ""
        self._masked: frozenset[tuple[str, int]] = frozenset()
        self._looked = 0.0

    def open(self) -> None:
        """Choose the engine, define the policy, and verify that the sandbox works."""
        super().open()
        engine = _engine(self._settings.sandbox.engine)
        self._own = _create_directory(storage_directory(self._settings, self._home, KIND))
        try:
            scratch = os.path.join(self._own, "tmp")
            os.mkdir(scratch)
            policy = build_policy(
                self._settings, folder=self.folder, home=self._home, scratch=os.path.realpath(scratch)
            )
            self._box = engine(policy)
            self._policy = policy
            self._masked, self._looked = _files_among(policy.hidden), time.monotonic()
            self._variables = _inside(self._variables, self._box.temporary)
            verify_sandbox(self._box, policy, self._variables, self._own)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the scratch directory."""
        self._box = self._policy = None
        if self._own:
            _remove(self._own)
            self._own = ""

    def alive(self) -> bool:
        """Return whether it still hides all secrets.

        A mask covers the file that existed when it was mounted: a file that is replaced, or created later, has no mask.
        A new sandbox hides it.
        """
        if self._policy is None or not isinstance(self._box, Bubblewrap):
            return self._policy is not None  # Landlock allows what was there, and nothing that came later
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return True
        try:
            policy = build_policy(self._settings, folder=self.folder, home=self._home, scratch=self._policy.scratch)
        except TerminalEnvironmentError:
            return False
        self._looked = time.monotonic()
        return _files_among(policy.hidden) <= self._masked

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process inside, in its own session. Raise `TerminalEnvironmentError` if it cannot be started."""
        box = self._built()
        folder = self._existing_parent(cwd or self.folder)
        terminal = {"TERM": "xterm-256color"} if pty else {}
        variables = {**self._variables, **terminal, **(env or {})}
        at = "/" if isinstance(box, Bubblewrap) else folder

        def started() -> StartedProcess:
            with box.sandboxed(argv, folder=folder, env=variables) as sandboxed:
                handles = sandboxed.handles
                found = start_in_lasting_thread(
                    lambda: spawn(
                        sandboxed.argv, cwd=at, env=BARE_VARIABLES, pty=pty, pass_fds=handles, session=self.session
                    )
                )
                if isinstance(box, Bubblewrap):  # nothing leaves its namespace, and the child is not the shell
                    found = found._replace(mark=0)
                return _wait_until_built(found, sandboxed)

        return retry_build(started)

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script inside and return its output. Raise `TerminalEnvironmentError` if it failed."""
        box, argv = self._built(), ["sh", "-c", script, "sh", *args]

        def printed() -> bytes:
            with box.sandboxed(argv, folder="/", env=self._variables) as sandboxed:
                return run_command(sandboxed, input=input, timeout=timeout)

        return retry_build(printed)

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Signal the processes of a command by their ids outside."""
        if self._box is None:
            return super().signal(group, number, spare_leader=spare_leader)
        for pid in self._box.targets(group, spare_leader=spare_leader, kill=number == signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        return None

    def leaks(self) -> Sequence[str]:
        """Return what the settings expose, and what Landlock cannot protect."""
        policy = self._policy
        found = [f"folder:{os.path.expanduser(path)}" for path in self._settings.sandbox.writable]
        if self._settings.sandbox.network:
            found.append("network")
        if policy is not None and isinstance(self._box, Landlock):
            found.append("host")  # permissions and times of this user's files are not protected
        return found

    @property
    def shared_directory(self) -> tuple[str, str] | None:
        """Return a directory for sockets of both sides, by its path outside and inside; None when there is none."""
        if self._policy is None or not isinstance(self._box, Bubblewrap):
            return None
        return self._policy.scratch, self._box.temporary

    def _built(self) -> Bubblewrap | Landlock:
        if self._box is None:
            raise TerminalEnvironmentError("The sandbox is closed.", gone=True)
        return self._box

    def _existing_parent(self, folder: str) -> str:
        """Return the directory, or its nearest existing visible parent."""
        box, policy = self._built(), self._policy
        assert policy is not None
        while folder != "/":
            at = box.host_path(folder)
            if os.path.isdir(at) and (at != folder or policy.sees(folder) or folder.startswith(policy.scratch)):
                return folder
            folder = os.path.dirname(folder) or "/"
        return folder


def _wait_until_built(started: StartedProcess, sandboxed: SandboxCommand) -> StartedProcess:
    """Return the process once its sandbox is built.

    Raises:
        SandboxNotBuiltError: the sandbox cannot be built; contains the message of the program.
    """
    child = started.child
    assert child.stdout is not None
    try:
        if sandboxed.built():
            return started
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_END_SECONDS)
        raise SandboxNotBuiltError(_last_output(child.stdout) or "The sandbox was not built, for an unknown reason.")
    except BaseException:
        child.kill()
        child.wait(_END_SECONDS)
        close_pipes(child)
        raise


def _last_output(pipe: IO[bytes]) -> str:
    """Return the last output of a program that has ended."""
    os.set_blocking(pipe.fileno(), False)
    try:
        return os.read(pipe.fileno(), _MAX_WORDS).decode(errors="replace").strip()
    except OSError:  # there is no output
        return ""


def _engine(wanted: str) -> Callable[[SandboxPolicy], Bubblewrap | Landlock]:
    """Return the available engine. Raise `TerminalEnvironmentError` if there is none."""
    reasons = []
    for name, unavailable_reason, engine in (
        ("bubblewrap", bubblewrap.unavailable_reason, Bubblewrap),
        ("landlock", landlock.unavailable_reason, Landlock),
    ):
        if wanted in ("auto", name):
            reason = _cached(unavailable_reason)
            if reason is None:
                return engine
            reasons.append(reason)
    raise TerminalEnvironmentError(f"No sandbox can be built here: {'; '.join(reasons)}.", hint="Install bubblewrap.")


@cache
def _works(unavailable_reason: Callable[[], str | None]) -> bool:
    return unavailable_reason() is None


def _cached(unavailable_reason: Callable[[], str | None]) -> str | None:
    """Cache success only: a missing engine may be installed later."""
    if _works(unavailable_reason):
        return None
    _works.cache_clear()
    return unavailable_reason()


def _inside(variables: Mapping[str, str], temporary: str) -> dict[str, str]:
    """Return the variables of commands: the home is read-only, so caches go to the scratch directory."""
    storage = {name: value for name, value in variables.items() if name not in _DROPPED}
    cache_folder = os.path.join(temporary, ".cache")
    return {
        **storage,
        "TMPDIR": temporary,
        "XDG_CACHE_HOME": cache_folder,
        "npm_config_cache": os.path.join(cache_folder, "npm"),
    }


def _files_among(hidden: frozenset[str]) -> frozenset[tuple[str, int]]:
    """Return the hidden paths with their inodes.

    Histories and logs change all the time, and homes of other users come and go: these are left out.
    """
    found = set()
    for path in hidden:
        if not path.endswith(("history", "/btmp")) and os.path.dirname(path) != "/home":
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                found.add((path, 0 if stat.S_ISDIR(status.st_mode) else status.st_ino))
    return frozenset(found)


def _create_directory(base: str) -> str:
    try:
        os.makedirs(base, mode=0o700, exist_ok=True)
        return os.path.realpath(tempfile.mkdtemp(prefix=f"{Owner.this()}-", dir=base))
    except OSError as error:
        raise TerminalEnvironmentError(f"The scratch directory cannot be created: {error}") from error


def _remove(folder: str) -> None:
    """Remove a directory and everything in it, write-protected or not."""
    for path, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
