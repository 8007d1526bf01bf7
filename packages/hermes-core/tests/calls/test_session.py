"""Sessions start once, end once, and release what was left to them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import ConfigError, Hermes, Session, Tool, ToolContext, UnknownToolsetError, hookimpl, tool
from hermes_core.errors import HostClosedError, HostError, SessionClosedError


class Recorder:
    """Notes when sessions start and end."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    @hookimpl
    def hermes_session_start(self, session: Session) -> None:
        self.heard.append(("start", session.kind))

    @hookimpl
    async def hermes_session_end(self, session: Session) -> None:
        await asyncio.sleep(0)
        self.heard.append(("end", session.kind))


def one(name: str = "one", toolset: str = "t", **fields: Any) -> Tool:
    return Tool.from_schema({"name": name}, lambda args: "1", toolset=toolset, **fields)


def test_a_session_tells_plugins_when_it_starts_and_ends(host: Callable[..., Hermes]) -> None:
    recorder = Recorder()
    with host(plugins=[recorder], tools=[one()]) as hermes:
        with hermes.session(kind="cron") as session:
            assert session.call("one") == "1"
            session.close()  # closing twice is fine
        assert recorder.heard == [("start", "interactive"), ("start", "cron"), ("end", "cron")]
    assert recorder.heard[-1] == ("end", "interactive")
    assert len(recorder.heard) == 4


def test_async_sessions_work_the_same(host: Callable[..., Hermes]) -> None:
    recorder = Recorder()

    async def main() -> None:
        async with host(plugins=[recorder], tools=[one()]) as hermes, hermes.session(kind="batch") as session:
            assert await session.acall("one") == "1"
            assert (await session.arun("one")).status == "ok"
            assert await session.abatch(["one"]) == ["1"]

    asyncio.run(main())
    assert recorder.heard == [
        ("start", "interactive"),
        ("start", "batch"),
        ("end", "batch"),
        ("end", "interactive"),
    ]


def test_closing_the_host_ends_open_sessions(host: Callable[..., Hermes]) -> None:
    recorder = Recorder()
    hermes = host(plugins=[recorder], tools=[one()])
    session = hermes.session(kind="cron")
    session.call("one")
    hermes.close()
    assert recorder.heard == [("start", "cron"), ("end", "cron")]
    for use in (lambda: hermes.call("one"), hermes.session, lambda: hermes.batch(["one"])):
        with pytest.raises(HostClosedError):
            use()


def test_a_session_that_never_started_ends_in_silence(host: Callable[..., Hermes]) -> None:
    recorder = Recorder()
    hermes = host(plugins=[recorder])
    hermes.session().close()
    hermes.close()
    assert recorder.heard == []


def test_what_a_tool_leaves_to_its_session_is_released_last_in_first_out(host: Callable[..., Hermes]) -> None:
    released: list[str] = []

    @tool(toolset="t")
    def acquire(ctx: ToolContext) -> str:
        """Acquire three things."""

        async def release_async() -> None:
            await asyncio.sleep(0)
            released.append("async")

        def broken() -> None:
            raise ValueError("cannot be released")

        ctx.session.on_close(lambda: released.append("sync"))
        ctx.session.on_close(broken)
        ctx.session.on_close(release_async)
        return "ok"

    hermes = host(tools=[acquire])
    with hermes.session() as session:
        session.call("acquire")
        assert released == []
    assert released == ["async", "sync"]


def test_a_plugin_that_fails_at_the_start_does_not_stop_the_session(host: Callable[..., Hermes]) -> None:
    class Broken:
        @hookimpl
        def hermes_session_start(self, session: Session) -> None:
            raise ValueError("no")

    recorder = Recorder()
    hermes = host(plugins=[recorder, Broken()], tools=[one()])
    assert hermes.call("one") == "1"
    assert recorder.heard == [("start", "interactive")]


class Store:
    def __init__(self, name: str) -> None:
        self.name = name


def test_services_come_from_the_session_then_the_host(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", needs=[Store])
    def ask(ctx: ToolContext) -> str:
        """Ask the store."""
        return ctx.service(Store).name

    hermes = host(tools=[ask])
    assert json.loads(hermes.call("ask"))["error"] == "ask must be handled by the agent loop"
    assert [d["function"]["name"] for d in hermes.definitions()] == ["ask"]
    hermes.provide(Store, Store("host's"))
    assert hermes.call("ask") == '"host\'s"'
    with hermes.session(services={Store: Store("session's")}) as session:
        assert session.call("ask") == '"session\'s"'


def test_a_service_can_be_named_without_importing_its_type(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", needs=["Store"])
    def ask(ctx: ToolContext) -> list[str]:
        """Ask the store by name."""
        return [ctx.service("Store").name, ctx.service(f"{Store.__module__}.Store").name]

    hermes = host(tools=[ask], services={Store: Store("x")})
    assert json.loads(hermes.call("ask")) == ["x", "x"]


def test_asking_for_a_service_that_nobody_gives_is_an_error(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t")
    def ask(ctx: ToolContext) -> str:
        """Ask for what is not there."""
        return str(ctx.service(Store))

    answer = json.loads(host(tools=[ask]).call("ask"))
    assert answer["code"] == "unavailable"
    assert "Store" in answer["hint"]


def test_a_session_shows_and_calls_only_its_scope(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[one("a", "x"), one("b", "x"), one("c", "y")])
    with hermes.session(enabled=["x"], disabled=["b"]) as session:
        assert [d["function"]["name"] for d in session.definitions()] == ["a"]
        assert session.call("a") == "1"
        assert json.loads(session.call("b"))["code"] == json.loads(session.call("c"))["code"] == "unknown_tool"
        # Asking for more at the call does not widen the session.
        assert json.loads(session.call("c", enabled=["y"]))["code"] == "unknown_tool"
    assert json.loads(hermes.call("c", enabled=[]))["code"] == "unknown_tool"


def test_a_scope_follows_the_registry(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[one("a", "x")])
    with hermes.session(enabled=["x"]) as session:
        hermes.registry.register(one("late", "x"))
        assert session.call("late") == "1"
        hermes.registry.deregister("late")
        hermes.registry.deregister("a")  # and with it the toolset
        assert json.loads(session.call("a"))["code"] == "unknown_tool"


def test_an_unknown_toolset_is_an_error_for_the_application(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[one("a", "weather")])
    for use in (
        lambda: hermes.session(enabled=["wether"]),
        lambda: hermes.call("a", enabled=["wether"]),
        lambda: hermes.definitions(disabled=["wether"]),
    ):
        with pytest.raises(UnknownToolsetError, match="weather"):
            use()


def test_providers_are_made_once_at_first_use(host: Callable[..., Hermes]) -> None:
    made: list[str] = []

    class Engines:
        @hookimpl
        def hermes_providers(self) -> Any:
            def make() -> Store:
                made.append("fake")
                return Store("fake")

            return {"web_search": {"fake": make}}

    @tool(toolset="t")
    def search(ctx: ToolContext) -> list[str]:
        """Name the engines."""
        return [provider.name for provider in ctx.providers("web_search").values()]

    hermes = host(plugins=[Engines()], tools=[search])
    assert made == []
    assert [json.loads(hermes.call("search")) for _ in range(2)] == [["fake"], ["fake"]]
    assert made == ["fake"]


def test_handlers_of_the_explicit_form_are_told_about_their_call(host: Callable[..., Hermes]) -> None:
    def everything(args: dict[str, Any], **info: Any) -> str:
        return json.dumps(info)

    def some(args: dict[str, Any], task_id: str | None = None) -> str:
        return json.dumps(task_id)

    def context(args: dict[str, Any], ctx: ToolContext) -> str:
        return json.dumps(ctx.call.id)

    tools = [
        Tool.from_schema({"name": handler.__name__}, handler, toolset="t") for handler in (everything, some, context)
    ]
    with host(tools=tools).session(id="s-1") as session:
        info = json.loads(session.call("everything", task_id="t-1", id="c-1"))
        assert info == {"task_id": "t-1", "session_id": "s-1", "tool_call_id": "c-1"}
        assert session.call("some", task_id="t-1") == '"t-1"'
        assert session.call("context", id="c-2") == '"c-2"'


def test_a_handler_cannot_change_the_callers_arguments(host: Callable[..., Hermes]) -> None:
    def greedy(args: dict[str, Any]) -> str:
        args["list"].append("mine")
        args.clear()
        return "1"

    mine = {"list": ["yours"]}
    hermes = host(tools=[Tool.from_schema({"name": "greedy"}, greedy)])
    for _ in range(5):
        hermes.call("greedy", mine)
    assert mine == {"list": ["yours"]}


def test_an_unknown_option_is_a_mistake_of_the_application(host: Callable[..., Hermes]) -> None:
    with pytest.raises(TypeError, match="time_out"):
        host(tools=[one()]).call("one", {}, time_out=3)


@pytest.mark.parametrize("timeout", [0, -1, "x", True, float("nan")])
def test_a_timeout_that_cannot_be_is_refused(host: Callable[..., Hermes], timeout: Any) -> None:
    with pytest.raises(ConfigError, match="timeout"):
        host(tools=[one()]).call("one", timeout=timeout)


def test_the_first_calls_wait_until_the_session_has_started(host: Callable[..., Hermes]) -> None:
    ready: list[bool] = []

    class Slow:
        @hookimpl
        async def hermes_session_start(self, session: Session) -> None:
            assert await session.acall("one") == "1"  # and a plugin may use the session that it prepares
            await asyncio.sleep(0.1)
            ready.append(True)

    look = Tool.from_schema({"name": "look"}, lambda args: json.dumps(bool(ready)), toolset="t")
    hermes = host(plugins=[Slow()], tools=[look, one()])

    async def main() -> list[str]:
        async with hermes.session():
            assert ready == [True]
        other = hermes.session()
        ready.clear()
        return await asyncio.gather(*(other.acall("look") for _ in range(5)))

    assert asyncio.run(main()) == ["true"] * 5


def test_a_session_that_has_ended_runs_nothing_and_keeps_nothing(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[one()])
    with hermes.session() as session:
        session.call("one")
    with pytest.raises(SessionClosedError):
        session.call("one")
    with pytest.raises(SessionClosedError):
        session.on_close(print)
    with pytest.raises(HostError, match="not a session of this host"):
        host(tools=[one()]).call("one", session=hermes.session())


def test_an_interrupted_end_still_releases_everything_once(host: Callable[..., Hermes]) -> None:
    released: list[str] = []

    def interrupted() -> None:
        released.append("interrupted")
        raise KeyboardInterrupt

    async def waiting() -> None:
        released.append("begun")
        await asyncio.Event().wait()

    hermes = host(tools=[one()])
    session = hermes.session()
    session.on_close(lambda: released.append("last"))
    session.on_close(interrupted)
    session.close()  # in its thread nobody can have pressed Ctrl-C: it counts as a failed release
    assert released == ["interrupted", "last"]

    async def main() -> None:
        released.clear()
        other = hermes.session()
        other.on_close(lambda: released.append("last"))
        other.on_close(waiting)
        task = asyncio.create_task(other.aclose())
        await asyncio.sleep(0.05)
        task.cancel()  # it reaches the release that waits; the others are still called
        await other.aclose()  # waits for the first
        assert released == ["begun", "last"]
        await hermes.aclose()

    asyncio.run(main())


def test_two_closers_close_once(host: Callable[..., Hermes]) -> None:
    released: list[int] = []
    hermes = host()
    session = hermes.session()
    started = threading.Event()

    def release() -> None:
        started.set()
        time.sleep(0.2)
        released.append(1)

    session.on_close(release)
    thread = threading.Thread(target=session.close)
    thread.start()
    assert started.wait(5)
    hermes.close()
    assert released == [1]
    thread.join(5)


def test_a_tool_knows_the_time_that_its_caller_gives_it(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", timeout=60)
    def given(ctx: ToolContext) -> dict[str, float | None]:
        """Say how long it may take."""
        return {"seconds": ctx.timeout}

    hermes = host(tools=[given])
    told = [json.loads(hermes.call("given", {}, **options))["seconds"] for options in ({}, {"timeout": 30})]
    assert told == [None, 30]


def test_an_async_handler_or_hook_that_blocks_past_its_deadline_is_late(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", timeout=0.1)
    async def blocks() -> str:
        """Block the loop."""
        time.sleep(0.3)
        return "late"

    class Blocks:
        @hookimpl
        async def hermes_pre_tool_call(self, call: Any) -> None:
            if call.name == "one":
                time.sleep(0.3)

    hermes = host(tools=[blocks, one()], plugins=[Blocks()], config={"calls": {"hook_timeout": 0.1}})

    async def main() -> list[str]:
        return [await hermes.acall("blocks"), await hermes.acall("one")]

    for answers in ([hermes.call("blocks"), hermes.call("one")], hermes.batch(["blocks", "one"]), asyncio.run(main())):
        assert [json.loads(answer)["code"] for answer in answers] == ["timeout", "denied"]


def test_what_a_generator_does_counts_towards_the_deadline(host: Callable[..., Hermes]) -> None:
    def slowly() -> Any:
        for number in range(4):
            time.sleep(0.1)
            yield number

    def quickly() -> Any:
        yield from range(3)

    tools = [
        Tool.from_schema({"name": "slowly"}, lambda args: slowly(), timeout=0.2),
        Tool.from_schema({"name": "quickly"}, lambda args: quickly()),
    ]
    hermes = host(tools=tools)
    assert json.loads(hermes.call("slowly"))["code"] == "timeout"
    assert hermes.call("quickly") == "[0, 1, 2]"


def test_a_typed_handler_cannot_change_the_callers_arguments_either(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t")
    def greedy(o: dict[str, Any]) -> str:
        """Change what it is given."""
        o["k"]["x"] = 1
        return "ok"

    mine: dict[str, Any] = {"o": {"k": {}}}
    hermes = host(tools=[greedy])
    for _ in range(5):
        hermes.call("greedy", mine)
    assert mine == {"o": {"k": {}}}


def test_batches_nested_in_more_tools_than_there_are_places_end(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", effects=["network"])
    def leaf(n: int) -> int:
        """Return it."""
        return n

    @tool(toolset="t", effects=["network"])
    def outer(n: int, ctx: ToolContext) -> list[str]:
        """Run a batch."""
        return ctx.batch([("leaf", {"n": n})] * 2)

    hermes = host(tools=[leaf, outer])
    answers = hermes.batch([("outer", {"n": n}) for n in range(100)])
    assert [json.loads(answer) for answer in answers] == [[str(n)] * 2 for n in range(100)]


@pytest.mark.parametrize("path", ["~\0", "~\ud800x", "a\0b"])
def test_one_impossible_path_does_not_spoil_a_batch(host: Callable[..., Hermes], path: str) -> None:
    write = Tool.from_schema({"name": "w"}, lambda args: "1", effects=["write"])
    assert host(tools=[write]).batch([("w", {"path": path}), ("w", {"path": "fine"})]) == ["1", "1"]


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt("mine"), SystemExit(3)])
@pytest.mark.parametrize("where", ["handler", "pre", "post"])
def test_exceptions_that_say_stop_count_only_when_somebody_said_so(
    host: Callable[..., Hermes], error: BaseException, where: str
) -> None:
    class Odd:
        @hookimpl
        async def hermes_pre_tool_call(self, call: Any) -> None:
            if where == "pre":
                raise error

        @hookimpl
        async def hermes_post_tool_call(self, record: Any) -> None:
            if where == "post":
                raise error

    @tool(toolset="t")
    async def odd() -> str:
        """Raise."""
        if where == "handler":
            raise error
        return "fine"

    hermes = host(tools=[odd], plugins=[Odd()])
    expected = {"handler": "failed", "pre": "denied"}.get(where)
    if isinstance(error, asyncio.CancelledError) and where == "handler":
        expected = "cancelled"
    for answers in (hermes.batch(["odd", "odd"]), [hermes.call("odd")]):
        for answer in answers:
            result = json.loads(answer)
            assert result == "fine" if expected is None else result["code"] in (expected, "failed")


@pytest.mark.parametrize("place", ["hook", "handler"])
def test_async_code_that_swallows_its_cancellation_is_left_where_it_is(host: Callable[..., Hermes], place: str) -> None:
    swallowed: list[int] = []

    async def stubborn() -> str:
        while True:
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                swallowed.append(1)

    class Hook:
        @hookimpl
        async def hermes_pre_tool_call(self, call: object) -> None:
            if place == "hook":
                await stubborn()

    @tool(timeout=0.2)
    async def forever() -> str:
        """Wait."""
        return await stubborn()

    async def main() -> tuple[str, int]:
        hermes = host(tools=[forever], plugins=[Hook()], config={"calls": {"hook_timeout": 0.2}})
        answer = await hermes.acall("forever")
        task = asyncio.current_task()
        assert task is not None
        return json.loads(answer)["code"], task.cancelling()

    started = time.monotonic()
    assert asyncio.run(main()) == ("denied" if place == "hook" else "timeout", 0)
    assert time.monotonic() - started < 6
    assert swallowed


def test_whoever_cancels_stubborn_code_is_not_told_that_it_was_late(host: Callable[..., Hermes]) -> None:
    @tool(timeout=0.5)
    async def forever() -> str:
        """Wait, whatever happens."""
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.1)

    async def main() -> None:
        task = asyncio.create_task(host(tools=[forever]).acall("forever"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
