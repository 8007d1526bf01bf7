"""A sandbox built with bubblewrap: its own namespaces, and a filtered view of this machine's files."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from shutil import which

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.local_processes import Process, all_processes
from hermes_tools_terminal.environments.sandbox import seccomp
from hermes_tools_terminal.environments.sandbox.launch import SandboxCommand, ready_signal
from hermes_tools_terminal.environments.sandbox.policy import SandboxPolicy
from hermes_tools_terminal.environments.sandbox.secret_paths import is_within

TMP = "/tmp"  # noqa: S108 - the sandbox's own
_TRY_SECONDS = 10.0
_ATTEMPTS = 3
"""bubblewrap fails when another program unmounts something while it copies the machine's mounts."""
_COMMAND_IN_NAMESPACE = 2
"""The process id of the first process that bubblewrap's own process starts."""


def unavailable_reason() -> str | None:
    """Return why bubblewrap does not work; None when it does."""
    program = which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian, Ubuntu, Fedora: the package `bubblewrap`)"
    if not seccomp.supported():
        return "the system call numbers of this machine are unknown"
    argv = [program, "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    argv += ["--clearenv", "--perms", "0000", "--tmpfs", TMP, "--cap-drop", "ALL"]
    words = ""
    for _ in range(_ATTEMPTS):
        try:
            done = subprocess.run(  # noqa: S603 - fixed
                [*argv, "--", "true"], capture_output=True, timeout=_TRY_SECONDS, stdin=subprocess.DEVNULL, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not start: {error}"
        if not done.returncode:
            return None
        words = done.stderr.decode(errors="replace").strip() or f"it ends with {done.returncode}"
    return f"bubblewrap does not work ({words}); it needs version 0.5 and unprivileged user namespaces"


class Bubblewrap:
    """Runs each command in its own sandbox; the commands of one environment share directories."""

    name = "bubblewrap"

    def __init__(self, policy: SandboxPolicy) -> None:
        program = which("bwrap")
        if program is None:
            raise TerminalEnvironmentError("bubblewrap was removed.", hint="Install bubblewrap.", gone=True)
        self._program = program
        self._policy = policy
        # A command could replace a mount point in a writable directory by a link and redirect the next sandbox.
        crowded = any(is_within(path, (TMP,)) for path in (*policy.opened, *policy.shown))
        self.temporary = f"{TMP}/scratch" if crowded else TMP
        self._moving = {path: _identity(path) for path in policy.hidden if is_within(path, policy.opened)}

    @contextlib.contextmanager
    def sandboxed(self, argv: Sequence[str], *, folder: str, env: Mapping[str, str]) -> Iterator[SandboxCommand]:
        """Return what runs a command in the sandbox."""
        for path, identity in self._moving.items():
            if _identity(path) != identity:
                raise TerminalEnvironmentError(f"{path} is hidden, and was moved or replaced.", hint="Put it back.")
        variables = "".join(f"--setenv\0{name}\0{value}\0" for name, value in env.items())
        fixed = "".join(f"{word}\0" for word in _arguments(self._policy, self.temporary))
        text = f"{fixed}--clearenv\0{variables}--chdir\0{folder}\0"
        with contextlib.ExitStack() as stack:
            arguments = stack.enter_context(memory_file(text.encode("utf-8", "surrogateescape")))
            calls = stack.enter_context(
                memory_file(seccomp.filter_program(namespaces=True, network=self._policy.network))
            )
            step = stack.enter_context(ready_signal())
            given = ("--args", str(arguments), "--seccomp", str(calls), "--block-fd", str(step.handle))
            yield SandboxCommand([self._program, *given, "--", *argv], (arguments, calls, step.handle), step)

    def host_path(self, path: str) -> str:
        """Return the path on this machine of a directory in the sandbox."""
        if is_within(path, (self.temporary,)) and not self._policy.sees(path):
            return self._policy.scratch + path[len(self.temporary) :]
        return path

    def targets(self, group: int, *, spare_leader: bool, kill: bool) -> list[int]:
        """Return the processes to signal: the command first, then its descendants.

        bubblewrap's own processes are left out, since their end would kill all others at once; a kill includes them.
        """
        processes = all_processes()
        init = next((process.pid for process in processes if process.parent == group), 0)
        if not init:
            return [] if spare_leader else [group]
        if kill and not spare_leader:
            return [init, group]  # the end of its first process ends a namespace
        inside = [process.pid for process in _below(init, processes)]
        leader = [pid for pid in inside if _is_command(pid)]
        others = [pid for pid in inside if pid not in leader]
        return others if spare_leader else leader + others


@contextlib.contextmanager
def memory_file(data: bytes) -> Iterator[int]:
    """Yield a descriptor from which the data can be read once."""
    handle = os.memfd_create("hermes", os.MFD_CLOEXEC)
    try:
        os.write(handle, data)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _arguments(policy: SandboxPolicy, temporary: str) -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL")
    if policy.network:
        yield "--share-net"
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run")
    yield from ("--remount-ro", "/proc")  # root inside could change kernel settings, even without capabilities
    if temporary != TMP:
        yield from ("--perms", "1777", "--tmpfs", TMP)
    yield from ("--bind", policy.scratch, temporary, "--perms", "1777", "--tmpfs", "/var/tmp")  # noqa: S108 - as above
    mounts = (
        [(path, 0) for path in policy.hidden]
        + [(path, 1) for path in policy.shown]
        + [(path, 2) for path in policy.opened]
    )
    # Deeper mounts come later, because they are mounted into those above.
    for path, what in sorted(mounts, key=lambda mount: (mount[0].count("/"), mount)):
        if what == 2:
            yield from ("--bind", path, path)
        elif what == 1:
            yield from ("--ro-bind", path, path)
        elif not os.path.lexists(path):
            continue  # removed meanwhile: a mask needs a mount point
        elif os.path.isdir(path):
            holds_more = any(inner.startswith(f"{path}/") for inner in (*policy.shown, *policy.opened))
            yield from ("--perms", "0555" if holds_more else "0000", "--tmpfs", path)
        else:
            yield from ("--ro-bind", "/dev/null", path)


def _identity(path: str) -> tuple[str, int, int]:
    """Identify a path's target, and the way to it."""
    try:
        found = os.stat(path)
    except OSError:
        return "", 0, 0
    return os.path.realpath(path), found.st_dev, found.st_ino


def _below(pid: int, processes: Sequence[Process]) -> list[Process]:
    found: list[Process] = []
    known = {pid}
    grown = True
    while grown:
        more = [process for process in processes if process.parent in known and process.pid not in known]
        known |= {process.pid for process in more}
        found += more
        grown = bool(more)
    return found


def _is_command(pid: int) -> bool:
    """Return whether a process is the command, by its process id in its namespace."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            line = next((line for line in file if line.startswith(b"NSpid:")), b"")
    except OSError:
        return False
    return line.split()[-1:] == [str(_COMMAND_IN_NAMESPACE).encode()]
