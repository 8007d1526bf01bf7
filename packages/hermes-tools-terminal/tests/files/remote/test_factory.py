"""Which tree a place gets, and what it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem
from hermes_tools_terminal.settings import TerminalSettings

from .conftest import NewPlace


def test_this_machine_has_a_tree_of_its_own_kind(work: Path, home: Path) -> None:
    place = LocalEnvironment(str(work))
    tree = filesystem_for(place, home=str(home), roots=[str(work)])
    assert isinstance(tree, LocalFileSystem)
    assert (tree.kind, tree.name, filesystem_name(place, TerminalSettings(), "task")) == ("local", "local", "local")
    with pytest.raises(PermissionError):
        tree.find("/etc/passwd", base="/")


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_other_places_are_reached_by_a_shell_and_confined_alike(new_place: NewPlace, work: Path, home: Path) -> None:
    place = new_place()
    name = filesystem_name(place, TerminalSettings(), "task")
    tree = filesystem_for(place, home=str(home), roots=[str(work)], name=name)
    assert isinstance(tree, RemoteFileSystem)
    assert (tree.kind, tree.name) == ("shell", "shell:task")
    with pytest.raises(PermissionError):
        tree.find("/etc/passwd", base="/")
    made = tree.replace(tree.find("file", base=str(work)), b"x")
    with tree.locked(made):
        assert (home / "locks" / "files").is_dir()
    tree.close()
