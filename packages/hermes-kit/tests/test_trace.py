"""The trace says which hooks saw which call, and in which order."""

from __future__ import annotations

from hermes_core import Ask, Deny, Rewrite, ToolCall, ToolContext, hookimpl, tool
from hermes_kit import FakeApprover, HookTrace, load_plugin

ALLOWED = [
    "hermes_pre_tool_call",
    "hermes_assess_call",
    "hermes_transform_tool_result",
    "hermes_post_tool_call",
]


class Echo:
    @hookimpl
    def hermes_tools(self) -> object:
        return [echo, twice]


@tool(toolset="echo")
def echo(text: str) -> str:
    """Say it again."""
    return text


@tool(toolset="echo")
def twice(text: str, ctx: ToolContext) -> str:
    """Say it again, and again."""
    return ctx.call_tool("echo", {"text": text}) + ctx.call_tool("echo", {"text": text})


def test_a_call_passes_the_hooks_in_the_order_of_the_pipeline() -> None:
    with load_plugin(Echo()) as kit:
        outcome = kit.call("echo", {"text": "hi"})
        assert kit.trace.hooks(call_id=outcome.record.call.id) == ALLOWED
        assert kit.trace.hooks() == ["hermes_session_start", *ALLOWED]


def test_a_denied_call_is_still_observed() -> None:
    class No:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny("no")

    with load_plugin(Echo(), plugins=[No()]) as kit:
        kit.call("echo", {"text": "hi"})
        assert kit.trace.hooks("echo")[0] == "hermes_pre_tool_call"
        assert kit.trace.hooks("echo")[-1] == "hermes_post_tool_call"
        assert "hermes_transform_tool_result" not in kit.trace.hooks()


def test_an_approval_is_traced_from_the_question_to_the_answer() -> None:
    class Wary:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Ask:
            return Ask("better ask")

    with load_plugin(Echo(), plugins=[Wary(), FakeApprover().allow()]) as kit:
        kit.call("echo", {"text": "hi"}).assert_ok()
        hooks = kit.trace.hooks("echo")
        assert hooks[2:4] == ["hermes_request_approval", "hermes_approval_resolved"]
        assert [seen.result for seen in kit.trace.of("hermes_approval_resolved")] == ["allowed"]


def test_the_trace_sees_what_the_other_plugins_left() -> None:
    class Polite:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Rewrite:
            return Rewrite({"text": "please"})

        @hookimpl
        def hermes_transform_tool_result(self, result: str) -> str:
            return result.replace("please", "thanks")

    with load_plugin(Echo(), plugins=[Polite()]) as kit:
        assert kit.call("echo", {"text": "hi"}).value == "thanks"
        assert [seen.args for seen in kit.trace.of("hermes_pre_tool_call")] == [{"text": "please"}]
        assert [seen.result for seen in kit.trace.of("hermes_transform_tool_result")] == ['"thanks"']


def test_nested_calls_are_traced_one_by_one() -> None:
    with load_plugin(Echo()) as kit:
        kit.call("twice", {"text": "hi"}).assert_ok()
        assert kit.trace.calls() == ["echo", "echo", "twice"]
        assert kit.trace.calls("hermes_pre_tool_call") == ["twice", "echo", "echo"]
        kit.trace.clear()
        assert kit.trace.events == []


def test_sessions_are_traced_to_their_end() -> None:
    with load_plugin(Echo()) as kit:
        with kit.host.session(id="s1") as session:
            session.call("echo", {"text": "hi"})
        assert kit.trace.hooks()[-1] == "hermes_session_end"
        assert {seen.session_id for seen in kit.trace.events} == {"s1"}


def test_a_trace_can_be_added_to_any_host() -> None:
    trace = HookTrace()
    with load_plugin(Echo()) as kit:
        kit.host.add_plugin(trace, "my-trace")
        kit.call("echo", {"text": "hi"})
        assert trace.calls() == ["echo"]
