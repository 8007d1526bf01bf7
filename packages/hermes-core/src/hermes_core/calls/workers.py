"""Daemon threads for blocking code: a handler that never returns costs one thread, not the process."""

from __future__ import annotations

import contextvars
import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from hermes_core.calls.deadlines import Late

CONCURRENT = 64
"""How many blocking calls run at once on behalf of event loops; further ones wait their turn."""

_IDLE_SECONDS = 30.0


class Escaped(Exception):  # noqa: N818 - it says what happened to the exception inside
    """Raised for an exception that is not meant to be caught, raised by code in a thread where it means nothing."""


class _Job:
    """One function call on its way through a thread."""

    __slots__ = ("abandoned", "answer", "context", "done", "error", "function", "started")

    def __init__(self, function: Callable[[], Any], done: Callable[[], None]) -> None:
        self.function = function
        self.done = done
        self.context = contextvars.copy_context()
        self.answer: Any = None
        self.error: BaseException | None = None
        self.started = False
        self.abandoned = False

    def run(self) -> None:
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
        raise Escaped(f"{type(error).__name__}: {error}".rstrip(": ")) from error


class Workers:
    """A pool that grows when callers block, so that nested calls can never wait for each other's thread."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[queue.SimpleQueue[_Job]] = []
        self._backlog: deque[_Job] = deque()
        self._busy = 0
        self._pid = os.getpid()

    def run(self, function: Callable[[], Any], seconds: float) -> Any:
        """Run a function in a thread and wait for it here. Raises `Late` past the deadline."""
        finished = threading.Lock()
        finished.acquire()
        job = _Job(function, finished.release)
        self._submit(job, limited=False)
        try:
            answered = finished.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))
        except BaseException:
            self._abandon(job)
            raise
        if not answered:
            self._abandon(job)
            raise Late(seconds)
        return job.result()

    async def arun(self, function: Callable[[], Any], seconds: float) -> Any:
        """Run a function in a thread and await it. Raises `Late` past the deadline."""
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
        self._submit(job, limited=True)
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + seconds):
                await answered.wait()
        finally:
            if not answered.is_set():
                self._abandon(job)
        if not answered.is_set():
            raise Late(seconds)
        return job.result()

    def _submit(self, job: _Job, *, limited: bool) -> None:
        if os.getpid() != self._pid:  # after a fork the threads are gone, only the bookkeeping came along
            self._forget()
        with self._lock:
            if self._idle:
                self._busy += 1
                self._idle.pop().put(job)
                return
            if limited and self._busy >= CONCURRENT:
                self._backlog.append(job)
                return
            self._busy += 1
        inbox: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        inbox.put(job)
        threading.Thread(target=self._serve, args=(inbox,), name="hermes-worker", daemon=True).start()

    def _abandon(self, job: _Job) -> None:
        """Stop counting a job that nobody waits for: its thread may never come back."""
        with self._lock:
            if job.abandoned:
                return
            job.abandoned = True
            if job.started:
                self._busy -= 1

    def _serve(self, inbox: queue.SimpleQueue[_Job]) -> None:
        while True:
            try:
                job: _Job | None = inbox.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if inbox in self._idle:
                        self._idle.remove(inbox)
                        return
                continue  # a job was sent in this very moment
            while job is not None:
                job = self._work(job, inbox)

    def _work(self, job: _Job, inbox: queue.SimpleQueue[_Job]) -> _Job | None:
        """Run a job; return the next one that waits, or None after having gone idle."""
        with self._lock:
            skip = job.abandoned
            job.started = True
        if not skip:
            job.run()
            job.done()
        with self._lock:
            if skip or not job.abandoned:
                self._busy -= 1
            if self._backlog and self._busy < CONCURRENT:
                self._busy += 1
                return self._backlog.popleft()
            self._idle.append(inbox)
            return None
