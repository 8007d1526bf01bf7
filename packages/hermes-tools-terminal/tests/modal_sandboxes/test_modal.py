"""Modal's sandboxes by its real SDK, against a gRPC server on loopback that keeps its protocol."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.families import install_command
from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.cloud import modal
from hermes_tools_terminal.environments.cloud.modal import SnapshotIndex
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.files.factory import filesystem_for
from hermes_tools_terminal.settings import TerminalSettings

Server = Any  # conftest's ModalServer: test folders cannot be imported from
Opened = Callable[..., modal.ModalEnvironment]
Outcomes = Callable[..., list[Any]]


def test_a_sandbox_is_an_environment(opened: Opened, server: Server) -> None:
    place = opened(lifetime=600, terminal={"container": {"memory": 2048, "cpu": 0.5}})
    assert isinstance(place, Environment)
    ((id, definition),) = server.sandboxes.items()
    assert (place.kind, place.shell, place.isolated, tuple(place.leaks())) == ("modal", "bash", True, ("network",))
    assert place.folder == str(server.home(id))
    assert place.alive()
    assert definition.timeout_secs == 600
    assert (definition.resources.memory_mb, definition.resources.milli_cpu) == (2048, 500)


def test_folder_variables_and_functions_stay_between_commands(opened: Opened, outcomes: Outcomes) -> None:
    first, second = outcomes(opened(), "cd /tmp; export A=5; f() { echo $A; }", "f; pwd; echo error >&2")
    assert first.status == 0
    assert second.output == "5\n/tmp\nerror\n"


def test_a_command_that_takes_too_long_is_ended_and_the_shell_lives_on(opened: Opened, outcomes: Outcomes) -> None:
    slow, after = outcomes(opened(), "export A=1; trap '' TERM; sleep 65432", "echo $A", timeout=2)
    assert slow.status == 124
    assert after.output == "1\n"
    assert b"65432" not in subprocess.check_output(["ps", "-eo", "args"])


def test_a_killed_shell_is_replaced(opened: Opened, outcomes: Outcomes) -> None:
    killed, after = outcomes(opened(), "kill -9 $$", "echo on")
    assert killed.status == 137
    assert after.output == "on\n"


def test_a_process_reads_its_input_to_the_end(opened: Opened) -> None:
    started = opened().start(["sh", "-c", "cat; echo over >&2; exit 7"])
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    data = bytes(range(256)) * 300
    started.child.stdin.write(data)
    started.child.stdin.close()
    assert started.child.stdout.read() == data + b"over\n"
    assert started.child.wait(5) == 7
    started.child.stdout.close()


def test_an_end_is_told_though_others_hold_the_output_open(opened: Opened) -> None:
    started = opened().start(["sh", "-c", "sleep 54320 & echo $!; exit 4"])
    assert started.child.wait(10) == 4
    assert started.child.stdout is not None
    other = int(started.child.stdout.readline())
    os.kill(other, signal.SIGKILL)
    assert started.child.stdout.read() == b""
    _close(started)


def test_signals_reach_a_process_and_all_of_its_group(opened: Opened) -> None:
    place = opened()
    started = place.start(["sh", "-c", "sleep 43219 & sleep 43219"])
    place.signal(started.group, signal.SIGTERM)
    assert started.child.wait(10) == 143
    assert b"43219" not in subprocess.check_output(["ps", "-eo", "args"])
    _close(started)


def test_a_process_gets_a_terminal(opened: Opened) -> None:
    started = opened().start(["sh", "-c", "stty size; read x; echo got $x; exit 5"], pty=True)
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
    place = opened(terminal={"env_passthrough": ["DECLARED", "MODAL_TOKEN_SECRET"]})
    odd = "$(id) `id` \"x' \\ $HOME\nline"
    started = place.start(["sh", "-c", 'env; printf "<%s>" "$ODD"'], env={"ODD": odd})
    assert started.child.stdout is not None
    seen = started.child.stdout.read().decode()
    _close(started)
    assert f"<{odd}>" in seen
    assert "DECLARED=yes" in seen
    assert "SECRET" not in seen
    assert "_h_" not in seen


def test_files_are_read_and_written(opened: Opened, home: Path) -> None:
    place = opened()
    files = filesystem_for(place, home=str(home))
    for data in (b"\0\xffdata", os.urandom(300_000), b""):
        found = files.replace(files.find("a file", base=place.folder), data)
        assert files.read(found) == data
    files.remove(found)
    assert files.find("a file", base=place.folder).kind == "missing"
    files.close()  # type: ignore[attr-defined]


def test_what_was_written_stays_with_its_task(opened: Opened, server: Server, home: Path) -> None:
    first = opened("one")
    first.run('cat >"$1"', f"{first.folder}/f", input=b"kept")
    first.close()
    assert server.sandboxes == {}
    assert json.loads((home / "modal_snapshots.json").read_text()) == {"direct:one": next(iter(server.images))}
    again, other = opened("one"), opened("two")
    assert again.run('cat "$1"', f"{again.folder}/f") == b"kept"
    assert other.run('ls -A "$1"', other.folder) == b""


def test_a_picture_that_is_gone_is_no_reason_to_fail(opened: Opened, server: Server, home: Path) -> None:
    SnapshotIndex(str(home)).put("one", "im-gone")
    place = opened("one")
    assert "are lost" in place.notes[0]
    assert SnapshotIndex(str(home)).of("one") is None
    assert place.run("echo works") == b"works\n"


def test_without_persist_nothing_stays(opened: Opened, server: Server, home: Path) -> None:
    opened("one", persist=False).close()
    assert (server.sandboxes, server.images) == ({}, {})
    assert not (home / "modal_snapshots.json").exists()


def test_pictures_of_many_tasks_at_once_are_all_remembered(tmp_path: Path) -> None:
    (tmp_path / "modal_snapshots.json").write_text("half a fi")
    threads = [threading.Thread(target=SnapshotIndex(str(tmp_path)).put, args=(f"t{n}", f"im-{n}")) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = SnapshotIndex(str(tmp_path))
    assert [known.of(f"t{n}") for n in range(20)] == [f"im-{n}" for n in range(20)]
    assert sorted(os.listdir(tmp_path)) == ["modal_snapshots.json", "modal_snapshots.json.broken"]


def test_a_sandbox_that_ended_is_gone_and_a_new_one_has_the_last_files(opened: Opened, server: Server) -> None:
    place = opened()
    (id,) = server.sandboxes
    server.terminate(id)
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.start(["true"])
    assert caught.value.gone
    assert not place.alive()
    place.close()
    assert opened().run("echo on") == b"on\n"


def test_a_process_ends_with_its_sandbox(opened: Opened, server: Server) -> None:
    started = opened().start(["sleep", "32108"])
    (id,) = server.sandboxes
    server.terminate(id)
    assert started.child.wait(20) != 0
    _close(started)


def test_sandboxes_of_dead_processes_are_ended_and_others_are_not(opened: Opened, server: Server, home: Path) -> None:
    for task, persist in (("living", True), ("kept", True), ("thrown away", False)):
        opened(task, persist=persist)
    living, kept, thrown = server.sandboxes
    (server.home(kept) / "f").write_text("left behind")
    with subprocess.Popen(["true"]) as process:
        pass
    for id in (kept, thrown):
        server.tags[id]["hermes-tools-owner"] = str(Owner(process.pid, 1))
    assert modal.reap(TerminalSettings(), str(home / "another")) == 0
    assert modal.reap(TerminalSettings(), str(home)) == 2
    assert list(server.sandboxes) == [living]
    again = opened("kept")
    assert again.run('cat "$1"', f"{again.folder}/f") == b"left behind"


def test_missing_credentials_are_told(server: Server, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    assert modal.check(TerminalSettings()) is None
    monkeypatch.delenv("MODAL_TOKEN_SECRET")
    why = str(modal.check(TerminalSettings()))
    assert why.startswith("MODAL_TOKEN_SECRET not set")
    assert "modal setup" in why
    assert modal.reap(TerminalSettings(), str(home)) == 0


_IN_ANOTHER_PROCESS = """
import sys
from hermes_tools_terminal.environments import base
from hermes_tools_terminal.environments.cloud import modal
from hermes_tools_terminal.settings import TerminalSettings as T
{before}
print(modal.check(T()))
try: modal.make(T(), task='t', home='/nowhere').open()
except base.TerminalEnvironmentError as error: print(error.reason); print(error.hint)
"""


def _told(before: str = "", **env: str) -> list[str]:
    """What a new process says: the SDK's client keeps its credentials."""
    code = _IN_ANOTHER_PROCESS.format(before=before)
    given = {**os.environ, **env}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=90, env=given, check=False
    )
    return done.stdout.splitlines() or [done.stderr]


def test_wrong_credentials_are_told(server: Server) -> None:
    told = _told(MODAL_TOKEN_SECRET="as-wrong")
    assert told[0] == "None"
    assert told[1].startswith("The sandbox did not start: ")
    assert "MODAL_TOKEN_SECRET" in told[2]


def test_a_missing_sdk_is_told_with_the_line_that_installs_it() -> None:
    before = (
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'modal' else found(name, *a)"
    )
    line = install_command("hermes-tools-terminal[modal]")
    assert _told(before) == [f"The package modal is not installed: {line}", "The package modal is not installed.", line]


def test_the_terminal_tool_works_in_it(agent: Callable[..., Any], server: Server) -> None:
    made = agent(terminal={"env": "modal"})
    assert made.run("cd /tmp && export A=1")["exit_code"] == 0
    assert made.run("echo $A $PWD")["output"] == "1 /tmp\n"
    id = made.start("read x; echo heard $x; cat; echo end")
    assert made.process("submit", id, data="me")["status"] == "ok"
    assert made.process("close", id)["status"] == "ok"
    assert made.process("wait", id, timeout=10)["exit_code"] == 0
    assert "heard me" in str(made.process("log", id))
    other = made.start("sleep 21097")
    assert made.process("kill", other)["status"] == "killed"
    deadline = time.monotonic() + 5
    while b"21097" in subprocess.check_output(["ps", "-eo", "args"]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert b"21097" not in subprocess.check_output(["ps", "-eo", "args"])


def _close(started: Any) -> None:
    for pipe in (started.child.stdin, started.child.stdout):
        pipe.close()


def test_a_damaged_list_of_snapshots_is_moved_aside_before_it_is_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "modal_snapshots.json"
    file.write_text('{"direct:a": "im-')
    assert SnapshotIndex(str(tmp_path)).of("a") is None
    SnapshotIndex(str(tmp_path)).put("b", "im-2")
    assert (tmp_path / "modal_snapshots.json.broken").read_text() == '{"direct:a": "im-'
    assert (SnapshotIndex(str(tmp_path)).of("b"), str(file) in caplog.text) == ("im-2", True)
