"""The time that is left for a request, known to everything that waits in its name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_net.errors import ResponseLimitError

if TYPE_CHECKING:
    import httpx2

_EXTENSION = "hermes_deadline"
_now_running: ContextVar[float | None] = ContextVar("deadline of a request", default=None)
"""A connection is shared by requests, so its reads learn from the thread whose request they serve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """When a request and its redirects end, and which object was sent first."""

    deadline: float
    first: int


def begin(request: httpx2.Request, seconds: float) -> tuple[float, bool]:
    """The deadline of a request, and whether it follows a redirect; requests that do inherit their extensions."""
    run = request.extensions.get(_EXTENSION)
    if isinstance(run, _Run) and run.first != id(request):
        return run.deadline, True
    made = _Run(deadline=time.monotonic() + seconds, first=id(request))
    request.extensions[_EXTENSION] = made
    return made.deadline, False


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
