"""Run coroutines without an event loop as far as possible: most commands end before they need one."""

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
    """Await this before anything that needs an event loop; does nothing inside one."""
    if getattr(_here, "eager", False):
        yield _LOOP_WANTED


def run_eagerly(work: Coroutine[Any, Any, Answer]) -> Answer | Awaitable[Answer]:
    """Run a coroutine; return its result, or an awaitable for the rest of it."""
    before, _here.eager = getattr(_here, "eager", False), True
    try:
        wanted = work.send(None)
    except StopIteration as finished:
        answer: Answer = finished.value
        return answer
    finally:
        _here.eager = before
    assert wanted is _LOOP_WANTED, "something waited without require_event_loop"
    return _Rest(work)


class _Rest(Generic[Answer]):
    """The rest of a coroutine that needs an event loop."""

    def __init__(self, work: Coroutine[Any, Any, Answer]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, Any, Answer]:
        return (yield from self._work.__await__())
