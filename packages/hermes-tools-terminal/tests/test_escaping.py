"""Processes that leave their group, their session and their parent are still found and killed, and no others."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local_processes import find_process

Make = Callable[..., Any]

WAYS = {
    "setsid": "setsid sleep 300 & echo $! > {file}",
    "a double fork": "(setsid sh -c 'echo $$ > {file}; exec sleep 300' &)",
    "nohup": "nohup setsid sleep 300 >/dev/null 2>&1 & echo $! > {file}; disown",
    "a daemon without variables": "(env -i /bin/sh -c 'setsid sh -c \"echo \\$\\$ > {file}; trap : TERM HUP; "
    "while :; do sleep 1; done\" & exit')",
}
NO_GUARD = {"foreground_guard": False}

# A host that is killed when it has started a process, and has not recorded it. It ignores SIGHUP, as under nohup.
DYING = """
import os, signal
from hermes_tools_terminal.environments.process_records import ProcessRecords
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.processes.registry import Processes

class Killed(ProcessRecords):
    def add(self, group, mark=0):
        open({folder!r} + "/pid", "w").write(str(group))
        os.kill(os.getpid(), signal.SIGKILL)

signal.signal(signal.SIGHUP, signal.SIG_IGN)
place = LocalEnvironment({folder!r})
place.open()
Processes(Killed({folder!r})).start(place, "touch ran", task="", folder={folder!r}, pty={pty})
"""


def until(check: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
    return found


def pid_in(file: Path) -> int:
    """The process that wrote its number into a file."""
    return int(until(lambda: file.exists() and file.read_text().strip()))


@pytest.mark.parametrize("way", list(WAYS))
def test_what_escaped_is_killed_when_its_command_runs_out_of_time(agent: Make, tmp_path: Path, way: str) -> None:
    me = agent(terminal=NO_GUARD, approvals="off")
    file = tmp_path / "pid"
    told = me.run(WAYS[way].format(file=file) + "\nwhile :; do sleep 0.1; done", timeout=2)
    assert told["exit_code"] == 124
    until(lambda: find_process(pid_in(file)) is None, seconds=5)


@pytest.mark.parametrize("way", list(WAYS))
def test_what_escaped_is_killed_with_its_session(agent: Make, tmp_path: Path, way: str) -> None:
    me = agent(terminal=NO_GUARD, approvals="off")
    file = tmp_path / "pid"
    assert me.run(WAYS[way].format(file=file))["exit_code"] == 0
    pid = pid_in(file)
    assert me.run("echo still here")["output"] == "still here\n"
    assert find_process(pid) is not None
    me.hermes.close()
    until(lambda: find_process(pid) is None, seconds=5)


@pytest.mark.parametrize("pty", [False, True])
@pytest.mark.parametrize("way", list(WAYS))
def test_what_escaped_is_killed_with_its_background_process(agent: Make, tmp_path: Path, way: str, pty: bool) -> None:
    me = agent(approvals="off")
    file = tmp_path / "pid"
    id = me.start(WAYS[way].format(file=file) + "\nwhile :; do sleep 0.1; done", pty=pty)
    pid = pid_in(file)
    assert me.process("kill", id)["status"] == "killed"
    until(lambda: find_process(pid) is None, seconds=5)


@pytest.fixture
def busy_host() -> Iterator[None]:
    """Threads of this process that take turns with the one that starts processes, so that they run on before it."""
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    yield
    over.set()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("busy_host")
@pytest.mark.parametrize("pty", [False, True])
def test_a_process_is_marked_before_its_command_runs(agent: Make, pty: bool) -> None:
    me = agent()
    for _ in range(5):
        id = me.start("grep 'realtime timeout' /proc/self/limits", pty=pty)
        output = me.process("wait", id)["output"]
        assert output.split()[-2].isdigit(), output
        assert int(output.split()[-2]) >= 1 << 61


@pytest.mark.parametrize("pty", [False, True])
def test_a_process_whose_host_dies_before_it_begins_does_nothing(tmp_path: Path, pty: bool) -> None:
    code = DYING.format(folder=str(tmp_path), pty=pty)
    host = subprocess.run([sys.executable, "-c", code], check=False, timeout=30)
    assert host.returncode == -signal.SIGKILL
    pid = int((tmp_path / "pid").read_text())
    until(lambda: find_process(pid) is None, seconds=10)
    assert not (tmp_path / "ran").exists()


def test_a_process_whose_start_is_interrupted_is_killed_with_its_session(
    agent: Make, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = agent(approvals="off")
    file = tmp_path / "pid"
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if thread.name == "hermes-terminal-processes":
            pid_in(file)
            signal.raise_signal(signal.SIGINT)
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            me.start(f"echo $$ > {file}; exec sleep 300", pty=True)
    assert me.process("wait", me.start("echo next"))["output"] == "next\n"
    me.hermes.close()
    until(lambda: find_process(pid_in(file)) is None, seconds=5)
    assert not list((home / "terminal").iterdir())


def test_only_what_the_ended_command_has_started_is_killed(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal=NO_GUARD, approvals="off")
    earlier, other = tmp_path / "earlier", tmp_path / "other"
    me.run(WAYS["a double fork"].format(file=earlier))
    server = me.start(f"echo $$ > {other}; exec sleep 300")
    daemon = pid_in(earlier)
    with subprocess.Popen(["setsid", "sleep", "300"]) as innocent:
        assert me.run("setsid sleep 300 & sleep 300", timeout=1)["exit_code"] == 124
        assert find_process(daemon) is not None
        assert find_process(pid_in(other)) is not None
        assert me.process("poll", server)["status"] == "running"
        assert innocent.poll() is None
        innocent.kill()


def test_what_escaped_is_killed_when_its_command_is_interrupted(agent: Make, tmp_path: Path) -> None:
    from hermes_tools_terminal.session_state import interrupt

    me = agent(terminal=NO_GUARD, approvals="off")
    file = tmp_path / "pid"
    results: list[Any] = []
    command = WAYS["a double fork"].format(file=file) + "\nsleep 300"
    thread = threading.Thread(target=lambda: results.append(me.run(command)))
    thread.start()
    pid = pid_in(file)
    assert interrupt(me.hermes._dispatcher.default_session)
    thread.join(20)
    assert results[0]["exit_code"] == 130
    until(lambda: find_process(pid) is None, seconds=5)


@pytest.mark.parametrize("pty", [False, True])
@pytest.mark.parametrize("engine", ["bubblewrap", "landlock"])
def test_what_escaped_in_a_sandbox_is_killed(agent: Make, tmp_path: Path, engine: str, pty: bool) -> None:
    if engine == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    work = tmp_path / "work"
    work.mkdir()
    me = agent(
        terminal={"env": "sandbox", "cwd": str(work), "sandbox": {"engine": engine}, **NO_GUARD}, approvals="off"
    )
    seconds = str(1_000_000 + os.getpid())  # no other test sleeps that long
    told = me.run(f"touch begun; (setsid sh -c 'exec sleep {seconds}' &); sleep 300", timeout=2, pty=pty)
    if "No sandbox" in (told["error"] or ""):
        pytest.skip(told["error"])
    assert (work / "begun").exists(), told
    assert told["exit_code"] == 124
    until(lambda: not _sleeping(seconds), seconds=5)


def _sleeping(seconds: str) -> bool:
    found = subprocess.run(["pgrep", "-fx", f"sleep {seconds}"], capture_output=True, check=False)
    return found.returncode == 0
