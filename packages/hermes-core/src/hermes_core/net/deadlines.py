"""The time that is left for a request, known to everything that waits in its name."""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from hermes_core.net.verdict import ResponseLimitError

_EXTENSION = "hermes_deadline"
_now_running: ContextVar[float | None] = ContextVar("deadline of a request", default=None)
"""A connection is shared by requests, so its reads learn from the thread whose request they serve."""


def begin(extensions: MutableMapping[str, Any], seconds: float) -> tuple[float, bool]:
    """The deadline of a request, and whether it follows a redirect; requests that do inherit their extensions."""
    redirected = _EXTENSION in extensions
    deadline: float = extensions.setdefault(_EXTENSION, time.monotonic() + seconds)
    return deadline, redirected


def left_until(deadline: float) -> float:
    """The seconds that are left.

    Raises:
        ResponseLimitError: there are none.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise too_late()
    return left


def too_late() -> ResponseLimitError:
    """What is raised when a request takes too long."""
    return ResponseLimitError("seconds", "The server did not finish its answer in time.")


@contextmanager
def running_until(deadline: float) -> Iterator[None]:
    """While this runs, the reads of this thread end by a deadline."""
    token = _now_running.set(deadline)
    try:
        yield
    finally:
        _now_running.reset(token)


def at_most(timeout: float | None) -> float | None:
    """A timeout, or the time that is left for the request if that is shorter."""
    deadline = _now_running.get()
    if deadline is None:
        return timeout
    left = left_until(deadline)
    return left if timeout is None else min(timeout, left)
