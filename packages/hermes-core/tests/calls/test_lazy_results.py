"""Results that are produced while they are read: bounded in time and in size, on every path."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import itertools
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from hermes_core import Hermes, Tool, ToolContext, tool
from hermes_core.inspection import abandoned_calls
from hermes_schemas import plain_values


class Lazy(Mapping[str, int]):
    """A mapping that makes its items up; without `size` they never end."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size

    def __getitem__(self, key: str) -> int:
        return len(key)

    def __iter__(self) -> Iterator[str]:
        return map(str, itertools.count() if self.size is None else range(self.size))

    def __len__(self) -> int:
        return self.size or 10**12


class Listed(list[int]):
    """A list that makes its items up."""

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


@dataclasses.dataclass
class Held:
    items: Any


class Model(BaseModel):
    model_config = {"arbitrary_types_allowed": True}
    items: Any


async def forever() -> AsyncIterator[str]:
    while True:
        yield "x" * 100


async def waiting() -> AsyncIterator[int]:
    for number in itertools.count():
        await asyncio.sleep(0.001)
        yield number


def counting() -> Iterator[int]:
    yield from itertools.count()


def slowly() -> Iterator[int]:
    for number in itertools.count():
        time.sleep(0.02)
        yield number


ENDLESS: dict[str, Callable[[], Any]] = {
    "a generator": counting,
    "an iterator": itertools.count,
    "huge items": lambda: ("x" * 1_000_000 for _ in itertools.count()),
    "a lazy mapping": Lazy,
    "in a dictionary": lambda: {"a": [1, {"b": counting()}]},
    "in a dataclass": lambda: Held(counting()),
    "in a model": lambda: Model(items=counting()),
    "in a list of models": lambda: [Model(items={"deep": counting()})],
    "of generators": lambda: (counting() for _ in itertools.count()),
    "a list of another kind": Listed,
    "a map": lambda: map(str, itertools.count()),
    "an async generator": forever,
}
SLOW: dict[str, Callable[[], Any]] = {
    "a generator": slowly,
    "in a dictionary": lambda: {"a": slowly()},
    "in a model": lambda: Model(items=slowly()),
    "an async generator": waiting,
    "a map": lambda: map(time.sleep, itertools.repeat(0.02)),
}


def returning(make: Callable[[], Any], **fields: Any) -> list[Tool]:
    async def awaited(args: dict[str, Any]) -> Any:
        return make()

    def nested(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("plain")

    return [
        Tool.from_schema({"name": "plain"}, lambda args: make(), **fields),
        Tool.from_schema({"name": "awaited"}, awaited, **fields),
        Tool.from_schema({"name": "nested"}, nested),
        forwarding(),
    ]


def forwarding() -> Tool:
    """A tool whose calls become calls of the tool that its arguments name, as `tool_call` of tool search does."""

    def follow(args: dict[str, Any], ctx: ToolContext) -> tuple[str, Any]:
        return args["name"], args.get("arguments", {})

    return Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow, in_every_scope=True)


def every_path(hermes: Hermes) -> Iterator[str]:
    async def main(name: str) -> str:
        return await hermes.acall(name)

    for name in ("plain", "awaited", "nested"):
        yield hermes.call(name)
        yield asyncio.run(main(name))
    yield from hermes.batch(["plain", "awaited"])
    yield hermes.call("tool_call", {"name": "plain"})


def whole(answer: str) -> Any:
    """What a result says, read from its file where it was spilled."""
    found = json.loads(answer)
    return json.loads(Path(found["saved_to"]).read_text()) if "saved_to" in found else found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_values, "MAX_ITEMS", 1_000)
    monkeypatch.setattr(plain_values, "MAX_CHARS", 100_000)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("make", ENDLESS.values(), ids=ENDLESS)
def test_a_result_without_end_is_cut(make: Callable[[], Any]) -> None:
    with Hermes(tools=returning(make)) as hermes:
        for answer in every_path(hermes):
            found = whole(answer)
            assert found["truncated"] is True
            assert "Request less" in found["hint"]
            assert 100 < len(json.dumps(found["result"])) < 2_000_000


def test_the_real_limits_stop_a_result_without_end() -> None:
    with Hermes(tools=returning(counting)) as hermes:
        assert len(whole(hermes.call("plain"))["result"]) == plain_values.MAX_ITEMS


@pytest.mark.parametrize("make", SLOW.values(), ids=SLOW)
def test_a_result_that_is_produced_too_slowly_is_late(make: Callable[[], Any]) -> None:
    with Hermes(tools=returning(make, timeout=0.1)) as hermes:
        for answer in every_path(hermes):
            started = time.monotonic()
            assert json.loads(answer)["code"] == "timeout"
            assert time.monotonic() - started < 5
        deadline = time.monotonic() + 10
        while abandoned_calls(hermes) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert abandoned_calls(hermes) == {}


def test_results_that_end_are_read_whole() -> None:
    async def stream() -> AsyncIterator[dict[str, int]]:
        for number in range(3):
            yield {"n": number}

    makes: list[tuple[Callable[[], Any], Any]] = [
        (lambda: (n for n in range(3)), [0, 1, 2]),
        (lambda: Lazy(2), {"0": 1, "1": 1}),
        (lambda: {"a": map(str, range(2))}, {"a": ["0", "1"]}),
        (lambda: range(3), [0, 1, 2]),
        (lambda: collections.deque([1, 2]), [1, 2]),
        (lambda: Held(n for n in range(2)), {"items": [0, 1]}),
        (lambda: Model(items=iter([1, 2])), {"items": [1, 2]}),
        (lambda: collections.OrderedDict(a=(1, 2)), {"a": [1, 2]}),
        (lambda: {1: float("nan"), "b": {"c": None}}, {"1": None, "b": {"c": None}}),
        (stream, [{"n": 0}, {"n": 1}, {"n": 2}]),
    ]
    for make, expected in makes:
        with Hermes(tools=returning(make)) as hermes:
            assert [json.loads(answer) for answer in every_path(hermes)] == [expected] * 9


def test_a_result_that_contains_itself_is_an_error() -> None:
    def loop() -> Any:
        found: list[Any] = [object]
        found[0] = {"again": found, "more": iter([found, found])}
        return found

    with Hermes(tools=returning(loop)) as hermes:
        for answer in every_path(hermes):
            assert "cannot be written as JSON" in json.loads(answer)["error"]


def test_a_generator_that_fails_while_it_is_read_fails_its_call() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    for make in (failing, lambda: {"a": failing()}):
        with Hermes(tools=returning(make)) as hermes:
            for answer in every_path(hermes):
                assert json.loads(answer)["error"] == "Tool execution failed: ValueError: broken"


@pytest.mark.usefixtures("small")
def test_a_generator_that_is_cut_is_closed_where_it_was_read() -> None:
    closed: list[str] = []

    def resource() -> Iterator[int]:
        before = threading.get_ident()
        try:
            yield from itertools.count()
        finally:
            closed.append("here" if threading.get_ident() == before else "elsewhere")

    @tool
    def lines() -> Any:
        """Read lines."""
        return resource()

    with Hermes(tools=[lines]) as hermes:
        hermes.call("lines")
        hermes.batch(["lines"])
    assert closed == ["here", "here"]


def test_a_huge_list_is_cut_like_an_endless_generator() -> None:
    hermes = Hermes(tools=[Tool.from_schema({"name": "big"}, lambda args: {"items": [1] * 3_000_000})])
    result = json.loads(hermes.call("big"))
    assert "the rest was discarded" in result["preview"]
    assert result["total_lines"] < 1_100_000
