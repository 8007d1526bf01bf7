"""Scripts have a memory limit, and the result says when they reach it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]

TAKE = "x = bytearray(600 << 20)\nprint(len(x) >> 20)\n"
CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {TAKE!r}], check=True)\n"
RESERVE = """
import mmap
x = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0)
print("reserved")
"""


def run(me: Any, code: str) -> dict[str, Any]:
    """Run a script."""
    found: dict[str, Any] = me.call("execute_code", {"code": code})
    return found


@pytest.fixture(params=["local", "sandbox"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The settings of a place where scripts run."""
    (tmp_path / "work").mkdir()
    return {"env": request.param, "cwd": str(tmp_path / "work")}


@pytest.mark.parametrize("code", [TAKE, CHILD])
def test_a_script_that_takes_too_much_is_told_so(agent: Make, place: dict[str, Any], code: str) -> None:
    me = agent(terminal=place, code_execution={"memory_mb": 300}, approvals="off")
    found = run(me, code)
    assert found["status"] == "error"
    assert "memory limit of 300 MB" in found["error"]
    assert "code_execution.memory_mb" in found["error"]
    assert "MemoryError" in found["error"]
    assert run(me, "print(len(bytearray(100 << 20)) >> 20)")["output"] == "100\n"


@pytest.mark.parametrize("limit", [0, 900])
def test_a_script_within_its_limit_runs(agent: Make, place: dict[str, Any], limit: int) -> None:
    me = agent(terminal=place, code_execution={"memory_mb": limit}, approvals="off")
    assert run(me, TAKE)["output"] == "600\n"


def test_address_space_that_is_only_reserved_does_not_count(agent: Make, place: dict[str, Any]) -> None:
    me = agent(terminal=place, code_execution={"memory_mb": 300}, approvals="off")
    assert run(me, RESERVE)["output"] == "reserved\n"


def test_a_script_that_copes_with_the_limit_succeeds(agent: Make) -> None:
    me = agent(code_execution={"memory_mb": 300}, approvals="off")
    found = run(me, "try:\n    bytearray(600 << 20)\nexcept MemoryError:\n    print('less, then')")
    assert (found["status"], found["output"]) == ("success", "less, then\n")


def test_an_error_that_has_nothing_to_do_with_memory_is_told_as_it_is(agent: Make) -> None:
    found = run(agent(approvals="off"), "raise ValueError('MemoryError is a word')")
    assert "memory limit" not in found["error"]
