"""`hermes demo` with the core alone: it shows what is there, names the packages that show more, leaves nothing."""

from __future__ import annotations

import json
import os
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from hermes_core.families import install_command

Run = Callable[..., CompletedProcess[str]]


PHRASES = (
    "1. The tools",
    "add_numbers",
    '→ {"sum": 42}',
    "def hermes_pre_tool_call(self, call: ToolCall)",
    "Denied by policy: delete_everything was not run: on this computer nothing is",
    'repaired: a: "3" became 3 (string to integer).',
    '"code": "invalid_arguments"',
    "Did you mean",
    f"Skipped. To see this, run: {install_command('hermes-tools-terminal')}",
    f"Skipped. To see this, run: {install_command('hermes-tools-web')}",
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
    assert [step["result"] for step in steps] == ["shown"] * 3 + ["skipped"] * 4
    assert all(step["lines"] for step in steps)


def install(folder: Path, name: str, source: str) -> str:
    """Install a plugin beside this test, and return the path of a process that finds it."""
    info = folder / f"hermes_tools_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: hermes-tools-{name}\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{name} = demo_test_{name}\n", encoding="utf-8")
    (folder / f"demo_test_{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def test_hermes_demo_steps_are_played_in_their_order_and_one_that_fails_hides_no_other(
    process: Run, tmp_path: Path
) -> None:
    path = install(
        tmp_path,
        "shows",
        """
        from hermes_core import Tool, hookimpl, tool
        from hermes_core.demo import DemoStep

        @tool(toolset="shows")
        def greet(name: str) -> str:
            "Greet a person."
            return f"hello {name}"

        def last(demo):
            demo.say("A greeting:")
            demo.call("greet", {"name": "Ana"})

        def first(demo):
            raise RuntimeError("it broke")

        @hookimpl
        def hermes_tools():
            return [greet]

        @hookimpl
        def hermes_demo_steps():
            return [DemoStep(title="Last", run=last, order=90), DemoStep(title="First", run=first, order=1)]
        """,
    )
    outcome = process("demo", "--json", PYTHONPATH=path)
    steps = json.loads(outcome.stdout)["steps"]
    titles = [step["title"] for step in steps]
    assert titles.index("First") < titles.index("Last")
    results = {step["title"]: step for step in steps}
    assert results["First"]["result"] == "failed"
    assert results["First"]["lines"] == ["This step failed: it broke"]
    assert results["Last"]["lines"] == ["A greeting:", 'greet {"name": "Ana"}', '→ "hello Ana"']
    assert outcome.returncode == 1


def test_a_plugin_whose_demo_steps_are_none_is_a_failed_step(process: Run, tmp_path: Path) -> None:
    path = install(
        tmp_path,
        "wrong",
        """
        from hermes_core import hookimpl

        @hookimpl
        def hermes_demo_steps():
            return ["not a step"]
        """,
    )
    steps = {step["title"]: step for step in json.loads(process("demo", "--json", PYTHONPATH=path).stdout)["steps"]}
    assert "returned a str, not a DemoStep" in steps["The tools of wrong"]["lines"][0]
