"""PUBLIC: turns a function of an application into an approver, like `Hermes(approver=...)`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from hermes_core.errors import ConfigError
from hermes_core.findings import ApprovalRequest, Decision, Outcome
from hermes_core.hookspecs import hookimpl

_APPLICATION = "the application"


def require_approver(approver: Any) -> Any:
    """Return an approver; raise `ConfigError` if it is not callable."""
    if not callable(approver) or inspect.isclass(approver):
        example = "approver=lambda request: False"
        raise ConfigError(f"{approver!r} cannot decide about calls.", key="approver", example=example)
    return approver


class ApplicationApprover:
    """Calls a function of the application, sync or async, with the `ApprovalRequest`.

    The function returns True or False; `once`, `session`, `always` or `deny`; a `Decision`; an object with a method
    `as_decision(request)`; or None to leave the decision to others. It raises `TimeoutError` after its own
    timeout.
    """

    __name__ = "application approver"

    def __init__(self, approver: Any) -> None:
        self._ask = require_approver(approver)

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
        try:
            answer = self._ask(request)
        except TimeoutError:
            return _decision(request, "timed-out")
        return self._awaited(request, answer) if inspect.isawaitable(answer) else _read_answer(request, answer)

    async def _awaited(self, request: ApprovalRequest, answer: Awaitable[Any]) -> Decision | None:
        try:
            return _read_answer(request, await answer)
        except TimeoutError:
            return _decision(request, "timed-out")


def _read_answer(request: ApprovalRequest, answer: Any) -> Decision | None:
    if answer is None:
        return None
    if hasattr(answer, "as_decision") and not inspect.isclass(answer):
        answer = answer.as_decision(request)
    if isinstance(answer, Decision):
        return replace(answer, by=answer.by or _APPLICATION, findings=answer.findings or request.findings)
    if isinstance(answer, bool):
        answer = "once" if answer else "deny"
    if not isinstance(answer, str) or answer not in ("once", "session", "always", "deny"):
        raise ValueError(f"{answer!r} is not an answer; use one of once, session, always, deny")
    if answer == "deny":
        return _decision(request, "denied-by-human")
    lasts: Any = answer
    return Decision(outcome="allowed", by=_APPLICATION, findings=request.findings, lasts=lasts)


def _decision(request: ApprovalRequest, outcome: Outcome) -> Decision:
    return Decision(outcome=outcome, reason=request.reason, by=_APPLICATION, findings=request.findings)
