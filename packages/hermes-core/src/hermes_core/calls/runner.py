"""Runs foreign code, such as handlers and hooks, where its deadline can be enforced.

Blocking code runs in a thread, which can be abandoned at the deadline. A thread costs more than most code, so code that
repeatedly returned at once without waiting runs in place. Speed alone is not enough: code that asks a server may be
fast until the server stops responding.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import perf_counter
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from hermes_core.calls.deadlines import IMPORTS, LOAD, Within, current_task, in_time, step
from hermes_core.calls.worker_threads import AbandonedThreads, Escaped, Workers
from hermes_core.errors import BridgeError, describe_error

if TYPE_CHECKING:
    import asyncio

    from hermes_core.calls.bridge import Bridge

_QUICK_SECONDS = 0.001
_NEVER = -(10**9)
PROVEN = 3  # successive runs below a millisecond before code runs in place
_MAX_WAITS = 2
"""After this many runs that waited, code always runs in a thread. A single wait may be a page fault."""

_PLAIN = frozenset({str, int, float, bool, dict, list, tuple, type(None)})


try:
    from resource import RUSAGE_THREAD, getrusage
except ImportError:  # not on this system

    def _waits() -> int:
        return 0

else:

    def _waits() -> int:
        """Return how often this thread has given up the processor to wait."""
        return getrusage(RUSAGE_THREAD).ru_nvcsw


def _makes_coroutines(function: Callable[..., Any]) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004 - the method itself is asked about


class Callee:
    """A foreign function and its behavior so far.

    Args:
        function: The function.
        is_async: Whether it is async. An async tool that is a plain function is `eager`: it returns an awaitable only
            if it has to wait, and other answers need no event loop.
        exact: Whether the deadline was configured: then the function always runs in a thread and the deadline is exact.
        is_handler: Whether it is a tool's handler: its answer is read completely, and it never runs in place on an
            event loop, which it could block.
        patient: Whether it waits for people: then it does not count against the limit of concurrent calls.
        grace: Whether time to wait for a processor or to import modules does not count against the deadline. Outside of
            its own thread, this cannot be measured exactly enough for a configured deadline.
        bridge: The bridge that runs it for sync callers if it is async; by default that of the runner.
        name: The name to count abandoned calls under; None if they are not counted.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        is_async: bool | None = None,
        exact: bool = False,
        is_handler: bool = False,
        patient: bool = False,
        grace: bool = True,
        bridge: LazyBridge | None = None,
        name: str | None = None,
    ) -> None:
        self.function = function
        self.is_async = inspect.iscoroutinefunction(function) if is_async is None else is_async
        self.exact = exact
        self.is_handler = is_handler
        self.patient = patient
        self.grace = grace and not is_handler
        self.loop_grace = (IMPORTS if exact else LOAD) if self.grace else 0
        self.bridge = bridge
        self.name = name
        self.quick = _NEVER if exact or self.is_async else 0
        self.eager = self.is_async and not _makes_coroutines(function)
        self._waited = 0

    def in_place(self, args: Sequence[Any], kwargs: Mapping[str, Any], seconds: float, begun: float = 0.0) -> Any:
        """Run it in this thread. A late answer does not count. The time may count from `begun`."""
        begun = begun or perf_counter()
        try:
            answer = self.function(*args, **kwargs)
            if type(answer) not in _PLAIN:
                answer = self._read(answer, seconds)
        except Exception:
            raise
        except BaseException as error:
            from hermes_core.calls.interrupts import comes_from_signal  # few calls are interrupted

            if comes_from_signal(error):
                raise
            raise Escaped(describe_error(error)) from error  # the code raised it itself
        if perf_counter() - begun > _QUICK_SECONDS:
            self.quick = 0
            return in_time(answer, begun, len(sys.modules), seconds, LOAD if self.loop_grace == LOAD else 0)
        return answer

    def observed(self, args: Sequence[Any], kwargs: Mapping[str, Any], seconds: float) -> Any:
        """Run it and record how long it took and whether it waited."""
        waits = _waits()
        started = perf_counter()
        try:
            answer = self.function(*args, **kwargs)
            # The deadline of the code also applies to a generator that it returned.
            return answer if type(answer) in _PLAIN else self._read(answer, seconds)
        finally:
            quick = perf_counter() - started < _QUICK_SECONDS
            if _waits() != waits:
                quick = False
                self._waited += 1
                self.quick = _NEVER if self._waited >= _MAX_WAITS else self.quick
            self.quick = self.quick + 1 if quick and not self.exact else min(self.quick, 0)

    def _read(self, answer: Any, seconds: float) -> Any:
        if not self.is_handler and type(answer) is not GeneratorType:
            return answer
        from hermes_core.calls.lazy_results import read_answer  # few tools produce their results

        return read_answer(answer, seconds, whole=self.is_handler)


def is_plain(answer: object) -> bool:
    """Return True unless the answer is an awaitable."""
    return type(answer) in _PLAIN or not isinstance(answer, Awaitable)


class LazyBridge:
    """The bridge of a host, created for the first async code that sync code waits for."""

    def __init__(self, abandoned: AbandonedThreads) -> None:
        self._abandoned = abandoned
        self._lock = threading.Lock()
        self._closed = False
        self.made: Bridge | None = None

    def inside(self) -> bool:
        """Return True on the bridge's own thread."""
        return self.made is not None and self.made.inside()

    def refuse_inside(self, doing: str) -> None:
        """Raise `BridgeError` on the bridge's thread, where waiting for the loop would be a deadlock."""
        if self.inside():
            raise BridgeError(doing)

    def run(self, make: Callable[[], Awaitable[Any]], seconds: float, **options: Any) -> Any:
        """Run `make()` on the loop and wait for its result; see `Bridge.run`."""
        if self.made is None:
            from hermes_core.calls.bridge import Bridge

            with self._lock:
                self.made = self.made or Bridge(self._abandoned, closed=self._closed)
        return self.made.run(make, seconds, **options)

    def close(self) -> None:
        """Stop the loop, if it was created."""
        with self._lock:
            self._closed = True
        if self.made is not None:
            self.made.close()


class Runner:
    """Runs foreign code for callers without an event loop: everything finishes before the coroutine continues.

    Its methods raise `DeadlineError` past the deadline, exceptions of the code, `Escaped` in place of those such as
    `SystemExit`, and signals or the caller's cancellation.
    """

    def __init__(self, bridge: LazyBridge, workers: Workers) -> None:
        self.blocks = True
        self._bridge = bridge
        self._workers = workers

    def in_place(self) -> bool:
        """Return True if proven code may run in the caller's thread."""
        return True

    async def run(self, callee: Callee, args: Sequence[Any], kwargs: Mapping[str, Any], seconds: float) -> Any:
        """Run code and return its answer."""
        answer = self.start(callee, args, kwargs, seconds)
        return answer if is_plain(answer) else await self.hear(answer, seconds)

    def start(self, callee: Callee, args: Sequence[Any], kwargs: Mapping[str, Any], seconds: float) -> Any:
        """Start code; return the answer if it is ready, otherwise an awaitable that enforces the deadline."""
        if callee.quick >= PROVEN:
            return callee.in_place(args, kwargs, seconds)
        if callee.is_async:
            bridge, name = callee.bridge or self._bridge, callee.name
            self._workers.abandoned.refuse(name)
            if callee.eager:
                answer = callee.in_place(args, kwargs, seconds)
                if is_plain(answer):
                    return answer
                return bridge.run(lambda: answer, seconds, grace=callee.loop_grace, name=name)
            make = functools.partial(callee.function, *args, **kwargs)
            return bridge.run(make, seconds, grace=callee.loop_grace, name=name)
        work = functools.partial(callee.observed, args, kwargs, seconds)
        return self._workers.run(work, seconds, grace=callee.grace, name=callee.name)

    async def finish(self, answer: Any, seconds: float) -> Any:
        """Await the result of `start`, or an awaitable that the code returned."""
        return self._bridge.run(lambda: answer, seconds)

    async def hear(self, answer: Any, seconds: float) -> Any:
        """Await an answer. If the code swallows a cancellation of the caller, raise it afterwards."""
        return await self.finish(answer, seconds)


class LoopRunner(Runner):
    """Runs foreign code for callers on an event loop: async code on their loop, blocking code in threads."""

    def __init__(self, bridge: LazyBridge, workers: Workers) -> None:
        super().__init__(bridge, workers)
        self.blocks = False

    def in_place(self) -> bool:
        """Return False on the bridge's loop, where code could not call the host without a deadlock."""
        return not self._bridge.inside()

    def start(self, callee: Callee, args: Sequence[Any], kwargs: Mapping[str, Any], seconds: float) -> Any:
        """Run the first step here, or the code in a thread."""
        if callee.is_async:
            try:
                answer = callee.function(*args, **kwargs)
                return answer if callee.eager and is_plain(answer) else step(answer, seconds, grace=callee.loop_grace)
            except BaseException as error:
                _require_meant(error)
                raise
        if callee.quick >= PROVEN and not callee.is_handler and self.in_place():
            return callee.in_place(args, kwargs, seconds)
        work = functools.partial(callee.observed, args, kwargs, seconds)
        return self._workers.arun(work, seconds, limited=not callee.patient, grace=callee.grace, name=callee.name)

    async def hear(self, answer: Any, seconds: float) -> Any:
        """Await the answer, then check whether the caller was cancelled."""
        task = current_task()
        before = 0 if task is None else task.cancelling()
        try:
            while not is_plain(answer):
                answer = await self.finish(answer, seconds)
        except Exception:
            await self._stop_if_cancelled(task, before)
            raise
        await self._stop_if_cancelled(task, before)
        return answer

    async def finish(self, answer: Any, seconds: float) -> Any:
        """Await the answer; our own awaitables enforce the deadline themselves."""
        try:
            answer = await (answer if isinstance(answer, Within) else Within(answer, seconds))
            return answer if is_plain(answer) else await Within(answer, seconds)
        except BaseException as error:
            _require_meant(error)
            raise

    @staticmethod
    async def _stop_if_cancelled(task: asyncio.Task[Any] | None, before: int) -> None:
        if task is not None and task.cancelling() <= before:
            return
        if task is None or "anyio" in sys.modules:  # a cancel scope detects only its own cancellations
            import anyio.lowlevel

            await anyio.lowlevel.checkpoint_if_cancelled()
        if task is not None:
            raise sys.modules["asyncio"].CancelledError


def _require_meant(error: BaseException) -> None:
    """Raise `Escaped` for an exception such as `CancelledError` that the code raised itself."""
    if isinstance(error, Exception):
        return
    from hermes_core.calls.interrupts import comes_from_outside

    task = current_task()
    is_own = type(error).__name__ == "CancelledError" and task is not None and not task.cancelling()
    if is_own or not comes_from_outside(error):
        raise Escaped(describe_error(error)) from error
