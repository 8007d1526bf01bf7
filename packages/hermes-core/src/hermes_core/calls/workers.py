"""Daemon threads for blocking code: a handler that never returns costs one thread, not the process."""

from __future__ import annotations

import contextvars
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_core.calls.deadlines import Deadlined, Late, OnTime, current_task
from hermes_core.errors import describe_error
from hermes_core.thread_effort import Grace, cpu_clock

if TYPE_CHECKING:
    import asyncio

CONCURRENT = 64
"""How many blocking calls run at once on behalf of event loops; further ones wait their turn."""

_IDLE_SECONDS = 30.0
in_a_worker: contextvars.ContextVar[bool] = contextvars.ContextVar("hermesin_a_worker", default=False)


class Escaped(Exception):  # noqa: N818 - it says what happened to the exception inside
    """Raised for an exception that is not meant to be caught, raised by code in a thread where it means nothing."""


class _Job:
    """One function call on its way through a thread."""

    __slots__ = (
        "abandoned",
        "answer",
        "context",
        "counted",
        "done",
        "error",
        "function",
        "modules",
        "native_id",
        "ran",
        "waits",
    )

    def __init__(self, function: Callable[[], Any], done: Callable[[], None]) -> None:
        self.function = function
        self.done = done
        self.context = contextvars.copy_context()
        self.context.run(in_a_worker.set, True)
        self.answer: Any = None
        self.error: BaseException | None = None
        self.counted = False
        self.abandoned = False
        self.waits = False
        self.native_id: int | None = None
        self.modules = len(sys.modules)
        self.ran = 0.0

    def grace(self, seconds: float) -> Callable[[], float]:
        """Say at its deadline how much longer to wait; a job that waits for a place gets no more time."""
        return Grace(seconds, lambda: self.native_id, self.modules, self.ran).more if not self.waits else lambda: 0.0

    def run(self) -> None:
        self.ran = cpu_clock()
        self.native_id = threading.get_native_id()
        try:
            self.answer = self.context.run(self.function)
        except BaseException as error:  # foreign code: the caller decides what its exception means
            self.error = error

    def result(self) -> Any:
        if self.error is None:
            return self.answer
        error = self.error
        self.error = None  # its traceback refers to this job: break the cycle
        if isinstance(error, Exception):
            raise error
        # Nobody interrupts or cancels a worker thread: whatever looks like it was raised by the code itself.
        raise Escaped(describe_error(error)) from error


class Workers:
    """A pool that grows when callers block, so that nested calls can never wait for each other's thread."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[queue.SimpleQueue[_Job | None]] = []
        self._backlog: deque[_Job] = deque()
        self._busy = 0
        self._pid = os.getpid()

    def run(self, function: Callable[[], Any], seconds: float, *, grace: bool = False) -> Any:
        """Run a function in a thread and wait for it here. Raises `Late` past the deadline.

        Args:
            function: The function.
            seconds: How long it may take.
            grace: Whether time that it queues for a processor or imports does not count.
        """
        finished = threading.Lock()
        finished.acquire()
        job = _Job(function, finished.release)
        self._submit(job, limited=False)
        try:
            answered = finished.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))
            if not answered and grace:
                more = job.grace(seconds)
                while not answered and (wait := more()):
                    answered = finished.acquire(timeout=wait)
        except BaseException:
            self._abandon(job)
            raise
        if not answered:
            self._abandon(job)
            raise Late(seconds)
        return job.result()

    def arun(self, function: Callable[[], Any], seconds: float, *, limited: bool = True, grace: bool = False) -> OnTime:
        """Run a function in a thread, to be awaited. Raises `Late` past the deadline.

        Args:
            function: The function.
            seconds: How long it may take.
            limited: Whether it is among those of which only so many run at once.
            grace: Whether time that it queues for a processor or imports does not count.
        """
        task = current_task()
        if task is None:
            return Deadlined(self._on_any_loop(function, seconds, limited, grace))
        return Deadlined(self._on_asyncio(function, seconds, limited, grace, task))

    async def _on_asyncio(
        self, function: Callable[[], Any], seconds: float, limited: bool, grace: bool, task: asyncio.Task[Any]
    ) -> Any:
        loop = task.get_loop()
        answered: asyncio.Future[bool] = loop.create_future()

        def answer(in_time: bool) -> None:
            if not answered.done():
                answered.set_result(in_time)

        def done() -> None:
            try:
                loop.call_soon_threadsafe(answer, True)
            except RuntimeError:
                return  # the loop is closed, and with it everybody who could have waited

        job = _Job(function, done)
        more: Callable[[], float] | None = None
        timer: asyncio.TimerHandle | None = None

        def expire() -> None:
            nonlocal timer, more
            more = more or job.grace(seconds)
            if grace and (wait := more()):
                timer = loop.call_later(wait, expire)
            else:
                answer(False)

        timer = loop.call_later(seconds, expire) if seconds < threading.TIMEOUT_MAX else None
        self._submit(job, limited=limited)
        try:
            in_time = await answered
        except BaseException:
            self._abandon(job)
            raise
        finally:
            if timer is not None:
                timer.cancel()
        if not in_time:
            self._abandon(job)
            raise Late(seconds)
        return job.result()

    async def _on_any_loop(self, function: Callable[[], Any], seconds: float, limited: bool, grace: bool) -> Any:
        import anyio
        import anyio.from_thread
        import anyio.lowlevel

        answered = anyio.Event()
        token = anyio.lowlevel.current_token()

        def done() -> None:
            try:
                anyio.from_thread.run_sync(answered.set, token=token)
            except Exception:  # noqa: S110 - the loop is gone, and with it everybody who could have waited
                pass

        job = _Job(function, done)
        self._submit(job, limited=limited)
        try:
            wait, more = seconds, None
            while wait and not answered.is_set():
                with anyio.CancelScope(deadline=anyio.current_time() + wait):
                    await answered.wait()
                if not answered.is_set():
                    more = more or job.grace(seconds)
                    wait = more() if grace else 0.0
        finally:
            if not answered.is_set():
                self._abandon(job)
        if not answered.is_set():
            raise Late(seconds)
        return job.result()

    def close(self) -> None:
        """Let idle threads go. One that is busy ends when its work does, and nobody waits for it."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)

    def _submit(self, job: _Job, *, limited: bool) -> None:
        waits = limited and not in_a_worker.get()  # who holds a place must not wait for another
        if os.getpid() != self._pid:  # after a fork the threads are gone, only the bookkeeping came along
            self._forget()
        with self._lock:
            if not self._idle and waits and self._busy >= CONCURRENT:
                job.waits = True
                self._backlog.append(job)
                return
            if limited:
                self._count(job)
            if self._idle:
                self._idle.pop().put(job)
                return
        self._start(job)

    def _start(self, job: _Job) -> None:
        inbox: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        inbox.put(job)
        threading.Thread(target=self._serve, args=(inbox,), name="hermes-worker", daemon=True).start()

    def _count(self, job: _Job) -> None:
        job.counted = True
        job.waits = False
        self._busy += 1

    def _discount(self, job: _Job) -> _Job | None:
        """Give a job's place back, once; the next one that waits for a place gets it, and is returned to be started."""
        if job.counted:
            job.counted = False
            self._busy -= 1
        while self._backlog and self._busy < CONCURRENT:
            following = self._backlog.popleft()
            if not following.abandoned:
                self._count(following)
                return following
        return None

    def _abandon(self, job: _Job) -> None:
        """Stop counting a job that nobody waits for: its thread may never come back."""
        with self._lock:
            job.abandoned = True
            following = self._discount(job)
        if following is not None:
            self._start(following)

    def _serve(self, inbox: queue.SimpleQueue[_Job | None]) -> None:
        while True:
            try:
                job = inbox.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if inbox in self._idle:
                        self._idle.remove(inbox)
                        return
                continue  # a job was sent in this very moment
            idle = False  # a message without a job means: go
            while job is not None:
                job, idle = self._work(job, inbox)
            if not idle:
                return

    def _work(self, job: _Job, inbox: queue.SimpleQueue[_Job | None]) -> tuple[_Job | None, bool]:
        """Run a job; the next one that waits, or None, and whether this thread is idle now."""
        if not job.abandoned:
            job.run()
            job.done()
        with self._lock:
            following = self._discount(job)
            if following is not None or self._closed:
                return following, False
            self._idle.append(inbox)
            return None, True
