"""Files in a container whose image has busybox and nothing else, by the file tools' own way."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.docker.environment import DockerEnvironment
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.filesystem import ChangedError, Lines
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

Engine = Any  # conftest's TestEngine: test folders cannot be imported from
Opens = Callable[..., DockerEnvironment]


@pytest.fixture
def place(engine: Engine, opened: Opens) -> DockerEnvironment:
    """A container."""
    return opened(engine.settings())


@pytest.fixture
def tree(place: DockerEnvironment, home: Path) -> Iterator[RemoteFileSystem]:
    """Its files."""
    found = filesystem_for(place, home=str(home), name=f"docker:{place.name}")
    assert isinstance(found, RemoteFileSystem)
    yield found
    found.close()


def test_files_in_a_container_are_written_read_and_removed(tree: RemoteFileSystem, place: DockerEnvironment) -> None:
    data = bytes(range(256)) * 6000
    for path in ("plain", "deep/er/two words\n'", "-\udcff\udc81"):
        made = tree.replace(tree.find(path, base="/workspace"), data, mode=0o640)
        assert (made.kind, made.mode, made.links) == ("file", 0o640, 1)
        assert made == tree.find(path, base="/workspace")
        assert tree.read(made) == data
        again = tree.replace(made, b"one\r\ntwo\n" + b"x" * 3_000_000)
        assert again.mode == 0o640
        assert tree.lines(again, 2, 5, longest=10) == Lines(b"two\nxxxxxxxxxx", {3: 3_000_000}, 3, more=False)
        assert tree.read(again) == b"one\r\ntwo\n" + b"x" * 3_000_000
    assert tree.names(tree.find("/workspace", base="/")) == sorted(["-\udcff\udc81", "deep", "plain"])
    tree.remove(tree.find("plain", base="/workspace"))
    assert tree.find("plain", base="/workspace").kind == "missing"


def test_files_of_the_image_are_changed_in_the_container(tree: RemoteFileSystem, place: DockerEnvironment) -> None:
    found = tree.find("/etc/passwd", base="/")
    old = tree.read(found)
    changed = tree.replace(found, old + b"# more\n")
    assert (changed.mode, changed.owner) == (found.mode, found.owner)
    assert place.run("tail -n 1 /etc/passwd") == b"# more\n"
    with pytest.raises(ChangedError):
        tree.replace(found, b"")


def test_what_is_swapped_for_a_link_in_a_container_is_not_followed(
    tree: RemoteFileSystem, place: DockerEnvironment
) -> None:
    place.run("mkdir /workspace/d; echo public >/workspace/d/f; echo secret >/workspace/s; ln -s d /workspace/way")
    found = tree.find("way/f", base="/workspace")
    assert found.path == "/workspace/d/f"
    place.run("rm /workspace/d/f; ln -s ../s /workspace/d/f")
    for use in (tree.read, tree.remove, lambda it: tree.replace(it, b"mine")):
        with pytest.raises(ChangedError):
            use(found)
    assert place.run("cat /workspace/s; ls -a /workspace/d") == b"secret\n.\n..\nf\n"


def test_a_container_that_is_gone_is_told(engine: Engine, tree: RemoteFileSystem, place: DockerEnvironment) -> None:
    found = tree.find("file", base="/workspace")
    engine("rm", "--force", place.name)
    with pytest.raises(OSError) as caught:
        tree.find("file", base="/workspace")
    assert caught.value.errno == errno.EHOSTDOWN
    with pytest.raises(OSError) as caught:
        tree.replace(found, b"x")
    assert caught.value.errno == errno.EHOSTDOWN


def test_a_container_has_the_same_name_in_another_process(
    only_docker: Engine, opened: Opens, place: DockerEnvironment
) -> None:
    assert filesystem_name(place, only_docker.settings(), "task") == f"docker:{place.name}"
