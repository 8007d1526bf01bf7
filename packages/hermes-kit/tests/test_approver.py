"""The fake approver answers what it was told to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hermes_core import Ask, ToolCall, hookimpl, tool
from hermes_kit import FakeApprover, Kit, load_plugin


class Wary:
    @hookimpl
    def hermes_tools(self) -> object:
        return [launch]

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Ask:
        return Ask(f"it would launch {call.args['what']}")


@tool(toolset="rockets")
def launch(what: str) -> str:
    """Launch something."""
    return f"{what} is gone"


@pytest.fixture
def kit(approver: FakeApprover) -> Iterator[Kit]:
    with load_plugin(Wary(), plugins=[approver], config={"calls": {"approval_timeout": 0.1}}) as loaded:
        yield loaded


def test_queued_answers_are_given_in_order(kit: Kit, approver: FakeApprover) -> None:
    approver.allow().deny("not today").allow(times=2)
    kit.call("launch", {"what": "a"}).assert_ok()
    kit.call("launch", {"what": "b"}).assert_denied(reason="not today", by="approver")
    kit.call("launch", {"what": "c"}).assert_ok()
    assert approver.pending == 1


def test_requests_are_remembered(kit: Kit, approver: FakeApprover) -> None:
    approver.allow(times=2)
    kit.call("launch", {"what": "a"})
    kit.call("launch", {"what": "b"})
    assert [request.args["what"] for request in approver.requests] == ["a", "b"]
    assert approver.last.reason == "it would launch b"


def test_a_request_that_is_never_answered_times_out(kit: Kit, approver: FakeApprover) -> None:
    approver.never()
    outcome = kit.call("launch", {"what": "a"}).assert_denied()
    assert outcome.decision is not None
    assert outcome.decision.outcome == "timed-out"


def test_without_a_queued_answer_there_is_no_approver(kit: Kit, approver: FakeApprover) -> None:
    outcome = kit.call("launch", {"what": "a"}).assert_denied()
    assert outcome.decision is not None
    assert outcome.decision.outcome == "no-approver"
    assert len(approver.requests) == 1


def test_asking_for_the_last_of_no_requests_fails_the_test(approver: FakeApprover) -> None:
    with pytest.raises(AssertionError, match="no call asked"):
        _ = approver.last
