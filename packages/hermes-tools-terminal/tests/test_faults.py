"""What goes wrong on this machine: hermes is killed, disks are full, shells are broken on purpose."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments import process_records as ledger_module
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.environments.process_records import Owner, ProcessRecords
from hermes_tools_terminal.processes.registry import Processes

Make = Callable[..., Any]

SOON = 4.0
"""Much less than the time that commands get here, and enough on a busy machine."""


def until(check: Callable[[], Any], seconds: float = 15) -> Any:
    """Wait for something, under a deadline."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
    return found


def gone(pids: list[int]) -> bool:
    """Whether none of them runs."""
    return all(find_process(pid) is None for pid in pids)


# -- hermes itself ends ----------------------------------------------------------------------------------------

HOST = """
import json, sys, threading, time
import hermes_tools_terminal.plugin
from hermes_approval import Approval
from hermes_core import Hermes

folder, ending = sys.argv[1:]
config = {"terminal": {"foreground_guard": False}}
hermes = Hermes(plugins=[hermes_tools_terminal.plugin, Approval(mode="off")], config=config)
call = lambda **args: json.loads(hermes.call("terminal", args))
commands = [
    "echo $$ >{0}/a; exec sleep 300",
    "echo $$ >{0}/b; set -m; sleep 300 & echo $! >{0}/c; wait",
    "(trap '' HUP TERM; echo $BASHPID >{0}/d; exec sleep 300) & exit 0",
]
for command in commands:
    assert call(command=command.format(folder), background=True)["error"] is None
call(command=f"set -m; sleep 300 & echo $! >{folder}/e; set +m")
if ending == "kill":
    call(command=f"sh -c 'echo $$ >{folder}/f; exec sleep 300'")
elif ending == "exit":
    deadline = time.monotonic() + 20
    import os
    while len(os.listdir(folder)) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    sys.exit(0)
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[[str], tuple[subprocess.Popen[bytes], Path]]]:
    """Starts a hermes in a process of its own; ends what is left of it."""
    folder = tmp_path / "pids"
    folder.mkdir()
    started: list[subprocess.Popen[bytes]] = []

    def start(ending: str) -> tuple[subprocess.Popen[bytes], Path]:
        script = tmp_path / "host.py"
        script.write_text(HOST)
        started.append(subprocess.Popen([sys.executable, str(script), str(folder), ending], cwd=tmp_path))
        return started[-1], folder

    yield start
    for each in started:
        each.kill()
        each.wait()
    for pid in _pids(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _pids(folder: Path) -> list[int]:
    texts = [path.read_text().strip() for path in folder.iterdir()]
    return [int(text) for text in texts if text]


def test_a_kill_of_hermes_leaves_no_orphan(agent: Make, host: Make) -> None:
    process, folder = host("kill")
    pids = until(lambda: len(found := _pids(folder)) == 6 and found, 30)
    bystander = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        process.kill()
        process.wait()
        assert agent().run("echo on")["output"] == "on\n"
        until(lambda: gone(pids))
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_what_hermes_started_ends_with_it(host: Make) -> None:
    process, folder = host("exit")
    assert process.wait(30) == 0
    pids = _pids(folder)
    assert len(pids) == 5
    until(lambda: gone(pids))


@pytest.fixture
def orphans() -> Iterator[tuple[int, int]]:
    """A group whose leader has ended, and what is left of it."""
    leader = subprocess.Popen(["sh", "-c", "sleep 300 & echo $!"], start_new_session=True, stdout=subprocess.PIPE)
    assert leader.stdout is not None
    left = int(leader.stdout.readline())
    leader.stdout.close()
    leader.wait()
    yield leader.pid, left
    with contextlib.suppress(ProcessLookupError):
        os.kill(left, signal.SIGKILL)


def _ledger_of_the_dead(home: Path, *entries: Any) -> Path:
    dead = subprocess.Popen(["true"])
    dead.wait()
    path = home / "terminal" / f"{dead.pid}-1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((entry if isinstance(entry, str) else json.dumps(entry)) + "\n" for entry in entries))
    return path


def test_a_number_that_belongs_to_somebody_else_by_now_is_left_alone(home: Path) -> None:
    innocent = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        found = find_process(innocent.pid)
        assert found is not None
        here = ledger_module._where()
        mine = {"group": os.getpgid(0), "started": 0, "where": here}
        wrong = {"group": innocent.pid, "started": found.started - 1, "where": here}
        path = _ledger_of_the_dead(
            home, wrong, mine, {"group": 1, "started": 0, "where": here}, '{"group": 1', "[]", "null"
        )
        assert ProcessRecords(str(home)).reap() == 0
        assert innocent.poll() is None
        assert not path.exists()
    finally:
        innocent.kill()
        innocent.wait()


def test_what_is_left_of_a_group_is_ended_though_its_leader_is_gone(home: Path, orphans: tuple[int, int]) -> None:
    group, left = orphans
    path = _ledger_of_the_dead(home, {"group": group, "started": 1, "where": ledger_module._where()})
    assert ProcessRecords(str(home)).reap() == 1
    until(lambda: gone([left]))
    assert not path.exists()


def test_numbers_from_before_a_reboot_or_from_another_container_mean_nothing(
    home: Path, orphans: tuple[int, int]
) -> None:
    group, left = orphans
    path = _ledger_of_the_dead(home, {"group": group, "started": 1, "where": "another boot"})
    assert ProcessRecords(str(home)).reap() == 0
    assert not gone([left])
    assert path.exists()  # its owner may well be alive, elsewhere
    os.utime(path, (1, 1))
    ProcessRecords(str(home)).reap()
    assert not path.exists()
    assert not gone([left])


def test_a_group_that_was_over_is_not_looked_for(home: Path, orphans: tuple[int, int]) -> None:
    group, left = orphans
    _ledger_of_the_dead(home, {"group": group, "started": 1, "where": ledger_module._where()}, {"over": [group]})
    assert ProcessRecords(str(home)).reap() == 0
    assert not gone([left])


def test_ended_groups_are_forgotten_in_time(home: Path) -> None:
    ledger = ProcessRecords(str(home))
    ended = [subprocess.Popen(["true"], start_new_session=True) for _ in range(64)]
    for process in ended:
        ledger.add(process.pid)
        process.wait()
        ledger.ended(process.pid)
    assert ledger._groups == {}
    (path,) = (home / "terminal").iterdir()
    assert ledger_module._read_groups(str(path)) == ({}, False)
    ledger.close()
    assert not path.exists()


def test_the_ledger_of_a_process_that_lives_is_left_alone(home: Path) -> None:
    mine = ProcessRecords(str(home))
    sleeper = subprocess.Popen(["sleep", "300"], start_new_session=True)
    mine.add(sleeper.pid)
    assert ProcessRecords(str(home)).reap() == 0
    assert sleeper.poll() is None
    mine.close()
    assert sleeper.wait(10) == -9


def test_owners_are_told_apart_by_when_they_were_started() -> None:
    me = Owner.this()
    assert me.alive
    assert Owner.named(str(me)) == me
    assert not Owner(me.pid, me.started - 1).alive
    assert [Owner.named(text) for text in ("", "x", "1-", "-1", "1-x")] == [None] * 5


# -- places that cannot be written -----------------------------------------------------------------------------


def test_a_full_disk_stops_nothing_that_does_not_need_it(
    agent: Make, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(small_disk / "home"))
    me = agent(terminal={"cwd": str(small_disk)})
    assert me.run("echo before")["output"] == "before\n"
    full = me.run("head -c 1000000 /dev/zero >big")
    assert full["exit_code"] != 0
    assert "No space left" in full["output"]
    assert me.run("echo after; cat big | wc -c")["exit_code"] == 0
    id = me.start("echo in the background; sleep 100")
    until(lambda: me.process("poll", id)["output_preview"])
    assert me.process("kill", id)["status"] == "killed"
    me.hermes.close()
    assert agent().run("echo again")["output"] == "again\n"


@pytest.mark.parametrize("place", ["/proc/hermes-home", "/dev/null/hermes-home"])
def test_a_home_that_cannot_be_written_stops_nothing(agent: Make, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("HERMES_HOME", place)
    me = agent()
    assert me.run("echo on")["output"] == "on\n"
    assert me.process("wait", me.start("echo on"))["output"] == "on\n"


def test_a_folder_of_hermes_that_is_gone_stops_nothing(
    agent: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    me = agent()
    told = me.run("pwd; echo on")
    assert told["exit_code"] == 0
    assert told["output"].endswith("\non\n")
    assert me.process("wait", me.start("echo on"))["output"] == "on\n"


def test_a_folder_that_goes_while_hermes_runs_stops_nothing(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    me = agent(terminal={"cwd": str(tmp_path / "a" / "b")})
    me.run("true")
    shutil.rmtree(tmp_path / "a")
    assert me.run("pwd")["output"] == f"{tmp_path}\n"
    assert me.process("wait", me.start("pwd"))["output"] == f"{tmp_path}\n"


# -- much, strange, and at the wrong time ----------------------------------------------------------------------

BIG = """
import json, resource, sys
import hermes_tools_terminal.plugin
from hermes_approval import Approval
from hermes_core import Hermes

with Hermes(plugins=[hermes_tools_terminal.plugin, Approval(mode="off")]) as hermes:
    call = lambda tool, **args: json.loads(hermes.call(tool, args))
    call("terminal", command="seq 1 100000")
    call("process", action="wait", session_id=call("terminal", command="seq 1 300000", background=True)["session_id"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = call("terminal", command="head -c 100000000 /dev/zero | tr '\\\\0' x; echo; echo end")
    assert told["exit_code"] == 0, told["exit_code"]
    assert told["output"].endswith("x\\nend\\n")
    assert len(told["output"]) < 51000
    id = call("terminal", command="head -c 100000000 /dev/zero; echo; echo end", background=True)["session_id"]
    told = call("process", action="wait", session_id=id)
    assert told["status"] == "exited"
    assert told["output"].endswith("\\nend\\n")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_hundred_megabytes_take_no_memory() -> None:
    done = subprocess.run([sys.executable, "-c", BIG], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 16_000  # kilobytes


def test_binary_output_harms_nothing(agent: Make) -> None:
    me = agent()
    told = me.run("head -c 3000000 /dev/urandom; echo; echo end")
    assert told["output"].endswith("end\n")
    json.dumps(told).encode()
    assert me.run("cat /bin/ls | head -c 200000; echo; echo end")["output"].endswith("end\n")
    assert me.run("echo plain")["output"] == "plain\n"


def test_nothing_depends_on_what_time_it_is(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time
    me = agent()
    id = me.start("read line; echo got $line")
    done = me.start("true")
    me.process("wait", done)
    for jump in (-1e9, 1e9):
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        assert me.run("echo on")["output"] == "on\n"
        assert me.run("sleep 30", timeout=1)["exit_code"] == 124
        assert 0 <= me.process("poll", id)["uptime_seconds"] < 60
        assert me.process("poll", done)["status"] == "exited"
        began = time.monotonic()
        assert me.process("wait", id, timeout=1)["status"] == "timeout"
        assert time.monotonic() - began < SOON
    me.process("submit", id, data="it")
    assert me.process("wait", id)["output"] == "got it\n"


def test_a_flood_before_the_end_holds_nothing_up(agent: Make) -> None:
    me = agent()
    told = me.run("yes | head -c 30000000; printf 'no line end'")
    assert told["output"].endswith("y\nno line end")
    assert me.run("echo on")["output"] == "on\n"


def test_a_process_that_floods_after_its_command_has_ended_is_not_the_next_command(agent: Make) -> None:
    me = agent(terminal={"foreground_guard": False})
    me.run("yes flood & echo $! >$HOME/../dev/null; flood=$!")
    told = me.run("kill $flood; wait; echo over")
    assert told["exit_code"] == 0
    assert told["output"].endswith("over\n")
    assert me.run("echo on")["output"] == "on\n"


@pytest.mark.parametrize(
    "command",
    [
        r"printf '\036'",
        r"printf '\036\036\036\037end\0370\037/\036'",
        r"printf '\036deadbeefdeadbeef\037end\0370\037/\036'",
        r"printf 'before\036'; sleep 0.1; printf '\037after'",
        "set; declare -p; declare -f; alias; trap -p",
        r'word=$(set | grep -ao "[0-9a-f]\{16\}" | head -1); printf "\036$word\037"; seq 1 10000',
    ],
)
def test_what_looks_like_a_mark_is_output(agent: Make, command: str) -> None:
    me = agent(approvals="off")
    began = time.monotonic()
    assert me.run(command, timeout=20)["exit_code"] == 0
    assert me.run("echo next; false", timeout=20) == {"output": "next\n", "exit_code": 1, "error": None}
    assert time.monotonic() - began < SOON


# -- shells that are broken on purpose ---------------------------------------------------------------------------

BEARABLE = r"""
exec 9>/dev/null
for n in 0 1 2 3 4 5 6 7 8 9 10 255; do eval "exec $n>&-"; done
exec 9>&- 1>&- 2>&-
exec 9<&0 0<&1
exec 9>&2 2>&-
exec 0<&-
exec 0</dev/null
exec 1<&-; exec 2<&-
exec >/dev/full 2>&1; echo lost
shopt -s extdebug
printf() { echo fake; }
eval() { :; }
trap() { :; }
command() { :; }
cd() { :; }
exec() { :; }
exit() { :; }
set() { :; }
function [ { return 1; }
shopt -s expand_aliases; alias eval=: printf=: exec=false set=false
readonly PWD
declare -l PWD
IFS=e
IFS=0123456789
IFS=$'\036\037'
readonly IFS=h
export POSIXLY_CORRECT=1
set -o posix
export LC_ALL=C
export LC_ALL=tr_TR.UTF-8
LC_ALL=zz_ZZ
PROMPT_COMMAND='echo prompt'
PS1='x\n'; PS2='y'; PS4='$(echo z)'
trap 'echo ret' RETURN
set -T; trap 'exit 3' DEBUG
ulimit -u 1
ulimit -f 0
ulimit -v 1000
ulimit -t 1
ulimit -c 0 -s 64
set -f; set -k; set -C; set -H; set +B; set -b; set -h; set -p
set -r
set -m
set -eu -o pipefail
_h_end=x
unset _h_end _h_enter
unset -f trap
readonly _h_kind=foo
unset PATH HOME PWD OLDPWD
PATH=/nowhere
umask 777
TMOUT=1
kill -INT $$
kill -HUP $$
kill -PIPE $$
kill -TERM $$
kill -TSTP $$
kill -TTIN $$
trap '' PIPE TERM INT HUP
suspend
logout
return 3
break; continue
exec bash
exec sh
exec cat
exec sleep 0.1
coproc cat
read -t 0.1 x <&9
cat /proc/$$/fd/0
disown -a
hash -p /nowhere/cat cat
shopt -s failglob nullglob dotglob extglob
complete -F nothing -D
set -- a b c; shift 2
exit 3
kill -9 $$
""".strip().split("\n")

VOICELESS = r"""
set -n
set -o noexec
builtin() { :; }
shopt -s expand_aliases; alias builtin=:
shopt -s expand_aliases; alias builtin=echo
enable -n printf
enable -n eval
enable -n builtin
enable -n printf eval builtin trap cd exec set
readonly _h_status=5
shopt -s expand_aliases; alias '{'=false
kill -STOP $$
kill -STOP $BASHPID
""".strip().split("\n")

LASTING = r"""
exec 9>&-
ulimit -n 3
set -v
trap 'echo dbg' DEBUG
trap 'echo err' ERR
eval "$_h_end"
declare -n _h_status=PWD
""".strip().split("\n")


def survives(me: Any, command: str) -> None:
    """Run a command, and see that it ends soon and that the next ones do not suffer from it."""
    me.run("true")
    began = time.monotonic()
    told = me.run(command, timeout=10)
    assert time.monotonic() - began < SOON
    assert told["error"] is None
    assert told["exit_code"] != 124
    for _ in range(2):
        began = time.monotonic()
        after = me.run("\\echo next; ! :", timeout=10)
        assert time.monotonic() - began < SOON
        assert (after["output"], after["exit_code"]) == ("next\n", 1)


@pytest.mark.parametrize("command", BEARABLE)
def test_a_shell_bears_what_commands_do_to_it_or_is_replaced(agent: Make, command: str) -> None:
    survives(agent(approvals="off", terminal={"foreground_guard": False}), command)


@pytest.mark.parametrize("command", VOICELESS)
def test_a_shell_that_cannot_tell_of_a_commands_end_is_noticed_early(agent: Make, command: str) -> None:
    survives(agent(approvals="off", terminal={"foreground_guard": False}), command)


@pytest.mark.parametrize("command", LASTING)
def test_what_a_command_does_to_the_conversation_is_over_with_it(agent: Make, command: str) -> None:
    survives(agent(approvals="off", terminal={"foreground_guard": False}), command)


def test_a_command_that_ignores_being_asked_is_ended(agent: Make) -> None:
    me = agent()
    began = time.monotonic()
    told = me.run("echo $$; sh -c 'trap \"\" TERM; while :; do sleep 0.1; done'", timeout=1)
    assert told["exit_code"] == 124
    assert time.monotonic() - began < 60
    assert me.run("echo on")["output"] == "on\n"


def test_a_time_out_reaches_children_in_sessions_of_their_own(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"foreground_guard": False})
    told = me.run(f"setsid sh -c 'echo $$ >{tmp_path}/pid; exec sleep 300' & sleep 300", timeout=1)
    assert told["exit_code"] == 124
    until(lambda: gone([int((tmp_path / "pid").read_text())]))


def test_a_place_without_news_of_its_processes_is_looked_at(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    place = LocalEnvironment()
    ledger = ProcessRecords(str(home))
    processes = Processes(ledger)
    try:
        held = processes.start(place, "echo up; sleep 100 & exit 3", task="t", folder="")
        silent = processes.start(place, "exec >&- 2>&-; sleep 0.4; exit 4", task="t", folder="")
        plain = processes.start(place, "echo out; exit 5", task="t", folder="")
        until(lambda: not (held.running or silent.running or plain.running))
        assert (held.exit_code, silent.exit_code, plain.exit_code) == (3, 4, 5)
        assert plain.output.text() == "out\n"
    finally:
        processes.close()
        ledger.close()
