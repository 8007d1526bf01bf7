"""Run a command in a task's environment with text as its input, and return its output."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO

from hermes_tools_terminal.environments.base import Environment, StartedProcess, TerminalEnvironmentError

SECONDS = 30.0
"""The timeout."""

_MAX_OUTPUT = 20_000
_CHUNK = 65_536


def run_command(environment: Environment, argv: Sequence[str], *, input: bytes) -> tuple[int, str]:
    """Run a command, and return its exit status and the beginning of its output.

    Raises:
        OSError: It cannot be started.
        TimeoutError: It takes too long.
    """
    try:
        started = environment.start(argv, cwd=environment.folder)
    except TerminalEnvironmentError as error:
        raise OSError(error.reason) from error
    child = started.child
    writing = threading.Thread(target=_feed, args=(child.stdin, input), daemon=True)
    writing.start()
    try:
        said = _read_output(started, time.monotonic() + SECONDS)
        return child.wait(SECONDS), said
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{argv[0]} took more than {SECONDS:g} seconds") from error
    finally:
        _end(environment, started)
        writing.join(1.0)


def _feed(stdin: IO[bytes] | None, data: bytes) -> None:
    """Write all input; a command need not read all of it."""
    if stdin is not None:
        with contextlib.suppress(OSError, ValueError):
            stdin.write(data)
        with contextlib.suppress(OSError, ValueError):
            stdin.close()


def _read_output(started: StartedProcess, deadline: float) -> str:
    out = started.child.stdout
    assert out is not None
    said = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([out], [], [], left)[0]:
            break
        try:
            piece = os.read(out.fileno(), _CHUNK)
        except OSError:  # the end of a pseudoterminal
            piece = b""
        if not piece:
            return said.decode(errors="replace")
        said = (said + piece)[:_MAX_OUTPUT]
    raise TimeoutError("It did not finish in time")


def _end(environment: Environment, started: StartedProcess) -> None:
    child = started.child
    if child.poll() is None:
        environment.signal(started.group, signal.SIGKILL)
        child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(10.0)
    if child.stdout is not None:
        child.stdout.close()
