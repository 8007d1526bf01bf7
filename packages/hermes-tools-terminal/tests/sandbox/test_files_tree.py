"""Files behind the walls of a sandbox, by the file tools' own way: what it hides stays hidden, for them, too."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.environments.sandbox.environment import SandboxEnvironment
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.filesystem import ChangedError, Lines
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem
from hermes_tools_terminal.settings import TerminalSettings

from .conftest import SECRET


@pytest.fixture
def place(own: Path, engine: str) -> Iterator[SandboxEnvironment]:
    """A sandbox."""
    settings = TypeAdapter(TerminalSettings).validate_python({"cwd": str(own / "work"), "sandbox": {"engine": engine}})
    made = sandbox.make(settings, task="task", home=str(own / "home" / ".hermes"))
    made.open()
    yield made
    made.close()


@pytest.fixture
def tree(place: SandboxEnvironment, tmp_path: Path) -> Iterator[RemoteFileSystem]:
    """The files that it sees."""
    found = filesystem_for(place, home=str(tmp_path), name=filesystem_name(place, TerminalSettings(), "task"))
    assert isinstance(found, RemoteFileSystem)
    assert found.name == "sandbox"
    yield found
    found.close()


def test_files_of_the_workspace_are_written_read_and_removed(
    tree: RemoteFileSystem, place: SandboxEnvironment, own: Path
) -> None:
    data = bytes(range(256)) * 6000
    for path in ("deep/er/two words\n'", "-\udcff\udc81"):
        made = tree.replace(tree.find(path, base=place.folder), data)
        assert (own / "work" / path).read_bytes() == data
        assert tree.read(made) == data
        again = tree.replace(made, b"one\r\ntwo\n" + b"x" * 3_000_000)
        assert tree.lines(again, 2, 5, longest=10) == Lines(b"two\nxxxxxxxxxx", {3: 3_000_000}, 3, more=False)
    assert "deep" in tree.names(tree.find(".", base=place.folder))
    tree.remove(tree.find("-\udcff\udc81", base=place.folder))
    assert sorted(os.listdir(own / "work")) == [".env", "deep"]


def test_what_is_hidden_cannot_be_read_and_what_is_only_shown_cannot_be_written(
    tree: RemoteFileSystem, own: Path
) -> None:
    hidden = own / "home" / ".ssh" / "id_rsa"
    try:
        content = tree.read(tree.find(str(hidden), base="/"))
    except OSError:
        content = b""
    assert SECRET.encode() not in content
    with pytest.raises(OSError) as caught:
        tree.replace(tree.find("/etc/hermes-new", base="/"), b"x")
    assert caught.value.errno in (errno.EROFS, errno.EACCES)
    assert not os.path.exists("/etc/hermes-new")
    (own / "work" / "way").symlink_to(hidden)
    with pytest.raises(OSError):
        tree.replace(tree.find("way", base=str(own / "work")), b"x")
    assert hidden.read_text() == SECRET


def test_what_is_swapped_outside_is_noticed_inside(tree: RemoteFileSystem, own: Path) -> None:
    path = own / "work" / "file"
    path.write_bytes(b"public")
    found = tree.find("file", base=str(own / "work"))
    path.unlink()
    path.symlink_to("/etc/passwd")
    for use in (tree.read, tree.remove, lambda it: tree.replace(it, b"mine")):
        with pytest.raises(ChangedError):
            use(found)


def test_a_sandbox_that_is_closed_is_told(tree: RemoteFileSystem, place: SandboxEnvironment) -> None:
    tree.find("file", base=place.folder)
    tree.close()
    place.close()
    with pytest.raises(OSError) as caught:
        tree.find("file", base="/")
    assert caught.value.errno == errno.EHOSTDOWN
