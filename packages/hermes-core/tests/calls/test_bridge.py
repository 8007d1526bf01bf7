"""The bridge serves every kind of caller, keeps clients on one loop, and never waits for itself."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from hermes_core import Hermes, ToolContext, hookimpl, tool
from hermes_core.calls.bridge import Bridge
from hermes_core.calls.deadlines import DeadlineError
from hermes_core.errors import BridgeError, HostClosedError


@tool(toolset="bridge")
async def where() -> dict[str, int]:
    """Say which loop and thread this is."""
    await asyncio.sleep(0)
    return {"loop": id(asyncio.get_running_loop()), "thread": threading.get_ident()}


@tool(toolset="bridge")
def blocking() -> dict[str, int]:
    """Say which thread this is."""
    return {"thread": threading.get_ident()}


class Client:
    """Works only on the loop that it was made on, as real clients do."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()

    async def get(self) -> str:
        if asyncio.get_running_loop() is not self.loop:
            raise RuntimeError("Event loop is closed")
        await asyncio.sleep(0)
        return "ok"


def cached_client_tool() -> Any:
    cache: list[Client] = []

    @tool(toolset="bridge")
    async def fetch() -> str:
        """Use a client that is kept between calls."""
        if not cache:
            cache.append(Client())
        return await cache[0].get()

    return fetch


def in_thread(function: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join(20)
    assert results, "the thread did not finish"
    return results[0]


def test_the_main_thread_needs_no_loop(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[where])
    first, second = json.loads(hermes.call("where")), json.loads(hermes.call("where"))
    assert first == second
    assert first["thread"] != threading.get_ident()


def test_worker_threads_share_the_loop(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[where])
    answers = {in_thread(lambda: hermes.call("where")) for _ in range(5)}
    assert answers == {hermes.call("where")}


def test_a_sync_call_inside_a_running_loop_works(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[where])

    async def main() -> tuple[str, int]:
        return hermes.call("where"), id(asyncio.get_running_loop())

    answer, loop = asyncio.run(main())
    assert json.loads(answer)["loop"] != loop


def test_an_async_call_runs_on_the_callers_own_loop(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[where])

    async def main() -> None:
        assert json.loads(await hermes.acall("where"))["loop"] == id(asyncio.get_running_loop())

    asyncio.run(main())


def test_a_client_kept_across_calls_keeps_its_loop(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[cached_client_tool()])

    async def inside() -> str:
        return hermes.call("fetch")

    answers = [hermes.call("fetch"), in_thread(lambda: hermes.call("fetch")), asyncio.run(inside())]
    answers += hermes.batch([("fetch", {})] * 3)
    assert answers == ['"ok"'] * 6


def test_a_sync_call_on_the_bridges_own_loop_fails_at_once(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge")
    async def reenter(ctx: ToolContext) -> str:
        """Call back in the wrong way."""
        return ctx.call_tool("where")

    hermes = host(tools=[where, reenter])
    started = time.monotonic()
    answer = json.loads(hermes.call("reenter"))
    assert time.monotonic() - started < 2
    assert "acall" in answer["error"]
    assert json.loads(hermes.call("where"))["thread"] > 0


def test_an_async_tool_can_call_others_back(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge")
    async def nested(depth: int, ctx: ToolContext) -> Any:
        """Call itself, then a blocking tool."""
        if depth:
            return json.loads(await ctx.acall("nested", {"depth": depth - 1}))
        return json.loads(await ctx.acall("blocking"))

    hermes = host(tools=[nested, blocking])
    assert json.loads(hermes.call("nested", {"depth": 10}))["thread"] > 0


def test_blocking_tools_can_call_each_other_deeply(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge")
    def nested(depth: int, ctx: ToolContext) -> Any:
        """Call itself, then an async tool."""
        if depth:
            return json.loads(ctx.call_tool("nested", {"depth": depth - 1}))
        return json.loads(ctx.call_tool("where"))

    hermes = host(tools=[nested, where], config={"calls": {"max_depth": 100}})
    assert json.loads(hermes.call("nested", {"depth": 80}))["thread"] > 0

    async def main() -> str:
        return await hermes.acall("nested", {"depth": 80})

    assert json.loads(asyncio.run(main()))["thread"] > 0


def test_a_blocking_hook_may_call_tools_on_every_path(host: Callable[..., Hermes]) -> None:
    class Curious:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any, ctx: ToolContext) -> None:
            if call.name == "blocking":
                assert "thread" in ctx.call_tool("where")

    hermes = host(tools=[where, blocking], plugins=[Curious()])
    for _ in range(6):
        assert "thread" in hermes.call("blocking")
        assert all("thread" in answer for answer in hermes.batch([("blocking", {})] * 3))

        async def main() -> str:
            return await hermes.acall("blocking")

        assert "thread" in asyncio.run(main())


def test_a_thousand_concurrent_async_calls(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge")
    async def nap(number: int) -> int:
        """Sleep a little."""
        await asyncio.sleep(0.01)
        return number

    hermes = host(tools=[nap])

    async def main() -> list[str]:
        return await asyncio.gather(*(hermes.acall("nap", {"number": number}) for number in range(1000)))

    assert asyncio.run(main()) == [str(number) for number in range(1000)]
    assert hermes.batch([("nap", {"number": number}) for number in range(1000)]) == [str(n) for n in range(1000)]


def test_a_hundred_threads_call_at_once(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[where, blocking])
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(hermes.call("where" if n % 2 else "blocking")))
        for n in range(100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(answers) == 100
    assert not any("error" in answer for answer in answers)


def test_a_blocking_handler_does_not_block_the_callers_loop(host: Callable[..., Hermes]) -> None:
    release = threading.Event()

    @tool(toolset="bridge")
    def waits() -> str:
        """Wait for the loop to go on."""
        return "released" if release.wait(10) else "the loop was blocked"

    hermes = host(tools=[waits])

    async def main() -> None:
        for _ in range(5):  # a handler that was quick before is not trusted with the loop either
            release.clear()
            task = asyncio.create_task(hermes.acall("waits"))
            await asyncio.sleep(0.01)
            release.set()
            assert await task == '"released"'

    asyncio.run(main())


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_handler_that_never_returns_is_left_behind(host: Callable[..., Hermes], how: str) -> None:
    never = threading.Event()

    @tool(toolset="bridge", timeout=0.2)
    def stuck() -> str:
        """Never return."""
        never.wait()
        return "impossible"

    @tool(toolset="bridge", timeout=0.2)
    async def astuck() -> str:
        """Never return."""
        await asyncio.Event().wait()
        return "impossible"

    hermes = host(tools=[stuck, astuck, where])
    started = time.monotonic()
    for name in ("stuck", "astuck"):

        async def main(name: str = name) -> str:
            return await hermes.acall(name)

        answer = hermes.call(name) if how == "sync" else asyncio.run(main())
        assert json.loads(answer)["code"] == "timeout"
    assert time.monotonic() - started < 5
    assert "loop" in hermes.call("where")
    never.set()


def test_an_async_handler_that_blocks_the_bridge_costs_only_its_own_call(host: Callable[..., Hermes]) -> None:
    release = threading.Event()

    @tool(toolset="bridge", timeout=0.2)
    async def rude() -> str:
        """Block the loop."""
        release.wait(30)
        return "too late"

    hermes = host(tools=[rude, where])
    assert json.loads(hermes.call("rude"))["code"] == "timeout"
    assert "loop" in hermes.call("where")  # on a fresh loop
    release.set()


def test_a_coroutine_that_shrugs_off_its_cancellation_is_cancelled_again(host: Callable[..., Hermes]) -> None:
    shrugs: list[int] = []

    @tool(toolset="bridge", timeout=0.1)
    async def stubborn() -> str:
        """Ignore the first cancellation."""
        for _ in range(2):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                shrugs.append(1)
                if len(shrugs) > 1:
                    raise
        return "unreachable"

    hermes = host(tools=[stubborn])

    async def main() -> str:
        answer = await asyncio.wait_for(hermes.acall("stubborn"), 10)
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        await asyncio.sleep(0)  # no cancellation is left over for the caller
        return answer

    assert json.loads(asyncio.run(main()))["code"] == "timeout"
    assert len(shrugs) == 2


def test_an_answer_that_comes_too_late_does_not_count(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge", timeout=0.1)
    async def late() -> str:
        """Answer in spite of the cancellation."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass
        return "here I am"

    hermes = host(tools=[late])

    async def main() -> str:
        return await hermes.acall("late")

    assert json.loads(hermes.call("late"))["code"] == json.loads(asyncio.run(main()))["code"] == "timeout"


def test_a_handler_may_use_cancel_scopes_and_timeouts_of_its_own(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge", timeout=5)
    async def scoped() -> str:
        """Time out inside, and go on."""
        with anyio.move_on_after(0.01):
            await anyio.sleep(5)
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            pass
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 0)
        return "fine"

    hermes = host(tools=[scoped])

    async def main() -> str:
        with anyio.fail_after(5):
            return await hermes.acall("scoped")

    assert hermes.call("scoped") == asyncio.run(main()) == '"fine"'


def test_cancelling_the_caller_cancels_the_tool(host: Callable[..., Hermes]) -> None:
    seen: list[str] = []

    @tool(toolset="bridge")
    async def waits() -> str:
        """Wait and note the cancellation."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "never"

    hermes = host(tools=[waits])

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await hermes.acall("waits")
        with anyio.move_on_after(0.05) as scope:
            await hermes.acall("waits")
        assert scope.cancelled_caught

    asyncio.run(main())
    assert seen == ["cancelled", "cancelled"]


def test_trio_callers_are_served_too(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge", timeout=0.2)
    async def nap(seconds: float) -> str:
        """Sleep."""
        with anyio.fail_after(10):
            await anyio.sleep(seconds)
        return "rested"

    hermes = host(tools=[nap, blocking])

    async def main() -> None:
        assert await hermes.acall("nap", {"seconds": 0.01}) == '"rested"'
        assert json.loads(await hermes.acall("nap", {"seconds": 5}))["code"] == "timeout"
        assert "thread" in await hermes.acall("blocking")
        assert len(await hermes.abatch([("nap", {"seconds": 0.01}), ("blocking", {})])) == 2

    anyio.run(main, backend="trio")


def test_context_variables_reach_tools_in_threads_and_on_the_bridge(host: Callable[..., Hermes]) -> None:
    import contextvars

    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

    @tool(toolset="bridge")
    def who() -> str:
        """Say who is calling."""
        return user.get()

    @tool(toolset="bridge")
    async def awho() -> str:
        """Say who is calling."""
        await asyncio.sleep(0)
        return user.get()

    hermes = host(tools=[who, awho])
    user.set("somebody")

    async def main() -> list[str]:
        return [await hermes.acall("who"), await hermes.acall("awho")]

    answers = [hermes.call("who"), hermes.call("awho"), *hermes.batch(["who", "awho"]), *asyncio.run(main())]
    assert answers == ['"somebody"'] * 6


def test_an_interrupted_caller_cancels_its_coroutine() -> None:
    bridge = Bridge()
    cancelled = threading.Event()

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(DeadlineError):
        bridge.run(waits, 0.05)
    assert cancelled.wait(5)
    bridge.close()


def test_a_closed_bridge_says_so() -> None:
    bridge = Bridge()
    bridge.close()
    with pytest.raises(HostClosedError):
        bridge.run(lambda: asyncio.sleep(0), 1)


def test_closing_a_host_from_its_own_loop_fails_at_once(host: Callable[..., Hermes]) -> None:
    @tool(toolset="bridge")
    async def suicide() -> str:
        """Close the host that runs this."""
        with pytest.raises(BridgeError):
            hermes._dispatcher.close()
        return "still here"

    hermes = host(tools=[suicide])
    assert hermes.call("suicide") == '"still here"'


def test_the_interpreter_ends_although_nobody_closed_anything() -> None:
    script = textwrap.dedent(
        """
        import asyncio, atexit, threading
        from hermes_core import Hermes, hookimpl, tool

        @tool(toolset="t", timeout=0.1)
        def stuck() -> str:
            "Never return."
            threading.Event().wait()

        @tool(toolset="t")
        async def fine() -> str:
            "Return."
            await asyncio.sleep(0)
            return "fine"

        class Listener:
            @hookimpl
            def hermes_session_end(self, session):
                print("released")

        hermes = Hermes(tools=[stuck, fine], plugins=[Listener()])
        print(hermes.call("fine"))
        hermes.call("stuck")
        atexit.register(lambda: print("at exit:", hermes.call("fine")))
        """
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=30)  # noqa: PLW1510
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.splitlines() == ['"fine"', 'at exit: "fine"', "released"]


def test_a_forked_child_gets_threads_of_its_own() -> None:
    script = textwrap.dedent(
        """
        import asyncio, os, sys
        from hermes_core import Hermes, tool

        @tool(toolset="t")
        async def where() -> int:
            "Say which process this is."
            await asyncio.sleep(0)
            return os.getpid()

        @tool(toolset="t", timeout=5)
        def blocking() -> int:
            "Say which process this is."
            return os.getpid()

        hermes = Hermes(tools=[where, blocking])
        hermes.call("where"), hermes.call("blocking")
        child = os.fork()
        if child == 0:
            ok = hermes.call("where") == hermes.call("blocking") == str(os.getpid())
            os._exit(0 if ok else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    # From Python 3.12 on, a fork of a process with threads brings a warning.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)  # noqa: PLW1510
    assert (done.returncode, done.stderr) == (0, "")
