"""Containers are found again by the next process, and removed when nobody comes back for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.client import safe_name
from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.environments.docker.cleanup import ContainerUsage

Engine = Any
Opens = Callable[..., docker.DockerEnvironment]


class Other:
    """Another process with a container."""

    def __init__(self, settings: Any, home: Path) -> None:
        child = [sys.executable, str(Path(__file__).with_name("killed.py")), json.dumps(asdict(settings)), str(home)]
        path = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(child, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
        assert self._process.stdout is not None
        self.name = self._process.stdout.readline().decode().strip()

    def kill(self) -> None:
        """As a crash would."""
        self._process.kill()
        self._process.wait(20)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def other(home: Path) -> Iterator[Callable[[Any], Other]]:
    """Starts other processes."""
    made: list[Other] = []

    def start(settings: Any) -> Other:
        made.append(Other(settings, home))
        return made[-1]

    yield start
    for each in made:
        each.kill()


def test_another_process_gets_the_same_container(engine: Engine, opened: Opens, other: Callable[[Any], Other]) -> None:
    first = other(engine.settings())
    place = opened(engine.settings())
    assert place.name == first.name
    assert b"sleep 5432" in place.run("ps -o args")
    assert len(engine.names()) == 1


def test_other_tasks_homes_and_settings_get_other_containers(
    only_docker: Engine, opened: Opens, tmp_path: Path
) -> None:
    names = {opened(only_docker.settings()).name, opened(only_docker.settings(), task="another").name}
    names.add(opened(only_docker.settings(container={"pids": 99})).name)
    elsewhere = docker.make(only_docker.settings(), task="task", home=str(tmp_path / "elsewhere"))
    elsewhere.open()
    names.add(elsewhere.name)
    assert len(names) == 4
    assert docker.reap(only_docker.settings(), str(tmp_path / "elsewhere")) == 0
    assert len(only_docker.names()) == 4


def test_variables_do_not_make_another_container(only_docker: Engine, opened: Opens) -> None:
    assert opened(only_docker.settings()).name == opened(only_docker.settings(env={"A": "1"})).name


def test_a_container_that_is_not_kept_goes_with_the_process_that_was_killed(
    engine: Engine, home: Path, other: Callable[[Any], Other]
) -> None:
    settings = engine.settings(reuse=False)
    dead, living = other(settings), other(settings)
    dead.kill()
    assert docker.reap(engine.settings(orphan_reaper=False), str(home)) == 0
    assert docker.reap(settings, str(home)) == 1
    assert engine.names() == [living.name]
    assert docker.reap(settings, str(home)) == 0


def test_a_kept_container_outlives_its_process_but_what_ran_in_it_does_not(
    engine: Engine, home: Path, opened: Opens, other: Callable[[Any], Other]
) -> None:
    first = other(engine.settings())
    assert docker.reap(engine.settings(), str(home)) == 0  # its process lives
    first.kill()
    assert docker.reap(engine.settings(), str(home)) == 1
    assert engine.names() == [first.name]
    place = opened(engine.settings())
    assert place.name == first.name
    assert b"5432" not in place.run("ps -o args")


def test_a_kept_container_that_nobody_came_back_for_is_removed(only_docker: Engine, home: Path, opened: Opens) -> None:
    settings = only_docker.settings(lifetime_seconds=100)
    place = opened(settings)
    place.close()
    uses = ContainerUsage.of(str(home), place.name)
    for idle, removed in ((150, 0), (250, 1)):
        then = time.time() - idle
        os.utime(uses.folder, (then, then))
        assert docker.reap(settings, str(home)) == removed
    assert only_docker.names() == []
    assert not uses.known


def test_a_container_in_use_is_never_removed_however_old(only_docker: Engine, home: Path, opened: Opens) -> None:
    place = opened(only_docker.settings())
    folder = Path(ContainerUsage.of(str(home), place.name).folder)
    for path in (*folder.iterdir(), folder):
        os.utime(path, (0, 0))
    assert docker.reap(only_docker.settings(), str(home)) == 0
    assert place.run("echo here") == b"here\n"


def test_containers_of_others_are_left_alone(only_docker: Engine, home: Path) -> None:
    only_docker("run", "--detach", "--name", "somebodys", "--label", "hermes-tools=1", only_docker.image, "sleep", "99")
    assert docker.reap(only_docker.settings(), str(home)) == 0
    assert only_docker.names() == ["somebodys"]


def test_two_that_open_at_once_share_one_container(only_docker: Engine, home: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    places = [docker.make(only_docker.settings(), task="task", home=str(home)) for _ in range(4)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda place: place.open(), places))
    assert len(only_docker.names()) == 1
    assert [place.run("echo ok") for place in places] == [b"ok\n"] * 4
    for place in places:
        place.close()


@pytest.mark.parametrize("task", ["plain", "../up", "a b/c:d", "", "..", "ü" * 200, "-x", "UPPER.lower_1"])
def test_every_task_has_a_name_that_files_and_labels_can_have(task: str) -> None:
    safe = safe_name(task)
    assert safe == task or len(safe) <= 80
    assert all(char.isascii() and (char.isalnum() or char in "_.-") for char in safe)
    assert safe.strip(".-")
    assert safe_name(task + "/") != safe


def test_labels_say_whose_it_is(engine: Engine, opened: Opens, home: Path) -> None:
    place = opened(engine.settings(), task="../odd task")
    labels = json.loads(engine("inspect", "--format", "{{json .Config.Labels}}", place.name))
    assert labels["hermes-tools"] == "1"
    assert labels["hermes-tools.task"] == safe_name("../odd task")
    assert labels["hermes-tools.owner"].startswith(f"{os.getpid()}-")
    kept = home / "sandboxes" / "docker" / safe_name("../odd task")
    assert sorted(each.name for each in kept.iterdir()) == ["home", "workspace"]
