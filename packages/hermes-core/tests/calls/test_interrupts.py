"""What stops a program: Ctrl-C reaches the caller, and what a tool raises by itself becomes a result."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest

from hermes_core import Ask, CallRecord, Decision, Finding, Hermes, Tool, ToolCall, ToolContext, hookimpl, tool

PATIENT = {"calls": {"hook_timeout": 20}}


class Own(BaseException):
    """An exception that no `except Exception` catches."""


STOPS = [GeneratorExit, KeyboardInterrupt, SystemExit, Own]


class Observer:
    """Notes what became of each call."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.seen.append((record.call.name, record.status))


def stopping(kind: type[BaseException]) -> list[Tool]:
    """Tools that raise an exception of this kind in every way in which a tool can."""

    def handler(args: dict[str, Any]) -> Any:
        raise kind("mine")

    def generated(args: dict[str, Any]) -> Any:
        yield 1
        raise kind("mine")

    async def at_once(args: dict[str, Any]) -> Any:
        raise kind("mine")

    async def later(args: dict[str, Any]) -> Any:
        await asyncio.sleep(0.001)
        raise kind("mine")

    async def streamed(args: dict[str, Any]) -> Any:
        yield 1
        await asyncio.sleep(0)
        raise kind("mine")

    def nested(args: dict[str, Any], ctx: ToolContext) -> Any:
        return ctx.call_tool("handler")

    made: list[Callable[..., Any]] = [handler, generated, at_once, later, streamed, nested]
    return [Tool.from_schema({"name": each.__name__}, each) for each in made]


def fine() -> Tool:
    return Tool.from_schema({"name": "fine"}, lambda args: "1")


def forwarding() -> Tool:
    """A tool whose calls become calls of the tool that its arguments name, as `tool_call` of tool search does."""

    def follow(args: dict[str, Any], ctx: ToolContext) -> tuple[str, Any]:
        return args["name"], args.get("arguments", {})

    return Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow, in_every_scope=True)


@pytest.mark.parametrize("kind", STOPS)
def test_what_a_tool_raises_by_itself_is_a_result_on_every_path(kind: type[BaseException]) -> None:
    observer = Observer()
    tools = stopping(kind)
    names = [each.name for each in tools]

    async def alone(name: str) -> str:
        return await hermes.acall(name)

    async def together() -> list[str]:
        return await hermes.abatch([*names, "fine"])

    with Hermes(tools=[*tools, fine(), forwarding()], plugins=[observer]) as hermes:
        for name in names:
            answers = [hermes.call(name), asyncio.run(alone(name)), hermes.call("tool_call", {"name": name})]
            for answer in answers:
                assert json.loads(answer) == {
                    "error": f"Tool execution failed: {kind.__name__}: mine",
                    "code": "failed",
                }
        for answers in (hermes.batch([*names, "fine"]), asyncio.run(together())):
            assert [json.loads(answer)["code"] for answer in answers[:-1]] == ["failed"] * len(names)
            assert answers[-1] == "1"
    expected = len(names) * 3 + (len(names) + 1) * 2 + 5  # `nested` makes a call of its own each time
    assert len(observer.seen) == expected


@pytest.mark.parametrize("kind", [*STOPS, ValueError])
def test_code_that_has_proven_to_be_quick_is_contained_as_well(kind: type[BaseException]) -> None:
    calls = 0

    def handler(args: dict[str, Any]) -> str:
        nonlocal calls
        calls += 1
        if calls > 8:
            raise kind("mine")
        return "1"

    observer = Observer()
    with Hermes(tools=[Tool.from_schema({"name": "t"}, handler)], plugins=[observer]) as hermes:
        answers = [hermes.call("t") for _ in range(10)]
    assert [json.loads(answer)["code"] for answer in answers[8:]] == ["failed", "failed"]
    assert [status for _, status in observer.seen] == ["ok"] * 8 + ["error"] * 2


# asyncio closes whatever waits for a task that raised GeneratorExit, so that one is left out.
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, Own])
def test_a_task_of_an_async_tool_that_stops_does_not_end_the_calls_of_others(kind: type[BaseException]) -> None:
    @tool
    async def spawning() -> str:
        """Start a task that raises."""

        async def inner() -> None:
            raise kind("mine")

        await asyncio.gather(inner())
        return "never"

    @tool
    async def slow() -> str:
        """Wait a little."""
        await asyncio.sleep(0.2)
        return "done"

    with Hermes(tools=[spawning, slow, fine()]) as hermes:
        answers = hermes.batch(["slow", "spawning", "fine", "slow"])
        assert [answers[0], answers[2], answers[3]] == ['"done"', "1", '"done"']
        assert json.loads(answers[1])["code"] in ("failed", "cancelled")
        assert json.loads(hermes.call("spawning"))["code"] in ("failed", "cancelled")
        assert hermes.call("slow") == '"done"'


@pytest.mark.parametrize("kind", STOPS)
@pytest.mark.parametrize("is_async", [False, True])
def test_hooks_that_raise_such_exceptions_are_contained(kind: type[BaseException], is_async: bool) -> None:
    def stop() -> Any:
        raise kind("mine")

    class Blocking:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            return stop() if call.name == "pre" else None

        @hookimpl
        def hermes_assess_call(self, call: ToolCall) -> Any:
            return stop() if call.name == "assess" else None

        @hookimpl
        def hermes_transform_tool_result(self, call: ToolCall, result: str) -> Any:
            return stop() if call.name == "transform" else None

        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            stop()

    class Async:
        @hookimpl
        async def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            return stop() if call.name == "pre" else None

        @hookimpl
        async def hermes_assess_call(self, call: ToolCall) -> Any:
            return stop() if call.name == "assess" else None

        @hookimpl
        async def hermes_transform_tool_result(self, call: ToolCall, result: str) -> Any:
            return stop() if call.name == "transform" else None

        @hookimpl
        async def hermes_post_tool_call(self, record: CallRecord) -> None:
            stop()

    names = ["pre", "assess", "transform"]
    tools = [Tool.from_schema({"name": name}, lambda args: "1") for name in names]
    observer = Observer()
    with Hermes(tools=tools, plugins=[observer, Async() if is_async else Blocking()]) as hermes:
        for _ in range(6):
            assert [json.loads(hermes.call(name)) for name in names][2] == 1
        answers = [json.loads(answer) for answer in hermes.batch(names)]
    assert [answers[0]["decision"], answers[1]["decision"], answers[2]] == ["denied-by-policy", "no-approver", 1]
    assert len(observer.seen) == 21


# -- a real Ctrl-C --------------------------------------------------------------------------------------------------


PROGRAM = """
import asyncio, json, os, signal, sys, threading, time
from hermes_core import Hermes, Tool, hookimpl

class Observer:
    @hookimpl
    def hermes_post_tool_call(self, record):
        print("post", record.call.name, record.status, flush=True)

ready = 0

def waiting(args):
    interrupt()
    time.sleep(5)

def spinning(args):
    global ready
    ready += 1
    if ready < 8:
        return "1"
    interrupt()
    while True:
        pass

async def awaiting(args):
    interrupt()
    await asyncio.sleep(5)

def interrupt():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

def follow(args, ctx):
    return args["name"], {}

tools = [Tool.from_schema({"name": each.__name__}, each) for each in (waiting, spinning, awaiting)]
tools.append(Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow))
hermes = Hermes(tools=tools, plugins=[Observer()], home=sys.argv[1])
try:
    BODY
except KeyboardInterrupt:
    print("interrupted", flush=True)
hermes.close()
"""
BODIES = {
    "a thread": 'hermes.call("waiting")',
    "in place": 'for _ in range(9): hermes.call("spinning")',
    "the bridge": 'hermes.call("awaiting")',
    "a batch": 'hermes.batch(["waiting"])',
    "a loop": 'asyncio.run(hermes.acall("awaiting"))',
    "a thread beside a loop": 'asyncio.run(hermes.acall("waiting"))',
    "tool_call": 'hermes.call("tool_call", {"name": "waiting"})',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_ctrl_c_reaches_the_caller(body: str, tmp_path: Any) -> None:
    program = textwrap.dedent(PROGRAM).replace("BODY", body)
    command = [sys.executable, "-c", program, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout.splitlines()[-1] == "interrupted" or "interrupted" in ended.stdout, ended.stderr
    assert "cancelled" in ended.stdout


def test_a_signal_handler_that_exits_ends_the_program_and_not_only_the_call(tmp_path: Any) -> None:
    body = "signal.signal(signal.SIGINT, lambda number, frame: sys.exit(7))\n    " + BODIES["in place"]
    program = textwrap.dedent(PROGRAM).replace("BODY", body)
    command = [sys.executable, "-c", program, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 7, ended.stderr


def test_ctrl_c_that_a_tool_sends_to_its_own_process_is_real() -> None:
    def handler(args: dict[str, Any]) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        return "1"

    with Hermes(tools=[Tool.from_schema({"name": "t"}, handler)]) as hermes, pytest.raises(KeyboardInterrupt):
        hermes.call("t")


# -- cancellation ---------------------------------------------------------------------------------------------------


def swallowing(stage: str, started: list[str], close: bool = False) -> object:
    """A plugin that goes on as if nothing had happened when its call is cancelled."""

    async def wait() -> None:
        started.append(stage)
        with suppress(GeneratorExit if close else asyncio.CancelledError):
            await asyncio.sleep(30)

    class Plugin:
        @hookimpl
        async def hermes_session_start(self, session: Any) -> None:
            if stage == "start":
                await wait()

        @hookimpl
        async def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            if stage == "pre":
                await wait()
            return Ask("sure?") if stage == "approve" else None

        @hookimpl
        async def hermes_assess_call(self, call: ToolCall) -> Any:
            if stage == "assess":
                await wait()

        @hookimpl
        async def hermes_request_approval(self, request: Any) -> Decision:
            await wait()
            return Decision(outcome="allowed", by="nobody")

    return Plugin()


STAGES = ["start", "pre", "assess", "approve"]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("stage", [*STAGES, "tool"])
def test_a_cancelled_call_does_not_run_even_if_the_cancellation_is_swallowed(stage: str, is_async: bool) -> None:
    ran: list[int] = []
    started: list[str] = []

    async def assess(args: Any, ctx: ToolContext) -> Finding | None:
        if stage == "tool":
            started.append(stage)
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                pass
        return None

    def blocking(args: dict[str, Any]) -> str:
        ran.append(1)
        return "1"

    async def waiting(args: dict[str, Any]) -> str:
        ran.append(1)
        return "1"

    observer = Observer()
    handler: Callable[..., Any] = waiting if is_async else blocking
    made = Tool.from_schema({"name": "t"}, handler, assess=assess)

    async def main() -> None:
        hermes = Hermes(tools=[made], plugins=[swallowing(stage, started), observer], config=PATIENT)
        for make in (lambda: hermes.acall("t"), lambda: hermes.abatch(["t"])):
            started.clear()
            task = asyncio.create_task(make())
            while not started:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            if stage == "start":
                break
        await hermes.aclose()

    asyncio.run(main())
    assert ran == []
    assert {status for _, status in observer.seen} == {"cancelled"}


@pytest.mark.parametrize("ending", ["cancelled", "timeout"])
@pytest.mark.parametrize("path", ["direct", "batch", "forwarded", "deeper"])
def test_a_tool_whose_call_was_given_up_runs_nothing_more(path: str, ending: str) -> None:
    ran: list[str] = []
    asked, given_up, finished = threading.Event(), threading.Event(), threading.Event()
    results: list[str] = []

    def approve(request: Any) -> bool:
        ran.append("approver")
        asked.set()
        given_up.wait(20)  # blocking code cannot be cancelled
        return True

    def inner(args: dict[str, Any]) -> str:
        ran.append("inner")
        return "1"

    def between(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("inner")

    def outer(args: dict[str, Any], ctx: ToolContext) -> str:
        for _ in range(2):  # the second call begins when the outer one is gone
            if path == "batch":
                results.extend(ctx.batch(["inner"]))
            elif path == "forwarded":
                results.append(ctx.call_tool("tool_call", {"name": "inner"}))
            else:
                results.append(ctx.call_tool("between" if path == "deeper" else "inner"))
        finished.set()
        return "2"

    class Asking:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            return Ask("sure?") if call.name == "inner" else None

    made = [Tool.from_schema({"name": each.__name__}, each) for each in (inner, between, outer)]

    async def main() -> None:
        options: dict[str, Any] = {"timeout": 1.0} if ending == "timeout" else {}
        hermes = Hermes(tools=[*made, forwarding()], plugins=[Asking()], approver=approve, config=PATIENT)
        task = asyncio.create_task(hermes.acall("outer", **options))
        while not asked.is_set() and not task.done():
            await asyncio.sleep(0.001)
        if ending == "cancelled":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            assert json.loads(await task)["code"] == "timeout"
        given_up.set()
        await anyio.to_thread.run_sync(finished.wait, 20)
        await hermes.aclose()

    asyncio.run(main())
    assert ran == ["approver"]
    assert len(results) == 2
    if path != "deeper":
        assert [json.loads(each)["code"] for each in results] == ["cancelled", "cancelled"]


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_closed_call_does_not_run_even_if_a_hook_swallows_that(stage: str) -> None:
    ran: list[int] = []
    started: list[str] = []
    observer = Observer()
    made = Tool.from_schema({"name": "t"}, lambda args: ran.append(1))

    async def main() -> None:
        hermes = Hermes(
            tools=[made],
            plugins=[swallowing(stage, started, close=True), observer],
            config=PATIENT,
        )
        call = hermes.acall("t")
        call.send(None)
        while not started:
            await asyncio.sleep(0.001)
        call.close()
        await hermes.aclose()

    asyncio.run(main())
    assert ran == []
    assert observer.seen == [("t", "cancelled")]


def test_ctrl_c_while_an_approver_is_asked_runs_nothing() -> None:
    ran: list[int] = []
    asked = threading.Event()

    class Approver:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Ask:
            return Ask("sure?")

        @hookimpl
        async def hermes_request_approval(self, request: Any) -> Decision:
            asked.set()
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                pass
            return Decision(outcome="allowed")

    def interrupt() -> None:
        asked.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    made = Tool.from_schema({"name": "t"}, lambda args: ran.append(1))
    with Hermes(tools=[made], plugins=[Approver()]) as hermes:
        with pytest.raises(KeyboardInterrupt):
            hermes.call("t")
        time.sleep(0.05)
    assert ran == []


def test_nothing_runs_when_the_host_is_closed_while_an_approver_swallows_that() -> None:
    ran: list[int] = []
    asked = threading.Event()

    class Approver:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Ask:
            return Ask("sure?")

        @hookimpl
        async def hermes_request_approval(self, request: Any) -> Decision:
            asked.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(30)
            return Decision(outcome="allowed")

    def call() -> None:
        with suppress(Exception):
            hermes.call("t")

    hermes = Hermes(tools=[Tool.from_schema({"name": "t"}, lambda args: ran.append(1))], plugins=[Approver()])
    thread = threading.Thread(target=call)
    thread.start()
    asked.wait(10)
    hermes.close()
    thread.join(10)
    assert not thread.is_alive()
    assert ran == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancel_scope_around_a_call_is_left_even_if_a_hook_swallows_its_cancellation(backend: str) -> None:
    ran: list[int] = []

    class Deaf:
        @hookimpl
        async def hermes_pre_tool_call(self, call: ToolCall) -> None:
            with suppress(anyio.get_cancelled_exc_class()):
                await anyio.sleep(30)

    async def main() -> bool:
        hermes = Hermes(tools=[made], plugins=[Deaf()], config=PATIENT)
        with anyio.move_on_after(0.05) as scope:
            await hermes.acall("t")
        await hermes.aclose()
        return scope.cancelled_caught

    made = Tool.from_schema({"name": "t"}, lambda args: ran.append(1))
    assert anyio.run(main, backend=backend)
    assert ran == []
