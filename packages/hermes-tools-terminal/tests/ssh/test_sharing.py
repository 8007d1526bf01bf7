"""Connections that tasks share, and what is left of them when a process is killed."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.local_processes import all_processes, find_process
from hermes_tools_terminal.environments.ssh import environment as ssh
from hermes_tools_terminal.environments.ssh.connections import ENVIRONMENTS_PER_CONNECTION, socket_directory
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment
from hermes_tools_terminal.settings import TerminalSettings

Places = Callable[..., SshEnvironment]
LIMIT_SECONDS = 10.0

STOCK = "MaxSessions 10\nMaxStartups 10:30:100"
"""What sshd allows when nobody says anything."""

# A process with a place and something that runs in it, which is killed then.
LEAVING = """
import sys, time
from pydantic import TypeAdapter
from hermes_tools_terminal.environments.ssh import environment as ssh
from hermes_tools_terminal.settings import TerminalSettings
place = ssh.make(TypeAdapter(TerminalSettings).validate_json(sys.argv[1]), task="t", home=sys.argv[2])
place.open()
print(*[place.start(["sh", "-c", "sleep 300 & wait"]).group for _ in range(2)], flush=True)
time.sleep(300)
"""


def sockets(home: Path) -> list[Path]:
    folder = home / "terminal" / "ssh"
    return [path for path in folder.iterdir() if path.is_socket()] if folder.is_dir() else []


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not true():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.01)
    return True


def clients(word: str) -> list[int]:
    """Processes of ssh on this machine that have something in their arguments."""
    found = []
    for process in all_processes():
        try:
            said = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        except OSError:
            continue
        if said.startswith(b"ssh") and word.encode() in said:
            found.append(process.pid)
    return found


def test_places_share_a_connection_and_the_last_one_ends_it(sshd: Any, place: Places, home: Path) -> None:
    made = [place(sshd) for _ in range(ENVIRONMENTS_PER_CONNECTION)]
    assert len(sockets(home)) == 1
    made.pop().close()
    assert all(each.alive() for each in made)
    another = place(sshd)
    assert len(sockets(home)) == 1
    more = place(sshd)
    assert len(sockets(home)) == 2
    for each in (*made, another, more):
        each.close()
        each.close()
        assert not each.alive()
    assert sockets(home) == []
    assert list((home / "terminal" / "ssh").iterdir()) == []
    assert until(lambda: clients(str(home)) == [])


def test_fifty_tasks_at_once_are_not_too_many_for_a_server_as_it_comes(
    own_sshd: Callable[..., Any], place: Places, home: Path
) -> None:
    server = own_sshd(STOCK)
    made = [place(server, opened=False) for _ in range(50)]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda each: each.open(), made))
        assert len(sockets(home)) == -(-50 // ENVIRONMENTS_PER_CONNECTION)
        started = list(pool.map(lambda each: each.start(["cat"]), made))
        for each, process in zip(made, started, strict=True):
            each.signal(process.group, signal.SIGKILL)
            process.child.wait(LIMIT_SECONDS)
            assert process.child.stdin is not None
            assert process.child.stdout is not None
            process.child.stdin.close()
            process.child.stdout.close()
        list(pool.map(lambda each: each.close(), made))
    assert sockets(home) == []


def test_more_processes_than_a_connection_may_carry_get_their_own(own_sshd: Callable[..., Any], place: Places) -> None:
    opened = place(own_sshd("MaxSessions 2"))
    started = [opened.start(["cat"]) for _ in range(4)]
    for number, process in enumerate(started):
        assert process.child.stdin is not None
        assert process.child.stdout is not None
        process.child.stdin.write(b"%d\n" % number)
        process.child.stdin.close()
        assert process.child.stdout.read() == b"%d\n" % number
        assert process.child.wait(LIMIT_SECONDS) == 0
        process.child.stdout.close()


def test_sockets_are_for_their_owner_only(sshd: Any, place: Places, home: Path) -> None:
    place(sshd)
    (found,) = sockets(home)
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700


def test_a_home_with_a_long_name_still_has_room_for_sockets(sshd: Any, place: Places, home: Path) -> None:
    long = home / ("long" * 30) / "it's %h ${HOME} here"
    settings = TypeAdapter(TerminalSettings).validate_python({"ssh": sshd.settings()})
    opened = ssh.make(settings, task="t", home=str(long))
    folder = Path(socket_directory(str(long)))
    try:
        opened.open()
        assert opened.run("echo there") == b"there\n"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert len(list(folder.iterdir())) == 1
    finally:
        opened.close()
        folder.rmdir()


@pytest.mark.parametrize("with_connection", [False, True])
def test_what_a_killed_process_left_is_ended_at_the_next_start(
    sshd: Any, place: Places, home: Path, with_connection: bool
) -> None:
    settings = TypeAdapter(TerminalSettings).validate_python({"env": "ssh", "ssh": sshd.settings()})
    argv = [sys.executable, "-c", LEAVING, json.dumps(asdict(settings)), str(home)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        groups = [int(word) for word in process.stdout.readline().split()]
        process.kill()
    assert len(groups) == 2
    assert all(find_process(group) for group in groups)
    if with_connection:  # it, too, was killed
        for pid in clients(str(home)):
            os.kill(pid, signal.SIGKILL)
        assert until(lambda: clients(str(home)) == [])
    assert ssh.reap(settings, str(home)) == 1
    assert sockets(home) == []
    assert until(lambda: clients(str(home)) == [])
    opened = place(sshd)
    members = {each.group for each in all_processes()}
    assert until(lambda: not {each.group for each in all_processes()} & set(groups)), members & set(groups)
    opened.close()
    assert list((home / "terminal" / "ssh").iterdir()) == []


def test_what_belongs_to_others_is_left_alone(sshd: Any, place: Places, home: Path) -> None:
    opened = place(sshd)
    started = opened.start(["cat"])
    assert ssh.reap(TerminalSettings(), str(home)) == 0
    place(sshd)
    assert opened.alive()
    assert find_process(started.group)
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    started.child.stdin.close()
    assert started.child.wait(LIMIT_SECONDS) == 0
    started.child.stdout.close()
