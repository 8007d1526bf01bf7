"""A restricted session must not reach through the bridge what its toolsets do not grant, by whatever path."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import Hermes, Session, Tool, ToolContext, Toolset, tool
from hermes_search import assemble, plugin
from hermes_search.catalog import Catalog

Make = Callable[..., Hermes]

SECRET_CALL = {"name": "open_vault", "arguments": {}}
BRIDGE_CALLS: dict[str, dict[str, Any]] = {
    "tool_search": {"query": "open vault", "limit": 50},
    "tool_describe": {"name": "open_vault"},
    "tool_call": SECRET_CALL,
}


def said(text: str) -> dict[str, Any]:
    answer = json.loads(text)
    assert isinstance(answer, dict)
    return answer


def simple(name: str, toolset: str, ran: list[str], **fields: Any) -> Tool:
    def handler(args: dict[str, Any]) -> str:
        ran.append(name)
        return json.dumps({"ran": name})

    schema = {"name": name, "description": f"To {name.replace('_', ' ')}."}
    return Tool.from_schema(schema, handler, toolset=toolset, **fields)


def with_search(**options: Any) -> Hermes:
    return Hermes(plugins=[plugin], **options)


class World:
    """A host with a granted toolset, a secret one, and granted tools that call others."""

    def __init__(self, **options: Any) -> None:
        self.ran: list[str] = []

        @tool(toolset="granted")
        def nested(name: str, args: str, ctx: ToolContext) -> Any:
            """Call through the context."""
            return ctx.call_tool(name, json.loads(args))

        @tool(toolset="granted")
        async def nested_async(name: str, args: str, ctx: ToolContext) -> Any:
            """Call through the context, awaiting it."""
            return await ctx.acall(name, json.loads(args))

        @tool(toolset="granted")
        def nested_batch(name: str, args: str, ctx: ToolContext) -> Any:
            """Call through a batch of the context."""
            return ctx.batch([(name, json.loads(args))])[0]

        @tool(toolset="granted")
        def through_the_host(name: str, args: str) -> Any:
            """Call through the host itself, as if nobody had restricted anything."""
            return self.hermes.call(name, json.loads(args))

        @tool(toolset="granted")
        def through_a_session(name: str, args: str) -> Any:
            """Open a session of one's own, and ask it."""
            with self.hermes.session() as session:
                return session.call(name, json.loads(args))

        @tool(toolset="granted")
        def through_a_thread(name: str, args: str, ctx: ToolContext) -> Any:
            """Call from a thread that knows nothing of the call but the context."""
            answers: list[str] = []
            thread = threading.Thread(target=lambda: answers.append(ctx.call_tool(name, json.loads(args))))
            thread.start()
            thread.join(30)
            return answers[0]

        @tool(toolset="granted")
        def wider(name: str, args: str, ctx: ToolContext) -> Any:
            """Ask for more toolsets than one has."""
            return ctx.call_tool(name, json.loads(args), enabled=["all"])

        @tool(toolset="granted")
        def script(name: str, args: str, ctx: ToolContext) -> Any:
            """Answer a script's request as one that offers no tool by that name: with nothing enabled."""
            return ctx.call_tool(name, json.loads(args), enabled=[])

        self.nesters = [
            *(nested, nested_async, nested_batch),
            *(through_the_host, through_a_session, through_a_thread, wider, script),
        ]
        self.hermes = with_search(
            tools=[
                *self.nesters,
                simple("open_door", "granted", self.ran),
                simple("open_vault", "secret", self.ran, aliases=["vault"]),
            ],
            **options,
        )


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.hermes.close()


def assert_nothing_of_the_vault(name: str, text: str) -> None:
    answer = said(text)
    if name == "tool_search":
        assert "open_vault" not in [match["name"] for match in answer["matches"]]
        assert answer["total_available"] < 10
    else:
        assert answer["code"] == "unknown_tool"
    assert "secret" not in text
    assert "To open vault." not in text


PATHS: dict[str, Callable[[Hermes, Session, str, Any], str]] = {
    "session": lambda hermes, session, name, args: session.call(name, args),
    "record": lambda hermes, session, name, args: session.run(name, args).result,
    "async session": lambda hermes, session, name, args: asyncio.run(_awaited(session, name, args)),
    "batch": lambda hermes, session, name, args: session.batch([(name, args)])[0],
    "async batch": lambda hermes, session, name, args: asyncio.run(_batched(session, name, args)),
    "openai batch": lambda hermes, session, name, args: session.batch(
        [{"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}]
    )[0],
    "host with the session": lambda hermes, session, name, args: hermes.call(name, args, session=session),
    "enabled": lambda hermes, session, name, args: hermes.call(name, args, enabled=["granted"]),
    "disabled": lambda hermes, session, name, args: hermes.call(name, args, disabled=["secret"]),
    "enabled wider than the session": lambda hermes, session, name, args: session.call(name, args, enabled=["all"]),
    "json text": lambda hermes, session, name, args: session.call(name, json.dumps(args)),
    "inside a loop": lambda hermes, session, name, args: asyncio.run(_inside(session, name, args)),
}


async def _awaited(session: Session, name: str, args: Any) -> str:
    return await session.acall(name, args)


async def _batched(session: Session, name: str, args: Any) -> str:
    return (await session.abatch([(name, args)]))[0]


async def _inside(session: Session, name: str, args: Any) -> str:
    return session.call(name, args)


@pytest.mark.parametrize("bridge", BRIDGE_CALLS)
@pytest.mark.parametrize("path", PATHS)
def test_a_restricted_session_cannot_escape_through_the_bridge(path: str, bridge: str, world: World) -> None:
    with world.hermes.session(enabled=["granted"]) as session:
        text = PATHS[path](world.hermes, session, bridge, BRIDGE_CALLS[bridge])
        assert_nothing_of_the_vault(bridge, text)
        assert said(PATHS[path](world.hermes, session, "tool_call", {"name": "open_door"})) == {"ran": "open_door"}
    assert world.ran == ["open_door"]


@pytest.mark.parametrize("bridge", BRIDGE_CALLS)
@pytest.mark.parametrize(
    "nester",
    [
        *("nested", "nested_async", "nested_batch", "through_the_host"),
        *("through_a_session", "through_a_thread", "wider", "script"),
    ],
)
def test_a_tool_of_a_restricted_session_cannot_escape_for_it(nester: str, bridge: str, world: World) -> None:
    inner = {"name": bridge, "args": json.dumps(BRIDGE_CALLS[bridge])}
    with world.hermes.session(enabled=["granted"]) as session:
        assert_nothing_of_the_vault(bridge, session.call(nester, inner))
        wrapped = {"name": nester, "arguments": inner}
        assert_nothing_of_the_vault(bridge, session.call("tool_call", wrapped))
    assert world.ran == []


@pytest.mark.parametrize("name", ["vault", " open_vault ", "OPEN_VAULT", "open_vault\n", "open-vault"])
def test_no_spelling_of_the_name_opens_the_vault(name: str, world: World) -> None:
    with world.hermes.session(enabled=["granted"]) as session:
        for bridge in ("tool_describe", "tool_call"):
            assert_nothing_of_the_vault(bridge, session.call(bridge, {"name": name, "arguments": {}}))
    assert world.ran == []


def test_who_is_granted_the_vault_opens_it_by_every_path(world: World) -> None:
    with world.hermes.session() as session:
        for path in ("session", "batch", "async session", "async batch", "host with the session"):
            assert said(PATHS[path](world.hermes, session, "tool_call", SECRET_CALL)) == {"ran": "open_vault"}
        assert said(session.call("nested", {"name": "tool_call", "args": json.dumps(SECRET_CALL)})) == {
            "ran": "open_vault"
        }
        found = said(session.call("tool_search", {"query": "open vault"}))
        assert found["matches"][0]["name"] == "open_vault"
    assert world.ran == ["open_vault"] * 6


def test_a_script_with_nothing_enabled_finds_nothing(world: World) -> None:
    with world.hermes.session() as session:
        asked = {"name": "tool_search", "args": json.dumps({"query": "open vault"})}
        answer = said(session.call("script", asked))
    assert (answer["matches"], answer["total_available"]) == ([], 0)


def test_a_grant_that_is_taken_back_is_gone_from_the_bridge_too(world: World) -> None:
    world.hermes.toolsets.create_custom("mine", tools=["open_door", "open_vault"])
    with world.hermes.session(enabled=["mine"]) as session:
        assert said(session.call("tool_search", {"query": "open vault"}))["total_available"] == 2
        world.hermes.toolsets.remove("mine")
        world.hermes.toolsets.create_custom("mine", tools=["open_door"])
        assert said(session.call("tool_search", {"query": "open vault"}))["total_available"] == 1
        assert said(session.call("tool_call", SECRET_CALL))["code"] == "unknown_tool"
        assert said(session.call("tool_describe", {"name": "open_vault"}))["code"] == "unknown_tool"
    assert world.ran == []


def test_sessions_side_by_side_see_their_own_catalogs(world: World) -> None:
    with world.hermes.session(enabled=["granted"]) as one, world.hermes.session(enabled=["secret"]) as other:
        for _ in range(3):
            here = said(one.call("tool_search", {"query": "open", "limit": 50}))
            there = said(other.call("tool_search", {"query": "open", "limit": 50}))
            assert "open_vault" not in [match["name"] for match in here["matches"]]
            assert [match["name"] for match in there["matches"]] == ["open_vault"]


def test_a_host_below_another_has_its_own_tools_only(world: World) -> None:
    with with_search(parent=world.hermes, tools=[simple("open_box", "granted", world.ran)]) as below:
        assert said(below.call("tool_call", SECRET_CALL))["code"] == "unknown_tool"
        assert said(below.call("tool_search", {"query": "open vault"}))["total_available"] == 1
    assert world.ran == []


@pytest.mark.parametrize("bridge", [*BRIDGE_CALLS, "open_vault"])
@pytest.mark.parametrize("way", ["host", "session", "batch", "enabled", "two below", "and back up"])
def test_a_tool_cannot_reach_what_its_caller_may_not_through_a_host_below(way: str, bridge: str) -> None:
    ran: list[str] = []
    vault = simple("open_vault", "secret", ran)
    args = BRIDGE_CALLS.get(bridge, {})

    @tool(toolset="granted")
    def ask_above() -> Any:
        """Ask the host at the top."""
        return top.call(bridge, args)

    @tool(toolset="granted")
    def delegate() -> Any:
        """Have a host of one's own do it, which has the tool."""
        if way == "two below":
            with with_search(parent=top) as middle, with_search(parent=middle, tools=[vault]) as below:
                return below.call(bridge, args)
        with with_search(parent=top, tools=[vault, ask_above]) as below:
            if way == "session":
                with below.session(enabled=["secret"]) as session:
                    return session.call(bridge, args)
            if way == "batch":
                return below.batch([(bridge, args)])[0]
            if way == "and back up":
                return below.call("ask_above")
            return below.call(bridge, args, enabled=["secret", "granted"] if way == "enabled" else None)

    with with_search(tools=[vault, delegate]) as top:
        with top.session(enabled=["granted"]) as session:
            assert_nothing_of_the_vault(bridge, session.call("delegate"))
        assert ran == []
        with top.session() as session:  # who may use it may use it there, too
            session.call("delegate")
    assert ran == (["open_vault"] if bridge in ("open_vault", "tool_call") else [])


def test_a_host_below_keeps_tools_that_nobody_above_has(world: World) -> None:
    @tool(toolset="granted")
    def delegate() -> Any:
        """Have a host of one's own do it."""
        with with_search(parent=top, tools=[simple("open_box", "own", world.ran)]) as below:
            return below.call("open_box")

    secret = simple("open_vault", "secret", world.ran)
    with with_search(tools=[delegate, secret]) as top, top.session(enabled=["granted"]) as session:
        assert said(session.call("delegate")) == {"ran": "open_box"}


# -- whatever is granted ------------------------------------------------------------------------------------------

TOOLS = [f"t{number}" for number in range(12)]
SETS = ["red", "green", "blue"]
SELECTIONS = st.none() | st.lists(st.sampled_from([*SETS, *TOOLS, "mixed"]), max_size=4)


@given(data=st.data())
def test_what_is_found_shown_and_run_is_within_the_scope(data: st.DataObject) -> None:
    ran: list[str] = []
    always = data.draw(st.sets(st.sampled_from(TOOLS), max_size=4))
    homes = {name: data.draw(st.sampled_from(SETS)) for name in TOOLS}
    mixed = Toolset("mixed", tools=data.draw(st.lists(st.sampled_from(TOOLS))), includes=["red"])
    tools = [simple(name, homes[name], ran, always_load=name in always) for name in TOOLS]
    # Each toolset has a tool that stays, so that its name is known whatever was drawn.
    tools += [simple(f"anchor_{name}", name, ran) for name in SETS]
    enabled, disabled, narrower = (data.draw(SELECTIONS) for _ in range(3))
    with (
        with_search(tools=tools, toolsets=[mixed]) as hermes,
        hermes.session(enabled=enabled, disabled=disabled) as session,
    ):
        options = {} if narrower is None else {"enabled": narrower}
        granted = {spec.name for spec in hermes.tools(enabled) if not spec.in_every_scope}
        granted -= {spec.name for spec in hermes.tools(disabled)} if disabled else set()
        if narrower is not None:
            granted &= {spec.name for spec in hermes.tools(narrower)}
        found = said(session.call("tool_search", {"query": "to t0 t1 t2 anchor", "limit": 50}, **options))
        assert {match["name"] for match in found["matches"]} <= granted - always
        assert found["total_available"] == len(granted - always)
        for name in TOOLS:
            shown = said(session.call("tool_describe", {"name": name}, **options))
            assert ("parameters" in shown) is (name in granted - always)
            (answer,) = session.batch([("tool_call", {"name": name, "arguments": "{}"})], **options)
            assert (said(answer).get("ran") == name) is (name in granted - always)
        assert set(ran) == (granted - always) & set(TOOLS)
        assert set(assemble(hermes, session=session).visible + assemble(hermes, session=session).deferred) <= {
            spec.name for spec in hermes.tools(enabled)
        }


# -- while everything changes -------------------------------------------------------------------------------------


def test_tools_that_come_and_go_meanwhile_open_no_way_out(world: World) -> None:
    """Three threads ask while a fourth registers and removes tools inside and outside of their scope."""
    hermes, over, wrong = world.hermes, threading.Event(), list[Any]()

    def churn() -> None:
        try:
            for number in range(150):
                hermes.registry.register(simple(f"door_{number}", "granted", world.ran))
                hermes.registry.register(simple(f"vault_{number}", "secret", world.ran))
                if number >= 10:
                    hermes.registry.deregister(f"vault_{number - 10}")
                    hermes.registry.deregister(f"door_{number - 10}")
        finally:
            over.set()

    def look() -> None:
        with hermes.session(enabled=["granted"]) as session:
            while not over.is_set():
                found = said(session.call("tool_search", {"query": "door vault", "limit": 20}))
                wrong.extend(match["name"] for match in found["matches"] if "vault" in match["name"])
                for name in ("vault_1", "vault_149", "open_vault"):
                    answer = said(session.call("tool_call", {"name": name, "arguments": {}}))
                    wrong.extend([answer] if answer.get("code") != "unknown_tool" else [])
                wrong.extend(each for each in session.definitions(context_length=1)[:-3])

    threads = [threading.Thread(target=job, daemon=True) for job in (look, look, look, churn)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    assert not any("vault" in name for name in world.ran)
    with hermes.session(enabled=["granted"]) as session:
        found = said(session.call("tool_search", {"query": "door 149", "limit": 1}))
        assert found["matches"][0]["name"] == "door_149"


def test_threads_that_search_at_once_share_one_index() -> None:
    functions = [{"name": "open_door", "description": "Open.", "parameters": {}}]
    catalog = Catalog(functions, [simple("open_door", "granted", []).spec])
    ready, seen = threading.Barrier(4), list[Any]()

    def search() -> None:
        ready.wait(30)
        seen.append(catalog.index)

    threads = [threading.Thread(target=search, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(seen) == 4
    assert len(set(map(id, seen))) == 1
