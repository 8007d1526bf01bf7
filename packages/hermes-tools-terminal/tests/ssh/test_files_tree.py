"""Files on another machine, by the file tools' own way."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.ssh.environment import SshEnvironment
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.filesystem import ChangedError, Lines
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem
from hermes_tools_terminal.settings import TerminalSettings

Places = Callable[..., SshEnvironment]
Trees = Callable[[SshEnvironment], RemoteFileSystem]


@pytest.fixture
def tree_in(home: Path) -> Iterator[Trees]:
    """Makes trees of places, and closes them."""
    made: list[RemoteFileSystem] = []

    def make(place: SshEnvironment) -> RemoteFileSystem:
        found = filesystem_for(place, home=str(home), name="ssh:test")
        assert isinstance(found, RemoteFileSystem)
        made.append(found)
        return found

    yield make
    for tree in made:
        tree.close()


def test_files_on_another_machine_are_written_read_and_removed(sshd: Any, place: Places, tree_in: Trees) -> None:
    there = place(sshd)
    tree = tree_in(there)
    data = os.urandom(1_500_000)
    for path in ("deep/er/two words\n'", "-\udcff\udc81\u00e9"):
        made = tree.replace(tree.find(f"~/tree/{path}", base="/"), data)
        assert made.path == f"{there.folder}/tree/{path}"
        assert tree.find(f"tree/{path}", base=there.folder).stamp == made.stamp
        assert tree.read(made) == data
        again = tree.replace(made, b"one\r\ntwo\n" + b"x" * 3_000_000)
        assert tree.lines(again, 2, 5, longest=10) == Lines(b"two\nxxxxxxxxxx", {3: 3_000_000}, 3, more=False)
        tree.remove(again)
    assert tree.names(tree.find("~/tree/deep/er", base="/")) == []
    assert tree.names(tree.find("~/tree", base="/")) == ["deep"]


def test_what_the_user_may_not_do_there_is_told(sshd: Any, place: Places, tree_in: Trees) -> None:
    if os.geteuid():
        pytest.skip("the user who logs in is the one who runs the tests")
    tree = tree_in(place(sshd))
    for path in ("/etc/shadow", "/root/.profile"):
        with pytest.raises(PermissionError):
            tree.read(tree.find(path, base="/"))
    with pytest.raises(PermissionError):
        tree.replace(tree.find("/etc/passwd", base="/"), b"")
    with pytest.raises(PermissionError):
        tree.replace(tree.find("/etc/hermes-new", base="/"), b"")


def test_a_change_there_is_noticed(sshd: Any, place: Places, tree_in: Trees) -> None:
    there = place(sshd)
    tree = tree_in(there)
    found = tree.replace(tree.find("~/stale", base="/"), b"old")
    there.run('echo newer >>"$1"', found.path)
    with pytest.raises(ChangedError):
        tree.replace(found, b"mine")
    assert tree.read(found) == b"oldnewer\n"


def test_a_machine_that_is_gone_is_told(own_sshd: Callable[..., Any], place: Places, tree_in: Trees) -> None:
    server = own_sshd()
    tree = tree_in(place(server))
    found = tree.find("~/file", base="/")
    server.kill()
    with pytest.raises(OSError) as caught:
        tree.find("~/file", base="/")
    assert caught.value.errno == errno.EHOSTDOWN
    with pytest.raises(OSError) as caught:
        tree.replace(found, b"x")
    assert caught.value.errno == errno.EHOSTDOWN
    server.start()
    assert tree.find("~/file", base="/") == found


def test_a_machine_is_called_by_its_user_and_port(sshd: Any, place: Places) -> None:
    there = place(sshd, opened=False)
    settings = TypeAdapter(TerminalSettings).validate_python({"ssh": sshd.settings()})
    assert filesystem_name(there, settings, "task") == f"ssh:{sshd.user}@127.0.0.1:{sshd.port}"
    assert (
        filesystem_name(there, TypeAdapter(TerminalSettings).validate_python({"ssh": {"host": "box"}}), "task")
        == "ssh:box"
    )
