"""One call of a tool that does nothing: all of the time is the pipeline's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from time import perf_counter, process_time
from typing import Any

from pydantic import BaseModel, TypeAdapter, validate_call

from bench.harness import Row, fastest, once, statements
from hermes_core import Hermes, hookimpl, tool

ARGS: dict[str, Any] = {"a": 1, "b": "y"}
CALLS = 3_000
AT_ONCE = 1_000
NAP = 0.01


class Arguments(BaseModel):
    """The same fields as the tools below."""

    a: int
    b: str = "x"


def noop(a: int, b: str = "x") -> str:
    """Do nothing."""
    return "{}"


async def anoop(a: int, b: str = "x") -> str:
    """Do nothing, on an event loop."""
    return "{}"


async def nap(a: int, b: str = "x") -> str:
    """Wait as a request would."""
    await asyncio.sleep(NAP)
    return "{}"


class Watcher:
    """A plugin that looks at every call and has nothing to say."""

    @hookimpl
    def hermes_pre_tool_call(self, call: object, ctx: object) -> None:
        """Allow everything."""


def make_host(hooks: int = 0) -> Hermes:
    """A host with the three tools, warmed up, so that quick code has proven to be quick."""
    hermes = Hermes(tools=[tool(noop), tool(anoop), tool(nap)])
    for number in range(hooks):
        hermes.add_plugin(Watcher(), name=f"watcher-{number}")
    for _ in range(20):
        hermes.call("noop", ARGS)
    return hermes


def rows() -> Iterator[Row]:
    """From sync code, from async code, across the two, and many at once."""
    with make_host() as hermes, make_host(hooks=5) as hooked:
        yield from _sync(hermes, hooked)
        yield from _async(hermes, hooked)
        yield from _bridged(hermes)
        yield from _crowd(hermes)


def _sync(hermes: Hermes, hooked: Hermes) -> Iterator[Row]:
    names = {
        "hermes": hermes,
        "hooked": hooked,
        "args": ARGS,
        "noop": noop,
        "validate": Arguments.model_validate,
        "checked": validate_call(noop),
        "validator": TypeAdapter(noop).validator,  # type: ignore[arg-type]  # functions are accepted, see its docs
    }
    best = statements(
        names,
        CALLS,
        ours='hermes.call("noop", args)',
        hooked='hooked.call("noop", args)',
        model="model = validate(args); noop(model.a, model.b)",
        validate_call="checked(**args)",
        adapter="validator.validate_python(args)",
    )
    ours = best["ours"]
    yield Row(what="call", against="model_validate and call", ours=ours, baseline=best["model"], limit=6.0)
    yield Row(what="call", against="validate_call", ours=ours, baseline=best["validate_call"])
    yield Row(what="call", against="TypeAdapter(function)", ours=ours, baseline=best["adapter"])
    yield Row(what="call, 5 hooks", against="call without hooks", ours=best["hooked"], baseline=ours, limit=3.0)


def _async(hermes: Hermes, hooked: Hermes) -> Iterator[Row]:
    async def bare() -> str:
        model = Arguments.model_validate(ARGS)
        return await anoop(model.a, model.b)

    async def in_a_thread() -> str:
        model = Arguments.model_validate(ARGS)
        return await asyncio.to_thread(noop, model.a, model.b)

    async def timed(one: Callable[[], Awaitable[object]], number: int) -> float:
        started = process_time()
        for _ in range(number):
            await one()
        return (process_time() - started) / number

    with asyncio.Runner() as loop:
        best = fastest(
            {
                "ours": lambda: loop.run(timed(lambda: hermes.acall("anoop", ARGS), CALLS // 10)),
                "hooked": lambda: loop.run(timed(lambda: hooked.acall("anoop", ARGS), CALLS // 10)),
                "bare": lambda: loop.run(timed(bare, CALLS // 10)),
                "sync tool": lambda: loop.run(timed(lambda: hermes.acall("noop", ARGS), CALLS // 100)),
                "thread": lambda: loop.run(timed(in_a_thread, CALLS // 100)),
            },
            repeats=60,
        )
    ours, baseline = best["ours"], best["bare"]
    yield Row(what="acall, async tool", against="model_validate and await", ours=ours, baseline=baseline, limit=4.0)
    yield Row(what="acall, async tool, 5 hooks", against="acall without hooks", ours=best["hooked"], baseline=ours)
    yield Row(what="acall, sync tool", against="to_thread", ours=best["sync tool"], baseline=best["thread"])


def _bridged(hermes: Hermes) -> Iterator[Row]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def bare() -> str:
        model = Arguments.model_validate(ARGS)
        return asyncio.run_coroutine_threadsafe(anoop(model.a, model.b), loop).result(10)

    best = statements(
        {"hermes": hermes, "args": ARGS, "bare": bare}, CALLS // 20, ours='hermes.call("anoop", args)', bare="bare()"
    )
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
    yield Row(what="call, async tool", against="run_coroutine_threadsafe", ours=best["ours"], baseline=best["bare"])


def _crowd(hermes: Hermes) -> Iterator[Row]:
    async def bare(args: dict[str, Any]) -> str:
        model = Arguments.model_validate(args)
        return await nap(model.a, model.b)

    async def gathered(one: Callable[[], Awaitable[str]]) -> float:
        started = perf_counter()
        await asyncio.gather(*(one() for _ in range(AT_ONCE)))
        return perf_counter() - started

    batch = [("nap", ARGS)] * AT_ONCE
    best = fastest(
        {
            "ours": lambda: asyncio.run(gathered(lambda: hermes.acall("nap", ARGS))),
            "batch": lambda: once(lambda: hermes.batch(batch)),
            "bare": lambda: asyncio.run(gathered(lambda: bare(ARGS))),
        }
    )
    against = f"{AT_ONCE:,} bare coroutines"
    yield Row(what=f"{AT_ONCE:,} calls at once", against=against, ours=best["ours"], baseline=best["bare"], limit=3.0)
    yield Row(what=f"batch of {AT_ONCE:,}", against=against, ours=best["batch"], baseline=best["bare"])
