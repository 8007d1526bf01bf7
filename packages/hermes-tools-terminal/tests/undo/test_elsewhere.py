"""Undo of files that only a shell can reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem
from hermes_tools_terminal.undo import ConflictError, UndoError, redo, undo, undo_last


@pytest.fixture
def there(tmp_path: Path) -> Iterator[RemoteFileSystem]:
    """The files of this machine, as its shell sees them."""
    tree = RemoteFileSystem(LocalEnvironment("/"), "shell:there", locks=str(tmp_path / "locks"))
    yield tree
    tree.close()


def test_what_was_done_elsewhere_is_undone_there(desk: Any, there: RemoteFileSystem) -> None:
    before = desk.snapshot()
    desk.tree = there
    desk.apply(desk.change("a.txt", b"new"), desk.change("b.bin", None), desk.change("c ü\n", b"c", 0o640))
    after = desk.snapshot()
    desk.apply(*desk.moved("a.txt", "moved.txt"))
    with pytest.raises(UndoError, match="shell:there"):
        undo(desk.store)
    undo_last(desk.store, 2, filesystem_of=lambda _name: there)
    assert desk.snapshot() == before
    redo(desk.store, filesystem_of=lambda _name: there)
    assert desk.snapshot() == after


def test_a_conflict_elsewhere_changes_nothing(desk: Any, there: RemoteFileSystem) -> None:
    desk.tree = there
    desk.apply(desk.change("a.txt", b"new"), desk.change("b.bin", b"new"))
    (desk.folder / "b.bin").write_bytes(b"by hand")
    before = desk.snapshot()
    with pytest.raises(ConflictError, match=r"b\.bin was changed since"):
        undo(desk.store, filesystem_of=lambda _name: there)
    assert desk.snapshot() == before


def test_receipts_of_a_place_that_is_gone_stay_as_they_are(desk: Any, there: RemoteFileSystem) -> None:
    desk.tree = there
    desk.write("a.txt", b"new")

    def gone(name: str) -> RemoteFileSystem:
        raise UndoError(f"{name} does not answer.")

    with pytest.raises(UndoError, match="Receipt 1 cannot be used here. shell:there does not answer"):
        undo(desk.store, filesystem_of=gone)
    assert [each.state for each in desk.store.receipts()] == ["done"]
