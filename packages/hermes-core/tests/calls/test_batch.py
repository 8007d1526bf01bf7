"""Batches run in parallel where effects allow it, and in order where they do not."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_core import ConfigError, Hermes, Tool, tool
from hermes_core.calls.batch import Request, footprint, read_request
from hermes_files.access_order import Footprint, waits

PATHS = {"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}


class Meeting:
    """A tool that notes who runs beside whom."""

    def __init__(self, name: str, *effects: str, parties: int = 1) -> None:
        self.barrier = threading.Barrier(parties)
        self.running = 0
        self.together = 0
        self.order: list[Any] = []
        self.lock = threading.Lock()
        self.tool = Tool.from_schema({"name": name, "parameters": PATHS}, self.run, effects=list(effects))

    def run(self, args: dict[str, Any]) -> str:
        with self.lock:
            self.running += 1
            self.together = max(self.together, self.running)
            self.order.append(args.get("n"))
        self.barrier.wait(10)
        with self.lock:
            self.running -= 1
        return json.dumps(args)


def test_reads_run_side_by_side(host: Callable[..., Hermes]) -> None:
    reads = Meeting("read", "read", parties=8)  # each waits for all the others: in order they would never finish
    hermes = host(tools=[reads.tool])
    answers = hermes.batch([("read", {"path": "same.txt", "n": n}) for n in range(8)])
    assert [json.loads(answer)["n"] for answer in answers] == list(range(8))
    assert reads.together == 8


def test_writes_to_one_path_keep_their_order(host: Callable[..., Hermes]) -> None:
    writes = Meeting("write", "write")
    hermes = host(tools=[writes.tool])
    hermes.batch([("write", {"path": path, "n": n}) for n, path in enumerate(["a/b", "a/./b", "a/x/../b", "a"] * 5)])
    assert writes.order == list(range(20))
    assert writes.together == 1


def test_writes_to_other_paths_run_side_by_side(host: Callable[..., Hermes]) -> None:
    writes = Meeting("write", "write", parties=4)
    hermes = host(tools=[writes.tool])
    hermes.batch([("write", {"path": f"file-{n}", "n": n}) for n in range(4)])
    assert writes.together == 4


def test_async_and_blocking_tools_share_a_batch(host: Callable[..., Hermes]) -> None:
    @tool(toolset="t", effects=["read"])
    async def nap(n: int) -> int:
        """Sleep."""
        await asyncio.sleep(0.2)
        return n

    @tool(toolset="t", effects=["read"])
    def block(n: int) -> int:
        """Block."""
        time.sleep(0.2)
        return n

    hermes = host(tools=[nap, block])
    started = time.monotonic()
    answers = hermes.batch([("nap" if n % 2 else "block", {"n": n}) for n in range(20)])
    assert answers == [str(n) for n in range(20)]
    assert time.monotonic() - started < 2  # in a row they would take 4 s


def test_one_failing_call_does_not_touch_the_others(host: Callable[..., Hermes]) -> None:
    fail = Tool.from_schema({"name": "fail"}, lambda args: 1 / 0)
    fine = Tool.from_schema({"name": "fine"}, lambda args: "1")
    answers = host(tools=[fail, fine]).batch(["fine", "fail", "nowhere", ("fine", {})])
    assert [json.loads(a).get("code") if a.startswith("{") else a for a in answers] == [
        "1",
        "failed",
        "unknown_tool",
        "1",
    ]


def test_an_empty_batch_is_an_empty_list(host: Callable[..., Hermes]) -> None:
    assert host().batch([]) == []


def test_a_batch_keeps_the_scope(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[Tool.from_schema({"name": n}, lambda args: "1", toolset=n) for n in ("in", "out")])
    codes = [json.loads(a) for a in hermes.batch(["in", "out"], enabled=["in"])]
    assert codes[0] == 1
    assert codes[1]["code"] == "unknown_tool"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("t", {"a": 1}), Request("t", {"a": 1})),
        (["t", {"a": 1}], Request("t", {"a": 1})),
        ("t", Request("t", {})),
        ({"name": "t", "args": {"a": 1}}, Request("t", {"a": 1})),
        ({"name": "t", "arguments": '{"a": 1}', "id": "x"}, Request("t", {"a": 1}, "x")),
        (
            {"id": "call_1", "type": "function", "function": {"name": "t", "arguments": '{"a": 1}'}},
            Request("t", {"a": 1}, "call_1"),
        ),
        ({"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"a": 1}}, Request("t", {"a": 1}, "toolu_1")),
        (
            {"type": "function_call", "call_id": "fc_1", "name": "t", "arguments": "{}"},
            Request("t", {}, "fc_1"),
        ),
        (
            SimpleNamespace(id="c", function=SimpleNamespace(name="t", arguments='{"a": 1}')),
            Request("t", {"a": 1}, "c"),
        ),
        ({"name": "t", "arguments": "{broken"}, Request("t", "{broken")),
        ({"name": "t"}, Request("t", {})),
    ],
)
def test_calls_are_read_in_every_common_form(given: object, expected: Request) -> None:
    assert read_request(given) == expected


@pytest.mark.parametrize("given", [{}, 17, None, ("t",), {"args": {}}, {"name": 3}])
def test_what_is_no_call_is_refused(given: object) -> None:
    with pytest.raises(ConfigError, match="not a call"):
        read_request(given)


def plan(*touched: Footprint) -> list[set[int]]:
    order = waits(touched)
    return [set(order.before(index)) for index in range(order.calls)]


def write(*path: str) -> Footprint:
    return Footprint(changes=True, paths=(path,))


def read(*path: str) -> Footprint:
    return Footprint(paths=(path,))


def test_a_write_waits_for_whoever_touched_the_path_above_or_below_it() -> None:
    assert plan(read("a", "b"), write("a")) == [set(), {0}]
    assert plan(read("a"), write("a", "b")) == [set(), {0}]
    assert plan(write("a", "b"), read("a")) == [set(), {0}]
    assert plan(write("a"), read("a", "b", "c")) == [set(), {0}]
    assert plan(write("a"), write("b"), read("a"), read("c")) == [set(), set(), {0}, set()]
    assert plan(write("ab"), write("a")) == [set(), set()]


def test_an_exclusive_call_waits_for_all_and_all_wait_for_it() -> None:
    alone = Footprint(exclusive=True)
    assert plan(read("a"), alone, read("a"), Footprint(), alone) == [set(), {0}, {1}, {1}, {1, 2, 3}]


def test_order_is_kept_through_chains() -> None:
    order = plan(write("a"), write("a"), write("a"))
    assert order[1] == {0}
    assert 1 in order[2]


def test_a_footprint_is_read_from_effects_and_arguments() -> None:
    def spec(*effects: str) -> Any:
        return Tool.from_schema({"name": "t", "parameters": PATHS}, lambda args: "", effects=list(effects)).spec

    assert footprint(spec("network"), {"path": "x"}) == Footprint()
    assert footprint(spec("exec", "read"), {}) == Footprint(exclusive=True)
    assert footprint(spec("write"), {}) == Footprint(changes=True, paths=((),))
    assert footprint(spec("read"), {"path": "/x/y"}) == Footprint(paths=(("x", "y"),))
    assert footprint(spec(), {"path": "/x"}) == Footprint(changes=True, paths=(("x",),))
    assert footprint(spec(), {"n": 1}) == Footprint()
    assert footprint(spec("write"), "junk") == Footprint(changes=True, paths=((),))
