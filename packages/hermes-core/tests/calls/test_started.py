"""`hermes_tool_call_started`: observers see a call that may change something before its tool runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hermes_core import Decision, Deny, Hermes, Tool, ToolCall, ToolContext, hookimpl


class Watcher:
    def __init__(self) -> None:
        self.events: list[Any] = []

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        return Deny("no") if call.args.get("denied") else None

    @hookimpl
    def hermes_tool_call_started(self, call: ToolCall, decision: Decision | None) -> None:
        self.events.append((call.name, dict(call.args), decision and decision.outcome))
        if call.args.get("fail"):
            raise ValueError("watchers may fail")

    def tool(self, name: str, *effects: str) -> Tool:
        def handler(args: dict[str, Any]) -> str:
            self.events.append(f"{name} runs")
            return "1"

        return Tool.from_schema({"name": name}, handler, effects=effects)


def test_it_is_called_before_a_tool_that_may_change_something_runs() -> None:
    watcher = Watcher()
    with Hermes(tools=[watcher.tool("put", "read", "write")], plugins=[watcher]) as hermes:
        assert hermes.call("put", {"n": 1}) == "1"
        assert asyncio.run(hermes.acall("put", {"n": 2})) == "1"
        assert hermes.batch([("put", {"n": 3})]) == ["1"]
    expected = [[("put", {"n": number}, "allowed"), "put runs"] for number in (1, 2, 3)]
    assert watcher.events == [event for events in expected for event in events]


@pytest.mark.parametrize("effects", [(), ("read",)])
def test_a_call_that_only_reads_is_not_announced(effects: tuple[str, ...]) -> None:
    watcher = Watcher()
    with Hermes(tools=[watcher.tool("look", *effects)], plugins=[watcher]) as hermes:
        hermes.call("look")
    assert watcher.events == ["look runs"]


def test_a_call_that_does_not_run_is_not_announced() -> None:
    watcher = Watcher()
    with Hermes(tools=[watcher.tool("put", "write")], plugins=[watcher]) as hermes:
        hermes.call("put", {"denied": True})
        hermes.call("put", "no JSON")
    assert watcher.events == []


def test_an_observer_that_fails_does_not_keep_the_tool_from_running(caplog: pytest.LogCaptureFixture) -> None:
    watcher = Watcher()
    with Hermes(tools=[watcher.tool("put", "write")], plugins=[watcher]) as hermes:
        assert hermes.call("put", {"fail": True}) == "1"
    assert "hermes_tool_call_started" in caplog.text


def test_the_observers_of_a_parent_see_the_calls_of_a_child() -> None:
    watcher = Watcher()
    with Hermes(plugins=[watcher]) as parent, Hermes(tools=[watcher.tool("put", "write")], parent=parent) as child:
        child.call("put")
    assert watcher.events == [("put", {}, "allowed"), "put runs"]


def test_an_observer_that_calls_the_tool_again_does_not_go_on_for_ever() -> None:
    class Again:
        calls = 0

        @hookimpl
        def hermes_tool_call_started(self, call: ToolCall) -> None:
            Again.calls += 1
            ToolContext(call).call_tool(call.name)

    with Hermes(tools=[Watcher().tool("put", "write")], plugins=[Again()]) as hermes:
        assert hermes.call("put") == "1"
        assert Again.calls == 32
