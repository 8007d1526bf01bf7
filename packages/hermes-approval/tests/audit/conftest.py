"""Records of calls as the pipeline makes them, and entries for those who only write and read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import CallRecord, Decision, Hermes, ToolCall

MakeRecord = Callable[..., CallRecord]
MakeEntry = Callable[..., dict[str, Any]]


@pytest.fixture
def record(host: Callable[..., Hermes]) -> MakeRecord:
    """Makes the record of a call with any arguments, also with those that no model could send."""
    session = host().session(kind="batch", id="session-1")

    def make(
        args: object = None,
        *,
        name: str = "look",
        status: Any = "ok",
        code: str | None = None,
        decision: Decision | None = None,
        result: str = '"done"',
    ) -> CallRecord:
        call = ToolCall(name, {} if args is None else args, session, None)
        return CallRecord(call=call, result=result, status=status, code=code, decision=decision, seconds=0.25)

    return make


@pytest.fixture
def entry() -> MakeEntry:
    """Makes entries as the log holds them, a second apart."""

    def make(number: int, **other: Any) -> dict[str, Any]:
        at = f"2026-03-01T12:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
        made = {"v": 1, "at": at, "id": f"call-{number}", "tool": "look", "session": "s", "status": "ok"}
        return {**made, "decision": {"outcome": "allowed", "by": "", "reason": ""}, "seconds": 0.5, **other}

    return make
