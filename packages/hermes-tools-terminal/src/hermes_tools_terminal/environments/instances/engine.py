"""Calls Apptainer or Singularity: finds the program, lists and ends instances, and says what went wrong."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.environments.ledger import Owner
from hermes_tools_terminal.environments.processes import look_at
from hermes_tools_terminal.environments.variables import for_commands

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

PROGRAMS = ("apptainer", "singularity")

START_SECONDS = 120.0
"""How long an instance may take to start: where images cannot be mounted, they are unpacked first."""

ANSWER_SECONDS = 10.0
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance that runs.

    Attributes:
        name: Its name.
        pid: The number of its first process.
        logs: Files with what it printed.
    """

    name: str
    pid: int
    logs: tuple[str, ...]


def find_program(settings: TerminalSettings) -> str:
    """The engine's path: the one that the settings name, or the first that is installed.

    Raises:
        PlaceError: there is none.
    """
    wanted = settings.singularity.engine
    path = for_commands()["PATH"]
    for name in (os.path.expanduser(wanted),) if wanted else PROGRAMS:
        if (found := shutil.which(name, path=path)) is not None:
            return found
    raise PlaceError(
        f"There is no program {wanted!r}." if wanted else "Neither apptainer nor singularity is installed.",
        hint="Install Apptainer (https://apptainer.org/docs/admin/latest/installation.html), "
        "or set terminal.singularity.engine to its path.",
    )


def instances(program: str, pattern: str) -> list[Instance]:
    """The instances that run under a name, or a pattern of names.

    Raises:
        PlaceError: the engine does not answer.
    """
    listed: dict[str, Any] = json.loads(call(program, "instance", "list", "--json", pattern, timeout=ANSWER_SECONDS))
    return [
        Instance(
            each["instance"],
            int(each["pid"]),
            tuple(path for key in ("logErrPath", "logOutPath") if (path := each.get(key))),
        )
        for each in listed.get("instances") or []
    ]


def first_process(instance: Instance | None) -> Owner | None:
    """An instance's first process, told from others that may have its number later."""
    found = look_at(instance.pid) if instance is not None else None
    return Owner(found.pid, found.started) if found else None


def stop(program: str, instance: Instance, first: Owner | None) -> None:
    """End an instance. Its first process takes all others with it, and the engine's monitor cleans up. Never raises.

    `instance stop` does the same, but takes more than a second for it.
    """
    with contextlib.suppress(OSError):
        if first is not None and first.alive:
            os.kill(instance.pid, signal.SIGKILL)
    deadline = time.monotonic() + _STOP_SECONDS
    try:
        while instances(program, instance.name):
            if time.monotonic() > deadline:
                call(program, "instance", "stop", "--force", instance.name, timeout=START_SECONDS)
                break
            time.sleep(0.02)  # the monitor takes some milliseconds, and tells nobody when it is done
    except (PlaceError, ValueError):
        pass
    for path in instance.logs:
        with contextlib.suppress(OSError):
            os.unlink(path)


def call(program: str, *args: str, timeout: float, log: str = "") -> str:
    """Have the engine do something, and get what it printed.

    Args:
        program: The engine.
        args: Its arguments.
        timeout: How long it may take.
        log: A file for its words, for calls that leave processes behind: they would hold a pipe open.

    Raises:
        PlaceError: it refused, or did not answer in time.
    """
    name = os.path.basename(program)
    try:
        with open(log or os.devnull, "w+b") as words:
            done = subprocess.run(  # noqa: S603 - the user's engine, arguments of our making
                [program, *args],
                stdin=subprocess.DEVNULL,
                stdout=words if log else subprocess.PIPE,
                stderr=words if log else subprocess.PIPE,
                timeout=timeout,
                env=engine_variables(),
                cwd="/",
                check=False,
            )
            words.seek(0)
            said = words.read() if log else done.stderr
    except subprocess.TimeoutExpired as error:
        raise PlaceError(f"{name} did not answer for {timeout:g} seconds.") from error
    except OSError as error:
        raise PlaceError(f"{program} cannot be started: {error}") from error
    if done.returncode:
        lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
        told = [line for line in lines if line and not line.startswith(("INFO:", "WARNING:"))]
        raise PlaceError(" ".join(told)[-500:] or f"{name} ended with {done.returncode}.")
    return (done.stdout or b"").decode(errors="replace")


def engine_variables(*, building: bool = False) -> dict[str, str]:
    """The variables of the engine. While it builds, it may need to log in; what it starts never gets to see them."""
    ours = re.compile(r"(?:APPTAINER|SINGULARITY)_(?:CACHEDIR|TMPDIR|CONFIGDIR" + (r"|\w+)" if building else ")"))
    return {**for_commands(), **{name: value for name, value in os.environ.items() if ours.fullmatch(name)}}


def number_inside(pid: int) -> int:
    """The number of a process by its instance's own count; 0 when it has none."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            numbers = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
    except OSError:
        return 0
    return int(numbers[-1]) if numbers else 0
