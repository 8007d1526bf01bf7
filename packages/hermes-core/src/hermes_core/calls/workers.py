"""Daemon threads for blocking code: a handler that never returns costs one thread, not the process."""

from __future__ import annotations

import contextvars
import functools
import math
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_core.calls.deadlines import Late, Within, current_task, drive, is_answered
from hermes_core.errors import describe_error

if TYPE_CHECKING:
    import asyncio

    from hermes_core.thread_effort import Grace

_cpu_clock = time.thread_time if os.path.exists("/proc/self/schedstat") else time.process_time
"""The clock by which `thread_effort.read_times` counts how long a thread has run, for the thread that asks."""

MAX_ABANDONED = 4
"""After so many calls that were given up and still run, code is not started again until one of them ends."""

CONCURRENT = 64
"""How many blocking calls run at once on behalf of event loops; further ones wait their turn."""

_IDLE_SECONDS = 30.0
_THREAD_NAME = "hermes-worker"
in_a_worker: contextvars.ContextVar[bool] = contextvars.ContextVar("hermesin_a_worker", default=False)


class Escaped(Exception):  # noqa: N818 - it says what happened to the exception inside
    """Raised for an exception that is not meant to be caught, raised by code in a thread where it means nothing."""


class Abandoned(Exception):  # noqa: N818 - it says what happened to earlier calls
    """Raised instead of starting code of which several calls were given up and still run."""

    def __init__(self, running: int) -> None:
        self.running = running
        what = "1 earlier call did not end in time and still runs"
        super().__init__(what if running == 1 else f"{running} earlier calls did not end in time and still run")


class AbandonedThreads:
    """Counts the threads of calls that were given up and still run, by the name of the tool or hook.

    Args:
        limit: How many may run before code of that name is not started again.
    """

    def __init__(self, limit: int = MAX_ABANDONED) -> None:
        self._limit = limit
        self.counts: dict[str, int] = {}
        """How many there are of each name; names without any are not listed. It is always the same dictionary."""
        self._forget()

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._names: dict[threading.Thread, tuple[str, str]] = {}
        self.counts.clear()

    def begin(self, thread: threading.Thread, name: str | None) -> None:
        """Count a thread, and name it after what runs in it."""
        if name is None:
            return
        with self._lock:
            self._names[thread] = (name, thread.name)
            thread.name = f"hermes-abandoned-{name}"
            self.counts[name] = self.counts.get(name, 0) + 1

    def end(self, thread: threading.Thread) -> None:
        """Note that what ran in a thread has ended."""
        with self._lock:
            name, thread.name = self._names.pop(thread, ("", thread.name))
            if name:
                self.counts[name] -= 1
                if not self.counts[name]:
                    del self.counts[name]

    def refuse(self, name: str | None) -> None:
        """Raise `Abandoned` for code of which too many calls were given up and still run."""
        if not self.counts or name is None:
            return
        if os.getpid() != self._pid:  # after a fork the threads are gone
            self._forget()
        if (running := self.counts.get(name, 0)) >= self._limit:
            raise Abandoned(running)


class ThreadSignal:
    """A signal for a thread: waiting blocks it, so that the coroutine around it never suspends."""

    __slots__ = ("_lock", "give")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.give = self._lock.release

    async def wait(self, seconds: float) -> bool:
        return self._lock.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))


class _TaskSignal:
    """A signal for an asyncio task."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._given = False
        self._waits: asyncio.Future[None] | None = None

    def give(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return  # the loop is closed, and with it everybody who could have waited

    def _wake(self) -> None:
        self._given = True
        self._expire()

    def _expire(self) -> None:
        if self._waits is not None and not self._waits.done():
            self._waits.set_result(None)

    async def wait(self, seconds: float) -> bool:
        if not self._given:
            self._waits = self._loop.create_future()
            timer = self._loop.call_later(seconds, self._expire) if seconds < threading.TIMEOUT_MAX else None
            try:
                await self._waits
            finally:
                if timer is not None:
                    timer.cancel()
        return self._given


class _AnySignal:
    """A signal for a task of any event loop that anyio knows."""

    def __init__(self) -> None:
        import anyio
        import anyio.lowlevel

        self._event = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    def give(self) -> None:
        import anyio.from_thread

        try:
            anyio.from_thread.run_sync(self._event.set, token=self._token)
        except Exception:  # noqa: S110 - the loop is gone, and with it everybody who could have waited
            pass

    async def wait(self, seconds: float) -> bool:
        import anyio

        with anyio.move_on_after(seconds):
            await self._event.wait()
        return self._event.is_set()


_Signal = ThreadSignal | _TaskSignal | _AnySignal
"""What a caller waits for, and a thread gives. Its `wait` says False when the signal was not given in time."""


class _Job:
    """One function call on its way through a thread."""

    def __init__(self, function: Callable[[], Any], signal: _Signal, name: str | None) -> None:
        self.function = function
        self.signal = signal
        self.name = name
        self.thread: threading.Thread | None = None
        self.context = contextvars.copy_context()
        self.context.run(in_a_worker.set, True)
        self.answer: Any = None
        self.error: BaseException | None = None
        self.counted = self.abandoned = self.waits = False
        self.native_id: int | None = None
        self.modules = len(sys.modules)
        self.ran = 0.0
        self._grace: Grace | None = None

    def more(self, seconds: float) -> float:
        """Return how much longer to wait after the deadline; a job that waits for a place gets no more time."""
        if self._grace is None:
            if self.waits:
                return 0.0
            from hermes_core.thread_effort import Grace  # few calls are late

            self._grace = Grace(seconds, lambda: self.native_id, self.modules, self.ran)
        return self._grace.more()

    def run(self) -> None:
        self.ran = _cpu_clock()
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

    def __init__(self, abandoned: AbandonedThreads | None = None) -> None:
        self.abandoned = abandoned or AbandonedThreads()
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[queue.SimpleQueue[_Job | None]] = []
        self._backlog: deque[_Job] = deque()
        self._busy = 0
        self._pid = os.getpid()

    def run(self, function: Callable[[], Any], seconds: float, *, grace: bool = False, name: str | None = None) -> Any:
        """Run a function in a thread and wait for it here. Raises `Late` past the deadline.

        Args:
            function: The function.
            seconds: How long it may take.
            grace: Whether time that it queues for a processor or imports does not count.
            name: What its calls are called that are given up; None when those are not counted.
        """
        self.abandoned.refuse(name)
        return drive(self._run(_Job(function, ThreadSignal(), name), seconds, limited=False, grace=grace))

    def arun(
        self,
        function: Callable[[], Any],
        seconds: float,
        *,
        limited: bool = True,
        grace: bool = False,
        name: str | None = None,
    ) -> Within:
        """The same as `run`, to be awaited; of those that are `limited` only so many run at once."""
        self.abandoned.refuse(name)
        task = current_task()
        signal = _AnySignal() if task is None else _TaskSignal(task.get_loop())
        return Within(self._run(_Job(function, signal, name), seconds, limited=limited, grace=grace), math.inf)

    async def _run(self, job: _Job, seconds: float, *, limited: bool, grace: bool) -> Any:
        self._submit(job, limited=limited)
        more = functools.partial(job.more, seconds) if grace else None
        in_time = False
        try:
            in_time = await is_answered(job.signal.wait, seconds, more)
        finally:
            if not in_time:
                self._abandon(job)
        if not in_time:
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
        threading.Thread(target=self._serve, args=(inbox,), name=_THREAD_NAME, daemon=True).start()

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
        """Leave a job that nobody waits for: its thread may never come back, and has a name that says so until then."""
        with self._lock:
            job.abandoned = True
            if job.thread is not None:
                self.abandoned.begin(job.thread, job.name)
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
        """Run a job; return the next one, and whether the thread waits for one otherwise."""
        with self._lock:
            job.thread = None if job.abandoned else threading.current_thread()
        if job.thread is not None:
            job.run()
            with self._lock:
                thread, job.thread = job.thread, None
                if job.abandoned:
                    self.abandoned.end(thread)
            job.signal.give()
        with self._lock:
            following = self._discount(job)
            if following is not None or self._closed:
                return following, False
            self._idle.append(inbox)
            return None, True
