"""Settings that let a container out are told, and those that let it do anything end the isolation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.settings import TerminalSettings


def _place(home: Path, **options: object) -> docker.DockerEnvironment:
    settings = TypeAdapter(TerminalSettings).validate_python({"docker": {"network": False, **options}})
    return docker.make(settings, task="task", home=str(home))


def test_a_plain_container_leaks_nothing_but_the_network(home: Path) -> None:
    assert (_place(home).isolated, list(_place(home).leaks())) == (True, [])
    assert list(_place(home, network=True).leaks()) == ["network"]
    assert _place(home, network=True).isolated


@pytest.mark.parametrize(
    "args",
    [
        ["--privileged"],
        ["--privileged=true"],
        ["--pid", "host"],
        ["--pid=host"],
        ["--network", "host"],
        ["--net=host"],
        ["--ipc=host"],
        ["--cap-add", "SYS_ADMIN"],
        ["--cap-add=CAP_SYS_PTRACE"],
        ["--cap-add=ALL"],
        ["--device", "/dev/sda"],
        ["-v", "/var/run/docker.sock:/var/run/docker.sock"],
        ["-v/:/host:ro"],
        ["--volume=/run:/run:ro"],
        ["--mount", "type=bind,source=/,target=/host,readonly"],
        ["--mount=type=bind,src=/var/run/docker.sock,dst=/s"],
        ["--volumes-from", "other"],
        ["--use-api-socket"],
        ["--rm", "--hostname", "x", "--privileged"],
    ],
)
def test_arguments_that_open_the_box_end_the_isolation(home: Path, args: list[str]) -> None:
    place = _place(home, extra_args=args)
    assert not place.isolated
    assert place.leaks()


@pytest.mark.parametrize(
    "volume",
    ["/:/host:ro", "/etc:/etc", "/etc/cron.d:/x", "~:/me", "~/.ssh:/ssh", "/run/docker.sock:/s", "/var/run:/r:ro"],
)
def test_volumes_that_hold_the_machine_end_the_isolation(home: Path, volume: str) -> None:
    assert not _place(home, volumes=[volume]).isolated


def test_the_engines_own_address_counts_as_its_socket(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine/s")
    assert not _place(home, volumes=[f"{tmp_path}:/x:ro"]).isolated


def test_a_link_to_the_machine_is_the_machine(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    assert not _place(home, volumes=[f"{tmp_path}/link:/x"]).isolated


def test_the_folder_of_state_is_not_for_commands(home: Path) -> None:
    assert not _place(home, volumes=[f"{home}:/x"]).isolated
    assert not _place(home, volumes=[f"{home.parent}:/x"]).isolated


@pytest.mark.parametrize(
    ("options", "leaks"),
    [
        ({"volumes": ["/srv/data:/data"]}, ["folder:/data"]),
        ({"volumes": ["/srv/data:/data:ro"]}, []),
        ({"volumes": ["named:/data"]}, []),
        ({"extra_args": ["--mount", "type=bind,source=/srv/x,target=/x"]}, ["folder:/x"]),
        ({"extra_args": ["--privileged=false", "--cap-add", "CHOWN", "--gpus", "all"]}, []),
        ({"extra_args": ["--device=/dev/fuse"]}, ["host"]),
    ],
)
def test_what_can_be_reached_is_told_without_ending_the_isolation(
    home: Path, options: dict[str, object], leaks: list[str]
) -> None:
    place = _place(home, **options)
    assert (place.isolated, list(place.leaks())) == (True, leaks)


def test_the_mounted_folder_is_told(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert list(_place(home, mount_cwd=True).leaks()) == ["folder:/workspace"]
    monkeypatch.chdir(os.path.expanduser("~"))
    assert not _place(home, mount_cwd=True).isolated
