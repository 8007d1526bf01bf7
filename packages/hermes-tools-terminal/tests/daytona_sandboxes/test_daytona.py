"""Daytona's sandboxes by its real SDK, against a server on loopback that speaks its wire format."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from hermes_core.families import install_command
from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.cloud import daytona
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.files.factory import filesystem_for

Server = Any  # conftest's DaytonaServer: test folders cannot be imported from
Opened = Callable[..., daytona.DaytonaEnvironment]
Outcomes = Callable[..., list[Any]]
Settings = Callable[..., Any]


def test_a_sandbox_is_an_environment(opened: Opened, server: Server) -> None:
    place = opened(terminal={"container": {"memory": 3000, "cpu": 1.5}})
    assert isinstance(place, Environment)
    (sandbox,) = server.sandboxes.values()
    assert (place.kind, place.shell, place.isolated, tuple(place.leaks())) == ("daytona", "bash", True, ("network",))
    assert place.folder == str(server.home(sandbox["id"]))
    assert place.alive()
    (body,) = server.created
    assert (body["cpu"], body["memory"], body["disk"]) == (2, 3, 10)
    assert "FROM nikolaik/python-nodejs" in body["buildInfo"]["dockerfileContent"]


def test_folder_variables_and_functions_stay_between_commands(opened: Opened, outcomes: Outcomes) -> None:
    first, second = outcomes(opened(), "cd /tmp; export A=5; f() { echo $A; }", "f; pwd; tty; [ -t 1 ] || echo pipe")
    assert first.status == 0
    assert second.output == "5\n/tmp\nnot a tty\npipe\n"


def test_output_is_as_it_was_printed(opened: Opened, outcomes: Outcomes) -> None:
    place = opened()
    (tabs, many) = outcomes(place, "printf 'a\\tb\\n'; echo c >&2", "seq 20000 >&2; exit 3")
    assert tabs.output == "a\tb\nc\n"
    assert "19999\n20000\n" in many.output
    assert many.status == 3


def test_much_text_is_said_to_a_shell_at_once(opened: Opened, outcomes: Outcomes) -> None:
    (told,) = outcomes(opened(), "echo " + "é" * 60_000 + " | wc -c")
    assert told.output.strip() == "120001"


def test_a_command_that_takes_too_long_is_ended_and_the_shell_lives_on(opened: Opened, outcomes: Outcomes) -> None:
    place = opened()
    slow, after = outcomes(place, "export A=1; trap '' TERM; sleep 54321", "echo $A", timeout=2)
    assert slow.status == 124
    assert after.output == "1\n"
    assert b"54321" not in subprocess.check_output(["ps", "-eo", "args"])


def test_a_killed_shell_is_replaced(opened: Opened, outcomes: Outcomes) -> None:
    killed, after = outcomes(opened(), "kill -9 $$", "echo on")
    assert killed.status == 137
    assert after.output == "on\n"


def test_a_process_reads_its_input_to_the_end(opened: Opened) -> None:
    place = opened()
    started = place.start(["sh", "-c", "cat; echo over; exit 7"])
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    data = bytes(range(256)) * 300
    started.child.stdin.write(data)
    started.child.stdin.close()
    assert started.child.stdout.read() == data + b"over\n"
    assert started.child.wait(5) == 7
    started.child.stdout.close()


def test_an_end_is_told_though_others_hold_the_output_open(opened: Opened) -> None:
    place = opened()
    started = place.start(["sh", "-c", "sleep 43210 & echo $!; exit 4"])
    assert started.child.wait(10) == 4
    assert started.child.stdout is not None
    other = int(started.child.stdout.readline())
    os.kill(other, signal.SIGKILL)
    assert started.child.stdout.read() == b""
    _close(started)


def test_signals_reach_a_process_and_all_of_its_group(opened: Opened) -> None:
    place = opened()
    started = place.start(["sh", "-c", "sleep 32109 & sleep 32109"])
    place.signal(started.group, signal.SIGTERM)
    assert started.child.wait(10) == 143
    assert b"32109" not in subprocess.check_output(["ps", "-eo", "args"])
    _close(started)


def test_a_process_gets_a_terminal(opened: Opened) -> None:
    place = opened()
    started = place.start(["sh", "-c", "stty size; read x; echo got $x; exit 5"], pty=True)
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    assert started.child.stdout.readline() == b"30 120\r\n"
    started.child.stdin.write(b"hello\n")
    assert b"got hello\r\n" in started.child.stdout.read()
    assert started.child.wait(5) == 5
    _close(started)


def test_variables_arrive_as_they_are_and_no_others_do(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_TEST_SECRET", "no")
    monkeypatch.setenv("DECLARED", "yes")
    place = opened(terminal={"env_passthrough": ["DECLARED", "DAYTONA_API_KEY"]})
    odd = "$(id) `id` \"x' \\ $HOME\nline"
    started = place.start(["sh", "-c", 'env; printf "<%s>" "$ODD"'], env={"ODD": odd})
    assert started.child.stdout is not None
    seen = started.child.stdout.read().decode()
    _close(started)
    assert f"<{odd}>" in seen
    assert "DECLARED=yes" in seen
    assert "SECRET" not in seen
    assert "API_KEY" not in seen


def test_files_are_read_and_written(opened: Opened, home: Path) -> None:
    place = opened()
    files = filesystem_for(place, home=str(home))
    for data in (b"\0\xffdata", os.urandom(300_000), b""):
        found = files.replace(files.find("a file", base=place.folder), data)
        assert files.read(found) == data
    files.remove(found)
    assert files.find("a file", base=place.folder).kind == "missing"
    files.close()  # type: ignore[attr-defined]


def test_a_kept_sandbox_is_stopped_and_resumed(opened: Opened, server: Server) -> None:
    first = opened("one")
    (sandbox,) = server.sandboxes.values()
    first.run('cat >"$1"', f"{first.folder}/f", input=b"kept")
    first.close()
    assert sandbox["state"] in ("stopping", "stopped")
    opened("two")
    again = opened("one")
    assert again.run('cat "$1"', f"{again.folder}/f") == b"kept"
    assert len(server.created) == 2


def test_a_sandbox_that_is_not_kept_is_deleted(opened: Opened, server: Server) -> None:
    opened("one", persist=False).close()
    assert server.sandboxes == {}
    assert server.created[0]["autoDeleteInterval"] == 0
    assert server.created[0]["autoStopInterval"] >= 15


def test_a_task_that_another_process_works_on_gets_a_sandbox_of_its_own(opened: Opened, server: Server) -> None:
    opened("one")
    opened("one")
    assert len(server.sandboxes) == 2


def test_a_stopped_sandbox_is_gone_and_resumed_by_the_next_one(
    opened: Opened, outcomes: Outcomes, server: Server
) -> None:
    place = opened()
    (sandbox,) = server.sandboxes.values()
    place.run('cat >"$1"', f"{place.folder}/f", input=b"still there")
    server.stopped(sandbox["id"])
    sandbox["state"] = "stopped"
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.start(["true"])
    assert caught.value.gone
    assert not place.alive()
    place.close()
    (told,) = outcomes(opened(), "cat f")
    assert told.output == "still there"


def test_a_deleted_sandbox_is_gone(opened: Opened, server: Server) -> None:
    place = opened()
    server.sandboxes.clear()
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.run("true")
    assert caught.value.gone


def test_a_connection_that_breaks_ends_the_process_here(opened: Opened, server: Server) -> None:
    import socket

    place = opened()
    started = place.start(["sleep", "21098"])
    for each in list(server.sockets):
        each.shutdown(socket.SHUT_RDWR)
    assert started.child.wait(10) == 255
    assert place.alive()
    place.signal(started.group, signal.SIGKILL)
    _close(started)


def test_a_server_that_does_not_answer_is_told(settings: Settings, home: Path, server: Server) -> None:
    place = daytona.make(settings(api_url="http://127.0.0.1:9/api"), task="t", home=str(home))
    with pytest.raises(TerminalEnvironmentError, match="did not start") as caught:
        place.open()
    assert "api_url" in caught.value.hint
    assert not caught.value.gone


def test_a_wrong_key_is_told(settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYTONA_API_KEY", "wrong")
    with pytest.raises(TerminalEnvironmentError) as caught:
        daytona.make(settings(), task="t", home=str(home)).open()
    assert "DAYTONA_API_KEY" in caught.value.hint


def test_missing_credentials_are_told(settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert daytona.check(settings()) is None
    monkeypatch.delenv("DAYTONA_API_KEY")
    assert "DAYTONA_API_KEY is not set" in str(daytona.check(settings()))
    assert daytona.reap(settings(), str(home)) == 0
    monkeypatch.setenv("DAYTONA_JWT_TOKEN", "x")
    assert "DAYTONA_ORGANIZATION_ID is not set" in str(daytona.check(settings()))


def test_a_missing_sdk_is_told_with_the_line_that_installs_it(settings: Settings, home: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['daytona'] = None\n"
        "from hermes_tools_terminal.environments import base\n"
        "from hermes_tools_terminal.environments.cloud import daytona\n"
        "from hermes_tools_terminal.settings import TerminalSettings as T\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'daytona' else found(name, *a)\n"
        "print(daytona.check(T())); print(daytona.reap(T(), '/nowhere'))\n"
        "try: daytona.make(T(), task='t', home='/nowhere').open()\n"
        "except base.TerminalEnvironmentError as error: print(error.reason, error.hint)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    line = install_command("hermes-tools-terminal[daytona]")
    assert told.stdout.splitlines() == [
        f"The package daytona is not installed: {line}",
        "0",
        f"The package daytona is not installed. {line}",
    ], told.stderr


def test_sandboxes_of_dead_processes_are_let_go_and_others_are_not(
    opened: Opened, server: Server, settings: Settings, home: Path
) -> None:
    for task, persist in (("living", True), ("kept", True), ("thrown away", False)):
        opened(task, persist=persist)
    living, kept, thrown = server.sandboxes.values()
    with subprocess.Popen(["true"]) as process:
        pass
    for each in (kept, thrown):
        each["labels"]["hermes-tools.owner"] = str(Owner(process.pid, 1))
    assert daytona.reap(settings(), str(home / "another")) == 0
    assert daytona.reap(settings(), str(home)) == 2
    assert list(server.sandboxes) == [living["id"], kept["id"]]
    assert living["state"] == "started"
    assert kept["state"] in ("stopping", "stopped")
    assert kept["labels"]["hermes-tools.owner"] == "none"
    assert daytona.reap(settings(), str(home)) == 0


def test_the_terminal_tool_works_in_it(agent: Callable[..., Any], settings: Settings) -> None:
    made = agent(terminal=asdict(settings()))
    assert made.run("cd /tmp && export A=1")["exit_code"] == 0
    assert made.run("echo $A $PWD")["output"] == "1 /tmp\n"
    id = made.start("read x; echo heard $x; cat; echo end")
    assert made.process("submit", id, data="me")["status"] == "ok"
    assert made.process("close", id)["status"] == "ok"
    assert made.process("wait", id, timeout=10)["exit_code"] == 0
    assert "heard me" in str(made.process("log", id))
    other = made.start("sleep 10987")
    assert made.process("kill", other)["status"] == "killed"
    deadline = time.monotonic() + 5
    while b"10987" in subprocess.check_output(["ps", "-eo", "args"]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert b"10987" not in subprocess.check_output(["ps", "-eo", "args"])


def _close(started: Any) -> None:
    for pipe in (started.child.stdin, started.child.stdout):
        pipe.close()
