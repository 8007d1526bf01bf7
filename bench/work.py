"""Counts the work that code does, in steps that are the same on every machine, and asks that it grows no faster."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from hermes_core import Tool

FACTOR = 2.3
"""Twice the work, and a little for what grows in steps, such as hash tables."""

Job = Callable[[], object]
Make = Callable[[int], Job]


def work(job: Job) -> int:
    """How many bytecode instructions a job executes, in every function that it calls."""
    count = 0

    def trace(frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    gc.disable()  # a finalizer that happens to run now is not this job's work
    sys.settrace(trace)
    try:
        job()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def assert_linear(make: Make, n: int = 100) -> None:
    """Twice the input costs about twice the work."""
    make(3)()  # what is compiled at first use is compiled now
    small, large = work(make(n)), work(make(2 * n))
    assert small > n / 4, f"{small} instructions for {n}: this case does not measure what it should"
    assert large <= FACTOR * small + 500, f"{small:,} instructions for {n}, but {large:,} for {2 * n}"


def make_tool(name: str, toolset: str = "many", **fields: Any) -> Tool:
    properties = {"path": {"type": "string"}, "count": {"type": "integer", "default": 1}}
    schema = {"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": properties}}
    return Tool.from_schema(schema, lambda args: args, toolset=toolset, **fields)


def make_tools(n: int, **fields: Any) -> list[Tool]:
    return [make_tool(f"tool_{number}", **fields) for number in range(n)]
