"""Every path a call can take meets every kind of hook, exactly once each."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Ask, CallRecord, Deny, Hermes, Rewrite, ToolCall, hookimpl, tool

Way = Callable[[Hermes, str, dict[str, Any]], str]
ran: list[int] = []


@tool(toolset="matrix")
def double(number: int) -> dict[str, int]:
    """Double a number."""
    ran.append(number)
    return {"doubled": number * 2}


@tool(toolset="matrix")
async def adouble(number: int) -> dict[str, int]:
    """Double a number, asynchronously."""
    await asyncio.sleep(0)
    ran.append(number)
    return {"doubled": number * 2}


def by_sync(hermes: Hermes, name: str, args: dict[str, Any]) -> str:
    return hermes.call(name, args)


def by_async(hermes: Hermes, name: str, args: dict[str, Any]) -> str:
    async def main() -> str:
        return await hermes.acall(name, args)

    return asyncio.run(main())


def by_batch(hermes: Hermes, name: str, args: dict[str, Any]) -> str:
    return hermes.batch([(name, args)])[0]


def by_sync_inside_a_loop(hermes: Hermes, name: str, args: dict[str, Any]) -> str:
    async def main() -> str:
        return hermes.call(name, args)

    return asyncio.run(main())


def by_worker_thread(hermes: Hermes, name: str, args: dict[str, Any]) -> str:
    results: list[str] = []
    thread = threading.Thread(target=lambda: results.append(hermes.call(name, args)))
    thread.start()
    thread.join(20)
    return results[0]


WAYS = [by_sync, by_async, by_batch, by_sync_inside_a_loop, by_worker_thread]


class Policy:
    """Both spellings of every hook, so that a test can choose one."""

    def __init__(self, *, is_async: bool) -> None:
        self.is_async = is_async
        self.calls: list[ToolCall] = []
        self.records: list[CallRecord] = []

    def hooks(self, **answers: Any) -> Any:
        """A plugin whose hooks give these answers."""
        policy = self

        def answer(name: str, call: ToolCall) -> Any:
            policy.calls.append(call)
            return answers.get(name)

        class Sync:
            @hookimpl
            def hermes_pre_tool_call(self, call: ToolCall) -> Any:
                return answer("pre", call)

            @hookimpl
            def hermes_transform_tool_result(self, call: ToolCall, result: str) -> Any:
                return answers["transform"](result) if "transform" in answers else None

            @hookimpl
            def hermes_post_tool_call(self, record: CallRecord) -> None:
                policy.records.append(record)

        class Async:
            @hookimpl
            async def hermes_pre_tool_call(self, call: ToolCall) -> Any:
                await asyncio.sleep(0)
                return answer("pre", call)

            @hookimpl
            async def hermes_transform_tool_result(self, call: ToolCall, result: str) -> Any:
                await asyncio.sleep(0)
                return answers["transform"](result) if "transform" in answers else None

            @hookimpl
            async def hermes_post_tool_call(self, record: CallRecord) -> None:
                await asyncio.sleep(0)
                policy.records.append(record)

        return Async() if self.is_async else Sync()


@pytest.fixture(params=[False, True], ids=["sync-hook", "async-hook"])
def policy(request: pytest.FixtureRequest) -> Policy:
    ran.clear()
    return Policy(is_async=request.param)


pytestmark = [
    pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.removeprefix("by_")),
    pytest.mark.parametrize("name", ["double", "adouble"]),
]


def test_veto(way: Way, name: str, policy: Policy, host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[double, adouble], plugins=[policy.hooks(pre=Deny("not on a Monday"))])
    for _ in range(5):  # long enough for the hook to be trusted to run in place
        result = json.loads(way(hermes, name, {"number": 4}))
        assert result["code"] == "denied"
        assert "not on a Monday" in result["error"]
    assert ran == []
    assert [record.status for record in policy.records] == ["blocked"] * 5
    assert len(policy.calls) == 5


def test_rewrite(way: Way, name: str, policy: Policy, host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[double, adouble], plugins=[policy.hooks(pre=Rewrite({"number": 21}))])
    for _ in range(5):
        assert json.loads(way(hermes, name, {"number": 4})) == {"doubled": 42}
    assert ran == [21] * 5
    assert [dict(record.call.args) for record in policy.records] == [{"number": 21}] * 5


def test_ask(way: Way, name: str, policy: Policy, host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[double, adouble], plugins=[policy.hooks(pre=Ask("numbers are scary"))])
    for _ in range(5):
        result = json.loads(way(hermes, name, {"number": 4}))
        assert result["code"] == "denied"
        assert result["decision"] == "no-approver"
        assert "numbers are scary" in result["error"]
    assert ran == []


def test_transform(way: Way, name: str, policy: Policy, host: Callable[..., Hermes]) -> None:
    hooks = policy.hooks(transform=lambda result: result.replace("8", "eight"))
    hermes = host(tools=[double, adouble], plugins=[hooks])
    for _ in range(5):
        result = way(hermes, name, {"number": 4})
        assert json.loads(result) == '{"doubled": eight}'  # no longer JSON, so it became a JSON string
    assert ran == [4] * 5
    assert policy.records[-1].result == result


def test_observe(way: Way, name: str, policy: Policy, host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[double, adouble], plugins=[policy.hooks()])
    for _ in range(5):
        assert json.loads(way(hermes, name, {"number": 4})) == {"doubled": 8}
    assert len(policy.calls) == len(policy.records) == 5
    record = policy.records[0]
    assert (record.status, record.code, record.call.name) == ("ok", None, name)
    assert record.seconds > 0
    assert record.call.origin == ("batch" if way is by_batch else "direct")
