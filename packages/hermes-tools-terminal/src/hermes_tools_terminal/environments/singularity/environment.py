"""Containers of Apptainer or Singularity: an instance per task, entered with `exec instance://NAME`.

Apptainer 1.1 and SingularityCE 3.10 or newer are required. Limits of memory, processors and processes need root or
cgroups v2; where the engine cannot set them, the instance starts without them and `notes` says so. Disk is not limited.
Tested with Apptainer 1.4 as root and as another user; SingularityCE has the same options but was not tested.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.client import (
    ClientEnvironment,
    profile_id,
    safe_name,
    storage_directory,
    variables_to_pass,
)
from hermes_tools_terminal.environments.local_processes import descendants, members
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.environments.singularity.engine import (
    ANSWER_SECONDS,
    PROGRAMS,
    START_SECONDS,
    Instance,
    call,
    engine_variables,
    find_program,
    first_process,
    image_file,
    instances,
    is_source,
    number_inside,
    stop,
)
from hermes_tools_terminal.environments.singularity.instance import (
    LIMITS_FAILED,
    WORKSPACE,
    find_leaks,
    limit_arguments,
    privilege_arguments,
    start_arguments,
)

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "singularity"
_MAX_OVERLAYS = 64
"""How many processes may use a task at once, each with its own changes."""

_INSTANCE = re.compile(r"hermes-([0-9a-f]{8})-([0-9]+-[0-9]+)-[0-9a-f]{8}")
_GONE = re.compile(r"no instance found|instance .*(?:not found|does not exist)", re.IGNORECASE)
_ENTER = """_h_at=$1; shift
until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${_h_at%/*}; [ -n "$_h_at" ] || _h_at=/; done
exec "$@" """
_INSPECT = """command -v bash >/dev/null && echo bash || echo sh
[ -n "$HOME" ] && mkdir -p "$HOME" 2>/dev/null
mkdir -p "$2" 2>/dev/null
for at in "$1" "$2" "$HOME" /tmp; do
  [ -n "$at" ] && [ -d "$at" ] && [ -w "$at" ] && { printf %s "$at"; exit; }
done; printf /"""

_unsupported: dict[str, int] = {}
"""How many limits each engine does not support; finding out takes a failed start."""


class SingularityEnvironment(ClientEnvironment):
    """One instance. It ends with `close`; its changes persist if the settings say so.

    Attributes:
        notes: Requested features that are not available.
    """

    kind = KIND

    def __init__(self, settings: TerminalSettings, *, task: str, home: str) -> None:
        super().__init__(WORKSPACE)
        self.notes: tuple[str, ...] = ()
        self.name = f"hermes-{profile_id(home)[:8]}-{Owner.this()}-{secrets.token_hex(4)}"
        self._settings = settings
        self._task, self._home = task, home
        self._base = storage_directory(settings, home, KIND)
        self._leaks = find_leaks(settings)
        self.isolated = not {"host", "everything"} & set(self._leaks)
        self._program = settings.singularity.engine or PROGRAMS[0]
        self._instance: Instance | None = None
        self._was_started = False
        self._first_process: Owner | None = None
        self._lock = -1
        self._scratch = os.path.join(self._base, ".scratch", self.name)
        self._clients: dict[int, int] = {}

    def open(self) -> None:
        """Find or build the image, and start the instance."""
        self._program = find_program(self._settings)
        given = self._settings.singularity
        image = image_file(
            given.image,
            program=self._program,
            cache=os.path.join(self._base, ".images"),
            variables=engine_variables(building=True),
        )
        try:
            overlay = self._overlay() if given.persist else ""
            os.makedirs(self._scratch, mode=0o700, exist_ok=True)
        except OSError as error:
            self.close()
            where = error.filename or self._base
            raise TerminalEnvironmentError(
                f"{where} cannot be made: {error.strerror}.", hint="Set terminal.sandbox_dir."
            ) from error
        try:
            self._start_instance(image, start_arguments(self._settings, overlay=overlay, scratch=self._scratch))
            self._enter()
        except BaseException as error:
            self.close()
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never existed, so a new attempt does not help
            raise

    def close(self) -> None:
        """End the instance and everything in it."""
        instance, self._instance = self._instance, None
        if instance is None and self._was_started:  # interrupted before it was known
            with contextlib.suppress(TerminalEnvironmentError, ValueError):
                instance = next(iter(instances(self._program, self.name)), None)
                self._first_process = first_process(instance)
        self._was_started = False
        if instance is not None:
            stop(self._program, instance, self._first_process)
        self._first_process = None
        shutil.rmtree(self._scratch, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def alive(self) -> bool:
        """Return whether the instance's first process still runs."""
        return self._first_process is not None and self._first_process.alive

    def client(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None,
        env: Mapping[str, str],  # noqa: ARG002 - `client_variables` passes them
        pty: bool,  # noqa: ARG002 - the client shares its terminal
        input: bool = True,  # noqa: ARG002
    ) -> list[str]:
        """Return the `exec` command."""
        words = [self._program, "--quiet", "exec", "--cleanenv", "--no-eval", *privilege_arguments(), "--pwd", "/"]
        words.append(f"instance://{self.name}")
        if cwd == "/":
            return [*words, *argv]
        return [*words, "sh", "-c", _ENTER, "sh", cwd or self.folder, *argv]

    def variables(self) -> dict[str, str]:
        """Return the variables of the engine's client; the processes it starts do not get them."""
        return engine_variables()

    def client_variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of the client, and those that it passes on."""
        prefixes = (
            ("APPTAINERENV_",)
            if "apptainer" in os.path.basename(self._program)
            else (
                "SINGULARITYENV_",
                "APPTAINERENV_",  # `singularity` is often another name for apptainer
            )
        )
        return {**self.variables(), **{f"{prefix}{name}": value for prefix in prefixes for name, value in env.items()}}

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process in the instance, with the variables that the settings pass."""
        if not self.alive():
            raise TerminalEnvironmentError("The instance is gone.", gone=True)
        given = {**variables_to_pass(self._settings, self._home), **(env or {})}
        started = super().start(argv, cwd=cwd, env=given, pty=pty)
        if len(self._clients) >= 256:
            self._clients = {group: client for group, client in self._clients.items() if members(client)}
        self._clients[started.group] = started.child.pid
        return started

    def signal(self, group: int, number: int, *, spare_leader: bool = False) -> None:
        """Send a signal from outside, where the instance's processes are ordinary processes.

        They are in the session of the client that started them, which runs until they end.
        """
        client = self._clients.get(group)
        if client is None:
            super().signal(group, number, spare_leader=spare_leader)
            return
        reached = set(members(client)) | (set(descendants(client)) if spare_leader else set())
        for pid in reached - {client}:
            if not (spare_leader and number_inside(pid) == group):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

    def indicates_gone(self, status: int, words: str) -> bool:  # noqa: ARG002 - all errors have the same status
        """Return whether the instance is gone."""
        return _GONE.search(words) is not None or not self.alive()

    def leaks(self) -> Sequence[str]:
        """Return what the instance can reach because of binds, the network and extra arguments."""
        return tuple(self._leaks)

    def _overlay(self) -> str:
        """Return the task's directory for changes. Two running instances must not share one."""
        name = safe_name(self._task)
        for number in range(1, _MAX_OVERLAYS + 1):
            folder = os.path.join(self._base, name if number == 1 else f"{name}~{number}")
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            self._lock = handle
            if number > 1:
                self.notes += (f"Another process uses the files of task {self._task}; these are in {folder}.",)
            return folder
        raise TerminalEnvironmentError(
            f"{_MAX_OVERLAYS} processes use task {self._task} already.",
            hint="Set terminal.singularity.persist to false.",
        )

    def _start_instance(self, image: str, arguments: list[str]) -> None:
        self._was_started = True
        tries = limit_arguments(self._settings)
        known = _unsupported.get(self._program, 0)
        for number, limit in list(enumerate(tries))[known:]:
            try:
                call(
                    self._program,
                    *("--quiet", "instance", "start", *arguments, *limit, image, self.name),
                    timeout=START_SECONDS,
                    log=os.path.join(self._scratch, "start.log"),
                )
            except TerminalEnvironmentError as error:
                if limit and LIMITS_FAILED.search(error.reason):
                    _unsupported[self._program] = number + 1
                    continue
                raise TerminalEnvironmentError(
                    f"The instance did not start: {error.reason}", hint=_hint(error.reason)
                ) from error
            if number:
                self.notes += (f"{os.path.basename(self._program)} cannot limit {_MISSING[number]} here.",)
            break
        self._instance = next(iter(instances(self._program, self.name)), None)
        if self._instance is None:
            raise TerminalEnvironmentError("The instance ended at once.", hint="Does its start script fail?")
        self._first_process = first_process(self._instance)

    def _enter(self) -> None:
        """Find the shell, and the directory in which commands start."""
        try:
            output = self.run(_INSPECT, self._settings.cwd or WORKSPACE, WORKSPACE).decode(errors="replace")
        except TerminalEnvironmentError as error:
            raise TerminalEnvironmentError(
                f"The instance cannot run anything: {error.reason}",
                hint=f"Does {self._settings.singularity.image} have `sh`?",
            ) from error
        shell, _, self.folder = output.partition("\n")
        self.shell = "bash" if shell == "bash" else "sh"


_MISSING = {1: "processors", 2: "memory, processors and processes"}


def check(settings: TerminalSettings) -> str | None:
    """Return why no instance can be started; None when it can, as far as is known without starting one."""
    try:
        program = find_program(settings)
        call(program, "--version", timeout=ANSWER_SECONDS)
    except TerminalEnvironmentError as error:
        return f"{error.reason} {error.hint}".strip()
    image = settings.singularity.image
    if not is_source(image) and not os.path.exists(os.path.expanduser(image)):
        return f"There is no image {image}. Check terminal.singularity.image."
    return None


def make(settings: TerminalSettings, *, task: str, home: str) -> SingularityEnvironment:
    """Return a new instance that is not started yet."""
    return SingularityEnvironment(settings, task=task, home=home)


def reap(settings: TerminalSettings, home: str) -> int:
    """End the instances of dead processes and remove their scratch directories; return how many there were."""
    ended = 0
    try:
        program = find_program(settings)
        for instance in instances(program, "hermes-*"):
            if _is_orphan(instance.name, home):
                stop(program, instance, first_process(instance))
                ended += 1
    except TerminalEnvironmentError:  # without an engine there are no instances
        pass
    scratch = os.path.join(storage_directory(settings, home, KIND), ".scratch")
    with contextlib.suppress(OSError):
        for name in os.listdir(scratch):
            if _is_orphan(name, home):
                shutil.rmtree(os.path.join(scratch, name), ignore_errors=True)
    return ended


def _is_orphan(name: str, home: str) -> bool:
    found = _INSTANCE.fullmatch(name)
    owner = Owner.named(found[2]) if found and found[1] == profile_id(home)[:8] else None
    return owner is not None and not owner.alive


def _hint(words: str) -> str:
    """Return a hint about an instance that does not start."""
    if "overlay" in words.lower():
        return "Set terminal.singularity.persist to false, or terminal.sandbox_dir to a directory on a local disk."
    if re.search(r"user namespace|setuid|permission denied|not permitted", words, re.IGNORECASE):
        return "This user may not start containers: allow user namespaces, or install Apptainer with setuid."
    if re.search(r"network", words, re.IGNORECASE):
        return "This engine cannot disable the network; set terminal.singularity.network if that is acceptable."
    return ""
