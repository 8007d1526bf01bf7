"""The tool `terminal` on this machine, through the whole pipeline."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_core import Hermes, Progress, hookimpl
from hermes_tools_terminal.environments.local_processes import all_processes
from hermes_tools_terminal.session_state import interrupt
from hermes_tools_terminal.tools import terminal as tool_module

Make = Callable[..., Any]


def test_a_command_answers_with_its_output_and_exit_code(agent: Make) -> None:
    assert agent().run("echo out; echo err >&2; (exit 3)") == {"output": "out\nerr\n", "exit_code": 3, "error": None}


def test_folder_variables_functions_and_umask_are_there_for_the_next_command(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"cd {tmp_path}; export COLOUR=blue; greet() {{ echo hello $1; }}; umask 027")
    assert me.run("pwd; echo $COLOUR; greet you; umask")["output"] == f"{tmp_path}\nblue\nhello you\n0027\n"


def test_tasks_do_not_see_each_other(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"cd {tmp_path}; export WHO=first", task="first")
    assert me.run('echo "${WHO-nobody}"', task="second")["output"] == "nobody\n"
    assert me.run("echo $WHO; pwd", task="first")["output"] == f"first\n{tmp_path}\n"


def test_an_exit_ends_the_shell_but_the_next_one_goes_on_where_it_was(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"cd {tmp_path}; export KEPT=yes; f() {{ echo f; }}")
    ended = me.run("exit 7")
    assert ended["exit_code"] == 7
    assert "a new one continues" in ended["note"]
    assert me.run("pwd; echo $KEPT; f")["output"] == f"{tmp_path}\nyes\nf\n"


@pytest.mark.parametrize("text", ["set -e; false; echo never", "set -u; echo $NOT_THERE; echo never", ": ${NOT:?it}"])
def test_a_script_that_stops_at_an_error_costs_nothing_but_itself(agent: Make, text: str) -> None:
    me = agent()
    me.run("export KEPT=yes")
    ended = me.run(text)
    assert ended["exit_code"] != 0
    assert "never" not in ended["output"]
    assert me.run("echo $KEPT; false; echo $NOT_THERE on")["output"] == "yes\non\n"


def test_what_a_script_wants_done_at_its_end_is_done_at_the_end_of_the_command(agent: Make, tmp_path: Path) -> None:
    me = agent()
    scratch = tmp_path / "scratch"
    told = me.run(f"touch {scratch}; trap 'rm -f {scratch}; echo cleaned' EXIT; export SET=1; echo working")
    assert told == {"output": "working\ncleaned\n", "exit_code": 0, "error": None}
    assert not scratch.exists()
    assert me.run("echo $SET")["output"] == "1\n"


def test_a_killed_shell_is_replaced_and_the_result_says_so(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"cd {tmp_path}")
    killed = me.run("kill -9 $$")
    assert killed["exit_code"] == 137
    assert "The shell was killed; a new one continues" in killed["note"]
    assert me.run("pwd")["output"] == f"{tmp_path}\n"


def test_a_shell_that_was_killed_between_two_commands_is_replaced(agent: Make) -> None:
    me = agent()
    shell = int(me.run("echo $$")["output"])
    os.kill(shell, 9)
    told = me.run("echo again")
    assert told["output"] == "again\n"
    assert "was killed before this command" in told["note"]


def test_a_command_that_takes_the_shells_place_ends_with_its_own_code(agent: Make) -> None:
    me = agent()
    told = me.run("exec sh -c 'echo last; exit 5'")
    assert told["exit_code"] == 5
    assert told["note"].startswith("The shell ended with the command")
    assert me.run("echo next")["output"] == "next\n"


def test_a_time_out_keeps_what_was_printed_and_what_the_shell_knew(agent: Make) -> None:
    me = agent()
    me.run("export KEPT=yes")
    began = time.monotonic()
    told = me.run("echo before; sleep 600; echo never", timeout=1)
    assert time.monotonic() - began < 50
    assert told["exit_code"] == 124
    assert told["output"].startswith("before\n")
    assert "never" not in told["output"]
    assert "ended after 1 seconds" in told["note"]
    assert me.run("echo $KEPT")["output"] == "yes\n"


def test_a_time_out_ends_everything_that_a_command_started(agent: Make) -> None:
    me = agent(terminal={"foreground_guard": False})
    told = me.run("sleep 4321 & setsid sleep 4321 & sh -c 'trap \"\" TERM; sleep 4321; :'", timeout=1)
    assert told["exit_code"] == 124
    deadline = time.monotonic() + 30
    while _sleeping("4321"):  # what was killed may take a moment to be gone
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _sleeping(seconds: str) -> list[int]:
    found = []
    for process in all_processes():
        try:
            words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sleep" in words and seconds.encode() in words:
            found.append(process.pid)
    return found


def test_a_command_that_ignores_everything_is_ended_all_the_same(agent: Make) -> None:
    began = time.monotonic()
    assert agent().run("trap '' TERM INT HUP; while :; do :; done", timeout=1)["exit_code"] == 124
    assert time.monotonic() - began < 50


def test_a_command_can_be_interrupted(agent: Make) -> None:
    me = agent()
    me.run("true")
    session = me.hermes._dispatcher.default_session
    timer = threading.Timer(0.3, interrupt, [session])
    timer.start()
    told = me.run("echo before; sleep 60")
    assert (told["exit_code"], told["output"].splitlines()[0]) == (130, "before")


@pytest.mark.anyio
async def test_a_cancelled_call_leaves_nothing_running() -> None:
    import hermes_tools_terminal.plugin

    async with Hermes(plugins=[hermes_tools_terminal.plugin]) as hermes:
        with anyio.move_on_after(0.5):
            await hermes.acall("terminal", {"command": "sleep 5432"})
        with anyio.fail_after(30):
            while _sleeping("5432"):
                await anyio.sleep(0.02)
        assert '"on\\n"' in await hermes.acall("terminal", {"command": "echo on"})


def test_commands_that_read_find_nothing_to_read(agent: Make) -> None:
    assert agent().run('cat; read line; echo "<$line>"', timeout=10)["output"] == "<>\n"


def test_the_workdir_is_for_one_command(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    assert me.run("pwd", workdir="/usr")["output"] == "/usr\n"
    assert me.run("pwd")["output"] == f"{tmp_path}\n"
    me.run("cd /etc", workdir="/usr")
    assert me.run("pwd")["output"] == f"{tmp_path}\n"


def test_the_workdir_may_begin_at_home(agent: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "it is").mkdir()
    me = agent()
    here = me.run("pwd")["output"]
    assert me.run("pwd", workdir="~/it is")["output"] == f"{tmp_path}/it is\n"
    assert me.run("pwd", workdir="~")["output"] == f"{tmp_path}\n"
    assert me.run("pwd")["output"] == here


def test_a_workdir_that_is_not_there_is_126(agent: Make) -> None:
    told = agent().run("echo never", workdir="/not/there")
    assert told["exit_code"] == 126
    assert "never" not in told["output"]
    assert "the directory /not/there does not exist" in told["note"]


def test_a_folder_that_was_removed_is_left_for_the_nearest_one_above(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"mkdir -p {tmp_path}/a/b; cd {tmp_path}/a/b; rm -d {tmp_path}/a/b")
    assert me.run("pwd")["output"] == f"{tmp_path}/a\n"


def test_what_a_command_does_to_its_output_is_over_with_it(agent: Make, tmp_path: Path) -> None:
    me = agent()
    me.run(f"exec >{tmp_path}/out 2>&1; echo hidden")
    assert me.run("echo seen; exec 2>/dev/null")["output"] == "seen\n"
    assert me.run("set -x; true")["exit_code"] == 0
    assert me.run("echo plain")["output"] == "plain\n"


@pytest.mark.parametrize("text", ["if (", "echo 'open", "cat <<EOF\nhalf", "for x in", ")"])
def test_a_syntax_error_is_the_commands_and_not_the_shells(agent: Make, text: str) -> None:
    me = agent(approvals="off")  # the guard asks about what it cannot read
    me.run("export KEPT=yes")
    assert me.run(text)["exit_code"] in (0, 1, 2)
    assert me.run("echo $KEPT")["output"] == "yes\n"


def test_a_long_command_of_many_lines_arrives_whole(agent: Make) -> None:
    lines = "\n".join(f"x{number}='it''s {number}'" for number in range(500))
    assert agent(approvals="off").run(f"{lines}\necho $x499")["output"] == "its 499\n"


def test_half_a_character_in_a_command_is_marked_and_not_lost(agent: Make) -> None:
    assert agent(approvals="off").run("echo a\ud800b | wc -c")["output"].strip() == "4"


def test_broken_utf8_and_control_characters_stay_readable(agent: Make) -> None:
    told = agent().run(r"printf 'a\377b\000c\033[31mred\033[0m\n'")
    assert told["output"] == "a�b�cred\n"


def test_output_is_cut_in_its_middle(agent: Make) -> None:
    told = agent(terminal={"output_limit": 1000}).run("seq 1 100000")
    assert told["output"].startswith("1\n2\n3\n")
    assert told["output"].endswith("99999\n100000\n")
    assert "OUTPUT TRUNCATED" in told["output"]
    assert len(told["output"]) < 1200


def test_secrets_are_not_shown(agent: Make) -> None:
    token = "ghp_" + "a1B2" * 9
    assert token not in agent().run(f"echo token: {token[:10]}''{token[10:]}")["output"]


def test_keys_of_this_process_are_not_given_to_commands(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-commands")
    monkeypatch.setenv("MY_TOKEN", "not for commands")
    monkeypatch.setenv("MY_FLAG", "passed")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:password@proxy.invalid")
    me = agent(terminal={"env_passthrough": ["MY_FLAG", "OPENAI_API_KEY"]})
    names = me.run("env | cut -d= -f1")["output"].split()
    assert "MY_FLAG" in names
    assert not {"OPENAI_API_KEY", "MY_TOKEN", "HTTPS_PROXY"} & set(names)


def test_sudo_without_a_password_does_not_hang(agent: Make, tmp_path: Path) -> None:
    fake = tmp_path / "sudo"
    fake.write_text('#!/bin/sh\nread -r p </dev/tty || { echo "sudo: a password is required" >&2; exit 1; }\n')
    fake.chmod(0o755)
    began = time.monotonic()
    told = agent(approvals="off").run(f"{fake} true", timeout=20)
    assert time.monotonic() - began < 50
    assert told["exit_code"] == 1
    assert "sudo needs a password" in told["note"]


@pytest.mark.parametrize(
    ("command", "code", "meaning"),
    [("grep zzz /etc/hostname", 1, "no match was found"), ("not-a-program-at-all", 127, "command not found")],
)
def test_exit_codes_are_explained(agent: Make, command: str, code: int, meaning: str) -> None:
    told = agent().run(command)
    assert told["exit_code"] == code
    assert meaning in told["exit_code_meaning"]


def test_a_dangerous_command_does_not_run_unless_somebody_allows_it(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    told = agent(terminal={"cwd": str(tmp_path)}).run("rm -rf src")
    assert told["code"] == "denied"
    assert (tmp_path / "src").exists()
    allowed = agent(terminal={"cwd": str(tmp_path)}, approver=lambda request: True).run("rm -rf src")
    assert allowed["exit_code"] == 0
    assert not (tmp_path / "src").exists()


@pytest.mark.parametrize("background", [False, True])
def test_a_refused_command_never_runs(agent: Make, background: bool) -> None:
    told = agent(approver=lambda request: True, approvals="off").run(
        "reboot --help; shutdown now", background=background
    )
    assert told["decision"] == "refused"


@pytest.mark.parametrize("command", ["npm run dev", "python3 -m http.server", "sleep 100 &", "nohup sleep 100"])
def test_what_does_not_end_is_sent_to_the_background(agent: Make, command: str) -> None:
    told = agent().run(command)
    assert told["exit_code"] == -1
    assert "background=true" in told["error"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"command": "  "}, "empty"),
        ({"command": "echo \0"}, "NUL"),
        ({"command": "true", "timeout": 601}, "background=true"),
        ({"command": "true", "workdir": "a;b"}, "is not a directory name"),
    ],
)
def test_a_call_that_cannot_be_says_why(agent: Make, args: dict[str, Any], words: str) -> None:
    told = agent(approvals="off").call("terminal", args)
    assert words in told["error"]


def test_a_command_can_have_a_terminal(agent: Make) -> None:
    told = agent().run("test -t 0 && stty size", pty=True)
    assert told["exit_code"] == 0
    assert told["output"].strip() == "30 120"


def test_a_command_with_a_terminal_has_its_time_too(agent: Make) -> None:
    assert agent().run("echo up; sleep 60", pty=True, timeout=1)["exit_code"] == 124


class Watcher:
    def __init__(self) -> None:
        self.seen: list[Progress] = []

    @hookimpl
    def hermes_tool_progress(self, progress: Progress) -> None:
        self.seen.append(progress)


def test_whoever_watches_hears_of_a_long_command(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_module, "PROGRESS_SECONDS", 0.2)
    watcher = Watcher()
    agent(plugins=[watcher]).run("echo step one; sleep 0.7")
    assert watcher.seen
    assert watcher.seen[-1].message.startswith("still running: echo step one")
    assert watcher.seen[-1].detail == "step one\n"


def test_an_idle_shell_is_put_away_and_what_it_knew_comes_back(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"lifetime_seconds": 1})
    shell = int(me.run(f"cd {tmp_path}; export KEPT=yes; f() {{ echo f; }}; echo $$")["output"])
    deadline = time.monotonic() + 10
    while any(process.pid == shell for process in all_processes()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert me.run("pwd; echo $KEPT; f")["output"] == f"{tmp_path}\nyes\nf\n"


def test_fifty_tasks_at_once(agent: Make) -> None:
    me = agent()
    calls = [("terminal", {"command": f"export N={number}; sleep 0.1; echo $N"}) for number in range(50)]
    found: dict[int, dict[str, Any]] = {}

    def run(number: int) -> None:
        found[number] = me.run(calls[number][1]["command"], task=f"task-{number}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {number: told["output"] for number, told in found.items()} == {n: f"{n}\n" for n in range(50)}


def test_start_up_files_are_read_when_the_user_names_them(agent: Make, tmp_path: Path) -> None:
    file = tmp_path / "it's mine.sh"
    file.write_text("export FROM_FILE=yes; mine() { echo mine; }\n")
    told = agent(terminal={"shell_init_files": [str(file), "/not/there"]}).run("echo $FROM_FILE; mine")
    assert told["output"] == "yes\nmine\n"


def test_background_processes_and_terminals_get_what_the_shell_has_exported(agent: Make) -> None:
    me = agent()
    me.run("export FOO=bar; umask 077; f() { echo f; }; hidden=1")
    id = me.start('echo "$FOO ${hidden-none}"; umask; f')
    assert me.process("wait", id)["output"] == "bar none\n0077\nf\n"
    assert me.run('echo "$FOO"', pty=True)["output"].strip() == "bar"


def test_a_mark_that_somebody_else_prints_ends_nothing(agent: Make) -> None:
    me = agent(approvals="off")
    word = me.run("declare -f _h_done | grep -o '036[0-9a-f]*' | head -1")["output"].strip()[3:]
    forged = rf"printf '\036{word}\037end\037%s\0370\037/\036' x; sleep 0.2; echo real; (exit 4)"
    assert [me.run(command)["exit_code"] for command in (forged, "echo A; (exit 3)", "echo B")] == [4, 3, 0]


def test_a_forked_process_leaves_its_parents_shell_alone(agent: Make) -> None:
    me = agent()
    shell = me.run("export KEPT=yes; echo $$")["output"]
    child = os.fork()
    if child == 0:
        me.hermes.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert me.run("echo $KEPT; echo $$")["output"] == f"yes\n{shell}"
