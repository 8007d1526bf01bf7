"""Keeps requests until somebody resolves them: an application's callback, another task, thread or process."""

from __future__ import annotations

import inspect
import logging
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from hermes_approval.channels.answer import Answer, Choice, must_be_askable
from hermes_core import ApprovalRequest
from hermes_core.errors import describe_error

if TYPE_CHECKING:
    import anyio

    from hermes_approval.channels.mailbox import Mailbox
    from hermes_approval.channels.mailbox_messages import Posted


log = logging.getLogger("hermes.approval")

Notify = Callable[[ApprovalRequest], object]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.2
"""How often a mailbox is looked into: people do not notice, and neither does the processor."""


class _Pending:
    """A request that somebody waits for; its answer is given once."""

    __slots__ = ("answer", "request", "wake")

    def __init__(self, request: ApprovalRequest, wake: Callable[[], None]) -> None:
        self.request = request
        self.wake = wake
        self.answer: Answer | None = None


class Broker:
    """Requests in the order in which they came, each waiting for whoever resolves it first.

    Args:
        notify: Tells people that a request waits; sync, which is run in a thread, or async. It may resolve the
            request itself. When it raises, nobody knows of the request, so it is denied.
        seconds: How long a request waits.
        mailbox: Where other processes can see and answer the requests, too.
    """

    def __init__(self, *, notify: Notify | None = None, seconds: float = 300.0, mailbox: Mailbox | None = None) -> None:
        self._notify = notify
        self._seconds = seconds
        self._mailbox = mailbox
        self._lock = threading.Lock()
        self._queue: dict[str, _Pending] = {}
        self._closed = False

    def ask(self, request: ApprovalRequest) -> Answer:
        """The same as `aask` for sync code.

        Raises:
            RuntimeError: an event loop runs in this thread, and would stand still meanwhile.
        """
        import anyio

        return anyio.run(self.aask, request)

    async def __call__(self, request: ApprovalRequest) -> Answer:
        """The same as `aask`: a broker can be the approver of a host."""
        return await self.aask(request)

    async def aask(self, request: ApprovalRequest) -> Answer:
        """Wait until somebody has resolved the request.

        Raises:
            TimeoutError: nobody did in time.
            ValueError: a finding refuses the call, or a request with this id is waiting already.
        """
        import anyio

        must_be_askable(request)
        resolved = anyio.Event()
        pending = _Pending(request, notifier(resolved.set))
        if not self._enqueue(pending):
            return _closed()
        posted: Posted | None = None
        try:
            posted = await self._post(request)
            async with anyio.create_task_group() as tasks:
                if self._notify is not None:
                    tasks.start_soon(self._tell, self._notify, pending)
                await self._resolved(pending, resolved, posted)
                tasks.cancel_scope.cancel()  # who still tells people about it need not go on
        finally:
            answer = self._dequeue(pending)
            if self._mailbox is not None and posted is not None:
                self._mailbox.withdraw(posted)
        if answer is None:
            raise TimeoutError(f"nobody answered within {self._seconds:g} seconds")
        return answer

    def pending(self) -> tuple[ApprovalRequest, ...]:
        """What waits for an answer, oldest first."""
        with self._lock:
            return tuple(pending.request for pending in self._queue.values() if pending.answer is None)

    def resolve(self, id: str, choice: Choice, *, by: str, reason: str = "", grant: object | None = None) -> bool:
        """Answer a request; False when none with this id is waiting: unknown, too late, or answered already."""
        answer = Answer(choice=choice, by=by, reason=reason, grant=grant)
        with self._lock:
            pending = self._queue.get(id)
        return pending is not None and self._settle(pending, answer)

    def resolve_next(self, choice: Choice, by: str, reason: str = "") -> ApprovalRequest | None:
        """Answer the oldest request and return it; None when nothing waits."""
        answer = Answer(choice=choice, by=by, reason=reason)
        for pending in self._waiting():
            if self._settle(pending, answer):
                return pending.request
        return None

    def resolve_all(self, choice: Choice, by: str, reason: str = "") -> int:
        """Give everything that waits now the same answer, and return how many that were."""
        answer = Answer(choice=choice, by=by, reason=reason)
        return sum(self._settle(pending, answer) for pending in self._waiting())

    def close(self) -> None:
        """Deny everything that waits and everything that comes; nobody is left waiting."""
        with self._lock:
            self._closed = True
        for pending in self._waiting():
            self._settle(pending, _closed())

    def _enqueue(self, pending: _Pending) -> bool:
        wanted = pending.request.id
        with self._lock:
            if self._closed:
                return False
            if wanted in self._queue:  # an answer to this id could mean either of them
                raise ValueError(f"a request with the id {wanted!r} is waiting already")
            self._queue[wanted] = pending
            return True

    def _dequeue(self, pending: _Pending) -> Answer | None:
        with self._lock:
            self._queue.pop(pending.request.id, None)
            return pending.answer

    def _waiting(self) -> list[_Pending]:
        with self._lock:
            return list(self._queue.values())

    def _settle(self, pending: _Pending, answer: Answer) -> bool:
        """Give a request its answer, unless it has one or nobody waits for it any more."""
        with self._lock:
            if pending.answer is not None or self._queue.get(pending.request.id) is not pending:
                return False
            pending.answer = answer
        pending.wake()
        return True

    async def _tell(self, notify: Notify, pending: _Pending) -> None:
        try:
            if inspect.iscoroutinefunction(notify):
                told: object = notify(pending.request)
            else:
                told = await _in_thread(notify, pending.request)
            if isinstance(told, Awaitable):
                await told
        except (Exception, SystemExit) as error:  # foreign code: nobody knows of the request, so nobody can approve it
            log.warning("Nobody could be told about a request for approval: %s", describe_error(error), exc_info=error)
            reason = f"nobody could be told about the request ({describe_error(error)})"
            self._settle(pending, Answer(choice="deny", by="broker", reason=reason))

    async def _resolved(self, pending: _Pending, resolved: anyio.Event, posted: Posted | None) -> None:
        """Wait for an answer from any side, until the time is over."""
        import anyio

        until = monotonic() + self._seconds
        pause = _FIRST_PAUSE
        while pending.answer is None and (left := until - monotonic()) > 0:
            with anyio.move_on_after(left if posted is None else min(left, pause)):
                await resolved.wait()
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            if self._mailbox is not None and posted is not None and (answer := self._mailbox.collect(posted)):
                self._settle(pending, answer)

    async def _post(self, request: ApprovalRequest) -> Posted | None:
        if self._mailbox is None:
            return None
        import anyio.to_thread

        post = partial(self._mailbox.post, request, seconds=self._seconds)
        try:
            return await anyio.to_thread.run_sync(post)  # it waits for the disk
        except (OSError, TypeError, ValueError) as error:  # there are other ways to answer
            log.warning("No other process can answer a request for approval: %s", describe_error(error))
            return None


async def _in_thread(notify: Notify, request: ApprovalRequest) -> object:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(notify, request, abandon_on_cancel=True)


def _closed() -> Answer:
    return Answer(choice="deny", by="broker", reason="closed")


def notifier(function: Callable[[], Any]) -> Callable[[], None]:
    """A function for any thread that has `function` called soon on the loop that runs here."""
    soon = _soon()

    def wake() -> None:
        try:
            soon(function)
        except Exception:  # noqa: S110 - the loop is gone, and with it everybody who could have waited
            pass

    return wake


def _soon() -> Callable[[Callable[[], Any]], Any]:
    """How the running loop takes calls from outside; anyio has no word for it that does not wait."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        try:
            return asyncio.get_running_loop().call_soon_threadsafe  # type: ignore[no-any-return]
        except RuntimeError:  # not an asyncio loop
            pass
    trio = sys.modules["trio"]
    return trio.lowlevel.current_trio_token().run_sync_soon  # type: ignore[no-any-return]
