"""`hermes demo` with the families of this workspace, as a user runs it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "hermes_core", "demo"]
STEPS = [
    "The tools",
    "A guarded shell",
    "A command that is refused",
    "A file, patched and restored",
    "Your policy decides",
    "An approval",
    "A page from the web",
    "A skill",
    "Tool search",
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a user with every family, a broken home, and settings that would lead the demo astray."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("{ this is not yaml: [", encoding="utf-8")
    others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {
        **others,
        "HERMES_HOME": str(tmp_path / "home"),
        "HERMES_TERMINAL__ENV": "docker",
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def play(environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *options], capture_output=True, encoding="utf-8", env=environment, timeout=60, check=False
    )


def steps_of(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {step["title"]: step for step in json.loads(done.stdout)["steps"]}


def test_every_step_shows_the_families_at_work_and_nothing_is_left(environment: dict[str, str], tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = play(environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, "")
    assert [title for title in STEPS if f". {title}\n" not in done.stdout] == []
    for phrase in (
        "hello from work",
        "Refused: terminal was not run, and this call can never be approved: wipes /.",
        '+greeting = "Goodbye"',
        "Undone: receipt 2",
        "Only people push.",
        "asked: deletes a directory and everything in it: build. Answer: once.",
        "The museum is open from ten to six",
        "search_files",
        "web_crawl",
    ):
        assert phrase in done.stdout
    # Processor time: what another program does meanwhile must not fail the test.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["config.yaml"]


def test_the_steps_can_be_had_as_json(environment: dict[str, str]) -> None:
    steps = steps_of(play(environment, "--json"))
    assert list(steps) == STEPS
    assert {step["result"] for step in steps.values()} == {"shown"}


@pytest.mark.parametrize(
    ("hidden", "skipped"),
    [("hermes_tools_web", "web_crawl, "), ("hermes_tools_terminal", "execute_code, ")],
)
def test_a_step_whose_family_is_missing_names_the_package(
    environment: dict[str, str], tmp_path: Path, hidden: str, skipped: str
) -> None:
    info = tmp_path / "site" / f"{hidden}-1.0.0.dist-info"
    info.mkdir(parents=True)
    name = hidden.replace("_", "-")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n", encoding="utf-8")
    done = play(environment | {"PYTHONPATH": str(info.parent)}, "--json")
    assert done.returncode == 0, done.stdout
    (step,) = [step for title, step in steps_of(done).items() if title.startswith(skipped)]
    assert step["result"] == "skipped"
    assert name in step["lines"][0]


def test_a_step_that_fails_is_told_and_the_others_follow(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "httpx2.py").write_text("raise ImportError('no httpx2 here')\n", encoding="utf-8")
    done = play(environment | {"PYTHONPATH": str(tmp_path / "site")})
    assert done.returncode == 1
    assert "This step failed: " in done.stdout
    assert ". Tool search\n" in done.stdout
    assert "1 of 9 steps failed: A page from the web." in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_demo_that_is_stopped_leaves_nothing(
    environment: dict[str, str], tmp_path: Path, number: int, status: int
) -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, env={**environment, "PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b"A file, patched" in line:
                break
        process.send_signal(number)
        process.stdout.read()
        assert process.wait(timeout=30) == status
    assert list((tmp_path / "tmp").iterdir()) == []
    assert processes_with(str(tmp_path / "tmp")) == []


def processes_with(text: str) -> list[str]:
    """The command lines of processes that mention a text, or work in a directory of that name."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace")
            if text in words or os.readlink(folder / "cwd").startswith(text):
                found.append(words)
        except OSError:
            continue
    return found
