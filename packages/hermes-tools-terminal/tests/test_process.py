"""The tool `process` on this machine, through the whole pipeline."""

from __future__ import annotations

import gc
import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.environments.local_processes import all_processes, find_process
from hermes_tools_terminal.environments.process_records import ProcessRecords
from hermes_tools_terminal.processes import process as process_module
from hermes_tools_terminal.processes import registry as registry_module
from hermes_tools_terminal.processes.output import BURST, MUTE_SECONDS, NoticeLimiter, PatternWatcher
from hermes_tools_terminal.processes.registry import MAX_PROCESSES, Processes
from hermes_tools_terminal.session_state import notices

Make = Callable[..., Any]


def until(check: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something, under a deadline."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
    return found


def told(me: Any) -> list[dict[str, Any]]:
    """What the session's background processes have to tell."""
    return notices(me.hermes._dispatcher.default_session)


def numbers(text: str) -> list[int]:
    """The numbers of processes that something printed."""
    return [int(word) for word in text.split() if word.isdigit()]


def _prints(me: Any, id: str, text: str) -> None:
    until(lambda: text in me.process("poll", id)["output_preview"])


def gone(pids: list[int]) -> bool:
    """Whether none of them runs."""
    return all(find_process(pid) is None for pid in pids)


# -- looking ---------------------------------------------------------------------------------------------------


def test_a_process_is_listed_polled_and_waited_for(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"cd {tmp_path}")
    id = me.start("echo up; read line; echo got $line; exit 3")
    until(lambda: me.process("poll", id)["output_preview"] == "up\n")
    (listed,) = me.process("list")["processes"]
    assert listed["session_id"] == id
    assert listed["status"] == "running"
    assert listed["cwd"] == str(tmp_path)
    assert listed["started_at"].endswith("Z")
    assert me.process("submit", id, data="it")["bytes_written"] == 3
    ended = me.process("wait", id, timeout=10)
    assert ended["status"] == "exited"
    assert ended["exit_code"] == 3
    assert ended["completion_reason"] == "exited"
    assert ended["output"] == "up\ngot it\n"
    assert me.process("poll", id)["status"] == "exited"


def test_waiting_has_an_end_and_says_when_it_was_shortened(agent: Make) -> None:
    me = agent(terminal={"timeout": 1})
    id = me.start("sleep 100")
    short = me.process("wait", id, timeout=500)
    assert short["status"] == "timeout"
    assert "Waited 1 seconds" in short["timeout_note"]
    assert "timeout_note" not in me.process("wait", id, timeout=1)


def test_the_log_is_read_by_lines(agent: Make) -> None:
    me = agent()
    id = me.start("seq 0 999")
    me.process("wait", id)
    last = me.process("log", id)
    assert last["output"].splitlines() == [str(number) for number in range(800, 1000)]
    assert (last["total_lines"], last["showing"]) == (1000, "lines 800 to 999")
    some = me.process("log", id, offset=10, limit=3)
    assert (some["output"], some["showing"]) == ("10\n11\n12", "lines 10 to 12")
    assert me.process("log", id, offset=5000)["showing"] == "no lines"


def test_ten_megabytes_leave_the_last_characters_with_their_line_numbers(agent: Make) -> None:
    me = agent()
    me.run("true")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    id = me.start("seq -f 'line %.0f of many' 0 499999")
    me.process("wait", id)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes
    log = me.process("log", id)
    assert log["total_lines"] == 500_000
    assert log["output"].endswith("line 499999 of many")
    assert "were discarded" in log["note"]
    old = me.process("log", id, offset=0, limit=2)
    first = int(old["showing"].split()[1])
    assert old["output"].splitlines()[1] == f"line {first + 1} of many"
    exact = me.process("log", id, offset=495_000, limit=1)
    assert exact["output"] == "line 495000 of many"


def test_what_is_not_there_is_not_found(agent: Make) -> None:
    me = agent()
    for action in ("poll", "log", "wait", "kill", "write", "submit", "close"):
        missing = me.process(action, "proc_none", data="x")
        assert missing["status"] == "not_found"
        assert "proc_none" in missing["error"]
    assert me.process("poll")["status"] == "not_found"
    assert me.process("list") == {"processes": []}


def test_tasks_do_not_see_the_processes_of_others(agent: Make) -> None:
    me = agent()
    id = me.start("sleep 100", task="first")
    assert me.call("process", {"action": "list"}, task_id="second") == {"processes": []}
    for action in ("poll", "kill", "write"):
        call = me.call("process", {"action": action, "session_id": id, "data": "x"}, task_id="second")
        assert call["status"] == "not_found"
    assert me.call("process", {"action": "poll", "session_id": id}, task_id="first")["status"] == "running"


def test_secrets_are_not_shown_not_even_in_part(agent: Make) -> None:
    me = agent()
    token = "ghp_" + "a1B2" * 9
    id = me.start(f"printf '%s%s' {token[:10]} {token[10:]}; printf ' %0979d' 0", notify_on_complete=True)
    until(lambda: me.process("list")["processes"][0]["status"] != "running")
    assert token[-20:] not in told(me)[0]["output"]
    for action in ("poll", "log", "wait"):
        found = me.process(action, id)
        assert token[-20:] not in found.get("output", "") + found.get("output_preview", "")


def test_bytes_that_are_no_text_are_readable(agent: Make) -> None:
    me = agent()
    id = me.start(r"printf 'a\377\000\033[1mb\033[0m'; head -c 5000 /dev/urandom")
    assert me.process("wait", id)["status"] == "exited"
    assert me.process("log", id)["output"].startswith("a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b")


# -- ending ----------------------------------------------------------------------------------------------------


def test_a_process_is_killed_with_all_that_it_started(agent: Make) -> None:
    me = agent()
    id = me.start("sleep 100 & setsid sleep 100 & (set -m; sleep 100 & echo $!) & echo $$; jobs -p; wait")
    pids = until(lambda: len(found := numbers(me.process("poll", id)["output_preview"])) >= 5 and found)
    killed = me.process("kill", id)
    assert killed["status"] == "killed"
    assert killed["exit_code"] == 143
    assert gone(pids)
    assert me.process("poll", id)["completion_reason"] == "killed"


@pytest.mark.parametrize(
    "command",
    [
        "trap '' TERM; echo $$; while :; do sleep 0.1; done",
        "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & wait",
        "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & wait",
        "(trap '' TERM; exec sh -c 'echo $$; while :; do sleep 0.1; done') >/dev/stdout & exit 0",
    ],
    ids=["itself", "its child", "its child in another session", "what it left behind"],
)
def test_who_ignores_being_asked_is_ended_all_the_same(
    agent: Make, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "KILL_GRACE", 0.3)
    me = agent()
    id = me.start(command)
    pids = until(lambda: numbers(me.process("poll", id)["output_preview"]))
    assert me.process("kill", id)["status"] in ("killed", "already_exited")
    me.hermes.close()
    until(lambda: gone(pids))


def test_what_has_time_to_tidy_up_does(agent: Make, tmp_path: Path) -> None:
    me = agent()
    id = me.start(f"trap 'sleep 0.2; touch {tmp_path}/tidy; exit 0' TERM; echo up; while :; do sleep 0.05; done")
    until(lambda: me.process("poll", id)["output_preview"])
    assert me.process("kill", id)["exit_code"] == 0
    assert (tmp_path / "tidy").exists()


def test_what_has_ended_cannot_be_ended_or_written_to(agent: Make) -> None:
    me = agent()
    id = me.start("exit 4")
    me.process("wait", id)
    for action in ("kill", "write", "submit", "close"):
        answer = me.process(action, id, data="x")
        assert (answer["status"], answer["exit_code"]) == ("already_exited", 4)


def test_processes_end_with_the_session(agent: Make) -> None:
    me = agent()
    first = me.start("sleep 100 & setsid sleep 100 & echo $$; jobs -p; wait")
    second = me.start("(trap '' HUP; sleep 100 & echo $!)")
    third = me.start("set -m; sleep 100 & echo $!")
    ids = (first, second, third)
    pids = until(
        lambda: (
            len(found := [pid for id in ids for pid in numbers(me.process("poll", id)["output_preview"])]) >= 5
            and found
        )
    )
    me.hermes.close()
    until(lambda: gone(pids))


def test_a_session_that_ended_starts_nothing(home: Path) -> None:
    processes = Processes(ProcessRecords(str(home)))
    processes.close()
    with pytest.raises(TerminalEnvironmentError):
        processes.start(LocalEnvironment(), "sleep 100", task="t", folder="")


# -- pipes that others hold ------------------------------------------------------------------------------------


def test_a_grandchild_that_holds_the_pipe_does_not_hold_up_the_end(agent: Make) -> None:
    me = agent()
    began = time.monotonic()
    id = me.start("echo up; sleep 1000 & exit 6")
    ended = me.process("wait", id, timeout=10)
    assert (ended["exit_code"], ended["output"]) == (6, "up\n")
    assert time.monotonic() - began < 60


def test_a_grandchild_can_still_print_when_its_parent_has_ended(agent: Make, tmp_path: Path) -> None:
    me = agent()
    id = me.start(f"(until test -e {tmp_path}/go; do sleep 0.02; done; echo late; touch {tmp_path}/done) & exit 0")
    me.process("wait", id)
    (tmp_path / "go").touch()
    until(lambda: me.process("log", id)["output"] == "late")
    until((tmp_path / "done").exists)


def test_a_process_that_closes_its_output_goes_on_and_holds_up_nobody(agent: Make, tmp_path: Path) -> None:
    me = agent()
    silent = me.start(f'exec >&- 2>&-; read line; test "$line" = go && touch {tmp_path}/heard; exit 5')
    other = me.start("while read line; do echo $line; done")
    began = time.monotonic()
    for number in range(5):
        me.process("submit", other, data=str(number))
        _prints(me, other, str(number))
    assert time.monotonic() - began < 30
    assert me.process("poll", silent)["status"] == "running"
    assert me.process("submit", silent, data="go")["status"] == "ok"
    assert me.process("wait", silent)["exit_code"] == 5
    assert (tmp_path / "heard").exists()


# -- writing ---------------------------------------------------------------------------------------------------


def test_a_process_reads_what_is_written_until_its_input_is_closed(agent: Make) -> None:
    me = agent()
    id = me.start("cat; echo over")
    assert me.process("write", id, data="one ")["bytes_written"] == 4
    assert me.process("write", id, data="twö\n")["bytes_written"] == 5
    until(lambda: me.process("poll", id)["output_preview"] == "one twö\n")
    assert me.process("close", id)["status"] == "ok"
    assert me.process("wait", id)["output"] == "one twö\nover\n"


def test_a_closed_input_says_so(agent: Make) -> None:
    me = agent()
    id = me.start("exec <&-; sleep 100")
    until(lambda: "error" in me.process("write", id, data="x"))
    other = me.start("sleep 100")
    me.process("close", other)
    assert "closed" in me.process("close", other)["error"]
    assert "closed" in me.process("write", other, data="x")["error"]
    assert "needs data" in me.process("write", other)["error"]


def test_a_terminal_is_written_to_and_closed_like_one(agent: Make) -> None:
    me = agent()
    id = me.start("test -t 0 && tty | grep -c pts; read line; echo got $line; cat; echo over", pty=True)
    until(lambda: me.process("poll", id)["output_preview"])
    me.process("submit", id, data="it")
    until(lambda: "got it" in me.process("poll", id)["output_preview"])
    me.process("close", id)
    ended = me.process("wait", id, timeout=10)
    assert ended["exit_code"] == 0
    assert ended["output"].endswith("over\n")


def test_keys_reach_a_program_in_a_terminal(agent: Make) -> None:
    me = agent()
    id = me.start("trap 'echo interrupted; exit 9' INT; echo up; while :; do sleep 0.05; done", pty=True)
    until(lambda: "up" in me.process("poll", id)["output_preview"])
    assert me.process("write", id, data="\x03")["status"] == "ok"
    assert me.process("wait", id, timeout=10)["exit_code"] == 9


def test_a_program_with_its_own_screen_gets_the_key_and_not_a_line_end(agent: Make) -> None:
    me = agent()
    code = "import sys,tty; tty.setraw(0); print('up', end='', flush=True); print(repr(sys.stdin.read(4)))"
    id = me.start(f'python3 -c "{code}"', pty=True)
    until(lambda: "up" in me.process("poll", id)["output_preview"])
    assert me.process("write", id, data="\x1b[B")["status"] == "ok"  # an arrow key is no reason to ask anybody
    me.process("submit", id, data="")
    assert r"'\x1b[B\r'" in me.process("wait", id, timeout=10)["output"]


@pytest.mark.parametrize("pty", [False, True])
def test_writing_to_who_does_not_read_does_not_hang(agent: Make, pty: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "WRITE_SECONDS", 0.3)
    me = agent(approvals="off")
    id = me.start("stty raw 2>/dev/null; echo up; sleep 1000", pty=pty)
    until(lambda: me.process("poll", id)["output_preview"])
    began = time.monotonic()
    answer = me.process("write", id, data="x" * 2_000_000)
    assert time.monotonic() - began < 60
    assert "does not read" in answer["error"]
    assert me.process("kill", id)["status"] == "killed"


def test_much_can_be_written_to_who_reads(agent: Make) -> None:
    me = agent()
    id = me.start("wc -c")
    assert me.process("write", id, data="x" * 1_000_000)["bytes_written"] == 1_000_000
    me.process("close", id)
    assert me.process("wait", id)["output"].strip() == "1000000"


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb", "\udfff\ud83d", "\0"])
def test_broken_characters_can_be_written(agent: Make, text: str) -> None:
    me = agent(approvals="off")
    id = me.start("cat")
    assert me.process("submit", id, data=text)["status"] == "ok"
    me.process("close", id)
    assert me.process("wait", id)["exit_code"] == 0


# -- the guard -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "pieces"),
    [
        ("bash", ["rm -rf keep\n"]),
        ("bash", ["rm -r", "f ke", "ep\n"]),
        ("bash -i", ["true\n", "cd .\n", "rm -rf keep\n"]),
        ("bash; true", ["rm -rf keep\n"]),
        ("bash\n", ["rm -rf keep\n"]),
        ("bash # a shell", ["rm -rf keep\n"]),
        ("bash <&0 & wait", ["rm -rf keep\n"]),  # without it a shell in the background reads nothing
        ("bash", ["rm -rf \\\n", "keep\n"]),
        ("bash", ["echo '", "\x03", "rm -rf keep\n"]),
        ("bash", ["f() { rm -r", "f keep; }\n", "f\n"]),
        ("bash", [":" * 100 + "\n"] * 20 + ["rm -rf" + " " * 20_000, " " * 20_000 + "keep\n"]),
        ("python3 -i", ["import shutil\n", "shutil.rm", "tree('keep')\n"]),
        ("python3", ["import os\nos.system('rm -rf ", "keep')\n"]),
    ],
)
def test_what_is_written_to_a_shell_is_judged_even_in_pieces(
    agent: Make, tmp_path: Path, command: str, pieces: list[str]
) -> None:
    (tmp_path / "keep").mkdir()
    me = agent(terminal={"cwd": str(tmp_path)})
    id = me.start(command)
    answers = [me.process("write", id, data=piece) for piece in pieces]
    denied = [answer for answer in answers if answer.get("code") == "denied"]
    assert denied, answers[-1]
    me.process("close", id)
    me.process("wait", id, timeout=10)
    assert (tmp_path / "keep").exists()


def test_harmless_input_is_not_asked_about(agent: Make) -> None:
    me = agent()
    id = me.start("bash")
    for number in range(20):
        assert me.process("submit", id, data=f"echo {number}")["status"] == "ok"
    me.process("close", id)
    assert me.process("wait", id)["output"].splitlines()[-1] == "19"


def test_what_a_program_only_reads_is_not_asked_about(agent: Make) -> None:
    me = agent()
    id = me.start("cat >/dev/null")
    assert me.process("write", id, data="rm -rf /\n")["status"] == "ok"
    assert me.process("write", id, data="text\n" * 20_000)["status"] == "ok"
    assert me.process("write", id, data="more\n")["status"] == "ok"


def _patient(asked: list[Any]) -> Callable[[Any], str]:
    def approve(request: Any) -> str:
        asked.append(request)
        return "once"

    return approve


@pytest.mark.parametrize("command", ["bash", "python3 -q"])
def test_an_approval_is_for_one_time(agent: Make, tmp_path: Path, command: str) -> None:
    asked: list[Any] = []
    me = agent(terminal={"cwd": str(tmp_path)}, approver=_patient(asked))
    id = me.start(command)
    dangerous = "rm -rf keep" if command == "bash" else "import os; os.system('rm -rf keep')"
    for count in (1, 2, 3):
        (tmp_path / "keep").mkdir()
        me.process("submit", id, data=dangerous)
        assert len(asked) == count
        until(lambda: command != "bash" or not (tmp_path / "keep").exists())
        if command != "bash":
            (tmp_path / "keep").rmdir()
        me.process("submit", id, data="")
        assert len(asked) == count  # what comes after is asked about for its own sake only


def test_a_name_for_something_dangerous_is_asked_about_each_time(agent: Make, tmp_path: Path) -> None:
    asked: list[Any] = []
    me = agent(terminal={"cwd": str(tmp_path)}, approver=_patient(asked))
    id = me.start("bash")
    me.process("submit", id, data="f() { rm -rf keep; }; f")
    assert len(asked) == 1
    me.process("submit", id, data="f")
    assert len(asked) == 2


def test_a_shell_that_was_told_too_much_is_asked_about_from_then_on(agent: Make) -> None:
    me = agent()
    id = me.start("bash")
    answers = [me.process("write", id, data=f": {'x' * 9000}\n") for _ in range(4)]
    assert [answer.get("code", "ok") for answer in answers] == ["ok", "ok", "denied", "denied"]


def test_a_shell_that_was_told_too_many_things_is_asked_about_each_time(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "keep").mkdir()
    asked: list[Any] = []
    me = agent(terminal={"cwd": str(tmp_path)}, approver=_patient(asked))
    id = me.start("bash")
    me.process("write", id, data=": it\n" * 2000)
    assert len(asked) == 1
    me.process("submit", id, data="rm -rf keep")
    assert len(asked) == 2


def test_what_is_never_done_is_not_done_by_a_shell_in_the_background_either(agent: Make) -> None:
    me = agent(approver=lambda request: True, approvals="off")
    id = me.start("bash")
    assert me.process("submit", id, data="shutdown now")["decision"] == "refused"


# -- notices ---------------------------------------------------------------------------------------------------


def test_an_end_is_told_once(agent: Make) -> None:
    me = agent()
    id = me.start("echo out; exit 2", notify_on_complete=True)
    (end,) = until(lambda: told(me))
    assert (end["type"], end["session_id"], end["exit_code"], end["output"]) == ("completion", id, 2, "out\n")
    assert end["completion_reason"] == "exited"
    assert told(me) == []


@pytest.mark.parametrize("action", ["wait", "poll", "log", "kill"])
def test_an_end_that_was_seen_is_not_told_again(agent: Make, action: str) -> None:
    me = agent()
    id = me.start("sleep 100" if action == "kill" else "true", notify_on_complete=True)
    if action in ("poll", "log"):
        until(lambda: me.process("list")["processes"][0]["status"] == "exited")
    me.process(action, id)
    until(lambda: me.process("list")["processes"][0]["status"] == "exited")
    assert told(me) == []


def test_nobody_is_told_of_who_was_not_asked_about(agent: Make) -> None:
    me = agent()
    me.start("true")
    until(lambda: me.process("list")["processes"][0]["status"] == "exited")
    assert told(me) == []


def test_a_line_that_was_waited_for_is_told(agent: Make) -> None:
    me = agent()
    id = me.start(
        r"echo starting; printf 'server \033[32mready\033[0m on 80\n'; read x", watch_patterns=["server ready"]
    )
    (match,) = until(lambda: told(me))
    assert (match["type"], match["session_id"]) == ("watch_match", id)
    assert match["output"] == "server ready on 80"
    assert match["patterns"] == ["server ready"]


@pytest.mark.parametrize("command", ["printf 'password: '; read x", "printf 'password: '"])
def test_half_a_line_is_found_too(agent: Make, command: str) -> None:
    me = agent()
    me.start(command, watch_patterns=["password:"])
    (match,) = until(lambda: told(me))
    assert match["output"] == "password: "


def test_who_says_too_much_is_only_told_of_at_its_end(agent: Make) -> None:
    me = agent()
    id = me.start("while read line; do echo hit $line; done", watch_patterns=["hit"])
    for number in range(5):
        me.process("submit", id, data=str(number))
        _prints(me, id, f"hit {number}")
    me.process("close", id)
    seen: list[dict[str, Any]] = []
    while not seen or seen[-1]["type"] != "completion":
        seen += until(lambda: told(me))
    assert [notice["type"] for notice in seen] == ["watch_match", "watch_disabled", "completion"]


class Clock:
    """A time that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_matches_that_come_too_soon_are_shown_with_the_next() -> None:
    clock = Clock()
    watcher = PatternWatcher(("hit",), NoticeLimiter(clock), clock)
    assert watcher.look(b"hit 1\n")[0]["output"] == "hit 1"
    assert watcher.look(b"hit 2\nmiss\n") == []
    clock.now += 20
    assert watcher.look(b"hit 3\n")[0]["output"] == "hit 2\nhit 3"


def test_all_processes_together_cannot_say_too_much() -> None:
    clock = Clock()
    breaker = NoticeLimiter(clock)
    kinds = []
    for number in range(BURST + 3):
        kinds += [notice["type"] for notice in PatternWatcher(("x",), breaker, clock).look(f"x {number}\n".encode())]
    assert kinds == ["watch_match"] * BURST + ["watch_overflow_tripped"]
    clock.now += MUTE_SECONDS + 1
    released, match = PatternWatcher(("x",), breaker, clock).look(b"x again\n")
    assert (released["type"], released["suppressed"]) == ("watch_overflow_released", 3)
    assert match["output"] == "x again"


def test_long_matches_are_cut_and_lines_in_pieces_found() -> None:
    watcher = PatternWatcher(("needle",), NoticeLimiter())
    assert watcher.look(b"nee") == []
    (notice,) = watcher.look(b"dle " + b"x" * 5000 + b"\n" + b"needle\n" * 50)
    assert len(notice["output"]) <= 2000
    assert len(notice["output"].splitlines()) <= 20


# -- limits ----------------------------------------------------------------------------------------------------


def test_only_so_many_run_at_once_and_ended_ones_make_room(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "MAX_PROCESSES", 8)
    me = agent()
    first = me.start("true")
    me.process("wait", first)
    running = [me.start("sleep 100") for _ in range(8)]
    assert me.process("poll", first)["status"] == "not_found"
    refused = me.run("sleep 100", background=True)
    assert refused["exit_code"] == -1
    assert "8 processes run already" in refused["error"]
    me.process("kill", running[0])
    assert me.start("sleep 100")
    assert MAX_PROCESSES == 64


def test_ended_ones_are_forgotten_after_a_while(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    me = agent()
    id = me.start("true")
    me.process("wait", id)
    assert me.process("poll", id)["status"] == "exited"
    monkeypatch.setattr(registry_module, "KEPT_SECONDS", 0.0)
    me.process("list")
    assert me.process("poll", id)["status"] == "not_found"


def test_a_command_that_is_too_long_for_the_system_says_what_to_do(agent: Make) -> None:
    refused = agent(approvals="off").run(": " + "x" * 200_000, background=True)
    assert refused["exit_code"] == -1
    assert "into a file" in refused["hint"]


def test_a_thousand_processes_leave_nothing_behind(home: Path) -> None:
    def held() -> tuple[int, int, int]:
        gc.collect()
        mine = [p for p in all_processes() if p.parent == os.getpid()]
        return len(os.listdir("/proc/self/fd")), threading.active_count(), len(mine)

    place = LocalEnvironment()
    place.open()
    place.shell = "sh"  # starts faster; what is looked at is the same
    before = held()
    processes = Processes(ProcessRecords(str(home)))
    running: list[Any] = []
    for number in range(1000):
        running.append(processes.start(place, "echo $$", task="t", folder="/", pty=number % 50 == 0))
        if len(running) == 40:
            until(lambda: not any(process.running for process in running))
            assert all(process.exit_code == 0 and process.output.size for process in running)
            running.clear()
    fds = len(os.listdir("/proc/self/fd"))
    assert fds - before[0] < 10
    assert threading.active_count() - before[1] <= 1
    processes.close()
    until(lambda: all(now <= was for now, was in zip(held(), before, strict=True)))
    zombies = [name for name in os.listdir("/proc") if name.isdigit() and _zombie_of_mine(name)]
    assert zombies == []
    size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
    assert size < 500_000


def _zombie_of_mine(pid: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return words[0] == "Z" and int(words[1]) == os.getpid()
