"""Deadlines for foreign code. Awaitables that finish without waiting need no timer."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from threading import get_native_id
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from anyio import CancelScope

    from hermes_core.thread_effort import Grace

IMPORTS, LOAD = 1, 2
"""What a deadline on an event loop does not count: imports; or imports and waiting for a processor."""

_AGAIN_SECONDS = 0.5  # between cancellations of code that ignores them
_MAX_IGNORED = 3  # cancellations before code is abandoned
Steps = Generator[Any, Any, Any] | Coroutine[Any, Any, Any]


class DeadlineError(Exception):
    """Raised when foreign code missed its deadline."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"no answer after {seconds:g} s")


def drive(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that blocks its thread instead of suspending."""
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return finished.value
    coroutine.close()
    raise RuntimeError("a coroutine driven without an event loop tried to wait for one")


class Within(Awaitable[Any]):
    """Awaits something under a deadline: `await Within(awaitable, seconds)`.

    `grace` is what does not count: 0, `IMPORTS` or `LOAD`. `begun` is for a coroutine that has taken its first step:
    when, the number of modules then, and what it awaits.
    """

    __slots__ = ("_awaitable", "_begun", "_grace", "_seconds")

    def __init__(
        self, awaitable: Awaitable[Any], seconds: float, *, grace: int = 0, begun: tuple[float, int, Any] | None = None
    ) -> None:
        self._awaitable = awaitable
        self._seconds = seconds
        self._grace = grace
        self._begun = begun

    def __await__(self) -> Generator[Any, Any, Any]:
        task = current_task()
        if task is None:
            return (yield from _scoped(self._awaitable, self._seconds, grace=self._grace).__await__())
        steps: Any = self._awaitable
        if self._begun is not None:
            return (yield from self._resume(steps, *self._begun, task))
        steps, started, modules = steps.__await__(), perf_counter(), len(sys.modules)
        try:
            waits_for = next(steps)
        except StopIteration as finished:
            return in_time(finished.value, started, modules, self._seconds, self._grace)
        return (yield from self._resume(steps, started, modules, waits_for, task))

    def _resume(
        self, steps: Steps, started: float, modules: int, waits_for: Any, task: asyncio.Task[Any]
    ) -> Generator[Any, Any, Any]:
        """Continue under a timer that cancels the task, and distinguish its cancellation from others."""
        seconds = self._seconds
        if seconds == math.inf:
            return (yield from _go_on(steps, waits_for))
        from asyncio import CancelledError

        loop = task.get_loop()
        cancelled = 0
        timer: asyncio.TimerHandle
        more: Grace | None = None

        def expire() -> None:
            nonlocal cancelled, more, timer
            if self._grace and not cancelled:
                if more is None:
                    from hermes_core.thread_effort import Grace  # few calls miss their deadline

                    more = Grace(seconds, get_native_id, modules, None, counts_load=self._grace != LOAD)
                if wait := more.more():
                    timer = loop.call_later(wait, expire)
                    return
            cancelled += 1
            task.cancel()
            timer = loop.call_later(_AGAIN_SECONDS, expire)

        before = task.cancelling()
        timer = loop.call_later(max(0.0, seconds - (perf_counter() - started)), expire)
        try:
            answer = yield from _go_on(steps, waits_for, lambda: cancelled > _MAX_IGNORED)
            if cancelled:  # it finished despite its cancellation, but too late
                raise DeadlineError(seconds)
            return in_time(answer, started, modules, seconds, self._grace)
        except _Abandoned:
            left, cancelled = _take_back(task, cancelled), 0
            raise DeadlineError(seconds) if left <= before else CancelledError from None
        except CancelledError:
            timer.cancel()
            if _take_back(task, cancelled) <= before and cancelled:
                raise DeadlineError(seconds) from None
            cancelled = 0
            raise
        finally:
            timer.cancel()
            if cancelled and task.cancelling() > before:
                _take_back(task, cancelled)


def step(awaitable: Awaitable[Any], seconds: float, *, grace: int = 0) -> Any:
    """Start an awaitable on the running loop; return its result if it does not wait, otherwise an awaitable.

    Most async tools and hooks finish without waiting, and starting a timer would cost more than running them. So only
    code that suspends gets a timer. A cancel scope cannot be entered that late, inside scopes that the code itself has
    opened.
    """
    if type(awaitable) is not types.CoroutineType or "trio" in sys.modules:
        return Within(awaitable, seconds, grace=grace)
    started, modules = perf_counter(), len(sys.modules)
    try:
        waits_for = awaitable.send(None)
    except StopIteration as finished:
        return in_time(finished.value, started, modules, seconds, grace)
    return Within(awaitable, seconds, grace=grace, begun=(started, modules, waits_for))


def in_time(answer: Any, started: float, modules: int, seconds: float, grace: int) -> Any:
    """Return the answer, or raise `DeadlineError`: code that blocks its loop also blocks the timer."""
    took = perf_counter() - started
    if took <= seconds or (grace and modules != len(sys.modules)):
        return answer
    if grace == LOAD:
        from hermes_core.thread_effort import is_excused

        if is_excused(took, seconds):
            return answer
    raise DeadlineError(seconds)


def current_task() -> asyncio.Task[Any] | None:
    """Return the running asyncio task; None on other event loops."""
    loaded = sys.modules.get("asyncio")
    try:
        task: asyncio.Task[Any] | None = loaded.current_task() if loaded else None
    except RuntimeError:
        return None
    return task


def _take_back(task: asyncio.Task[Any], cancelled: int) -> int:
    """Withdraw our own cancellation requests; return the number of others."""
    left = task.cancelling()
    for _ in range(cancelled):
        left = task.uncancel()
    return left


async def _scoped(awaitable: Awaitable[Any], seconds: float, *, grace: int) -> Any:
    import anyio

    with anyio.move_on_after(seconds) as scope:
        return await (_restart_after_imports(awaitable, scope, seconds) if grace else awaitable)
    raise DeadlineError(seconds)


@types.coroutine
def _restart_after_imports(awaitable: Awaitable[Any], scope: CancelScope, seconds: float) -> Generator[Any, Any, Any]:
    """Await something in a scope whose deadline restarts if the first step imported modules."""
    import anyio

    steps, modules = awaitable.__await__(), len(sys.modules)
    try:
        waits_for = next(steps)
    except StopIteration as finished:
        return finished.value
    if len(sys.modules) != modules:
        scope.deadline = anyio.current_time() + seconds
    return (yield from _go_on(steps, waits_for))


class _Abandoned(BaseException):
    """Raised for code that still waits after several cancellations."""


def _go_on(steps: Steps, waits_for: Any, hopeless: Callable[[], bool] = lambda: False) -> Generator[Any, Any, Any]:
    """Continue an iterator after its first value, which `yield from` would lose, until it is `hopeless`."""
    while True:
        try:
            sent = yield waits_for
        except GeneratorExit:  # the caller closes the coroutine: ignore code that continues
            steps.close()
            raise
        except BaseException as error:  # the waiting code also gets cancellations
            try:
                waits_for = steps.throw(error)
            except StopIteration as finished:
                return finished.value
            if hopeless():
                with suppress(BaseException):  # it ignores this, too
                    steps.close()
                raise _Abandoned from None
        else:
            try:
                waits_for = steps.send(sent)
            except StopIteration as finished:
                return finished.value
