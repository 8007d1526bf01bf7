"""One event loop per host, in its own thread, that runs coroutines for sync callers."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from hermes_core.calls.deadlines import DeadlineError, Within, drive
from hermes_core.calls.worker_threads import AbandonedThreads, Job, ThreadSignal
from hermes_core.errors import BridgeError, HostClosedError, ToolCancelledError

_GRACE_SECONDS = 1.0  # for a cancelled coroutine to clean up before its loop counts as stuck


class _LoopJob(Job):
    finished = False
    task: asyncio.Task[None] | None = None

    def finish(self) -> None:
        """Wake the waiting thread. Called on the loop's thread."""
        if not self.finished:
            self.finished = True
            self.signal.give()

    async def run(self, make: Callable[[], Awaitable[Any]], seconds: float, grace: int) -> None:
        try:
            answer = await Within(make(), seconds, grace=grace)
            if self.task is not None and self.task.cancelling():  # the code swallowed the cancellation
                raise asyncio.CancelledError
            self.answer = answer
        except BaseException as error:  # raised again in the caller's thread
            self.error = error
        finally:
            self.finish()

    def cancel(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel the coroutine, unless its loop is closed."""
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: self.task is not None and self.task.cancel())

    def result(self) -> Any:
        """Return the answer, or raise the error of the code."""
        if isinstance(self.error, asyncio.CancelledError):
            raise ToolCancelledError("It was cancelled before it finished.")
        return super().result()


class Bridge:
    """Runs coroutines for sync callers, always on the same loop, so that cached async clients keep working."""

    def __init__(self, abandoned: AbandonedThreads | None = None, *, closed: bool = False) -> None:
        self._abandoned = abandoned or AbandonedThreads()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._closed = closed
        self._jobs: dict[_LoopJob, asyncio.AbstractEventLoop] = {}

    def inside(self) -> bool:
        """Return True on the bridge's own thread."""
        thread = self._thread
        return thread is not None and thread.ident == threading.get_ident()

    def run(
        self,
        make: Callable[[], Awaitable[Any]],
        seconds: float,
        *,
        doing: str = "A sync call",
        grace: int = 0,
        name: str | None = None,
    ) -> Any:
        """Run `make()` on the loop and wait for its result. `doing` describes the caller in errors."""
        if self.inside():  # the loop would wait for itself
            raise BridgeError(doing)
        loop = self._running_loop(doing)
        job, context = _LoopJob(ThreadSignal(), name), contextvars.copy_context()
        job.native_id = self._thread.native_id if self._thread else None

        def start() -> None:
            job.task = loop.create_task(job.run(make, seconds, grace), context=context)

        self._jobs[job] = loop
        try:
            loop.call_soon_threadsafe(start)
            answered = drive(job.is_answered(seconds, grace=bool(grace), extra=_GRACE_SECONDS))
        except RuntimeError as error:  # closed in the meantime
            raise HostClosedError("do that") from error
        except BaseException:
            job.cancel(loop)
            raise
        finally:
            self._jobs.pop(job, None)
        if not answered:
            self._give_up(loop, job)
            raise DeadlineError(seconds)
        return job.result()

    def _running_loop(self, doing: str) -> asyncio.AbstractEventLoop:
        if loop := self._live_loop():  # without the lock, which could be held during a fork
            return loop
        with self._lock:
            if self._closed:
                raise HostClosedError(doing)
            loop = self._live_loop()
            if loop is None:
                self._loop = loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(loop,), name="hermes-bridge", daemon=True)
                self._pid = os.getpid()
                self._thread.start()
            return loop

    def _live_loop(self) -> asyncio.AbstractEventLoop | None:
        loop, thread = self._loop, self._thread
        return loop if thread is not None and thread.is_alive() and self._pid == os.getpid() else None

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            while not self._is_stopped(loop):
                continue
            for again in (False, True):  # tasks that are cancelled already get time to notify observers
                left = asyncio.all_tasks(loop)
                for task in left:
                    if again or not task.cancelling():
                        task.cancel()
                if left:
                    loop.run_until_complete(asyncio.wait(left, timeout=_GRACE_SECONDS / 2))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            self._abandoned.end(threading.current_thread())
            asyncio.set_event_loop(None)
            loop.close()
            for job, theirs in list(self._jobs.items()):  # callers that came too late must not wait
                if theirs is loop and not job.finished:
                    job.error = asyncio.CancelledError()
                    job.finish()

    @staticmethod
    def _is_stopped(loop: asyncio.AbstractEventLoop) -> bool:
        """Run the loop until it is stopped. A task that raises `SystemExit` must not end other tasks."""
        try:
            loop.run_forever()
        except (KeyboardInterrupt, SystemExit):  # signals arrive in the main thread: the code raised it itself
            return False
        return True

    def _give_up(self, loop: asyncio.AbstractEventLoop, job: _LoopJob) -> None:
        """Abandon a coroutine that ignored its deadline, together with the loop if it blocks that."""
        job.cancel(loop)
        alive = threading.Event()
        loop.call_soon_threadsafe(alive.set)
        if alive.wait(_GRACE_SECONDS):
            return
        with self._lock:
            if self._loop is loop and self._thread is not None:
                running = asyncio.current_task(loop)
                name = next((each.name for each in list(self._jobs) if each.task is running and running), None)
                self._abandoned.begin(self._thread, name or job.name)
                self._loop = self._thread = None
        loop.call_soon_threadsafe(loop.stop)

    def close(self) -> None:
        """Cancel running coroutines, stop the loop and wait briefly for its thread."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self._pid != os.getpid():
            return
        with suppress(RuntimeError):  # it was stopped already
            loop.call_soon_threadsafe(loop.stop)
            if thread.ident != threading.get_ident():
                thread.join(_GRACE_SECONDS * 3)
