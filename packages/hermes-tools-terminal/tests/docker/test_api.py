"""A shell in a container is spoken to without the engine's client, where the client says how, and by it elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.environments.docker.api import AttachedProcess
from hermes_tools_terminal.environments.docker.engine import Engine as Client

Engine = Any  # conftest's TestEngine: test folders cannot be imported from
Opens = Callable[..., docker.DockerEnvironment]
Talks = Callable[[docker.DockerEnvironment], Any]

LIMIT_SECONDS = 20.0


def _script(folder: Path, engine: Engine, first: str = "") -> tuple[Path, Path]:
    """A client that counts, and then is the client."""
    counted, client = folder / "count", folder / "docker"
    client.write_text(f'#!/bin/sh\necho "$1" >>{counted}\n{first}\nexec {engine.program} "$@"\n')
    client.chmod(0o755)
    return client, counted


def test_a_shell_needs_no_client_but_to_find_the_way(
    only_docker: Engine, opened: Opens, talk: Talks, tmp_path: Path
) -> None:
    client, counted = _script(tmp_path, only_docker)
    place = opened(only_docker.settings(engine=str(client), container={"disk": 0}))
    first, second = talk(place), talk(place)
    assert (first("echo $((6 * 7))").output, second("echo two").output) == ("42\n", "two\n")
    assert counted.read_text().split() == ["run", "exec", "context"]
    assert isinstance(first.shell.started.child, AttachedProcess)


@pytest.mark.parametrize(
    "first",
    [
        '[ "$1" = context ] && { echo "unknown command: docker context" >&2; exit 1; }',
        '[ "$1" = context ] && { echo tcp://127.0.0.1:2375; exit 0; }',
        '[ "$1" = context ] && { echo unix:///no/such/socket; exit 0; }',
        '[ "$1" = context ] && { echo; exit 0; }',
    ],
)
def test_a_client_that_knows_no_socket_is_used_itself(
    only_docker: Engine, opened: Opens, talk: Talks, tmp_path: Path, first: str
) -> None:
    client, counted = _script(tmp_path, only_docker, first)
    say = talk(opened(only_docker.settings(engine=str(client), container={"disk": 0})))
    assert say("echo by the client").output == "by the client\n"
    assert not isinstance(say.shell.started.child, AttachedProcess)
    assert counted.read_text().split() == ["run", "exec", "context", "exec"]


def test_a_socket_that_refuses_leaves_it_to_the_client(
    only_docker: Engine, new_dockerd: Callable[[], Any], opened: Opens, talk: Talks, tmp_path: Path
) -> None:
    """It leads to another engine, which knows no such container."""
    other = new_dockerd()
    first = f'[ "$1" = context ] && {{ echo {other.variables["DOCKER_HOST"]}; exit 0; }}'
    client, _ = _script(tmp_path, only_docker, first)
    say = talk(opened(only_docker.settings(engine=str(client))))
    assert say("echo right one").output == "right one\n"
    assert not isinstance(say.shell.started.child, AttachedProcess)


def test_podman_is_spoken_to_by_its_client() -> None:
    assert Client("/usr/bin/podman").socket == ""


def test_variables_come_through_as_they_are(only_docker: Engine, opened: Opens, talk: Talks) -> None:
    odd = "two\nlines, 'quotes', $HOME und Ümlaute"
    say = talk(opened(only_docker.settings(env={"ODD": odd, "PATH": "/bin:/odd", "no-name": "x"})))
    assert isinstance(say("true").status, int)
    assert isinstance(say.shell.started.child, AttachedProcess)
    assert say('printf %s "$ODD"').output == odd
    assert say("echo $PATH; env | grep -c HERMES_SET_").output == "/bin:/odd\n0\n"


def test_how_a_process_ended_is_told(only_docker: Engine, opened: Opens) -> None:
    place = opened(only_docker.settings())
    for argv, code in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["true"], 0), (["none"], 127)):
        child = place.start_interactive(argv).child
        assert child.wait(LIMIT_SECONDS) == code == child.poll()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            pipe.close()


def test_a_container_that_is_killed_ends_its_processes_here(only_docker: Engine, opened: Opens) -> None:
    place = opened(only_docker.settings())
    child = place.start_interactive(["sh"]).child
    assert child.poll() is None
    only_docker("kill", place.name)
    assert child.wait(LIMIT_SECONDS) == 137
    assert child.stdout is not None
    child.stdout.close()
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.start_interactive(["sh"])
    assert caught.value.gone
    assert not place.alive()


def test_a_process_that_waits_for_more_is_told_of_the_end(only_docker: Engine, opened: Opens) -> None:
    child = opened(only_docker.settings()).start_interactive(["sh", "-c", "cat >/dev/null; exit 5"]).child
    assert child.stdin is not None
    child.stdin.write(b"some\n")
    child.stdin.close()
    assert child.wait(LIMIT_SECONDS) == 5
    assert child.stdout is not None
    child.stdout.close()
