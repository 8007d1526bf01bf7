"""Deadlines for awaitables that cost nothing until the awaited code really waits."""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from time import perf_counter
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from hermes_core.thread_effort import LOAD, LoopGrace, is_excused

if TYPE_CHECKING:
    import asyncio

    from anyio import CancelScope

_AGAIN_SECONDS = 0.5
"""How soon code that shrugged off its cancellation is cancelled once more."""

_MOST_SHRUGS = 3
"""After so many cancellations nobody waits for it any longer. What it had to clean up it has had the time for."""


Steps = Generator[Any, Any, Any] | Coroutine[Any, Any, Any]


class Late(Exception):  # noqa: N818 - a signal between the runner and the pipeline, never shown
    """Raised when foreign code went past its deadline."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"no answer after {seconds:g} s")


_Begun = tuple[float, int]
"""When some code began, and how many modules there were by then."""


class OnTime(Awaitable[Any]):
    """Base of awaitables that keep their own deadline."""

    __slots__ = ()


class Deadlined(OnTime):
    """A coroutine that keeps its own deadline."""

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._coroutine.__await__()


class Within(OnTime):
    """Awaits something under a deadline: `await Within(awaitable, seconds)`.

    Args:
        awaitable: What to await.
        seconds: Its deadline.
        grace: What does not count against the deadline: 0, `IMPORTS`, or `LOAD`.
    """

    __slots__ = ("_awaitable", "_grace", "_seconds")

    def __init__(self, awaitable: Awaitable[Any], seconds: float, *, grace: int = 0) -> None:
        self._awaitable = awaitable
        self._seconds = seconds
        self._grace = grace

    def __await__(self) -> Generator[Any, Any, Any]:
        task = current_task()
        if task is None:
            return (yield from _scoped(self._awaitable, self._seconds, grace=self._grace).__await__())
        steps = self._awaitable.__await__()
        started, modules = perf_counter(), len(sys.modules)
        try:
            waiting_for = next(steps)
        except StopIteration as finished:
            return in_time(finished.value, started, self._seconds, modules, self._grace)
        begun = started, modules
        return (yield from _resume_within(steps, waiting_for, task, self._seconds, begun, self._grace))


class _Rest(OnTime):
    """What is left of a coroutine that has taken its first step."""

    __slots__ = ("_begun", "_coroutine", "_grace", "_seconds", "_waiting_for")

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], waiting_for: Any, seconds: float, begun: _Begun, grace: int
    ) -> None:
        self._coroutine = coroutine
        self._waiting_for = waiting_for
        self._seconds = seconds
        self._begun = begun
        self._grace = grace

    def __await__(self) -> Generator[Any, Any, Any]:
        task = current_task()
        assert task is not None
        steps, waiting_for = self._coroutine, self._waiting_for
        return (yield from _resume_within(steps, waiting_for, task, self._seconds, self._begun, self._grace))


def step(awaitable: Awaitable[Any], seconds: float, *, grace: int = 0) -> Any:
    """Start an awaitable on the running loop: its result when it does not wait, else an awaitable for the rest.

    Most async tools and hooks finish without waiting, and arming a timer costs more than running them. So the first
    step is taken at once, and only code that suspends gets a timer for the rest. A cancel scope cannot be entered
    that late, inside scopes that the code itself has opened; a timer that cancels the task can.
    """
    if type(awaitable) is not CoroutineType or "trio" in sys.modules:
        return Within(awaitable, seconds, grace=grace)
    started, modules = perf_counter(), len(sys.modules)
    try:
        waiting_for = awaitable.send(None)
    except StopIteration as finished:
        return in_time(finished.value, started, seconds, modules, grace)
    return _Rest(awaitable, waiting_for, seconds, (started, modules), grace)


def in_time(answer: Any, started: float, seconds: float, modules: int, grace: int) -> Any:
    """The answer, unless it came too late: code that blocks its loop gives no timer a chance to say so.

    Args:
        answer: The answer.
        started: When the code began.
        seconds: Its deadline.
        modules: How many modules there were by then.
        grace: What does not count: 0, `IMPORTS`, or `LOAD`.
    """
    took = perf_counter() - started
    if took <= seconds or (grace and modules != len(sys.modules)) or (grace == LOAD and is_excused(took, seconds)):
        return answer
    raise Late(seconds)


def current_task() -> asyncio.Task[Any] | None:
    """The running asyncio task; None on any other event loop, which anyio will know."""
    loaded = sys.modules.get("asyncio")
    try:
        task: asyncio.Task[Any] | None = loaded.current_task() if loaded else None
    except RuntimeError:
        return None
    return task


def _resume_within(
    steps: Steps, waiting_for: Any, task: asyncio.Task[Any], seconds: float, begun: _Begun, grace: int
) -> Generator[Any, Any, Any]:
    """Go on under a timer that cancels the task, and tell that cancellation from everybody else's."""
    if seconds == math.inf:
        return (yield from _resume(steps, waiting_for))
    from asyncio import CancelledError

    loop = task.get_loop()
    cancelled = 0
    timer: asyncio.TimerHandle

    started, modules = begun
    more = LoopGrace(seconds, modules, grace).more if grace else None

    def expire() -> None:
        nonlocal cancelled, timer
        if more is not None and not cancelled and (wait := more()):
            timer = loop.call_later(wait, expire)
            return
        cancelled += 1
        task.cancel()
        timer = loop.call_later(_AGAIN_SECONDS, expire)

    before = task.cancelling()
    timer = loop.call_later(max(0.0, seconds - (perf_counter() - started)), expire)
    try:
        answer = yield from _resume(steps, waiting_for, lambda: cancelled > _MOST_SHRUGS)
        if cancelled:  # it finished in spite of its cancellation: too late is too late, on every path
            raise Late(seconds)
        return in_time(answer, started, seconds, modules, grace)
    except _GivenUp:
        left, cancelled = _take_back(task, cancelled), 0
        raise Late(seconds) if left <= before else CancelledError from None
    except CancelledError:
        timer.cancel()
        if _take_back(task, cancelled) <= before and cancelled:
            raise Late(seconds) from None
        cancelled = 0
        raise
    finally:
        timer.cancel()
        if cancelled and task.cancelling() > before:
            _take_back(task, cancelled)


def _take_back(task: asyncio.Task[Any], cancelled: int) -> int:
    """Withdraw our own requests for cancellation; what is left are those of others."""
    left = task.cancelling()
    for _ in range(cancelled):
        left = task.uncancel()
    return left


async def _scoped(awaitable: Awaitable[Any], seconds: float, *, grace: int) -> Any:
    import anyio

    with anyio.move_on_after(seconds) as scope:
        return await _FirstStep(awaitable, scope, seconds) if grace else await awaitable
    raise Late(seconds)


class _FirstStep:
    """Awaits something in a scope, whose time begins anew if the first step imported modules."""

    def __init__(self, awaitable: Awaitable[Any], scope: CancelScope, seconds: float) -> None:
        self._awaitable = awaitable
        self._scope = scope
        self._seconds = seconds

    def __await__(self) -> Generator[Any, Any, Any]:
        import anyio

        steps, modules = self._awaitable.__await__(), len(sys.modules)
        try:
            waiting_for = next(steps)
        except StopIteration as finished:
            return finished.value
        if len(sys.modules) != modules:
            self._scope.deadline = anyio.current_time() + self._seconds
        return (yield from _resume(steps, waiting_for))


class _GivenUp(BaseException):
    """Raised for code that was cancelled again and again, and still waits."""


def _never() -> bool:
    return False


def _resume(steps: Steps, waiting_for: Any, hopeless: Callable[[], bool] = _never) -> Generator[Any, Any, Any]:
    """Go on with an iterator that already gave its first value: `yield from` would lose that value.

    Code that goes on waiting after a cancellation when there is no hope for it is left where it is.
    """
    while True:
        try:
            sent = yield waiting_for
        except GeneratorExit:  # the caller closes the coroutine: code that goes on in spite of it must not be heard
            steps.close()
            raise
        except BaseException as error:  # cancellation too belongs to the code that waits
            try:
                waiting_for = steps.throw(error)
            except StopIteration as finished:
                return finished.value
            if hopeless():
                with suppress(BaseException):  # it shrugs that off, too
                    steps.close()
                raise _GivenUp from None
        else:
            try:
                waiting_for = steps.send(sent)
            except StopIteration as finished:
                return finished.value
