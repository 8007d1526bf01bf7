"""`hermes demo` with the core alone: it shows what is there, names the packages that show more, leaves nothing."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Run = Callable[..., CompletedProcess[str]]


PHRASES = (
    "1. The tools",
    "add_numbers",
    '→ {"sum": 42}',
    "def hermes_pre_tool_call(self, call: ToolCall)",
    "Denied by policy: delete_everything was not run: on this computer nothing is deleted by an agent.",
    'repaired: a: "3" became 3 (string to integer).',
    '"code": "invalid_arguments"',
    'Did you mean \\"shopping\\"?',
    "Read on with read_file(",
    '"total_lines": 367',
    '{"city": "Quito", "celsius": 15}',
    "Skipped: install hermes-tools-terminal from packages/hermes-tools-terminal to see this.",
    "Skipped: install hermes-tools-web from packages/hermes-tools-web to see this.",
    "What next",
    "hermes describe NAME",
)


def test_the_demo_runs_from_start_to_end_and_removes_its_directory(process: Run, home: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    home.mkdir()
    (home / "config.yaml").write_text("{ this is not yaml: [", encoding="utf-8")  # so that reading it would fail
    started = time.monotonic()
    outcome = process("demo", TMPDIR=str(scratch))
    took = time.monotonic() - started
    assert outcome.returncode == 0
    assert outcome.stderr == ""
    assert [phrase for phrase in PHRASES if phrase not in outcome.stdout] == []
    assert "\x1b" not in outcome.stdout
    assert took < 10
    assert list(scratch.iterdir()) == []
    assert [file.name for file in home.iterdir()] == ["config.yaml"]


def test_the_demo_creates_no_home_of_the_user(process: Run, home: Path) -> None:
    assert process("demo").returncode == 0
    assert not home.exists()


def test_the_demo_stops_what_it_started(bare: Run) -> None:
    before = set(threading.enumerate())
    assert bare("demo").returncode == 0
    # Idle workers are shared daemon threads that end by themselves.
    left = {thread.name for thread in threading.enumerate() if thread not in before} - {"hermes-worker"}
    assert left == set()


def test_the_steps_can_be_had_as_json(bare: Run) -> None:
    steps = json.loads(bare("demo", "--json").stdout)["steps"]
    assert [step["title"] for step in steps][:2] == ["The tools", "Your policy decides"]
    assert [step["result"] for step in steps] == ["shown"] * 5 + ["skipped"] * 2
    assert all(step["lines"] for step in steps)
