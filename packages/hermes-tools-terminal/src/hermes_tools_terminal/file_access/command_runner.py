"""Run a command in a task's environment with text as its input, and return its output."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Sequence

from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.search.program_runner import SearchTimeoutError, feed_input, read_output

SECONDS = 30.0
"""The timeout."""

_MAX_OUTPUT = 20_000


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
    output = b""
    try:
        with feed_input(started.child, input, lambda: environment.signal(started.group, signal.SIGKILL)):
            for piece in read_output(started.child, time.monotonic() + SECONDS):
                output = (output + piece)[:_MAX_OUTPUT]
            return started.child.wait(SECONDS), output.decode(errors="replace")
    except (SearchTimeoutError, subprocess.TimeoutExpired) as error:
        raise TimeoutError(f"{argv[0]} took more than {SECONDS:g} seconds") from error
