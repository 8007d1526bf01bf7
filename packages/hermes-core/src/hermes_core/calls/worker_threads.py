"""Daemon threads for blocking code: a handler that never returns costs one thread, not the process."""

from __future__ import annotations

import contextvars
import math
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_core.calls.deadlines import DeadlineError, Within, current_task, drive
from hermes_core.errors import describe_error

if TYPE_CHECKING:
    import asyncio

    from hermes_core.thread_effort import Grace

_cpu_clock = time.thread_time if os.path.exists("/proc/self/schedstat") else time.process_time
"""The clock of `thread_effort.read_times` for the current thread."""

MAX_ABANDONED = 4
"""With this many abandoned calls that still run, code is not started again until one of them ends."""

CONCURRENT = 64  # how many blocking calls of event loops run concurrently
_IDLE_SECONDS = 30.0
in_a_worker: contextvars.ContextVar[bool] = contextvars.ContextVar("hermes_in_a_worker", default=False)


class Escaped(Exception):  # noqa: N818 - it says what happened to the exception inside
    """Raised in place of an exception such as `SystemExit` that foreign code raised in a thread."""


class Abandoned(Exception):  # noqa: N818 - it says what happened to earlier calls
    """Raised instead of starting code that has too many abandoned calls."""

    def __init__(self, running: int) -> None:
        self.running = running
        what = "1 earlier call did not end in time and still runs"
        super().__init__(what if running == 1 else f"{running} earlier calls did not end in time and still run")


class AbandonedThreads:
    """Counts the abandoned calls that still run, by the name of the tool or hook.

    Code with `limit` such calls is not started again. `counts` contains no zeros, and is always the same dictionary.
    """

    def __init__(self, limit: int = MAX_ABANDONED) -> None:
        self._limit = limit
        self.counts: dict[str, int] = {}
        self._forget()

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._names: dict[threading.Thread, tuple[str, str]] = {}
        self.counts.clear()

    def begin(self, thread: threading.Thread, name: str | None) -> None:
        """Count a thread and rename it."""
        if name is None:
            return
        with self._lock:
            self._names[thread] = (name, thread.name)
            thread.name = f"hermes-abandoned-{name}"
            self.counts[name] = self.counts.get(name, 0) + 1

    def end(self, thread: threading.Thread) -> None:
        """Stop counting a thread whose code has ended."""
        with self._lock:
            name, thread.name = self._names.pop(thread, ("", thread.name))
            if name:
                self.counts[name] -= 1
                if not self.counts[name]:
                    del self.counts[name]

    def refuse(self, name: str | None) -> None:
        """Raise `Abandoned` for code with too many abandoned calls."""
        if not self.counts or name is None:
            return
        if os.getpid() != self._pid:  # after a fork the threads are gone
            self._forget()
        if (running := self.counts.get(name, 0)) >= self._limit:
            raise Abandoned(running)


class ThreadSignal:
    """A signal for a thread: waiting blocks the thread, so the coroutine never suspends."""

    __slots__ = ("_lock", "give")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.give = self._lock.release

    async def wait(self, seconds: float) -> bool:
        """Return False if the signal was not given in time."""
        return self._lock.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))


class _TaskSignal:
    """A signal for an asyncio task: a future and a timer are faster than anyio's event and scope."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._loop = task.get_loop()
        self._given = False
        self._future: asyncio.Future[None] | None = None

    def give(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, so no task waits
            self._loop.call_soon_threadsafe(self._wake)

    async def wait(self, seconds: float) -> bool:
        if not self._given:
            self._future = self._loop.create_future()
            timer = self._loop.call_later(min(seconds, threading.TIMEOUT_MAX), self._end_wait)
            try:
                await self._future
            finally:
                timer.cancel()
        return self._given

    def _wake(self) -> None:
        self._given = True
        self._end_wait()

    def _end_wait(self) -> None:
        if self._future is not None and not self._future.done():
            self._future.set_result(None)


class _LoopSignal:
    def __init__(self) -> None:
        import anyio
        from anyio.from_thread import run_sync
        from anyio.lowlevel import current_token

        self._event = anyio.Event()
        self._within = anyio.move_on_after
        self._call = partial(run_sync, self._event.set, token=current_token())

    def give(self) -> None:
        with suppress(Exception):  # the loop is closed, so no task waits
            self._call()

    async def wait(self, seconds: float) -> bool:
        with self._within(seconds):
            await self._event.wait()
        return self._event.is_set()


def _new_signal() -> _TaskSignal | _LoopSignal:
    task = current_task()
    return _LoopSignal() if task is None else _TaskSignal(task)


Signal = ThreadSignal | _TaskSignal | _LoopSignal


class Job:
    """Code that runs in another thread, and its result. Without a name, it is not counted if it is abandoned."""

    def __init__(self, signal: Signal, name: str | None) -> None:
        self.signal = signal
        self.name = name
        self.answer: Any = None
        self.error: BaseException | None = None
        self.native_id: int | None = None
        self.waits = False
        self._ran = 0.0
        self._modules = len(sys.modules)
        self._grace: Grace | None = None

    async def is_answered(self, seconds: float, *, grace: bool, extra: float = 0.0) -> bool:
        """Wait for the signal until the deadline plus `extra` seconds; `grace` extends it for imports and load."""
        wait = seconds + extra
        while not await self.signal.wait(wait):
            wait = self._more(seconds) if grace else 0.0
            if not wait:
                return False
        return True

    def _more(self, seconds: float) -> float:
        """Return how much longer to wait after the deadline; queued jobs get no more time."""
        if self._grace is None:
            if self.waits:
                return 0.0
            from hermes_core.thread_effort import Grace  # few calls miss their deadline

            self._grace = Grace(seconds, lambda: self.native_id, self._modules, self._ran)
        return self._grace.more()

    def result(self) -> Any:
        """Return the answer, or raise the error of the code."""
        error, self.error = self.error, None  # break the cycle: its traceback refers to this job
        if error is None:
            return self.answer
        if isinstance(error, Exception):
            raise error
        # Threads are neither interrupted nor cancelled, so the code raised this itself.
        raise Escaped(describe_error(error)) from error


class _ThreadJob(Job):
    def __init__(self, function: Callable[[], Any], signal: Signal, name: str | None) -> None:
        super().__init__(signal, name)
        self._function = function
        self._context = contextvars.copy_context()
        self._context.run(in_a_worker.set, True)
        self.thread: threading.Thread | None = None
        self.counted = self.abandoned = False

    def run(self) -> None:
        self._ran, self.native_id = _cpu_clock(), threading.get_native_id()
        try:
            self.answer = self._context.run(self._function)
        except BaseException as error:  # foreign code: the caller decides what its exception means
            self.error = error


_Inbox = queue.SimpleQueue[_ThreadJob | None]


class Workers:
    """A thread pool that grows when callers block, so that nested calls never wait for each other's thread."""

    def __init__(self, abandoned: AbandonedThreads | None = None) -> None:
        self.abandoned = abandoned or AbandonedThreads()
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[_Inbox] = []  # the inboxes of waiting threads, the latest last
        self._backlog: deque[_ThreadJob] = deque()
        self._busy = 0
        self._pid = os.getpid()

    def run(self, function: Callable[[], Any], seconds: float, *, grace: bool = False, name: str | None = None) -> Any:
        """Run a function in a thread and wait for it; see `Job`. Raises `DeadlineError` past the deadline."""
        self.abandoned.refuse(name)
        return drive(self._run(_ThreadJob(function, ThreadSignal(), name), seconds, limited=False, grace=grace))

    def arun(
        self,
        function: Callable[[], Any],
        seconds: float,
        *,
        limited: bool = True,
        grace: bool = False,
        name: str | None = None,
    ) -> Within:
        """Like `run`, but returns an awaitable; the number of concurrent `limited` calls is bounded."""
        self.abandoned.refuse(name)
        return Within(
            self._run(_ThreadJob(function, _new_signal(), name), seconds, limited=limited, grace=grace), math.inf
        )

    async def _run(self, job: _ThreadJob, seconds: float, *, limited: bool, grace: bool) -> Any:
        in_time = False
        try:
            self._submit(job, limited=limited)
            in_time = await job.is_answered(seconds, grace=grace)
        finally:
            if not in_time:
                self._abandon(job)
        if not in_time:
            raise DeadlineError(seconds)
        return job.result()

    def close(self) -> None:
        """End idle threads. Busy ones end after their work, and the caller does not wait for them."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)

    def _submit(self, job: _ThreadJob, *, limited: bool) -> None:
        if os.getpid() != self._pid:  # after a fork there are no threads, only a copy of the state
            self._forget()
        with self._lock:
            if limited and self._busy >= CONCURRENT and not in_a_worker.get():  # nested calls must not wait
                job.waits = True
                self._backlog.append(job)
                return
            inbox = self._admit(job, counted=limited)
        self._start(job, inbox)  # without the lock, which the thread needs

    def _admit(self, job: _ThreadJob, *, counted: bool) -> _Inbox | None:
        """Count a job that starts; return the inbox of an idle thread, if there is one. Called under the lock."""
        job.counted, job.waits = counted, False
        self._busy += counted
        return self._idle.pop() if self._idle else None

    def _start(self, job: _ThreadJob, inbox: _Inbox | None) -> None:
        """Give a job to an idle thread or to a new one."""
        if inbox is not None:
            inbox.put(job)
        else:
            threading.Thread(target=self._serve, args=(job,), name="hermes-worker", daemon=True).start()

    def _release(self, job: _ThreadJob) -> None:
        """Start the next queued job in place of this one. Called under the lock."""
        self._busy -= job.counted
        job.counted = False
        while self._backlog and self._busy < CONCURRENT:
            following = self._backlog.popleft()
            if not following.abandoned:
                self._start(following, self._admit(following, counted=True))

    def _abandon(self, job: _ThreadJob) -> None:
        with self._lock:
            job.abandoned = True
            if job.thread is not None:
                self.abandoned.begin(job.thread, job.name)
            self._release(job)

    def _serve(self, job: _ThreadJob | None) -> None:
        inbox: _Inbox = queue.SimpleQueue()
        while job is not None:
            self._work(job)
            with self._lock:
                closed = self._closed
                if not closed:
                    self._idle.append(inbox)
                self._release(job)
            job = None if closed else self._next(inbox)

    def _next(self, inbox: _Inbox) -> _ThreadJob | None:
        try:
            return inbox.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                if inbox in self._idle:
                    self._idle.remove(inbox)
                    return None
            return inbox.get()  # a job was queued just now

    def _work(self, job: _ThreadJob) -> None:
        with self._lock:
            job.thread = None if job.abandoned else threading.current_thread()
        if job.thread is None:
            return
        job.run()
        with self._lock:
            thread, job.thread = job.thread, None
            if job.abandoned:
                self.abandoned.end(thread)
        job.signal.give()
