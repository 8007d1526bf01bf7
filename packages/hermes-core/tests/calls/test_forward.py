"""A forwarding tool stands for another: hooks, scope, deadlines, batches and records are about the tool inside."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hermes_core import CallRecord, Deny, Hermes, Tool, ToolCall, ToolContext, ToolDefinitionError, hookimpl, tool

Make = Callable[..., Hermes]
INNER = {"name": "open_door", "arguments": {"n": "1"}}
SECRET = {"name": "open_vault", "arguments": {"n": 1}}


def said(text: str) -> dict[str, Any]:
    answer = json.loads(text)
    assert isinstance(answer, dict)
    return answer


def relay(forward: Any = None, name: str = "relay", **fields: Any) -> Tool:
    """A tool that forwards to the one that its arguments name."""

    def follow(args: Any, ctx: ToolContext) -> tuple[str, Any]:
        args = json.loads(args) if isinstance(args, str) else args
        return args["name"], args["arguments"]

    def never(args: dict[str, Any]) -> str:
        raise AssertionError("a forwarding tool does not run")

    fields = {"in_every_scope": True, "toolset": "relay", **fields}
    return Tool.from_schema({"name": name, "description": "Relay."}, never, forward=forward or follow, **fields)


def simple(name: str, toolset: str = "granted", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
    return Tool.from_schema(schema, lambda args: json.dumps({"ran": name, **args}), toolset=toolset, **fields)


class Watcher:
    """Notes what hooks are told."""

    def __init__(self, answer: Callable[[ToolCall], Any] = lambda call: None) -> None:
        self.before: list[tuple[str, Any, str]] = []
        self.after: list[CallRecord] = []
        self.answer = answer

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        self.before.append((call.name, dict(call.args), call.origin))
        return self.answer(call)

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.after.append(record)


@tool(toolset="granted")
def nested(name: str, args: dict[str, Any], ctx: ToolContext) -> Any:
    """Call through the context."""
    return ctx.call_tool(name, args)


async def _acall(hermes: Hermes, args: Any, options: dict[str, Any]) -> str:
    return await hermes.acall("relay", args, **options)


async def _abatch(hermes: Hermes, args: Any, options: dict[str, Any]) -> str:
    return (await hermes.abatch([("relay", args)], **options))[0]


PATHS: dict[str, Callable[[Hermes, Any, dict[str, Any]], str]] = {
    "direct": lambda hermes, args, options: hermes.call("relay", args, **options),
    "async": lambda hermes, args, options: asyncio.run(_acall(hermes, args, options)),
    "batch": lambda hermes, args, options: hermes.batch([("relay", args)], **options)[0],
    "async batch": lambda hermes, args, options: asyncio.run(_abatch(hermes, args, options)),
    "nested": lambda hermes, args, options: hermes.call("nested", {"name": "relay", "args": args}, **options),
    "execute_code": lambda hermes, args, options: hermes.call("relay", args, origin="execute_code", **options),
    "mcp": lambda hermes, args, options: hermes.call("relay", args, origin="mcp", **options),
    "json text": lambda hermes, args, options: hermes.call("relay", json.dumps(args), **options),
}
ORIGINS = {"batch": "batch", "async batch": "batch", "nested": "nested", "execute_code": "execute_code", "mcp": "mcp"}


@pytest.mark.parametrize("path", PATHS)
def test_hooks_and_records_are_about_the_tool_inside_once(path: str, host: Make) -> None:
    watcher = Watcher()
    hermes = host(tools=[relay(), nested, simple("open_door", aliases=["door"])], plugins=[watcher])
    args = {"name": "door", "arguments": {"n": "1"}}
    assert said(PATHS[path](hermes, args, {})) == {"ran": "open_door", "n": 1}
    seen = [each for each in watcher.before if each[0] != "nested"]
    assert seen == [("open_door", {"n": 1}, ORIGINS.get(path, "direct"))]
    assert [each.call.name for each in watcher.after if each.call.name != "nested"] == ["open_door"]


@pytest.mark.parametrize("path", PATHS)
def test_it_reaches_nothing_outside_the_scope(path: str, host: Make) -> None:
    hermes = host(tools=[relay(), nested, simple("open_door"), simple("open_vault", "secret", aliases=["vault"])])
    for name in ("open_vault", "vault", " open_vault"):
        answer = PATHS[path](hermes, {**SECRET, "name": name}, {"enabled": ["granted"]})
        assert said(answer)["code"] == "unknown_tool"
        assert "open_vault" not in answer.replace(name.strip(), "")
    assert said(PATHS[path](hermes, INNER, {"enabled": ["granted"]})) == {"ran": "open_door", "n": 1}
    assert said(PATHS[path](hermes, SECRET, {})) == {"ran": "open_vault", "n": 1}


@pytest.mark.parametrize("path", PATHS)
def test_a_denied_tool_stays_denied(path: str, host: Make) -> None:
    deny = Watcher(lambda call: Deny("no") if call.name == "open_door" else None)
    hermes = host(tools=[relay(), nested, simple("open_door")], plugins=[deny])
    assert said(PATHS[path](hermes, INNER, {}))["code"] == "denied"


@pytest.mark.parametrize("path", PATHS)
def test_a_forward_that_fails_is_invalid_arguments(path: str, host: Make) -> None:
    watcher = Watcher()
    hermes = host(tools=[relay(), nested, simple("open_door")], plugins=[watcher])
    answer = said(PATHS[path](hermes, {"arguments": {}}, {}))
    assert answer["code"] == "invalid_arguments"
    assert "relay cannot forward this call: KeyError" in answer["error"]
    assert [each for each in watcher.before if each[0] != "nested"] == []
    assert [each.call.name for each in watcher.after if each.call.name != "nested"] == ["relay"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("target", ["relay", "other"])
def test_a_forward_cannot_lead_to_another(path: str, target: str, host: Make) -> None:
    hermes = host(tools=[relay(), relay(name="other"), nested, simple("open_door")])
    answer = said(PATHS[path](hermes, {"name": target, "arguments": INNER}, {}))
    assert answer["code"] == "invalid_arguments"
    assert f"forwarded to '{target}'" in answer["error"]


@pytest.mark.parametrize("answer", [None, 5, ("a", "b", "c"), (5, {}), (["open_door"], {})])
def test_nonsense_instead_of_a_call_is_invalid_arguments(answer: Any, host: Make) -> None:
    hermes = host(tools=[relay(lambda args, ctx: answer), simple("open_door")])
    assert said(hermes.call("relay", {}))["code"] == "invalid_arguments"


def test_an_async_forward_sees_the_arguments_as_they_came_and_its_scope(host: Make) -> None:
    seen: list[Any] = []

    async def follow(args: Any, ctx: ToolContext) -> tuple[str, Any]:
        spec = ctx.spec("door")
        seen.append((args, ctx.call.name, ctx.spec("open_vault"), spec.name if spec else None))
        return "open_door", {"n": 2}

    tools = [relay(follow), simple("open_door", aliases=["door"]), simple("open_vault", "secret")]
    hermes = host(tools=tools)
    assert said(hermes.call("relay", '{"x": 1}', enabled=["granted"])) == {"ran": "open_door", "n": 2}
    assert seen == [('{"x": 1}', "relay", None, "open_door")]


def test_what_a_forward_calls_is_within_the_scope(host: Make) -> None:
    answers: list[str] = []

    def follow(args: Any, ctx: ToolContext) -> tuple[str, Any]:
        answers.append(hermes.call("open_vault", {"n": 1}))
        return "open_door", {"n": 1}

    hermes = host(tools=[relay(follow), simple("open_door"), simple("open_vault", "secret")])
    hermes.call("relay", {}, enabled=["granted"])
    assert said(answers[0])["code"] == "unknown_tool"


def test_a_forward_that_is_not_available_says_so(host: Make) -> None:
    hermes = host(tools=[relay(check=lambda: False), simple("open_door")])
    assert said(hermes.call("relay", INNER))["code"] == "unavailable"


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_the_deadline_is_that_of_the_tool_inside(host: Make, stop: threading.Event) -> None:
    slow = Tool.from_schema({"name": "slow"}, lambda args: str(stop.wait(30)), timeout=0.2)
    quick = Tool.from_schema({"name": "quick"}, lambda args: str(stop.wait(0.4)), timeout=20)
    hermes = host(tools=[relay(timeout=0.1), slow, quick])
    assert said(hermes.call("relay", {"name": "slow", "arguments": {}}))["code"] == "timeout"
    assert hermes.call("relay", {"name": "quick", "arguments": {}}) == '"False"'


def test_a_batch_is_planned_by_the_effects_of_the_tool_inside(host: Make) -> None:
    order: list[str] = []
    ready = threading.Event()

    @tool(toolset="files", effects=["write"])
    def put(path: str) -> str:
        """Write slowly: the next must wait for it."""
        ready.wait(0.2)
        order.append("put")
        return "put"

    @tool(toolset="files", effects=["read"])
    def get(path: str) -> str:
        """Read."""
        order.append("get")
        ready.set()
        return "get"

    calls = [("relay", {"name": name, "arguments": {"path": "/x"}}) for name in ("put", "get")]
    host(tools=[relay(), put, get]).batch(calls)
    assert order == ["put", "get"]


def test_a_rehearsal_is_about_the_tool_inside(host: Make) -> None:
    hermes = host(tools=[relay(), simple("open_door")])
    rehearsal = hermes.rehearse("relay", INNER)
    assert (rehearsal.tool, dict(rehearsal.args)) == ("open_door", {"n": 1})


# -- tools that are in every scope -----------------------------------------------------------------------------------


def test_a_tool_may_be_in_every_scope_but_where_it_is_disabled(host: Make) -> None:
    @tool(toolset="help", in_every_scope=True, effects=["read"])
    def overview(ctx: ToolContext) -> list[str]:
        """List what the caller may use."""
        return sorted(ctx.allowed_tools())

    hermes = host(tools=[overview, simple("open_door"), simple("open_vault", "secret")])
    assert hermes.call("overview", enabled=["granted"]) == '["open_door", "overview"]'
    assert hermes.call("overview", enabled=[]) == '["overview"]'
    assert said(hermes.call("overview", disabled=["overview"]))["code"] == "unknown_tool"
    assert said(hermes.call("overview", enabled=["granted"], disabled=["help"]))["code"] == "unknown_tool"
    with hermes.session(disabled=["help"]) as session:
        assert said(session.call("overview", enabled=["granted"]))["code"] == "unknown_tool"
    assert [spec.name for spec in hermes.tools(["granted"])] == ["open_door"]
    assert [spec.name for spec in hermes.tools(["help"])] == ["overview"]
    with Hermes(parent=hermes, tools=[overview]) as below:
        assert below.call("overview", enabled=[]) == '["overview"]'


@pytest.mark.parametrize("effects", [["write"], ["read", "exec"], ["network"]])
def test_only_a_tool_that_reads_can_be_in_every_scope(effects: list[str]) -> None:
    with pytest.raises(ToolDefinitionError, match="in every scope"):
        simple("open_door", effects=effects, in_every_scope=True)


def test_in_every_scope_is_a_truth_value() -> None:
    with pytest.raises(ToolDefinitionError, match="in_every_scope is 'yes'"):
        simple("open_door", in_every_scope="yes")
