"""The tools on another machine, through the whole pipeline."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local_processes import all_processes, find_process
from hermes_tools_terminal.session_state import interrupt

LIMIT_SECONDS = 10.0


@pytest.fixture
def me(sshd: Any, agent: Callable[..., Any]) -> Any:
    """An agent whose commands run on the server."""
    return agent(terminal={"env": "ssh", "ssh": sshd.settings()})


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not true():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.01)
    return True


def test_a_command_answers_with_its_output_and_exit_code(me: Any, sshd: Any) -> None:
    assert me.run("id -un; echo err >&2; (exit 3)") == {"output": f"{sshd.user}\nerr\n", "exit_code": 3, "error": None}


def test_folder_variables_functions_and_umask_are_there_for_the_next_command(me: Any) -> None:
    me.run("cd /usr/lib; export COLOUR=blue; greet() { echo hello $1; }; umask 027; alias ll='ls -l'")
    assert me.run("pwd; echo $COLOUR; greet you; umask")["output"] == "/usr/lib\nblue\nhello you\n0027\n"


def test_a_workdir_is_for_one_command(me: Any) -> None:
    assert me.run("pwd", workdir="/usr")["output"] == "/usr\n"
    assert me.run("pwd")["output"].startswith("/home/")
    missing = me.run("pwd", workdir="/nowhere")
    assert missing["exit_code"] == 126
    assert "/nowhere" in missing["note"]


def test_an_exit_ends_the_shell_but_not_what_it_knew(me: Any) -> None:
    me.run("cd /usr; export KEPT=1")
    assert me.run("exit 5")["exit_code"] == 5
    assert me.run("pwd; echo $KEPT")["output"] == "/usr\n1\n"


def test_a_time_out_ends_what_runs_there_and_keeps_the_shell(sshd: Any, agent: Callable[..., Any]) -> None:
    me = agent(terminal={"env": "ssh", "ssh": sshd.settings(), "foreground_guard": False})
    me.run("export KEPT=1")
    found = me.run("sleep 300 & echo $!; echo begun; setsid sleep 301", timeout=1)
    assert found["exit_code"] == 124
    assert "begun" in found["output"]
    assert until(lambda: find_process(int(found["output"].split()[0])) is None)
    assert until(lambda: not running(b"sleep\x00301"))
    assert me.run("echo $KEPT")["output"] == "1\n"


def test_a_command_that_ignores_term_ends_all_the_same(me: Any) -> None:
    found = me.run("trap '' TERM; sh -c 'trap \"\" TERM; sleep 302; sleep 302'", timeout=1)
    assert found["exit_code"] == 124
    assert until(lambda: not running(b"sleep\x00302"))


def test_an_interrupt_ends_with_130(me: Any) -> None:
    me.run("true")
    with me.hermes.session() as session, ThreadPoolExecutor(1) as pool:
        call = pool.submit(session.call, "terminal", {"command": "sleep 303"})
        assert until(lambda: running(b"sleep\x00303"))
        assert interrupt(session)
        assert '"exit_code": 130' in call.result(LIMIT_SECONDS)
    assert until(lambda: not running(b"sleep\x00303"))


def test_commands_that_read_get_nothing(me: Any) -> None:
    assert me.run("cat; read x; echo done", timeout=5)["output"] == "done\n"


def test_binary_output_is_kept_readable(me: Any) -> None:
    found = me.run(r"printf 'a\377\376\0b\033[31mred\033[0m\n'; head -c 5000 /dev/urandom; echo; echo end")
    assert found["exit_code"] == 0
    assert found["output"].startswith("a\N{REPLACEMENT CHARACTER}")
    assert "bred\n" in found["output"]
    assert found["output"].endswith("end\n")


def test_much_output_is_cut_while_it_streams(me: Any) -> None:
    found = me.run("echo first; yes 0123456789 | head -c 20000000; echo last", timeout=60)
    assert found["exit_code"] == 0
    assert len(found["output"]) < 51_000
    assert found["output"].startswith("first\n")
    assert found["output"].endswith("last\n")
    assert "TRUNCATED" in found["output"]


def test_a_background_process_can_be_talked_to(me: Any) -> None:
    process = me.start("while read line; do echo got $line; done; echo over; exit 4")
    assert me.process("submit", process, data="it's one")["status"] == "ok"
    assert me.process("write", process, data="two\n")["status"] == "ok"
    assert until(lambda: "got two" in me.process("poll", process)["output_preview"])
    assert [each["session_id"] for each in me.process("list")["processes"]] == [process]
    assert me.process("close", process)["status"] == "ok"
    ended = me.process("wait", process, timeout=10)
    assert ended["exit_code"] == 4
    log = me.process("log", process)
    assert log.get("output", "").split("\n")[:3] == ["got it's one", "got two", "over"], log


def test_a_background_process_with_a_terminal_can_be_talked_to(me: Any) -> None:
    process = me.start("tty; read line; echo got $line", pty=True)
    assert me.process("submit", process, data="hello")["status"] == "ok"
    ended = me.process("wait", process, timeout=10)
    assert "/dev/pts" in ended["output"]
    assert "got hello" in ended["output"]


def test_a_background_process_is_killed_with_all_that_it_started(me: Any) -> None:
    process = me.start("sleep 304 & sleep 305")
    assert until(lambda: running(b"sleep\x00304") and running(b"sleep\x00305"))
    assert me.process("kill", process)["status"] == "killed"
    assert until(lambda: not running(b"sleep\x00304") and not running(b"sleep\x00305"))


def test_the_end_of_the_session_ends_everything_there(me: Any, home: Path) -> None:
    me.start("sleep 306")
    me.run("true")
    assert until(lambda: running(b"sleep\x00306"))
    me.hermes.close()
    assert until(lambda: not running(b"sleep\x00306"))
    assert list((home / "terminal" / "ssh").iterdir()) == []


def test_ten_tasks_at_once_do_not_see_each_other(me: Any) -> None:
    def work(number: int) -> list[str]:
        task = f"task {number}"
        me.run(f"export ME={number}; cd /usr", task=task)
        return [me.run("echo $ME $PWD", task=task)["output"] for _ in range(5)]

    with ThreadPoolExecutor(10) as pool:
        found = list(pool.map(work, range(10)))
    assert found == [[f"{number} /usr\n"] * 5 for number in range(10)]


def test_a_dangerous_command_does_not_run_without_approval(me: Any, sshd: Any) -> None:
    me.run("mkdir -p ~/precious && touch ~/precious/file")
    found = me.run("rm -rf ~/precious")
    assert found.get("error")
    assert os.path.exists(os.path.expanduser(f"~{sshd.user}/precious/file"))


def test_a_place_that_cannot_be_opened_is_an_error_with_a_hint(sshd: Any, agent: Callable[..., Any]) -> None:
    found = agent(terminal={"env": "ssh", "ssh": sshd.settings(host="nowhere.invalid")}).run("true")
    assert found["exit_code"] == -1
    assert "no machine nowhere.invalid" in found["error"]
    assert "terminal.ssh.host" in found["hint"]


def running(arguments: bytes) -> bool:
    for each in all_processes():
        try:
            if Path(f"/proc/{each.pid}/cmdline").read_bytes().startswith(arguments):
                return True
        except OSError:
            continue
    return False
