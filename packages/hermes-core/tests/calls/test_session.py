"""Sessions start once, end once, and release what was left to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import ConfigError, Hermes, Session, Tool, ToolContext, UnknownToolsetError, hookimpl, tool
from hermes_core.errors import HostClosedError


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
        hermes.register(one("late", "x"))
        assert session.call("late") == "1"
        hermes.deregister("late")
        hermes.deregister("a")  # and with it the toolset
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
