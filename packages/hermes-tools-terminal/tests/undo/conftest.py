"""A store, a tree, and short ways to change files through them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import Change, Receipt, UndoStore

Snapshot = dict[str, tuple[int, bytes] | None]


class Workspace:
    """A folder whose files are changed as tools do it.

    Args:
        folder: The folder.
        store: Where receipts go.
        tree: Who changes files.
    """

    def __init__(self, folder: Path, store: UndoStore, tree: LocalFileSystem | None = None) -> None:
        self.folder = folder
        self.store = store
        self.tree = tree or LocalFileSystem()

    def change(self, name: str, after: bytes | None, mode: int | None = None) -> Change:
        """A change of one file, which is read for it."""
        found = self.tree.find(name, base=str(self.folder))
        return Change(found, self.tree.read(found) if found.kind == "file" else None, after, mode)

    def moved(self, name: str, new: str) -> list[Change]:
        """The two changes of a move."""
        old = self.change(name, None)
        return [self.change(new, old.before, old.found.mode), old]

    def apply(self, *changes: Change, **facts: Any) -> Receipt:
        """Make changes."""
        return self.store.apply(self.tree, changes, **{"tool": "patch", "task": "main", **facts})

    def write(self, name: str, after: bytes | None, **facts: Any) -> Receipt:
        """Write or remove one file."""
        return self.apply(self.change(name, after), **facts)

    def snapshot(self) -> Snapshot:
        """Every file with mode and content, and every folder."""
        return {
            str(path.relative_to(self.folder)): (path.stat().st_mode, path.read_bytes()) if path.is_file() else None
            for path in sorted(self.folder.rglob("*"))
        }


MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where files need not be brought to a disk: for tests that write thousands of times and are not about disks."""


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder there."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def store(home: Path) -> UndoStore:
    """The store of this test's home."""
    return UndoStore(home / "undo")


@pytest.fixture
def desk(tmp_path: Path, store: UndoStore) -> Workspace:
    """A folder with some files."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"old a\r\n")
    (folder / "b.bin").write_bytes(bytes(range(256)))
    (folder / "b.bin").chmod(0o751)
    return Workspace(folder, store)


@pytest.fixture
def make_desk() -> Callable[..., Workspace]:
    """Makes others."""
    return Workspace
