"""PUBLIC: makes an approver of an application's function, as `Hermes(approver=...)` does."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from hermes_core.approval.finding import ApprovalRequest, Decision
from hermes_core.errors import ConfigError
from hermes_core.hookspecs import hookimpl

_APPLICATION = "the application"


def require_approver(approver: Any) -> Any:
    """Return what was given as an approver.

    Raises:
        ConfigError: it cannot be called.
    """
    if not callable(approver) or inspect.isclass(approver):
        raise ConfigError(
            f"{approver!r} cannot decide about calls.", key="approver", example="approver=lambda request: False"
        )
    return approver


class ApplicationApprover:
    """Asks a function of the application, sync or async.

    It gets the `ApprovalRequest` and answers True or False; `once`, `session`, `always` or `deny`; a `Decision`; an
    object with `as_decision(request)`; or None, which leaves it to others. `session` and `always` need a plugin that
    stores them, such as hermes-approval. `TimeoutError` says that nobody answered in time.
    """

    __name__ = "application approver"

    def __init__(self, approver: Any) -> None:
        self._ask = require_approver(approver)

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        """Ask, and return what was decided."""
        try:
            answer = self._ask(request)
        except TimeoutError:
            return _timed_out(request)
        return self._awaited(request, answer) if inspect.isawaitable(answer) else as_decision(request, answer)

    async def _awaited(self, request: ApprovalRequest, answer: Awaitable[Any]) -> Decision | None:
        try:
            return as_decision(request, await answer)
        except TimeoutError:
            return _timed_out(request)


def as_decision(request: ApprovalRequest, answer: Any, by: str = _APPLICATION) -> Decision | None:
    """Return the decision that an answer means.

    Raises:
        ValueError: it is no answer.
    """
    if answer is None:
        return None
    if hasattr(answer, "as_decision") and not inspect.isclass(answer):
        answer = answer.as_decision(request)
    if isinstance(answer, Decision):
        return replace(answer, by=answer.by or by, findings=answer.findings or request.findings)
    if isinstance(answer, bool):
        answer = "once" if answer else "deny"
    if not isinstance(answer, str) or answer not in ("once", "session", "always", "deny"):
        raise ValueError(f"{answer!r} is not an answer; use one of once, session, always, deny")
    if answer == "deny":
        return Decision(outcome="denied-by-human", reason=request.reason, by=by, findings=request.findings)
    lasts: Any = answer
    return Decision(outcome="allowed", by=by, findings=request.findings, lasts=lasts)


def _timed_out(request: ApprovalRequest) -> Decision:
    return Decision(outcome="timed-out", reason=request.reason, by=_APPLICATION, findings=request.findings)
