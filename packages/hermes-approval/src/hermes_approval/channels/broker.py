"""Holds requests until a callback, another task, another thread or another process answers them."""

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
    from hermes_approval.channels.mailbox_messages import Ticket


log = logging.getLogger("hermes.approval")

Notify = Callable[[ApprovalRequest], object]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.2
"""How often the mailbox is read, in seconds."""


class _Pending:
    """A waiting request, which gets one answer."""

    __slots__ = ("answer", "request", "wake")

    def __init__(self, request: ApprovalRequest, wake: Callable[[], None]) -> None:
        self.request = request
        self.wake = wake
        self.answer: Answer | None = None


class Broker:
    """Pending requests, oldest first. The first answer to each one counts.

    Args:
        notify: Called with each request, to notify people; an async function, or a sync one, which runs in a thread. It
        may resolve the request. If it raises, the request is denied, as no one knows about it.
        seconds: How long a request stays pending.
        mailbox: Where other processes can see and answer the requests too.
    """

    def __init__(self, *, notify: Notify | None = None, seconds: float = 300.0, mailbox: Mailbox | None = None) -> None:
        self._notify = notify
        self._seconds = seconds
        self._mailbox = mailbox
        self._lock = threading.Lock()
        self._queue: dict[str, _Pending] = {}
        self._closed = False

    def ask(self, request: ApprovalRequest) -> Answer:
        """Wait for the answer in sync code, outside of an event loop; see `aask`.

        Raises:
            RuntimeError: an event loop runs in this thread.
        """
        import anyio

        return anyio.run(self.aask, request)

    async def __call__(self, request: ApprovalRequest) -> Answer:
        """Wait for the answer: a broker can be the approver of a host."""
        return await self.aask(request)

    async def aask(self, request: ApprovalRequest) -> Answer:
        """Wait until the request is resolved.

        Raises:
            TimeoutError: there was no answer in time.
            ValueError: a finding refuses the call, or a request with this id already waits.
        """
        import anyio

        must_be_askable(request)
        resolved = anyio.Event()
        pending = _Pending(request, notifier(resolved.set))
        if not self._enqueue(pending):
            return _closed()
        ticket: Ticket | None = None
        try:
            ticket = await self._post(request)
            async with anyio.create_task_group() as tasks:
                if self._notify is not None:
                    tasks.start_soon(self._notify_people, self._notify, pending)
                await self._resolved(pending, resolved, ticket)
                tasks.cancel_scope.cancel()  # stops a notification that still runs
        finally:
            answer = self._dequeue(pending)
            if self._mailbox is not None and ticket is not None:
                self._mailbox.withdraw(ticket)
        if answer is None:
            raise TimeoutError(f"no answer within {self._seconds:g} seconds")
        return answer

    def pending(self) -> tuple[ApprovalRequest, ...]:
        """Return the waiting requests, oldest first."""
        with self._lock:
            return tuple(pending.request for pending in self._queue.values() if pending.answer is None)

    def resolve(self, id: str, choice: Choice, *, by: str, reason: str = "", grant: object | None = None) -> bool:
        """Answer a request; False if no request with this id waits."""
        answer = Answer(choice=choice, by=by, reason=reason, grant=grant)
        with self._lock:
            pending = self._queue.get(id)
        return pending is not None and self._settle(pending, answer)

    def resolve_next(self, choice: Choice, by: str, reason: str = "") -> ApprovalRequest | None:
        """Answer the oldest request and return it; None if none is pending."""
        answer = Answer(choice=choice, by=by, reason=reason)
        for pending in self._waiting():
            if self._settle(pending, answer):
                return pending.request
        return None

    def resolve_all(self, choice: Choice, by: str, reason: str = "") -> int:
        """Give all waiting requests the same answer, and return how many there were."""
        answer = Answer(choice=choice, by=by, reason=reason)
        return sum(self._settle(pending, answer) for pending in self._waiting())

    def close(self) -> None:
        """Deny all waiting and all later requests."""
        with self._lock:
            self._closed = True
        for pending in self._waiting():
            self._settle(pending, _closed())

    def _enqueue(self, pending: _Pending) -> bool:
        request_id = pending.request.id
        with self._lock:
            if self._closed:
                return False
            if request_id in self._queue:  # an answer to this id could mean either of them
                raise ValueError(f"a request with the id {request_id!r} is already waiting")
            self._queue[request_id] = pending
            return True

    def _dequeue(self, pending: _Pending) -> Answer | None:
        with self._lock:
            self._queue.pop(pending.request.id, None)
            return pending.answer

    def _waiting(self) -> list[_Pending]:
        with self._lock:
            return list(self._queue.values())

    def _settle(self, pending: _Pending, answer: Answer) -> bool:
        with self._lock:
            if pending.answer is not None or self._queue.get(pending.request.id) is not pending:
                return False
            pending.answer = answer
        pending.wake()
        return True

    async def _notify_people(self, notify: Notify, pending: _Pending) -> None:
        try:
            if inspect.iscoroutinefunction(notify):
                result: object = notify(pending.request)
            else:
                result = await _in_thread(notify, pending.request)
            if isinstance(result, Awaitable):
                await result
        except (Exception, SystemExit) as error:  # foreign code: no one knows about the request
            log.warning("The notification of a request for approval failed: %s", describe_error(error), exc_info=error)
            reason = f"the notification of the request failed ({describe_error(error)})"
            self._settle(pending, Answer(choice="deny", by="broker", reason=reason))

    async def _resolved(self, pending: _Pending, resolved: anyio.Event, ticket: Ticket | None) -> None:
        import anyio

        until = monotonic() + self._seconds
        pause = _FIRST_PAUSE
        while pending.answer is None and (left := until - monotonic()) > 0:
            with anyio.move_on_after(left if ticket is None else min(left, pause)):
                await resolved.wait()
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            if self._mailbox is not None and ticket is not None and (answer := self._mailbox.collect(ticket)):
                self._settle(pending, answer)

    async def _post(self, request: ApprovalRequest) -> Ticket | None:
        if self._mailbox is None:
            return None
        import anyio.to_thread

        post = partial(self._mailbox.post, request, seconds=self._seconds)
        try:
            return await anyio.to_thread.run_sync(post)  # it writes to the disk
        except (OSError, TypeError, ValueError) as error:  # other channels can still answer
            log.warning("No other process can answer a request for approval: %s", describe_error(error))
            return None


async def _in_thread(notify: Notify, request: ApprovalRequest) -> object:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(notify, request, abandon_on_cancel=True)


def _closed() -> Answer:
    return Answer(choice="deny", by="broker", reason="closed")


def notifier(function: Callable[[], Any]) -> Callable[[], None]:
    """Return a function for any thread that schedules a call of `function` on the running event loop."""
    soon = _soon()

    def wake() -> None:
        try:
            soon(function)
        except Exception:  # noqa: S110 - the loop is gone, and with it all that waited
            pass

    return wake


def _soon() -> Callable[[Callable[[], Any]], Any]:
    """Return how to schedule a call on the running loop from outside. anyio can only do that by waiting."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        try:
            return asyncio.get_running_loop().call_soon_threadsafe  # type: ignore[no-any-return]
        except RuntimeError:  # not an asyncio loop
            pass
    trio = sys.modules["trio"]
    return trio.lowlevel.current_trio_token().run_sync_soon  # type: ignore[no-any-return]
