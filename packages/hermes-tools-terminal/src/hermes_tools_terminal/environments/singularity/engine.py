"""Run Apptainer or Singularity: find the program, list and end instances, and build images."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.client import find_engine
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.environments.process_records import Owner

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

PROGRAMS = ("apptainer", "singularity")

START_SECONDS = 120.0
"""How long an instance may take to start: where images cannot be mounted, they are unpacked first."""

ANSWER_SECONDS = 10.0
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Instance:
    """A running instance."""

    name: str
    pid: int
    logs: tuple[str, ...]


def find_program(settings: TerminalSettings) -> str:
    """Return the path of the engine; raise `TerminalEnvironmentError` if there is none."""
    hint = (
        "Install Apptainer (https://apptainer.org/docs/admin/latest/installation.html), "
        "or set terminal.singularity.engine to its path."
    )
    return find_engine(settings.singularity.engine, PROGRAMS, hint)


def instances(program: str, pattern: str) -> list[Instance]:
    """Return the running instances that match a pattern. Raise `TerminalEnvironmentError` on failure."""
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
    """Identify an instance's first process, also after its process id was reused."""
    found = find_process(instance.pid) if instance is not None else None
    return Owner(found.pid, found.started) if found else None


def stop(program: str, instance: Instance, first: Owner | None) -> None:
    """End an instance by its first process; the engine's monitor cleans up. Never raises.

    `instance stop` does the same, but takes more than a second.
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
            time.sleep(0.02)  # the monitor takes some milliseconds and gives no signal
    except (TerminalEnvironmentError, ValueError):
        pass
    for path in instance.logs:
        with contextlib.suppress(OSError):
            os.unlink(path)


def call(program: str, *args: str, timeout: float, log: str = "") -> str:
    """Call the engine and return its output. Raise `TerminalEnvironmentError` if it refused, or did not answer in time.

    Args:
        program: The engine.
        args: Its arguments.
        timeout: The time limit in seconds.
        log: A file for its output, for calls that leave processes running: these would keep a pipe open.
    """
    name = os.path.basename(program)
    try:
        with open(log or os.devnull, "w+b") as words:
            done = subprocess.run(  # noqa: S603 - the user's engine, our arguments
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
            errors = words.read() if log else done.stderr
    except subprocess.TimeoutExpired as error:
        raise TerminalEnvironmentError(f"{name} did not answer for {timeout:g} seconds.") from error
    except OSError as error:
        raise TerminalEnvironmentError(f"{program} cannot be started: {error}") from error
    if done.returncode:
        lines = [line.strip() for line in errors.decode(errors="replace").splitlines()]
        message_lines = [line for line in lines if line and not line.startswith(("INFO:", "WARNING:"))]
        raise TerminalEnvironmentError(" ".join(message_lines)[-500:] or f"{name} ended with {done.returncode}.")
    return (done.stdout or b"").decode(errors="replace")


def engine_variables(*, building: bool = False) -> dict[str, str]:
    """Return the engine's variables. Only a build gets credentials."""
    ours = re.compile(r"(?:APPTAINER|SINGULARITY)_(?:CACHEDIR|TMPDIR|CONFIGDIR" + (r"|\w+)" if building else ")"))
    return {**command_variables(), **{name: value for name, value in os.environ.items() if ours.fullmatch(name)}}


def number_inside(pid: int) -> int:
    """Return the process id within the instance; 0 when there is none."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            numbers = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
    except OSError:
        return 0
    return int(numbers[-1]) if numbers else 0


BUILD_SECONDS = 600.0
"""How long an image may take to be downloaded and built."""

_SOURCE = re.compile(r"[a-z][a-z0-9-]+:")
_BUSY_SECONDS = 0.1
"""How often to check whether another process has built the image."""


def is_source(image: str) -> bool:
    """Return whether an image is a source to build (`docker://debian:12`, `docker-archive:saved.tar`), not a file."""
    return _SOURCE.match(image) is not None


def image_file(image: str, *, program: str, cache: str, variables: Mapping[str, str]) -> str:
    """Return the file or directory of an image; a source is built once.

    Raises:
        TerminalEnvironmentError: the file does not exist, or the image cannot be built.
    """
    if not is_source(image):
        path = os.path.abspath(os.path.expanduser(image))
        if (why := _unfit(path)) is not None:
            raise TerminalEnvironmentError(why, hint="Check terminal.singularity.image.")
        return path
    path = cached_file(image, cache)
    if not os.path.isfile(path):
        with _locked(f"{path}.lock", image):
            if not os.path.isfile(path):  # the previous holder of the lock may have built it
                _build(image, path, program, variables)
    return path


def cached_file(image: str, cache: str) -> str:
    """Return the file of a built image. Remove it to build a newer image."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", image.partition(":")[2]).strip("-.")[-60:]
    return os.path.join(cache, f"{name or 'image'}-{hashlib.sha256(image.encode()).hexdigest()[:12]}.sif")


def _unfit(path: str) -> str | None:
    if not os.path.exists(path):
        return f"There is no image {path}."
    if os.path.isdir(path) and not os.path.isdir(os.path.join(path, ".singularity.d")):
        return f"{path} is a directory that `build --sandbox` did not make."
    return None


def _build(image: str, path: str, program: str, variables: Mapping[str, str]) -> None:
    """Build a temporary file, then rename it, so that the image is never incomplete."""
    part = f"{path}.part"
    name = os.path.basename(program)
    child = subprocess.Popen(  # noqa: S603 - the user's engine and the user's image
        [program, "--quiet", "build", "--force", part, image],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        cwd="/",
        start_new_session=True,
    )
    try:
        printed, _ = child.communicate(timeout=BUILD_SECONDS)
        if child.returncode:
            words = printed.decode(errors="replace").strip()[-500:]
            raise TerminalEnvironmentError(
                f"{name} could not build {image}: {words or f'it ended with {child.returncode}'}",
                hint="Check terminal.singularity.image; without a network, build a .sif elsewhere and set its path.",
            )
        os.replace(part, path)
    except subprocess.TimeoutExpired as error:
        raise TerminalEnvironmentError(
            f"{name} did not build {image} in {BUILD_SECONDS:g} seconds.",
            hint=f"Build it by hand: {name} build {path} {image}",
        ) from error
    except OSError as error:
        raise TerminalEnvironmentError(
            f"{path} cannot be written: {error.strerror}.", hint="Set terminal.sandbox_dir."
        ) from error
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


@contextlib.contextmanager
def _locked(path: str, image: str) -> Iterator[None]:
    """Hold a lock; the kernel releases it when the process dies."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise TerminalEnvironmentError(
            f"{path} cannot be written: {error.strerror}.", hint="Set terminal.sandbox_dir."
        ) from error
    try:
        deadline = time.monotonic() + BUILD_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TerminalEnvironmentError(
                        f"Another process has been building {image} for {BUILD_SECONDS:g} s."
                    ) from None
                time.sleep(_BUSY_SECONDS)
        yield
    finally:
        os.close(handle)
