"""Runs async code as far as it goes without an event loop: most commands are over before one would have been asked."""

from __future__ import annotations

import threading
import types
from collections.abc import Awaitable, Coroutine, Generator
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")

_here = threading.local()
_LOOP_WANTED = object()


@types.coroutine
def require_event_loop() -> Generator[object, None, None]:
    """Awaited before anything that needs an event loop; nothing happens where there is one already."""
    if getattr(_here, "eager", False):
        yield _LOOP_WANTED


def run_eagerly(work: Coroutine[Any, Any, Answer]) -> Answer | Awaitable[Answer]:
    """Begin with some work here: its answer, or what has to be awaited on an event loop for the rest of it."""
    before, _here.eager = getattr(_here, "eager", False), True
    try:
        wanted = work.send(None)
    except StopIteration as finished:
        answer: Answer = finished.value
        return answer
    finally:
        _here.eager = before
    assert wanted is _LOOP_WANTED, "something waited without asking for an event loop first"
    return _Rest(work)


class _Rest(Generic[Answer]):
    """The rest of a coroutine that stands where it wants an event loop."""

    def __init__(self, work: Coroutine[Any, Any, Answer]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, Any, Answer]:
        return (yield from self._work.__await__())
