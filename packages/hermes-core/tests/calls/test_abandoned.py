"""Handlers and hooks that never return are left behind, counted, named, and not started again and again."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Hermes, Tool, ToolCall, ToolContext, hookimpl
from hermes_core.inspection import abandoned_calls


def threads(name: str) -> int:
    return sum(each.name == f"hermes-abandoned-{name}" for each in threading.enumerate())


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def released() -> Any:
    event = threading.Event()
    yield event
    event.set()


def stuck(released: threading.Event, **fields: Any) -> Tool:
    def handler(args: dict[str, Any]) -> str:
        released.wait(30)
        return "1"

    return Tool.from_schema({"name": "stuck"}, handler, timeout=0.05, **fields)


def forwarding() -> Tool:
    """A tool whose calls become calls of the tool that its arguments name, as `tool_call` of tool search does."""

    def follow(args: dict[str, Any], ctx: ToolContext) -> tuple[str, Any]:
        return args["name"], args.get("arguments", {})

    return Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow, in_every_scope=True)


def code(answer: str) -> str | None:
    found = json.loads(answer)
    return found.get("code") if isinstance(found, dict) else None


PATHS: dict[str, Callable[[Hermes], str]] = {
    "call": lambda hermes: hermes.call("stuck"),
    "acall": lambda hermes: asyncio.run(_acall(hermes)),
    "batch": lambda hermes: hermes.batch(["stuck"])[0],
    "nested": lambda hermes: json.loads(hermes.call("outer")),
    "tool_call": lambda hermes: hermes.call("tool_call", {"name": "stuck"}),
}


async def _acall(hermes: Hermes) -> str:
    return await hermes.acall("stuck")


@pytest.mark.parametrize("path", PATHS)
def test_a_tool_that_never_returns_is_refused_until_its_calls_have_ended(path: str, released: threading.Event) -> None:
    def wrapped(args: dict[str, Any], ctx: ToolContext) -> str:
        return json.dumps(ctx.call_tool("stuck"))

    outer = Tool.from_schema({"name": "outer"}, wrapped)
    with Hermes(tools=[stuck(released), outer, forwarding()], config={"calls": {"max_abandoned": 2}}) as hermes:
        assert abandoned_calls(hermes) == {}
        assert [code(PATHS[path](hermes)) for _ in range(2)] == ["timeout", "timeout"]
        assert abandoned_calls(hermes) == {"stuck": 2}
        assert threads("stuck") == 2
        answer = json.loads(PATHS[path](hermes))
        assert answer["code"] == "unavailable"
        assert "2 earlier calls" in answer["error"]
        assert abandoned_calls(hermes) == {"stuck": 2}
        released.set()
        wait_until(lambda: abandoned_calls(hermes) == {})
        assert threads("stuck") == 0
        assert PATHS[path](hermes) == "1"


def test_many_calls_of_a_tool_that_never_returns_cost_few_threads(released: threading.Event) -> None:
    with Hermes(tools=[stuck(released)]) as hermes:
        answers = [code(hermes.call("stuck")) for _ in range(20)]
        assert answers == ["timeout"] * 4 + ["unavailable"] * 16
        assert threads("stuck") == 4


def test_other_tools_are_not_refused(released: threading.Event) -> None:
    fine = Tool.from_schema({"name": "fine"}, lambda args: "1")
    with Hermes(tools=[stuck(released), fine], config={"calls": {"max_abandoned": 1}}) as hermes:
        assert [code(hermes.call("stuck")) for _ in range(2)] == ["timeout", "unavailable"]
        assert hermes.call("fine") == "1"


def test_an_async_tool_that_blocks_its_loop_is_counted(released: threading.Event) -> None:
    async def handler(args: dict[str, Any]) -> str:
        released.wait(30)
        return "1"

    made = Tool.from_schema({"name": "blocking"}, handler, timeout=0.05)
    with Hermes(tools=[made], config={"calls": {"max_abandoned": 1}}) as hermes:
        assert code(hermes.call("blocking")) == "timeout"
        assert (abandoned_calls(hermes), threads("blocking")) == ({"blocking": 1}, 1)
        assert code(hermes.call("blocking")) == "unavailable"
        released.set()
        wait_until(lambda: abandoned_calls(hermes) == {})
        assert hermes.call("blocking") == "1"


def test_a_policy_that_never_returns_denies_without_further_threads(released: threading.Event) -> None:
    class Stuck:
        __name__ = "slow-policy"

        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            released.wait(30)

    fine = Tool.from_schema({"name": "fine"}, lambda args: "1")
    with Hermes(
        tools=[fine], plugins=[Stuck()], config={"calls": {"max_abandoned": 2, "hook_timeout": 0.05}}
    ) as hermes:
        assert [code(hermes.call("fine")) for _ in range(6)] == ["denied"] * 6
        assert abandoned_calls(hermes) == {"slow-policy.hermes_pre_tool_call": 2}
        released.set()
        wait_until(lambda: abandoned_calls(hermes) == {})
        assert hermes.call("fine") == "1"


def test_a_cancelled_call_whose_handler_goes_on_is_counted(released: threading.Event) -> None:
    started = threading.Event()

    def handler(args: dict[str, Any]) -> str:
        started.set()
        released.wait(30)
        return "1"

    async def main(hermes: Hermes) -> None:
        task = asyncio.create_task(hermes.acall("t"))
        while not started.is_set():
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Hermes(tools=[Tool.from_schema({"name": "t"}, handler)]) as hermes:
        asyncio.run(main(hermes))
        assert abandoned_calls(hermes) == {"t": 1}
        released.set()
        wait_until(lambda: abandoned_calls(hermes) == {})


# -- nesting --------------------------------------------------------------------------------------------------------


def recursing() -> list[Tool]:
    def direct(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("direct")

    async def awaited(args: dict[str, Any], ctx: ToolContext) -> str:
        return await ctx.acall("awaited")

    def bridged(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("tool_call", {"name": "bridged"})

    def batched(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.batch(["batched"])[0]

    def first(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("second")

    def second(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("first")

    made = (direct, awaited, bridged, batched, first, second)
    return [forwarding(), *(Tool.from_schema({"name": each.__name__}, each) for each in made)]


@pytest.mark.parametrize("name", ["direct", "awaited", "bridged", "batched", "first"])
@pytest.mark.parametrize("limit", [3, 32])
def test_calls_inside_of_each_other_are_limited(name: str, limit: int) -> None:
    depths: list[int] = []

    class Observer:
        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None:
            depths.append(1)

    async def main() -> str:
        return await hermes.acall(name)

    with Hermes(tools=recursing(), plugins=[Observer()], config={"calls": {"max_depth": limit}}) as hermes:
        for answer in (hermes.call(name), asyncio.run(main()), *hermes.batch([name])):
            found = json.loads(answer)
            assert found["code"] == "failed"
            assert f"{limit} are allowed" in found["error"]
    assert len(depths) == 3 * (limit + 1)


def test_a_tool_may_call_as_deep_as_the_limit_says() -> None:
    def nested(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("nested", {"left": args["left"] - 1}) if args["left"] else "1"

    schema = {"name": "nested", "parameters": {"type": "object", "properties": {"left": {"type": "integer"}}}}
    with Hermes(tools=[Tool.from_schema(schema, nested)], config={"calls": {"max_depth": 5}}) as hermes:
        assert hermes.call("nested", {"left": 4}) == "1"
        assert code(hermes.call("nested", {"left": 5})) == "failed"


def test_nesting_is_counted_across_hosts() -> None:
    def upper(args: dict[str, Any]) -> str:
        return below.call("lower")

    def lower(args: dict[str, Any]) -> str:
        return above.call("upper")

    with (
        Hermes(tools=[Tool.from_schema({"name": "upper"}, upper)]) as above,
        Hermes(tools=[Tool.from_schema({"name": "lower"}, lower)]) as below,
    ):
        assert "32 are allowed" in json.loads(above.call("upper"))["error"]


@pytest.mark.parametrize("hook", ["pre", "transform", "post"])
@pytest.mark.parametrize("with_context", [False, True])
def test_hooks_that_call_the_tools_which_they_judge_do_not_go_on_for_ever(hook: str, with_context: bool) -> None:
    asked: list[str] = []

    def ask(ctx: ToolContext | None) -> None:
        asked.append(ctx.call_tool("fine") if ctx is not None and with_context else hermes.call("fine"))

    class Curious:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall, ctx: ToolContext) -> None:
            if hook == "pre":
                ask(ctx)

        @hookimpl
        def hermes_transform_tool_result(self, call: ToolCall, ctx: ToolContext, result: str) -> None:
            if hook == "transform":
                ask(ctx)

        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None:
            if hook == "post":
                ask(None)

    fine = Tool.from_schema({"name": "fine"}, lambda args: "1")
    with Hermes(tools=[fine], plugins=[Curious()], config={"calls": {"max_depth": 4}}) as hermes:
        assert hermes.call("fine") == "1"
        assert hermes.batch(["fine"]) == ["1"]
    assert 2 <= sum(code(answer) == "failed" for answer in asked) <= 4  # observers also hear of a refused call
