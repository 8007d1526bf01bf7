"""A container is a place like any other: state stays, time-outs end things, files are files, and faults are told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.docker import environment as docker

Engine = Any  # conftest's TestEngine: test folders cannot be imported from
Opens = Callable[..., docker.DockerEnvironment]
Talks = Callable[[docker.DockerEnvironment], Any]


def _twice(say: Any) -> None:
    """Speak to a shell whose place is gone: the first time it may only be told that the shell was killed."""
    for _ in range(2):
        say("true", timeout=5)


def test_a_container_is_an_environment(engine: Engine, opened: Opens) -> None:
    assert docker.check(engine.settings()) is None
    place = opened(engine.settings())
    assert isinstance(place, Environment)
    assert (place.shell, place.folder, place.isolated, tuple(place.leaks())) == ("sh", "/workspace", True, ())
    assert place.alive()


def test_state_stays_between_commands_in_an_image_that_has_only_sh(engine: Engine, opened: Opens, talk: Talks) -> None:
    say = talk(opened(engine.settings()))
    assert say("cd /tmp && export COLOUR=blue && umask 027 && greet() { echo hello $COLOUR; }").status == 0
    told = say("greet; pwd; umask")
    assert (told.output, told.status, told.folder) == ("hello blue\n/tmp\n0027\n", 0, "/tmp")
    assert say("exit 3").status == 3
    assert say("echo $COLOUR; umask").output == "blue\n0027\n"
    assert say("cat").output == ""  # nothing to read, and no waiting for it


def test_bash_is_used_where_there_is_one(only_docker: Engine, bash_image: str, opened: Opens, talk: Talks) -> None:
    place = opened(only_docker.settings(image=bash_image))
    assert place.shell == "bash"
    say = talk(place)
    assert say("greet() { echo hello $1; }; list=(a b); shopt -s extglob").status == 0
    assert say('greet "${list[1]}"; echo ${BASH_VERSION:0:1}').output.startswith("hello b\n5")
    assert say("exit 4").status == 4
    assert say("greet again").output == "hello again\n"


def test_a_time_out_ends_what_runs_inside(engine: Engine, opened: Opens, talk: Talks) -> None:
    place = opened(engine.settings())
    say = talk(place)
    told = say("echo begun; sleep 4321", timeout=1)
    assert (told.status, told.output.splitlines()[0]) == (124, "begun")
    stubborn = say("trap '' TERM; sleep 4321", timeout=0.5)
    assert stubborn.status == 124
    assert b"4321" not in place.run("ps -o args | grep '[s]leep 4321' || :")


def test_a_shell_that_is_killed_is_replaced_with_a_note(engine: Engine, opened: Opens, talk: Talks) -> None:
    say = talk(opened(engine.settings()))
    told = say("cd /tmp; kill -9 $$")
    assert told.status == 137
    assert "killed" in told.notes[0]
    assert say("echo back").output == "back\n"


def test_a_container_that_is_removed_is_gone_and_a_new_one_takes_its_place(
    engine: Engine, opened: Opens, talk: Talks
) -> None:
    place = opened(engine.settings())
    say = talk(place)
    assert say("echo kept > /workspace/file").status == 0
    engine("rm", "--force", place.name)
    with pytest.raises(TerminalEnvironmentError) as caught:
        _twice(say)
    assert caught.value.gone
    assert not place.alive()
    again = opened(engine.settings())
    assert talk(again)("cat /workspace/file").output == "kept\n"


def test_a_container_that_stopped_is_started_again(engine: Engine, opened: Opens, talk: Talks) -> None:
    place = opened(engine.settings())
    place.run("echo kept > /etc/installed")
    engine("kill", place.name)
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.run("true")
    assert caught.value.gone
    again = opened(engine.settings())
    assert again.name == place.name
    assert again.run("cat /etc/installed") == b"kept\n"


def test_an_engine_that_is_killed_is_told_and_its_containers_come_back(
    new_dockerd: Callable[[], Any], opened: Opens, talk: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = new_dockerd()
    monkeypatch.setenv("DOCKER_HOST", engine.variables["DOCKER_HOST"])
    place = opened(engine.settings())
    say = talk(place)
    assert say("echo kept > /workspace/file; echo ok").output == "ok\n"
    engine.kill()
    with pytest.raises(TerminalEnvironmentError) as caught:
        _twice(say)
    assert caught.value.gone
    assert "does not work" in (docker.check(engine.settings()) or "")
    assert "systemctl start docker" in (docker.check(engine.settings()) or "")
    with pytest.raises(TerminalEnvironmentError) as caught:
        opened(engine.settings())
    assert "daemon" in caught.value.reason
    assert caught.value.hint
    engine.start()
    assert talk(opened(engine.settings()))("cat /workspace/file").output == "kept\n"


def test_an_engine_or_image_that_is_missing_is_told_with_what_to_do(
    only_docker: Engine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = only_docker.settings(engine="no-such-engine")
    assert "apt install docker.io" in (docker.check(nowhere) or "")
    with pytest.raises(TerminalEnvironmentError, match="no-such-engine"):
        docker.make(nowhere, task="task", home=str(home)).open()
    place = docker.make(only_docker.settings(image="no-such-image:1"), task="task", home=str(home))
    with pytest.raises(TerminalEnvironmentError, match="did not start") as caught:
        place.open()
    assert "terminal.docker.image" in caught.value.hint
    assert not caught.value.gone
    place.close()
    assert only_docker.names() == []


def test_a_container_that_does_not_start_is_removed(only_docker: Engine, home: Path, tmp_path: Path) -> None:
    """An image without sh is only found out when its container exists already."""
    import io
    import tarfile

    empty = io.BytesIO()
    with tarfile.open(fileobj=empty, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("nothing"))
    only_docker("import", "-", "empty:1", input=empty.getvalue())
    with pytest.raises(TerminalEnvironmentError) as caught:
        docker.make(only_docker.settings(image="empty:1"), task="task", home=str(home)).open()
    assert "have sh" in caught.value.hint or "no `sh`" in caught.value.hint
    assert only_docker.names() == []


def test_binary_and_much_output_come_through(engine: Engine, opened: Opens, talk: Talks) -> None:
    say = talk(opened(engine.settings()))
    much = say("yes 0123456789 | head -c 20000000", timeout=60)
    assert much.status == 0
    assert "of 20,000,000 bytes left out" in much.output
    binary = say("printf '\\377\\000\\033[31mred\\033[0m\\n'")
    assert binary.output == "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}red\n"


def test_a_terminal_is_one_inside_too(engine: Engine, opened: Opens) -> None:
    place = opened(engine.settings())
    started = place.start(["sh", "-c", "test -t 0 && test -t 1 && echo terminal"], pty=True)
    assert started.child.stdout is not None
    said, deadline = b"", time.monotonic() + 20
    while b"terminal" not in said and time.monotonic() < deadline:
        said += os.read(started.child.stdout.fileno(), 100)
    assert started.child.wait(20) == 0
    for pipe in (started.child.stdin, started.child.stdout):
        assert pipe is not None
        pipe.close()


def test_files_that_may_not_be_touched_are_permission_errors(
    only_docker: Engine, opened: Opens, tmp_path: Path
) -> None:
    shut = tmp_path / "shut"
    shut.mkdir()
    (shut / "file").write_text("secret")
    (shut / "file").chmod(0o600)
    os.chown(shut / "file", 12345, 12345)
    # Root without its powers is a user like any other.
    place = opened(only_docker.settings(run_as_host_user=True, volumes=[f"{shut}:/shut:ro"]))
    with pytest.raises(TerminalEnvironmentError, match="Permission denied"):
        place.run("cat /shut/file")
    with pytest.raises(TerminalEnvironmentError, match="Read-only"):
        place.run("cat >/shut/new", input=b"data")


def test_closing_removes_a_container_that_is_not_kept(engine: Engine, home: Path) -> None:
    place = docker.make(engine.settings(reuse=False, persist=False), task="task", home=str(home))
    place.open()
    assert engine.names() == [place.name]
    place.close()
    place.close()
    assert engine.names() == []
    assert engine("volume", "ls", "--quiet") == ""
    place.open()
    assert place.run("pwd; cd /workspace && touch it && echo ok") == b"/\nok\n"
    place.close()


def test_a_cold_start_asks_the_engine_no_more_than_it_must(only_docker: Engine, home: Path, tmp_path: Path) -> None:
    """The client is a script that counts, and then the client."""
    counted, client = tmp_path / "count", tmp_path / "docker"
    client.write_text(f'#!/bin/sh\necho "$1" >>{counted}\nexec {only_docker.program} "$@"\n')
    client.chmod(0o755)
    settings = only_docker.settings(engine=str(client), container={"disk": 0})
    for wanted in (["run", "exec"], ["exec"]):
        place = docker.make(settings, task="task", home=str(home))
        place.open()
        place.close()
        assert counted.read_text().split() == wanted
        counted.unlink()


def test_what_the_engine_cannot_limit_is_asked_for_only_once(only_docker: Engine, home: Path, tmp_path: Path) -> None:
    """The disk's size needs a file system that hardly anybody has; with another client it is another engine."""
    counted, client = tmp_path / "count", tmp_path / "docker"
    client.write_text(f'#!/bin/sh\necho "$1" >>{counted}\nexec {only_docker.program} "$@"\n')
    client.chmod(0o755)
    calls = []
    for task in ("one", "two"):
        place = docker.make(only_docker.settings(engine=str(client)), task=task, home=str(home))
        place.open()
        place.close()
        calls.append(counted.read_text().split())
        counted.unlink()
    assert calls[0] in (["run", "run", "exec"], ["run", "exec"])
    assert calls[1] == ["run", "exec"]


def test_a_folder_that_is_gone_does_not_keep_a_process_from_starting(
    only_docker: Engine, opened: Opens, talk: Talks
) -> None:
    place = opened(only_docker.settings(cwd="/no/such/folder"))
    assert place.folder == "/workspace"
    say = talk(place)
    assert (
        say("mkdir -p /workspace/deep/er && cd /workspace/deep/er && rm -r /workspace/deep; kill -9 $$").status == 137
    )
    assert say("pwd", folder="/workspace").output == "/workspace\n"
