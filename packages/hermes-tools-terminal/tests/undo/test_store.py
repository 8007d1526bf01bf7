"""Changing files through the store: what is left of it, and what happens when it goes wrong."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import Change, ConflictError, Receipt, UndoStore, UnfinishedError, finish, undo


def names(store: UndoStore) -> list[str]:
    return sorted(os.listdir(store.directory.folder))


def states(store: UndoStore) -> list[tuple[int, str]]:
    return [(each.number, each.state) for each in store.receipts()]


def test_a_change_leaves_a_receipt_with_its_facts(desk: Any) -> None:
    receipt = desk.write("a.txt", b"new\n", tool="write_file", call="c1", task="t1", session="s1")
    (kept,) = desk.store.receipts()
    assert kept == receipt
    assert (kept.number, kept.tool, kept.call, kept.task, kept.session) == (1, "write_file", "c1", "t1", "s1")
    assert (kept.place, kept.state, kept.kind, kept.undoable) == ("local", "done", "call", True)
    assert [file.path for file in kept.files] == [str(desk.folder / "a.txt")]
    assert kept.files[0].before.size == 7
    assert (desk.folder / "a.txt").read_bytes() == b"new\n"


def test_nobody_else_can_look_into_the_store(desk: Any) -> None:
    folder = Path(desk.store.directory.folder)
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    desk.write("a.txt", b"secret")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}


def test_what_changed_since_it_was_found_is_not_overwritten(desk: Any) -> None:
    change = desk.change("a.txt", b"mine")
    (desk.folder / "a.txt").write_bytes(b"theirs")
    with pytest.raises(ChangedError, match="read it again") as caught:
        desk.apply(change)
    assert caught.value.filename == str(desk.folder / "a.txt")
    assert (desk.folder / "a.txt").read_bytes() == b"theirs"
    assert list(desk.store.receipts()) == []


def test_a_link_put_in_its_place_is_not_followed(desk: Any, tmp_path: Path) -> None:
    change = desk.change("a.txt", b"mine")
    (tmp_path / "victim").write_bytes(b"old a\r\n")
    (desk.folder / "a.txt").unlink()
    (desk.folder / "a.txt").symlink_to(tmp_path / "victim")
    with pytest.raises(ChangedError):
        desk.apply(change)
    assert (tmp_path / "victim").read_bytes() == b"old a\r\n"


def test_one_stale_file_stops_all(desk: Any) -> None:
    changes = [desk.change("new.txt", b"new"), desk.change("a.txt", b"mine")]
    (desk.folder / "a.txt").write_bytes(b"theirs")
    with pytest.raises(ChangedError):
        desk.apply(*changes)
    assert not (desk.folder / "new.txt").exists()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([], "no changes"),
        (
            [Change(FileInfo("/x", "/x", "missing"), None, b""), Change(FileInfo("/x", "/x", "missing"), None, b"")],
            "twice",
        ),
        ([Change(FileInfo("/x", "/x", "missing"), None, None)], "is missing"),
        ([Change(FileInfo("/x", "/x", "missing"), b"read", b"")], "does not fit"),
        ([Change(FileInfo("/x", "/x", "file"), None, b"")], "does not fit"),
    ],
)
def test_changes_that_make_no_sense_are_refused(store: UndoStore, changes: list[Change], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        store.apply(LocalFileSystem(), changes, tool="patch")


def test_only_regular_files_are_changed(desk: Any) -> None:
    os.mkfifo(desk.folder / "pipe")
    with pytest.raises(OSError, match="only regular files"):
        desk.apply(Change(desk.tree.find("pipe", base=str(desk.folder)), b"", b"x"))


class Failing(LocalFileSystem):
    """A real tree whose disk is full for one file, with somebody else who does something at that moment."""

    def __init__(self, bad: str, meanwhile: Any = None, *, late: bool = False) -> None:
        super().__init__()
        self.bad, self.meanwhile, self.late = bad, meanwhile, late

    def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
        if not found.path.endswith(self.bad):
            return super().replace(found, data, mode=mode)
        if self.late:
            self.late = False
            super().replace(found, data, mode=mode)
        if self.meanwhile is not None:
            self.meanwhile()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), found.path)


def test_a_failure_half_way_puts_everything_back(desk: Any) -> None:
    before = desk.snapshot()
    desk.tree = Failing("last.txt")
    changes = [desk.change("a.txt", b"x"), desk.change("b.bin", None), desk.change("in/new.txt", b"n")]
    with pytest.raises(OSError, match="No space left"):
        desk.apply(*changes, desk.change("in/last.txt", b"l"))
    assert desk.snapshot() == before
    assert list(desk.store.receipts()) == []
    assert desk.write("a.txt", b"y").number == 2, "numbers are never given twice"


def test_a_change_that_fails_when_it_was_made_already_is_put_back_too(desk: Any) -> None:
    before = desk.snapshot()
    desk.tree = Failing("c.txt", late=True)
    with pytest.raises(OSError, match="No space left"):
        desk.apply(desk.change("a.txt", b"x"), desk.change("c.txt", b"new"))
    assert desk.snapshot() == before


@pytest.fixture
def unfinished(desk: Any) -> int:
    """A call that was stopped half-way and could not be put back: somebody else had written the first file."""
    meddle = desk.folder / "a.txt"
    desk.tree = Failing("new.txt", lambda: meddle.write_bytes(b"theirs"))
    with pytest.raises(UnfinishedError) as caught:
        desk.apply(desk.change("a.txt", b"mine"), desk.change("b.bin", None), desk.change("new.txt", b"n"))
    desk.tree = LocalFileSystem()
    number = caught.value.number
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.stuck == (str(meddle),)
    assert f"hermes undo --receipt {number}" in str(caught.value)
    assert f"hermes undo --finish {number}" in str(caught.value)
    assert (desk.folder / "b.bin").read_bytes() == bytes(range(256)), "what can be put back is"
    assert states(desk.store) == [(number, "unfinished")]
    return number


def test_what_cannot_be_put_back_is_a_conflict_until_it_is_mended(desk: Any, unfinished: int) -> None:
    with pytest.raises(ConflictError, match=r"a\.txt was changed since"):
        undo(desk.store, unfinished)
    (desk.folder / "a.txt").write_bytes(b"mine")
    assert undo(desk.store, unfinished).files == (str(desk.folder / "a.txt"),)
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"
    assert states(desk.store) == [(unfinished, "undone")]


def test_what_was_stopped_half_way_can_be_finished(desk: Any, unfinished: int) -> None:
    (desk.folder / "a.txt").write_bytes(b"old a\r\n")
    done = finish(desk.store, unfinished)
    assert done.completed
    assert desk.snapshot() == {
        "a.txt": (0o100644, b"mine"),
        "new.txt": (stat.S_IFREG | 0o644, b"n"),
    }
    assert states(desk.store) == [(unfinished, "done")]
    undo(desk.store, unfinished)
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"
    assert not (desk.folder / "new.txt").exists()


def test_an_interruption_puts_everything_back(desk: Any) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    before = desk.snapshot()
    desk.tree = Failing("b.bin", stop)
    with pytest.raises(KeyboardInterrupt):
        desk.apply(desk.change("a.txt", b"x"), desk.change("b.bin", b"y"))
    assert desk.snapshot() == before


def test_a_second_interruption_leaves_a_way_to_go_on(desk: Any) -> None:
    class Interrupted(LocalFileSystem):
        times = 0

        def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
            self.times += 1
            if self.times > 1:
                raise KeyboardInterrupt
            return super().replace(found, data, mode=mode)

    before = desk.snapshot()
    desk.tree = Interrupted()
    with pytest.raises(UnfinishedError, match="hermes undo --receipt 1"):
        desk.apply(desk.change("a.txt", b"x"), desk.change("b.bin", b"y"))
    assert states(desk.store) == [(1, "unfinished")]
    assert undo(desk.store).files == (str(desk.folder / "a.txt"),)
    assert desk.snapshot() == before


# -- bounds ------------------------------------------------------------------------------------------------------


def test_the_oldest_receipts_go(desk: Any) -> None:
    desk.store = UndoStore(desk.store.directory.folder, keep=5)
    for number in range(23):
        desk.write("a.txt", b"%d" % number)
    assert [each.number for each in desk.store.receipts()] == [23, 22, 21, 20, 19]
    for _ in range(5):
        undo(desk.store)
    assert (desk.folder / "a.txt").read_bytes() == b"17"


def test_fewer_are_kept_once_fewer_are_wanted(desk: Any) -> None:
    for number in range(20):
        desk.write("a.txt", b"%d" % number)
    desk.store = UndoStore(desk.store.directory.folder, keep=3)
    for number in range(16):
        desk.write("a.txt", b"again %d" % number)
    assert len(list(desk.store.receipts())) <= 3


def test_the_store_never_has_more_bytes_than_it_may(desk: Any) -> None:
    desk.store = UndoStore(desk.store.directory.folder, max_bytes=100_000)
    for number in range(60):
        desk.write("a.txt", bytes([number]) * (900 if number % 3 else 12_000))
        assert sum(each.stat().st_size for each in Path(desk.store.directory.folder).iterdir()) <= 100_000
    assert undo(desk.store).receipt.number == 60


def test_what_is_too_large_is_written_and_cannot_be_undone(desk: Any) -> None:
    desk.store = UndoStore(desk.store.directory.folder, max_bytes=4000)
    (desk.folder / "a.txt").write_bytes(b"x" * 1001)
    receipt = desk.write("a.txt", b"small")
    assert (desk.folder / "a.txt").read_bytes() == b"small"
    assert not receipt.undoable
    assert "larger than 1,000 bytes" in receipt.reason
    assert list(desk.store.receipts()) == [receipt]


def test_several_too_large_ones_are_all_or_none_and_then_forgotten(desk: Any) -> None:
    before = desk.snapshot()
    desk.store = UndoStore(desk.store.directory.folder, max_bytes=4000)
    desk.tree = Failing("b.bin")
    with pytest.raises(OSError, match="No space left"):
        desk.apply(desk.change("a.txt", b"x" * 2000), desk.change("b.bin", b"y"))
    assert desk.snapshot() == before
    desk.tree = LocalFileSystem()
    receipt = desk.apply(desk.change("a.txt", b"x" * 2000), desk.change("b.bin", b"y"))
    assert not receipt.undoable
    assert list(desk.store.receipts()) == [receipt]
    assert names(desk.store) == ["000002.done", "lock"]


@pytest.mark.parametrize(("keep", "size"), [(0, 1), (-1, 1), (1, -1)])
def test_bounds_that_make_no_sense_are_refused(tmp_path: Path, keep: int, size: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        UndoStore(tmp_path, keep=keep, max_bytes=size)


# -- who wrote it ------------------------------------------------------------------------------------------------


def test_the_last_writer_is_known_to_everybody_who_shares_the_store(desk: Any) -> None:
    mine, path = UndoStore(desk.store.directory.folder), str(desk.folder / "a.txt")
    assert mine.last_writer("local", path) is None
    desk.write("a.txt", b"1", task="first")
    assert _task(mine.last_writer("local", path)) == "first"
    desk.write("b.bin", b"1", task="other")
    desk.write("a.txt", b"2", task="second")
    assert _task(mine.last_writer("local", path)) == "second"
    assert _task(UndoStore(desk.store.directory.folder).last_writer("local", path)) == "second"
    assert mine.last_writer("ssh:me@there:22", path) is None
    undo(desk.store)
    found = mine.last_writer("local", path)
    assert found is not None
    assert (found.kind, found.tool) == ("undo", "undo")


def test_a_store_that_was_emptied_is_read_anew(desk: Any) -> None:
    path = str(desk.folder / "a.txt")
    for number in range(3):
        desk.write("a.txt", b"%d" % number)
    assert desk.store.last_writer("local", path).number == 3
    for each in Path(desk.store.directory.folder).iterdir():
        each.unlink()
    assert desk.write("a.txt", b"x", task="later").number == 1
    assert desk.store.last_writer("local", path) is not None


def _task(receipt: Receipt | None) -> str:
    assert receipt is not None
    return receipt.task
