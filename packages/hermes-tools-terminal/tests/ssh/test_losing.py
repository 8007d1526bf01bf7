"""What happens when the other machine goes away while it is used, and when it comes back."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.local_processes import all_processes, descendants
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment

Places = Callable[..., SshEnvironment]
LIMIT_SECONDS = 10.0


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not true():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.01)
    return True


def test_a_killed_server_is_gone_and_a_new_place_can_be_opened(own_sshd: Callable[..., Any], place: Places) -> None:
    server = own_sshd()
    opened = place(server)
    started = opened.start(["sleep", "300"])
    server.kill()
    assert started.child.wait(LIMIT_SECONDS) == 255
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    started.child.stdin.close()
    started.child.stdout.close()
    assert until(lambda: not opened.alive())
    for use in (lambda: opened.start(["true"]), lambda: opened.run("true")):
        with pytest.raises(TerminalEnvironmentError, match="refused the connection") as caught:
            use()
        assert caught.value.gone
        assert caught.value.hint
    opened.close()
    server.start()
    assert place(server).run("echo back") == b"back\n"
    assert until(lambda: all(each.group != started.group for each in all_processes()))


def test_a_place_whose_connection_broke_connects_again(own_sshd: Callable[..., Any], place: Places) -> None:
    server = own_sshd()
    opened = place(server)
    server.kill()
    assert until(lambda: not opened.alive())
    server.start()
    assert opened.run("echo back") == b"back\n"
    assert opened.alive()


def test_a_server_that_stands_still_is_given_up_and_nobody_else_waits_for_it(
    own_sshd: Callable[..., Any], place: Places
) -> None:
    server = own_sshd()
    opened = place(server)
    assert server.process is not None
    stopped = descendants(server.process.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(TerminalEnvironmentError, match="does not answer") as caught:
            opened.run("true", timeout=0.5)
        assert caught.value.gone
        assert not opened.alive()
        opened.signal(1, 0)
        opened.close()
        assert place(server).run("echo there") == b"there\n"
    finally:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_a_script_that_takes_long_is_no_loss(sshd: Any, place: Places) -> None:
    opened = place(sshd)
    with pytest.raises(TerminalEnvironmentError, match="took more than") as caught:
        opened.run("exec sleep 30", timeout=1)
    assert not caught.value.gone
    assert opened.alive()


def test_a_connection_that_was_idle_for_long_is_no_loss(
    own_sshd: Callable[..., Any], place: Places, home: Path
) -> None:
    opened = place(own_sshd(), keep=1)
    assert until(lambda: not any(path.is_socket() for path in (home / "terminal" / "ssh").iterdir()))
    assert opened.alive()
    assert opened.run("echo back") == b"back\n"


def test_a_command_hears_of_the_loss_and_the_next_one_runs_when_the_server_is_back(
    own_sshd: Callable[..., Any], agent: Callable[..., Any]
) -> None:
    server = own_sshd()
    me = agent(terminal={"env": "ssh", "ssh": server.settings()})
    me.run("cd /usr; export KEPT=1")
    found: list[dict[str, Any]] = []
    nap = f"3{os.getpid()}"  # nobody else sleeps as long
    asleep = f"sleep\0{nap}".encode()
    running = threading.Thread(target=lambda: found.append(me.run(f"echo begun; sleep {nap}")))
    running.start()
    assert until(lambda: any(asleep in _arguments(each.pid) for each in all_processes())), found
    server.kill()
    running.join(LIMIT_SECONDS)
    assert not running.is_alive()
    assert found[0]["exit_code"] not in (0, None)
    assert "begun" in found[0]["output"]
    assert "The ssh environment was lost" in found[0]["note"]
    down = me.run("echo hello")
    assert down["exit_code"] == -1
    assert "refused the connection" in down["error"]
    assert "sshd" in down["hint"]
    server.start()
    back = me.run("pwd; echo hello")
    assert back["output"] == "/usr\nhello\n"
    assert back["exit_code"] == 0
    assert until(lambda: not any(asleep in _arguments(each.pid) for each in all_processes()))


def test_background_processes_are_told_to_be_lost(own_sshd: Callable[..., Any], agent: Callable[..., Any]) -> None:
    server = own_sshd()
    me = agent(terminal={"env": "ssh", "ssh": server.settings()})
    lost = me.start("echo begun; sleep 300")
    server.kill()
    told = me.process("wait", lost, timeout=10)
    assert told["status"] == "exited"
    assert told["completion_reason"] == "lost"
    assert me.process("kill", lost)["status"] == "already_exited"


def _arguments(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
