"""Runs a program that looks at a file, where the file is, and gets what it says about it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence

from hermes_tools_terminal.environments.base import Environment, PlaceError, Started

SECONDS = 30.0
"""How long a program may look at a file."""

_MOST = 20_000
_CHUNK = 65_536


def output_of(place: Environment, argv: Sequence[str], *, folder: str, seconds: float = SECONDS) -> tuple[int, str]:
    """How a program ended, and the beginning of what it printed; 127 when it cannot be started.

    Args:
        place: Where it runs.
        argv: The program and its arguments.
        folder: The folder that it runs in.
        seconds: How long it may take; 124 when that was not enough.
    """
    try:
        started = place.start(argv, cwd=folder)
    except (PlaceError, OSError) as error:
        return 127, str(error)
    child = started.child
    try:
        if child.stdin is not None:
            child.stdin.close()
        said = _heard(started, time.monotonic() + seconds)
        try:
            return child.wait(1.0), said
        except subprocess.TimeoutExpired:
            return 124, said
    finally:
        if child.poll() is None:
            place.signal(started.group, signal.SIGKILL)
            child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10.0)
        if child.stdout is not None:
            child.stdout.close()


def _heard(started: Started, deadline: float) -> str:
    out = started.child.stdout
    assert out is not None
    said = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([out], [], [], left)[0]:
            break
        try:
            piece = os.read(out.fileno(), _CHUNK)
        except OSError:  # how the end of a terminal looks
            break
        if not piece:
            break
        said = (said + piece)[:_MOST]
    return said.decode(errors="replace")
