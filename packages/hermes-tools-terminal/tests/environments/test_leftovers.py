"""What a host that was killed has left running is killed at once, or found by the next one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hermes_tools_terminal.environments.local_processes import all_processes, find_process, marked
from hermes_tools_terminal.environments.process_records import find_leftovers, kill_leftovers

Answer = TypeVar("Answer")

HOST = """
import sys, hermes_tools_terminal.plugin
from hermes_approval import Approval
from hermes_core import Hermes
config = {"terminal": {"foreground_guard": False}}
hermes = Hermes(plugins=[hermes_tools_terminal.plugin, Approval(mode="off")], config=config)
print(hermes.call("terminal", {"command": sys.argv[1], "background": sys.argv[2] == "background"}), flush=True)
sys.stdin.read()
"""

# In the group, in a group of its own, in a session of its own, and the child of a process that is gone.
TREE = """
sleep 301 & echo $! >> {file}
timeout 302 sleep 302 & echo $! >> {file}
setsid sleep 303 & echo $! >> {file}
(env -i /bin/sh -c 'setsid sh -c "echo \\$\\$ >> {file}; exec sleep 304" &')
echo done >> {file}
"""


def until(check: Callable[[], Answer], seconds: float = 20.0) -> Answer:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
    return found


def pids_in(file: Path) -> list[int]:
    """The processes of `TREE`, once all of them run."""
    words = file.read_text().split() if file.exists() else []
    return [int(word) for word in words if word.isdigit()] if len(words) == 5 else []


def watchers(home: Path) -> list[int]:
    """The watchers that look after the hosts of a home."""
    found = []
    for process in all_processes():
        with contextlib.suppress(OSError), open(f"/proc/{process.pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
            if words[:2] == [b"/bin/sh", b"-c"] and os.fsencode(home) in words:
                found.append(process.pid)
    return found


def gone(pids: list[int]) -> bool:
    """Whether none of some processes runs."""
    return not any(find_process(pid) for pid in pids)


@pytest.fixture
def host() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a Python program that runs one command with the library, without any handling of signals."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command: str, how: str = "foreground") -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-c", HOST, command, how]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("how", ["foreground", "background"])
def test_what_a_killed_host_has_started_dies_at_once(
    host: Callable[..., subprocess.Popen[bytes]], home: Path, tmp_path: Path, number: int, how: str
) -> None:
    file = tmp_path / "pids"
    process = host(TREE.format(file=file) + "wait", how)
    pids = until(lambda: pids_in(file))
    process.send_signal(number)
    process.wait()
    until(lambda: gone(pids), seconds=5)
    until(lambda: not list((home / "terminal").iterdir()))
    assert find_leftovers(home) == []


def test_what_nobody_could_kill_in_time_is_found_and_killed_later(
    host: Callable[..., subprocess.Popen[bytes]], home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    process = host(TREE.format(file=file) + "wait")
    pids = until(lambda: pids_in(file))
    assert find_leftovers(home) == []  # its host lives
    for watcher in watchers(home):
        os.kill(watcher, signal.SIGKILL)
    began = time.time()
    process.kill()
    process.wait()
    found = find_leftovers(home)
    assert {each.pid for each in found} >= set(pids)
    assert {each.host for each in found} == {process.pid}
    assert all(began - 60 < each.since <= time.time() for each in found)
    assert "sleep 304" in {each.command for each in found}
    assert {each.pid for each in kill_leftovers(home)} == {each.pid for each in found}
    until(lambda: gone(pids))
    assert find_leftovers(home) == kill_leftovers(home) == []


def test_the_list_of_processes_says_what_was_left_and_killed(
    host: Callable[..., subprocess.Popen[bytes]], home: Path, tmp_path: Path, agent: Callable[..., Any]
) -> None:
    file = tmp_path / "pids"
    process = host(TREE.format(file=file) + "wait")
    pids = until(lambda: pids_in(file))
    for watcher in watchers(home):
        os.kill(watcher, signal.SIGKILL)
    process.kill()
    process.wait()
    me = agent()
    told = me.process("list")
    assert told["processes"] == []
    assert {each["pid"] for each in told["killed_leftovers"]} >= set(pids)
    assert {each["host_pid"] for each in told["killed_leftovers"]} == {process.pid}
    until(lambda: gone(pids))


def test_a_host_that_ends_well_takes_its_watcher_with_it(
    host: Callable[..., subprocess.Popen[bytes]], home: Path
) -> None:
    process = host("setsid sleep 305 & echo started")
    assert process.stdout is not None
    assert b"started" in process.stdout.readline()
    assert len(watchers(home)) == 1
    ledgers = list((home / "terminal").iterdir())
    assert len(ledgers) == 1
    process.communicate()
    until(lambda: not watchers(home))
    assert not list((home / "terminal").iterdir())
    assert not any(b"sleep\x00305" in _words(each.pid) for each in all_processes())


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_processes_of_others_are_never_found(home: Path) -> None:
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as innocent:
        assert marked({0, 1, 1 << 61}) == []
        ledger = home / "terminal" / "999999999-1.jsonl"
        ledger.parent.mkdir(parents=True)
        from hermes_tools_terminal.environments.process_records import _where

        where = _where()
        ledger.write_text(f'{{"group": {innocent.pid}, "started": 1, "mark": {(1 << 61) + 7}, "where": "{where}"}}\n')
        assert find_leftovers(home) == []
        assert kill_leftovers(home) == []
        assert innocent.poll() is None
        innocent.kill()
