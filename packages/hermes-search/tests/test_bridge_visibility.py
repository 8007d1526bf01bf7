"""Whoever judges, limits, orders or records calls sees the hidden tool that was called, and not the bridge."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from hermes_core import (
    CallRecord,
    Deny,
    Finding,
    Hermes,
    Rewrite,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    tool,
)

Make = Callable[..., Hermes]
WRAPPED = {"name": "send_mail", "arguments": '{"n": "1"}'}


def said(text: str) -> dict[str, Any]:
    answer = json.loads(text)
    assert isinstance(answer, dict)
    return answer


def make(name: str, toolset: str = "web", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "description": f"Handles {name.replace('_', ' ')} matters.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }

    def handler(args: dict[str, Any]) -> str:
        return json.dumps({"ran": name, **args})

    return Tool.from_schema(schema, handler, toolset=toolset, **fields)


class Watcher:
    """Notes every call that each hook is told of."""

    def __init__(self, answer: Callable[[ToolCall], Any] = lambda call: None) -> None:
        self.before: list[tuple[str, Any]] = []
        self.after: list[CallRecord] = []
        self.answer = answer

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        self.before.append((call.name, dict(call.args)))
        return self.answer(call)

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.after.append(record)


def test_hooks_see_the_tool_inside(host: Make) -> None:
    watcher = Watcher()
    hermes = host(tools=[make("send_mail", aliases=["post"])], plugins=[watcher])
    record = hermes.run("tool_call", {"name": "post", "arguments": {"n": "1"}}, id="call-7")
    assert watcher.before == [("send_mail", {"n": 1})]
    assert [each.call.name for each in watcher.after] == ["send_mail"]
    assert (record.call.name, dict(record.call.args), record.call.id) == ("send_mail", {"n": 1}, "call-7")
    assert record.call.tool is not None
    assert record.call.tool.toolset == "web"
    assert [repair.path for repair in record.call.repairs] == ["n"]


def test_hooks_see_a_search_as_what_it_is(host: Make) -> None:
    watcher = Watcher()
    hermes = host(tools=[make("send_mail")], plugins=[watcher])
    record = hermes.run("tool_search", {"query": "mail"})
    assert watcher.before == [("tool_search", {"query": "mail"})]
    assert record.call.tool is not None
    assert record.call.tool.toolset == "tool_search"
    assert set(record.call.tool.effects) == {"read"}


def test_policy_about_a_tool_holds_behind_the_bridge(host: Make) -> None:
    deny = Watcher(lambda call: Deny("no mail") if call.name == "send_mail" else None)
    hermes = host(tools=[make("send_mail"), make("other")], plugins=[deny])
    assert said(hermes.call("tool_call", WRAPPED))["code"] == "denied"
    assert said(hermes.call("tool_call", {"name": "other", "arguments": {"n": 1}})) == {"ran": "other", "n": 1}
    rewriting = Watcher(lambda call: Rewrite({"n": 5}))
    answer = host(tools=[make("send_mail")], plugins=[rewriting]).call("tool_call", WRAPPED)
    assert said(answer) == {"ran": "send_mail", "n": 5}


def test_findings_and_approvals_are_about_the_tool_inside(host: Make) -> None:
    asked: list[tuple[str, Any]] = []

    def assess(args: Any, ctx: ToolContext) -> Finding:
        return Finding(rule="mail.out", severity="ask", reason=f"It sends {args['n']}.")

    def approver(request: Any) -> bool:
        asked.append((request.tool, dict(request.args)))
        return len(asked) == 1

    hermes = host(tools=[make("send_mail", assess=assess)], approver=approver)
    assert said(hermes.call("tool_call", WRAPPED)) == {"ran": "send_mail", "n": 1}
    assert said(hermes.call("tool_call", WRAPPED))["code"] == "denied"
    assert asked == [("send_mail", {"n": 1})] * 2
    rehearsal = hermes.rehearse("tool_call", WRAPPED)
    assert (rehearsal.tool, dict(rehearsal.args)) == ("send_mail", {"n": 1})
    assert [finding.rule for finding in rehearsal.findings] == ["mail.out"]


def test_observers_see_the_tool_inside(host: Make) -> None:
    seen: list[str] = []

    class Log:
        @hookimpl
        def hermes_tool_call_started(self, call: ToolCall) -> None:
            seen.append(f"{call.name} {dict(call.args)}")

        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            seen.append(f"{record.call.name} {dict(record.call.args)}")

    host(tools=[make("send_mail", effects=["message"])], plugins=[Log()]).call("tool_call", WRAPPED)
    assert seen == ["send_mail {'n': 1}"] * 2


def test_limits_and_deadlines_are_those_of_the_tool_inside(host: Make) -> None:
    stop = threading.Event()

    @tool(toolset="slow", timeout=0.2)
    def slow() -> str:
        """Wait for ever."""
        stop.wait(30)
        return "late"

    @tool(toolset="long", max_result_size_chars=500)
    def long() -> str:
        """Say much."""
        return "word " * 1_000

    hermes = host(tools=[slow, long])
    try:
        assert said(hermes.call("tool_call", {"name": "slow", "arguments": {}}))["code"] == "timeout"
        text = hermes.call("tool_call", {"name": "long", "arguments": {}})
        assert len(text) < 2_500
        assert "full result is in" in text
    finally:
        stop.set()


def test_a_batch_is_ordered_by_what_the_tools_inside_do(host: Make) -> None:
    order: list[str] = []
    second_ready = threading.Event()

    @tool(toolset="files", effects=["write"])
    def put(path: str) -> str:
        """Write slowly: the next must wait for it."""
        second_ready.wait(0.2)
        order.append("put")
        return "put"

    @tool(toolset="files", effects=["read"])
    def get(path: str) -> str:
        """Read."""
        order.append("get")
        second_ready.set()
        return "get"

    calls = [("tool_call", {"name": name, "arguments": {"path": "/x"}}) for name in ("put", "get")]
    host(tools=[put, get]).batch(calls)
    assert order == ["put", "get"]


def test_calls_as_model_apis_write_them_are_unwrapped(host: Make) -> None:
    watcher = Watcher()
    hermes = host(tools=[make("send_mail")], plugins=[watcher])
    openai = {"id": "c1", "type": "function", "function": {"name": "tool_call", "arguments": json.dumps(WRAPPED)}}
    anthropic = {"id": "c2", "type": "tool_use", "name": "tool_call", "input": WRAPPED}
    assert [said(text) for text in hermes.batch([openai, anthropic])] == [{"ran": "send_mail", "n": 1}] * 2
    assert sorted(record.call.id for record in watcher.after) == ["c1", "c2"]
    assert {record.call.name for record in watcher.after} == {"send_mail"}


def test_async_callers_get_the_same(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])

    async def main() -> list[str]:
        found = await hermes.acall("tool_search", {"query": "mail"})
        return [found, await hermes.acall("tool_call", WRAPPED), *await hermes.abatch([("tool_call", WRAPPED)])]

    found, *called = asyncio.run(main())
    assert said(found)["matches"][0]["name"] == "send_mail"
    assert [said(text) for text in called] == [{"ran": "send_mail", "n": 1}] * 2
