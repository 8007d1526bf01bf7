"""An approver for tests: approves and denies calls as the test queued it, and records the requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Self

from hermes_core import ApprovalRequest, Decision, hookimpl

_Answer = Callable[[ApprovalRequest], Decision | Awaitable[Decision] | None]


class FakeApprover:
    """A plugin that answers requests for approval from a queue. With an empty queue it does not answer.

    Attributes:
        requests: The requests so far, in order.
    """

    def __init__(self, name: str = "approver") -> None:
        self.__name__ = name  # the host's name for a plugin object
        self.requests: list[ApprovalRequest] = []
        self._answers: deque[_Answer] = deque()

    def allow(self, times: int = 1) -> Self:
        """Approve the next requests."""
        return self._queue(self._yes, times)

    def deny(self, reason: str = "the test said no", times: int = 1) -> Self:
        """Deny the next requests."""

        def no(request: ApprovalRequest) -> Decision:
            return Decision(outcome="denied-by-human", reason=reason, by=self.__name__, findings=request.findings)

        return self._queue(no, times)

    def never(self, times: int = 1) -> Self:
        """Never answer the next requests: the host waits for its `approval_timeout`."""
        return self._queue(_wait_for_ever, times)

    @property
    def last(self) -> ApprovalRequest:
        """The newest request; raises `AssertionError` if there was none."""
        __tracebackhide__ = True
        if not self.requests:
            raise AssertionError("no call asked for approval")
        return self.requests[-1]

    @property
    def pending(self) -> int:
        """The number of queued answers that are not used yet."""
        return len(self._answers)

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision] | None:
        """Return the next answer in the queue."""
        self.requests.append(request)
        return self._answers.popleft()(request) if self._answers else None

    def _queue(self, answer: _Answer, times: int) -> Self:
        self._answers.extend([answer] * times)
        return self

    def _yes(self, request: ApprovalRequest) -> Decision:
        return Decision(outcome="allowed", by=self.__name__, findings=request.findings)


async def _wait_for_ever(_request: ApprovalRequest) -> Decision:
    import anyio

    await anyio.sleep_forever()
    raise AssertionError("sleep_forever returned")
