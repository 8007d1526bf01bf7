"""A sandbox as a place: shells in it, signals, files, its end, and what it says when it cannot be."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.base import Environment, EnvironmentProvider, TerminalEnvironmentError
from hermes_tools_terminal.environments.local_processes import all_processes, find_process
from hermes_tools_terminal.environments.sandbox import bubblewrap
from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.environments.sandbox import self_test as sandbox_proof
from hermes_tools_terminal.environments.sandbox.environment import SandboxEnvironment
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.shell import Outcome, Shell

from .conftest import SECRET, Build, needs

provider: EnvironmentProvider = sandbox


@pytest.fixture
def place(own: Path, engine: str) -> Iterator[SandboxEnvironment]:
    """An open sandbox."""
    place = made(own, engine)
    place.open()
    yield place
    place.close()


def made(own: Path, engine: str, **more: object) -> SandboxEnvironment:
    """A sandbox that is not open yet."""
    settings = TypeAdapter(TerminalSettings).validate_python(
        {"cwd": str(own / "work"), "sandbox": {"engine": engine, **more}}
    )
    return sandbox.make(settings, task="t", home=str(own / "home" / ".hermes"))


def talk(place: Environment, *commands: str | tuple[str, float]) -> list[Outcome]:
    """What became of some commands in one shell."""

    async def run() -> list[Outcome]:
        shell = Shell(place)
        try:
            found = []
            for command in commands:
                text, timeout = (command, 20.0) if isinstance(command, str) else command
                found.append(await shell.run(text, timeout=timeout))
            return found
        finally:
            shell.close()

    return anyio.run(run)


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.01)


def running(word: str) -> list[int]:
    """Processes of this machine that have a word in their command line."""
    found = []
    for process in all_processes():
        try:
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in line and process.pid != os.getpid():
            found.append(process.pid)
    return found


def test_it_is_a_place(place: SandboxEnvironment) -> None:
    assert isinstance(place, Environment)
    assert place.alive()


def test_the_workspace_can_be_lost_so_dangerous_commands_are_still_asked_about(place: SandboxEnvironment) -> None:
    assert not place.isolated


def test_a_time_out_ends_the_command_and_keeps_the_shells_state(place: SandboxEnvironment) -> None:
    first, ended, after = talk(
        place,
        "export A=5; f() { echo F$A; }; cd $TMPDIR; echo x >kept",
        ("sleep 4711 & sleep 4712", 0.3),
        "f; cat kept",
    )
    assert first.status == 0
    assert ended.status == 124
    assert any("exported variables and functions" in note for note in ended.notes)
    assert after.output == "F5\nx\n"
    until(lambda: not running("sleep\x00471"))


def test_a_command_that_ignores_the_signal_is_ended_and_the_shell_spared(place: SandboxEnvironment) -> None:
    ended, after = talk(place, ("A=7; trap '' TERM; setsid sleep 4721", 0.3), "echo $A")
    assert ended.status == 124
    assert after.output == "7\n"
    until(lambda: not running("sleep\x004721"))


def test_a_command_in_a_group_of_its_own_ends_with_the_others(place: SandboxEnvironment) -> None:
    ended, after = talk(place, ("export A=8; setsid sleep 4731", 0.3), "echo $A")
    assert ended.status == 124
    assert after.output == "8\n"
    until(lambda: not running("sleep\x004731"))


def test_a_process_gets_the_signal_that_was_sent(place: SandboxEnvironment) -> None:
    started = place.start(["bash", "-c", "trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.01; done"])
    assert started.child.stdout is not None
    assert started.child.stdout.read(6) == b"ready\n"
    place.signal(started.group, signal.SIGTERM)
    assert started.child.wait(10) == 3
    assert b"told" in started.child.stdout.read()
    close(started.child)


def test_what_is_killed_is_gone_with_all_it_started(place: SandboxEnvironment) -> None:
    started = place.start(["bash", "-c", "sleep 4741 & echo ready; sleep 4742"])
    assert started.child.stdout is not None
    assert started.child.stdout.read(6) == b"ready\n"
    place.signal(started.group, signal.SIGKILL)
    assert started.child.wait(10) != 0
    until(lambda: not running("sleep\x00474"))
    close(started.child)


def test_a_process_outlives_the_thread_that_started_it(place: SandboxEnvironment) -> None:
    found = []
    thread = threading.Thread(target=lambda: found.append(place.start(["cat"])))
    thread.start()
    thread.join()
    child = found[0].child
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"still here")
    child.stdin.close()
    assert child.stdout.read() == b"still here"
    assert child.wait(10) == 0
    close(child)


def test_a_terminal_can_be_had(place: SandboxEnvironment) -> None:
    started = place.start(["bash", "-c", "[ -t 0 ] && [ -t 1 ] && stty size"], pty=True)
    assert started.child.wait(10) == 0
    assert started.child.stdout is not None
    assert started.child.stdout.read(100).strip() == b"30 120"
    close(started.child)


def test_files_are_those_that_commands_see(place: SandboxEnvironment, own: Path) -> None:
    scratch = talk(place, "echo $TMPDIR")[0].output.strip()
    place.run('cat >"$1"', f"{scratch}/one", input=b"1")
    assert talk(place, "cat $TMPDIR/one")[0].output == "1"
    place.run('cat >"$1"', str(own / "work" / "two"), input=b"2")
    assert (own / "work" / "two").read_bytes() == b"2"
    with pytest.raises(TerminalEnvironmentError):
        place.run('cat "$1"', str(own / "home" / ".ssh" / "id_rsa"))
    with pytest.raises(TerminalEnvironmentError):
        place.run('cat >"$1"', str(own / "home" / ".bashrc"), input=b"evil")


def test_a_folder_that_is_gone_or_hidden_is_left_for_the_one_above(place: SandboxEnvironment, own: Path) -> None:
    for folder in (own / "work" / "nothing" / "here", own / "work"):
        started = place.start(["pwd"], cwd=str(folder))
        assert started.child.stdout is not None
        assert started.child.stdout.read().decode().strip() == str(own / "work")
        started.child.wait(10)
        close(started.child)


def test_the_scratch_folder_goes_with_the_sandbox(own: Path, engine: str) -> None:
    place = made(own, engine)
    place.open()
    talk(place, "mkdir -p $TMPDIR/a/b; touch $TMPDIR/a/b/c; chmod 0 $TMPDIR/a/b; chmod 500 $TMPDIR/a")
    folder = own / "home" / ".hermes" / "sandboxes" / "sandbox"
    assert len(list(folder.iterdir())) == 1
    place.close()
    place.close()
    assert not list(folder.iterdir())
    with pytest.raises(TerminalEnvironmentError, match="closed"):
        place.start(["true"])


def test_nothing_stays_when_its_process_is_killed(build: Build, engine: str) -> None:
    driven = build()
    group = driven.run("echo ready; sleep 4751; :", stay=True)["group"]
    assert find_process(group) is not None
    os.kill(driven.hello["pid"], signal.SIGKILL)
    until(lambda: find_process(group) is None)
    # Without a namespace what the command started is left; it is in the group that the ledger knows.
    with contextlib.suppress(ProcessLookupError):
        if engine == "landlock":
            os.killpg(group, signal.SIGKILL)
    until(lambda: not running("sleep\x004751"))
    driven.process.wait(10)
    settings = TerminalSettings()
    assert sandbox.reap(settings, str(driven.home / ".hermes")) == 1
    assert sandbox.reap(settings, str(driven.home / ".hermes")) == 0
    assert not list((driven.home / ".hermes" / "sandboxes" / "sandbox").iterdir())


def test_a_secret_that_is_written_anew_makes_the_sandbox_old(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if bubblewrap.unavailable_reason():
        pytest.skip("bubblewrap does not work here (Debian package bubblewrap)")
    monkeypatch.setattr(sandbox, "_LOOK_SECONDS", 0.0)
    for name in (".netrc", ".pgpass"):  # one was there, the other was not
        place = made(own, "bubblewrap")
        place.open()
        assert place.alive()
        (own / "home" / "new").write_text(SECRET)
        os.replace(own / "home" / "new", own / "home" / name)
        assert not place.alive()
        place.close()
    place = made(own, "bubblewrap")
    place.open()
    assert place.alive()
    assert SECRET not in talk(place, "cat ~/.netrc ~/.pgpass")[0].output
    place.close()


def test_a_secret_that_is_removed_is_no_trouble(place: SandboxEnvironment, own: Path) -> None:
    (own / "home" / ".netrc").unlink()
    shutil.rmtree(own / "home" / ".aws")
    assert place.alive()
    assert talk(place, "echo works")[0].output == "works\n"


def test_too_much_is_no_workspace(own: Path, engine: str) -> None:
    for folder in ("/", "/etc", "/usr", str(own / "home"), str(own), str(own / "home" / ".hermes")):
        settings = TypeAdapter(TerminalSettings).validate_python({"cwd": folder, "sandbox": {"engine": engine}})
        with pytest.raises(TerminalEnvironmentError, match="too much"):
            sandbox.make(settings, task="t", home=str(own / "home" / ".hermes")).open()
    with pytest.raises(TerminalEnvironmentError, match="does not exist"):
        made(own, engine, writable=[str(own / "nothing")]).open()
    assert not list((own / "home" / ".hermes" / "sandboxes" / "sandbox").iterdir())


def test_what_cannot_be_had_is_an_error_and_never_an_open_door(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = own / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    sandbox._works.cache_clear()
    try:
        settings = TypeAdapter(TerminalSettings).validate_python(
            {"cwd": str(own / "work"), "sandbox": {"engine": "bubblewrap"}}
        )
        assert "Install bubblewrap" in str(sandbox.check(settings))
        with pytest.raises(TerminalEnvironmentError, match="not installed"):
            made(own, "bubblewrap").open()
    finally:
        sandbox._works.cache_clear()


def test_landlock_steps_in_where_there_is_no_bubblewrap(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("landlock")
    monkeypatch.setenv("PATH", str(own))
    sandbox._works.cache_clear()
    try:
        place = made(own, "auto")
        place.open()
        assert "host" in place.leaks()
        assert talk(place, "cat ~/.netrc 2>/dev/null; echo end")[0].output == "end\n"
        place.close()
    finally:
        sandbox._works.cache_clear()


def test_a_workspace_in_the_folder_for_temporary_files_works(own: Path, engine: str, tmp_path: Path) -> None:
    if not tmp_path.is_relative_to("/tmp"):
        pytest.skip("temporary files are elsewhere")
    (tmp_path / "work").mkdir()
    (tmp_path / "beside").write_text("not of this project")
    settings = TypeAdapter(TerminalSettings).validate_python(
        {"cwd": str(tmp_path / "work"), "sandbox": {"engine": engine}}
    )
    place = sandbox.make(settings, task="t", home=str(own / "home" / ".hermes"))
    place.open()
    command = f"echo x >made; echo y >$TMPDIR/kept; cat {tmp_path}/beside 2>/dev/null; ln -s / /tmp/x 2>/dev/null; :"
    assert talk(place, command)[0].output == ""
    assert (tmp_path / "work" / "made").read_text() == "x\n"
    assert talk(place, "pwd; cat $TMPDIR/kept")[0].output == f"{tmp_path}/work\ny\n"
    place.close()


def test_a_bubblewrap_that_may_do_nothing_is_an_error(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = own / "programs"
    programs.mkdir()
    (programs / "bwrap").write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    (programs / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    sandbox._works.cache_clear()
    try:
        with pytest.raises(TerminalEnvironmentError, match="does not work .*Permission denied.*namespaces"):
            made(own, "bubblewrap").open()
    finally:
        sandbox._works.cache_clear()


def test_a_sandbox_that_does_not_hold_is_found_out(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A program by that name that runs everything as it is: what a sandbox would be that fails open.
    programs = own / "programs"
    programs.mkdir()
    script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nTMPDIR=/tmp exec "$@"\n'
    (programs / "bwrap").write_text(script)
    (programs / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(sandbox_proof, "_probed", set())
    sandbox._works.cache_clear()
    try:
        with pytest.raises(
            TerminalEnvironmentError, match="is not secure here.*write outside.*read what is hidden.*network"
        ):
            made(own, "bubblewrap").open()
    finally:
        sandbox._works.cache_clear()
    assert not [path for path in (own / "home").iterdir() if path.name.startswith(".hermes-")]


def close(child: object) -> None:
    """Let go of a process's pipes."""
    assert isinstance(child, subprocess.Popen)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None and not pipe.closed:
            pipe.close()
