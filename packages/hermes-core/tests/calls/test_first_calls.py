"""Who judges the first call of a session, and which tool a name stands for while tools come and go."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import CallRecord, Deny, Hermes, Tool, ToolCall, ToolContext, hookimpl
from hermes_core.inspection import hook_table


class Policy:
    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny:
        return Deny("not in this session")


class Late:
    """A plugin that adds its policy, and an observer, when a session starts."""

    def __init__(self, *, is_async: bool) -> None:
        self.host: Hermes | None = None
        self.seen: list[str] = []
        self.is_async = is_async

    def add(self) -> None:
        assert self.host is not None
        if "policy" not in hook_table(self.host).names():
            self.host.add_plugin(Policy(), name="policy")
            self.host.add_plugin(Observer(self.seen), name="observer")


class BlockingLate(Late):
    @hookimpl
    def hermes_session_start(self, session: Any) -> None:
        self.add()


class AsyncLate(Late):
    @hookimpl
    async def hermes_session_start(self, session: Any) -> None:
        await asyncio.sleep(0.01)
        self.add()


class Observer:
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.seen.append(record.status)


def _acall(hermes: Hermes) -> str:
    async def main() -> str:
        return await hermes.acall("t")

    return asyncio.run(main())


def _threads(hermes: Hermes) -> str:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(hermes.call("t"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((answer for answer in answers if "denied" not in answer), answers[0])


def forwarding() -> Tool:
    """A tool whose calls become calls of the tool that its arguments name, as `tool_call` of tool search does."""

    def follow(args: dict[str, Any], ctx: ToolContext) -> tuple[str, Any]:
        return args["name"], args.get("arguments", {})

    return Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow, in_every_scope=True)


PATHS: dict[str, Callable[[Hermes], str]] = {
    "call": lambda hermes: hermes.call("t"),
    "acall": _acall,
    "run": lambda hermes: hermes.run("t").result,
    "batch": lambda hermes: next((a for a in hermes.batch(["t"] * 5) if "denied" not in a), '{"code": "denied"}'),
    "session": lambda hermes: hermes.session().call("t"),
    "tool_call": lambda hermes: hermes.call("tool_call", {"name": "t"}),
    "threads": _threads,
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [BlockingLate, AsyncLate])
def test_a_policy_that_is_added_when_a_session_starts_judges_its_first_call(path: str, kind: type[Late]) -> None:
    ran: list[int] = []
    late = kind(is_async=False)
    tools = [Tool.from_schema({"name": "t"}, lambda args: ran.append(1)), forwarding()]
    hermes = Hermes(tools=tools, plugins=[late])
    late.host = hermes
    try:
        assert json.loads(PATHS[path](hermes))["code"] == "denied"
    finally:
        hermes.close()
    assert ran == []
    assert set(late.seen) == {"blocked"}


def test_a_nested_call_is_judged_by_a_policy_of_its_own_session_from_the_start() -> None:
    ran: list[int] = []
    late = BlockingLate(is_async=False)

    def outer(args: dict[str, Any], ctx: ToolContext) -> str:
        late.host = hermes
        return hermes.session().call("t")

    tools = [Tool.from_schema({"name": "t"}, lambda args: ran.append(1)), Tool.from_schema({"name": "outer"}, outer)]
    hermes = Hermes(tools=tools)
    with hermes:
        hermes.call("outer")  # before the plugin is there
        ran.clear()
        hermes.add_plugin(late)
        assert json.loads(hermes.call("outer"))["code"] == "denied"
    assert ran == []


@pytest.mark.parametrize("path", ["call", "acall", "batch", "tool_call", "nested"])
def test_a_tool_never_runs_out_of_scope_while_it_is_registered_again(path: str) -> None:
    """The name stands for a tool inside of the scope half of the time, and for another one in between."""
    escaped: list[int] = []
    inside = Tool.from_schema({"name": "t"}, lambda args: "1", toolset="open")
    outside = Tool.from_schema({"name": "t"}, lambda args: escaped.append(1), toolset="secret")

    def nested(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("t")

    keeper = Tool.from_schema({"name": "keeper"}, nested, toolset="open")
    stop = threading.Event()
    hermes = Hermes(tools=[inside, keeper, forwarding()])

    def swap() -> None:
        while not stop.is_set():
            hermes.registry.register(outside, override=True)
            hermes.registry.register(inside, override=True)

    thread = threading.Thread(target=swap, daemon=True)
    with hermes, hermes.session(enabled=["open"]) as session:

        async def many() -> list[str]:
            return [await session.acall("t") for _ in range(500)]

        ways: dict[str, Callable[[], Any]] = {
            "call": lambda: [session.call("t") for _ in range(500)],
            "acall": lambda: asyncio.run(many()),
            "batch": lambda: session.batch(["t"] * 200),
            "tool_call": lambda: [session.call("tool_call", {"name": "t"}) for _ in range(300)],
            "nested": lambda: [session.call("keeper") for _ in range(300)],
        }
        thread.start()
        try:
            for _ in range(4):
                ways[path]()
        finally:
            stop.set()
            thread.join()
    assert escaped == []


def test_the_scope_is_that_of_the_snapshot_in_which_the_tool_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the tool and the look at the scope, the tool changes sides."""
    ran: list[str] = []
    inside = Tool.from_schema({"name": "t"}, lambda args: ran.append("inside"), toolset="open")
    outside = Tool.from_schema({"name": "t"}, lambda args: ran.append("outside"), toolset="secret")
    other = Tool.from_schema({"name": "other"}, lambda args: "1", toolset="open")
    with Hermes(tools=[outside, other]) as hermes, hermes.session(enabled=["open"]) as session:
        pipeline = hermes._dispatcher.pipeline
        find = pipeline._find

        def find_and_swap(call: Any, snapshot: Any) -> Any:
            plan = find(call, snapshot)
            hermes.registry.register(inside, override=True)
            return plan

        monkeypatch.setattr(pipeline, "_find", find_and_swap)
        assert json.loads(session.call("t"))["code"] == "unknown_tool"
    assert ran == []


def test_a_scope_that_is_resolved_while_toolsets_change_is_not_remembered_as_it_was() -> None:
    stop = threading.Event()
    wrong: list[int] = []
    tools = [Tool.from_schema({"name": name}, lambda args: "1", toolset=name) for name in ("a", "b")]
    with Hermes(tools=tools) as hermes:
        hermes.toolsets.create_custom("mine", tools=["a"])
        scope = hermes._visibility.new_scope(["mine"], None)

        def look() -> None:
            while not stop.is_set():
                hermes._visibility.allowed_names(scope)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        for number in range(300):
            name = "ab"[number % 2]
            hermes.toolsets.remove("mine")
            hermes.toolsets.create_custom("mine", tools=[name])
            if hermes._visibility.allowed_names(scope) != {name}:
                wrong.append(number)
        stop.set()
        thread.join()
    assert wrong == []
