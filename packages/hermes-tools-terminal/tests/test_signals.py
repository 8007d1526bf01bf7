"""The `hermes` command is asked to end, or killed: what it ran ends with it, and the audit log says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local_processes import find_process

Start = Callable[..., subprocess.Popen[bytes]]

TREE = "sleep 400 & echo $! >> {file}; setsid sleep 401 & echo $! >> {file}; timeout 402 sleep 402 & echo $! >> {file}"
SCRIPT = """
import os, subprocess
with open({file!r}, "a") as file:
    for argv in (["sleep", "403"], ["setsid", "sleep", "404"]):
        file.write(str(subprocess.Popen(argv).pid) + "\\n")
    file.write(str(os.getpid()) + "\\n")
import time
time.sleep(300)
"""


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """The family is installed, and found as users find it."""


def until(check: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
    return found


def three(file: Path) -> list[int]:
    """The three processes that have written down their numbers."""
    words = file.read_text().split() if file.exists() else []
    return [int(word) for word in words] if len(words) == 3 else []


def gone(pids: list[int]) -> bool:
    """Whether none of some processes runs."""
    return not any(find_process(pid) for pid in pids)


def audited(home: Path) -> list[dict[str, Any]]:
    """The entries of the audit log."""
    log = home / "audit.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines() if line] if log.exists() else []


@pytest.fixture
def hermes(home: Path) -> Iterator[Start]:
    """Starts the `hermes` command."""
    home.mkdir()
    (home / "config.yaml").write_text("approvals:\n  mode: 'off'\nterminal:\n  foreground_guard: false\n")
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "hermes_core", *words]
        started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ways(file: Path) -> dict[str, tuple[str, ...]]:
    """The commands that run something."""
    command = TREE.format(file=file) + "; sleep 300"
    return {
        "terminal": ("call", "terminal", f"command={command}"),
        "pty": ("call", "terminal", f"command={command}", "pty=true"),
        "terminal run": ("terminal", "run", command),
        "execute_code": ("call", "execute_code", f"code={SCRIPT.format(file=str(file))}"),
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("way", ["terminal", "pty", "terminal run", "execute_code"])
def test_a_command_that_is_asked_to_end_leaves_nothing(
    hermes: Start, home: Path, tmp_path: Path, way: str, number: int
) -> None:
    file = tmp_path / "pids"
    process = hermes(*ways(file)[way])
    pids = until(lambda: three(file))
    process.send_signal(number)
    output = process.communicate(timeout=15)[0]
    assert process.returncode == 128 + number, output
    until(lambda: gone(pids), seconds=2)
    (entry,) = audited(home)
    assert (entry["status"], entry["code"]) == ("cancelled", signal.Signals(number).name.lower())
    assert entry["tool"] == ("execute_code" if way == "execute_code" else "terminal")
    assert not list((home / "terminal").iterdir())


def test_a_hangup_that_is_ignored_stays_ignored(hermes: Start, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    os.mkfifo(tmp_path / "fifo")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = hermes("call", "terminal", f"command={TREE.format(file=file)}; read line < {tmp_path}/fifo")
    finally:
        signal.signal(signal.SIGHUP, before)
    until(lambda: three(file))
    process.send_signal(signal.SIGHUP)
    with (tmp_path / "fifo").open("w") as fifo:
        fifo.write("go on\n")
    assert process.wait(20) == 0


def test_a_second_signal_does_not_interrupt_the_cleaning_up(hermes: Start, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    process = hermes(*ways(file)["terminal"])
    pids = until(lambda: three(file))
    for _ in range(20):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.002)
    assert process.wait(15) == 143
    until(lambda: gone(pids), seconds=2)
    assert [entry["code"] for entry in audited(home)] == ["sigterm"]


@pytest.mark.parametrize("way", ["terminal", "pty", "terminal run", "execute_code"])
def test_what_a_killed_command_ran_dies_and_the_next_one_logs_it(
    hermes: Start, home: Path, tmp_path: Path, way: str
) -> None:
    file = tmp_path / "pids"
    process = hermes(*ways(file)[way])
    pids = until(lambda: three(file))
    process.kill()
    process.wait()
    until(lambda: gone(pids), seconds=5)
    assert audited(home) == []
    following = hermes("call", "terminal", "command=echo next")
    assert b"next" in following.communicate(timeout=30)[0]
    cut, ended = audited(home)
    assert (cut["status"], cut["code"]) == ("cancelled", "host_died")
    assert cut["tool"] == ("execute_code" if way == "execute_code" else "terminal")
    assert "sleep" in json.dumps(cut["args"])
    assert cut["began"] < cut["at"] <= ended["at"]
    assert ended["status"] == "ok"
    assert not list((home / "open-calls").iterdir())


@pytest.mark.parametrize("env", ["local", "sandbox"])
def test_a_background_process_that_would_end_with_the_call_is_refused(
    hermes: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, env: str
) -> None:
    monkeypatch.setenv("HERMES_TERMINAL__ENV", env)
    process = hermes("call", "terminal", f"command=touch {tmp_path}/made; sleep 300", "background=true")
    told = json.loads(process.communicate(timeout=30)[0])
    assert "ends with the call" in told["error"]
    assert "foreground" in told["hint"]
    assert not (tmp_path / "made").exists()
