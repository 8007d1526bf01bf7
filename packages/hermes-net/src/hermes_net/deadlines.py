"""The deadline of a request, known to everything that waits for it."""

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
"""Connections are shared by requests, so reads get the deadline from the thread of their request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The deadline of a request with its redirects, and the identity of the first request."""

    deadline: float
    first: int


def start_deadline(request: httpx2.Request, seconds: float) -> tuple[float, bool]:
    """Return the deadline of a request, and whether it is a redirect; redirects inherit the extensions."""
    run = request.extensions.get(_EXTENSION)
    if isinstance(run, _Run) and run.first != id(request):
        return run.deadline, True
    made = _Run(deadline=time.monotonic() + seconds, first=id(request))
    request.extensions[_EXTENSION] = made
    return made.deadline, False


def seconds_left(deadline: float) -> float:
    """Return the remaining seconds.

    Raises:
        ResponseLimitError: the deadline has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise timeout_error()
    return left


def timeout_error() -> ResponseLimitError:
    """Build the error for a request that takes too long."""
    return ResponseLimitError("seconds", "The server did not finish its response in time.")


@contextmanager
def deadline_scope(deadline: float) -> Iterator[None]:
    """Apply a deadline to the reads of this thread."""
    token = _now_running.set(deadline)
    try:
        yield
    finally:
        _now_running.reset(token)


def limit_timeout(timeout: float | None) -> float | None:
    """Return the timeout, or the remaining time if that is shorter."""
    deadline = _now_running.get()
    if deadline is None:
        return timeout
    left = seconds_left(deadline)
    return left if timeout is None else min(timeout, left)
