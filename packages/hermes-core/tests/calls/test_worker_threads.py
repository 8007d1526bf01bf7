"""Places are given back once, and whoever waits for one gets it."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Hermes, Session, Tool, ToolCall, hookimpl, tool
from hermes_core.calls.worker_threads import CONCURRENT, Workers
from hermes_core.errors import HostClosedError


def test_work_that_waits_is_started_when_others_are_given_up(host: Callable[..., Hermes]) -> None:
    never = threading.Event()
    hang = Tool.from_schema({"name": "hang"}, lambda args: never.wait(), timeout=0.3)
    quick = Tool.from_schema({"name": "quick"}, lambda args: "1", timeout=10)
    hermes = host(tools=[hang, quick])

    async def main() -> str:
        hung = [asyncio.create_task(hermes.acall("hang")) for _ in range(CONCURRENT)]
        await asyncio.sleep(0.1)
        answer = await hermes.acall("quick")
        await asyncio.gather(*hung)
        return answer

    assert asyncio.run(main()) == "1"
    never.set()


def test_a_place_is_given_back_once_however_a_job_ends() -> None:
    workers = Workers()

    async def main() -> None:
        for _ in range(20):
            finished = threading.Event()

            async def work(finished: threading.Event = finished) -> None:
                await workers.arun(finished.set, 5)

            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            assert finished.wait(5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    deadline = time.monotonic() + 5
    while workers._busy and time.monotonic() < deadline:
        time.sleep(0.001)
    assert workers._busy == 0
    workers.close()


def test_no_caller_is_left_waiting_when_a_host_is_closed(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t")
    async def quick() -> str:
        """Return."""
        return "ok"

    for _ in range(10):
        hermes = Hermes(tools=[quick])

        def until_closed(hermes: Hermes = hermes) -> None:
            while True:
                try:
                    hermes.batch(["quick"])
                except Exception:
                    return

        threads = [threading.Thread(target=until_closed, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.005)
        hermes.close()
        for thread in threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in threads)


def test_a_release_may_close_the_host(host: Callable[..., Hermes]) -> None:
    async def main() -> None:
        hermes = host()
        session = hermes.session()
        session.on_close(hermes.aclose)
        await asyncio.wait_for(session.aclose(), 10)
        assert session.closed
        with pytest.raises(HostClosedError):
            await hermes.acall("anything")

    asyncio.run(main())


def test_a_cancelled_first_call_still_tells_every_plugin_of_the_start(host: Callable[..., Hermes]) -> None:
    told: list[str] = []

    class Slow:
        @hookimpl(tryfirst=True)
        async def hermes_session_start(self, session: Session) -> None:
            told.append("slow")
            await asyncio.sleep(0.2)

    class Quick:
        @hookimpl
        def hermes_session_start(self, session: Session) -> None:
            told.append("quick")

    hermes = host(plugins=[Slow(), Quick()], tools=[Tool.from_schema({"name": "t"}, lambda args: "1")])

    async def main() -> str:
        first = asyncio.create_task(hermes.acall("t"))
        second = asyncio.create_task(hermes.acall("t"))
        await asyncio.sleep(0.05)
        first.cancel()
        return await second

    assert asyncio.run(main()) == "1"
    assert told == ["slow", "quick"]


def test_the_deadline_of_a_call_holds_for_what_its_handler_returns_to_be_awaited(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[Tool.from_schema({"name": "t"}, lambda args: asyncio.sleep(5, "late"))])
    assert json.loads(hermes.call("t", timeout=0.2))["code"] == "timeout"


@pytest.mark.parametrize("value", [lambda: UserDict(a=1), lambda: {1, 2}, lambda: bytearray(b"x")])
def test_what_hooks_see_is_a_copy_of_whatever_was_sent(host: Callable[..., Hermes], value: Callable[[], Any]) -> None:
    sent, ran = value(), []

    class Meddling:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            for seen in (sent, call.args["x"]):
                for change in ("update", "add", "extend"):
                    if hasattr(seen, change) and type(seen).__name__ not in ("ReadOnlyDict", "frozenset", "bytes"):
                        getattr(seen, change)({"evil": 1} if change == "update" and hasattr(seen, "keys") else b"y")
                        break

    def handler(args: dict[str, Any]) -> str:
        ran.append(args["x"])
        return "1"

    hermes = host(tools=[Tool.from_schema({"name": "t"}, handler)], plugins=[Meddling()])
    assert hermes.call("t", {"x": sent}) == "1"
    before = value()
    assert ran == [dict(before) if isinstance(before, UserDict) else before]


def test_arguments_nested_deeper_than_anybody_would_are_copied_too(host: Callable[..., Hermes]) -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]

    class Meddling:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            part = call.args["x"]
            while part:
                part = part[0]
            part.append("evil")

    hermes = host(tools=[Tool.from_schema({"name": "t"}, lambda args: "1")], plugins=[Meddling()])
    assert json.loads(hermes.call("t", {"x": deep}))["code"] in ("denied", "invalid_arguments")


def test_a_sync_call_on_a_loop_is_refused_while_a_task_of_that_loop_starts_the_session(
    host: Callable[..., Hermes],
) -> None:
    class Slow:
        @hookimpl
        async def hermes_session_start(self, session: Session) -> None:
            await asyncio.sleep(0.1)

    hermes = host(plugins=[Slow()], tools=[Tool.from_schema({"name": "t"}, lambda args: "1")])

    async def main() -> list[str]:
        first = asyncio.create_task(hermes.acall("t"))
        await asyncio.sleep(0.01)  # by now the session is starting, on this very loop
        return [hermes.call("t"), await first]

    started = time.monotonic()
    refused, first = asyncio.run(main())
    assert (json.loads(refused)["code"], first) == ("unavailable", "1")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("base", [Exception, BaseException])
def test_an_exception_that_cannot_say_what_it_is_is_contained_too(
    host: Callable[..., Hermes], base: type[BaseException]
) -> None:
    class Mute(base):  # type: ignore[misc, valid-type]
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def handler(args: dict[str, Any]) -> str:
        raise Mute

    hermes = host(tools=[Tool.from_schema({"name": "t"}, handler)])
    for answer in (hermes.call("t"), *hermes.batch(["t"])):
        assert json.loads(answer) == {"error": "Tool execution failed: Mute", "code": "failed"}


def test_code_that_waits_for_others_is_never_run_in_place(host: Callable[..., Hermes]) -> None:
    threads: list[bool] = []
    reader, writer = os.pipe()

    def quick_but_waiting(args: object) -> str:
        threads.append(threading.current_thread() is threading.main_thread())
        threading.Timer(0.0001, os.write, (writer, b"x")).start()
        os.read(reader, 1)
        return "1"

    hermes = host(tools=[Tool.from_schema({"name": "plain"}, quick_but_waiting)])
    try:
        for _ in range(50):
            hermes.call("plain")
    finally:
        os.close(reader)
        os.close(writer)
    assert not any(threads)
