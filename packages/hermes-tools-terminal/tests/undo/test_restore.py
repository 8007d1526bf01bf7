"""Taking back what calls did, making that undone, and refusing what does not fit any more."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.files.filesystem import FileSystem
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import (
    Change,
    ConflictError,
    NothingToUndoError,
    UndoError,
    UndoStore,
    finish,
    preview,
    redo,
    undo,
    undo_last,
)
from hermes_tools_terminal.undo.plan import diff_of


def states(store: UndoStore) -> dict[int, str]:
    return {each.number: each.state for each in store.receipts()}


def test_undo_brings_back_bytes_modes_files_and_folders(desk: Any) -> None:
    before = desk.snapshot()
    changes = [
        desk.change("a.txt", b"\xef\xbb\xbfnew\n"),
        desk.change("deep/er/new.txt", b"n", 0o640),
        *desk.moved("b.bin", "other/c.bin"),
    ]
    desk.apply(*changes)
    assert (desk.folder / "other" / "c.bin").stat().st_mode & 0o777 == 0o751
    undone = undo(desk.store)
    assert desk.snapshot() == before
    assert set(undone.folders) == {str(desk.folder / name) for name in ("deep", "deep/er", "other")}
    assert undone.by is not None
    assert states(desk.store) == {1: "undone", 2: "done"}


def test_calls_are_undone_one_after_another_in_reverse(desk: Any) -> None:
    seen = [desk.snapshot()]
    for number in range(4):
        desk.write("a.txt", b"%d" % number)
        seen.append(desk.snapshot())
    for number in (3, 2, 1, 0):
        assert undo(desk.store).receipt.number == number + 1
        assert desk.snapshot() == seen[number]
    with pytest.raises(NothingToUndoError, match="There is nothing to undo"):
        undo(desk.store)


def test_what_was_undone_can_be_redone_and_undone_again(desk: Any) -> None:
    seen = [desk.snapshot()]
    desk.write("in/x.txt", b"x")
    seen.append(desk.snapshot())
    desk.apply(*desk.moved("in/x.txt", "y.txt"))
    seen.append(desk.snapshot())
    for do, wanted in [(undo, 1), (undo, 0), (redo, 1), (redo, 2), (undo, 1), (redo, 2), (undo, 1), (undo, 0)]:
        do(desk.store)
        assert desk.snapshot() == seen[wanted]
    redo(desk.store)
    redo(desk.store)
    with pytest.raises(NothingToUndoError, match="nothing to redo"):
        redo(desk.store)
    assert desk.snapshot() == seen[2]


def test_who_goes_on_after_an_undo_has_nothing_to_redo(desk: Any) -> None:
    desk.write("a.txt", b"1", task="mine")
    undo(desk.store)
    desk.write("b.bin", b"2", task="other")
    redo(desk.store)
    assert (desk.folder / "a.txt").read_bytes() == b"1"
    undo(desk.store)
    desk.write("b.bin", b"3", task="mine")
    with pytest.raises(NothingToUndoError, match="nothing to redo"):
        redo(desk.store)


def test_a_call_that_changed_nothing_is_a_step_as_well(desk: Any) -> None:
    desk.write("a.txt", b"1")
    desk.write("a.txt", b"1")
    for do, wanted in [
        (undo, b"1"),
        (undo, b"old a\r\n"),
        (redo, b"1"),
        (redo, b"1"),
        (undo, b"1"),
        (undo, b"old a\r\n"),
    ]:
        do(desk.store)
        assert (desk.folder / "a.txt").read_bytes() == wanted


def test_the_receipt_of_an_undo_takes_it_back(desk: Any) -> None:
    desk.write("a.txt", b"new")
    by = undo(desk.store).by
    assert by is not None
    undo(desk.store, by.number)
    assert (desk.folder / "a.txt").read_bytes() == b"new"
    with pytest.raises(UndoError, match="already undone"):
        undo(desk.store, by.number)


def test_a_conflict_changes_nothing_at_all_and_names_the_file(desk: Any) -> None:
    desk.apply(desk.change("a.txt", b"new"), desk.change("b.bin", b"new"), desk.change("c.txt", b"c"))
    (desk.folder / "a.txt").write_bytes(b"edited by hand")
    before = desk.snapshot()
    with pytest.raises(ConflictError) as caught:
        undo(desk.store)
    assert [path for path, _ in caught.value.conflicts] == [str(desk.folder / "a.txt")]
    assert "a.txt was changed since" in str(caught.value)
    assert "b.bin" not in str(caught.value)
    assert desk.snapshot() == before
    assert states(desk.store) == {1: "done"}


def test_an_older_call_is_not_undone_below_a_newer_one_of_the_same_file(desk: Any) -> None:
    desk.write("a.txt", b"1")
    desk.write("a.txt", b"2", tool="write_file")
    with pytest.raises(ConflictError, match=r"by receipt 2, write_file"):
        undo(desk.store, 1)
    desk.write("b.bin", b"other")
    undo(desk.store, 2)
    undo(desk.store, 1)
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"
    assert (desk.folder / "b.bin").read_bytes() == b"other"


@pytest.mark.parametrize("what", ["link", "folder", "pipe", "gone", "way"])
def test_what_took_the_place_of_a_file_is_left_alone(desk: Any, tmp_path: Path, what: str) -> None:
    desk.write("in/a.txt", b"new")
    file, victim = desk.folder / "in" / "a.txt", tmp_path / "victim"
    file.unlink()
    if what == "link":
        victim.write_bytes(b"new")
        file.symlink_to(victim)
    elif what == "folder":
        file.mkdir()
    elif what == "pipe":
        os.mkfifo(file)
    elif what == "way":
        file.parent.rmdir()
        victim.mkdir()
        (victim / "a.txt").write_bytes(b"new")
        file.parent.symlink_to(victim)
    if what == "gone":
        assert undo(desk.store).files == ()  # it was not there before, and is not now
    else:
        with pytest.raises(ConflictError):
            undo(desk.store)
    assert not victim.exists() or (victim / "a.txt" if what == "way" else victim).read_bytes() == b"new"


def test_files_that_are_as_before_already_are_left_alone(desk: Any) -> None:
    desk.apply(desk.change("a.txt", b"new"), desk.change("c.txt", b"c"))
    (desk.folder / "a.txt").write_bytes(b"old a\r\n")
    stamp = (desk.folder / "a.txt").stat().st_mtime_ns
    assert undo(desk.store).files == (str(desk.folder / "c.txt"),)
    assert (desk.folder / "a.txt").stat().st_mtime_ns == stamp


def test_folders_that_hold_something_else_stay(desk: Any) -> None:
    desk.write("in/deep/x.txt", b"x")
    (desk.folder / "in" / "mine.txt").write_bytes(b"mine")
    assert undo(desk.store).folders == (str(desk.folder / "in" / "deep"),)
    assert (desk.folder / "in" / "mine.txt").read_bytes() == b"mine"


def test_a_folder_that_is_gone_is_made_again_for_a_file(desk: Any) -> None:
    desk.write("in/x.txt", b"x")
    desk.write("in/x.txt", None)
    (desk.folder / "in").rmdir()
    undo(desk.store)
    assert (desk.folder / "in" / "x.txt").read_bytes() == b"x"


def test_the_last_of_a_task_alone_is_undone(desk: Any) -> None:
    desk.write("a.txt", b"1", task="mine")
    desk.write("b.bin", b"2", task="other")
    assert undo(desk.store, task="mine").receipt.number == 1
    with pytest.raises(NothingToUndoError, match="in the task mine"):
        undo(desk.store, task="mine")
    assert (desk.folder / "b.bin").read_bytes() == b"2"


def test_a_receipt_of_another_place_is_refused_with_its_name(desk: Any, store: UndoStore) -> None:
    class Elsewhere(LocalFileSystem):
        def __init__(self) -> None:
            super().__init__()
            self.name = "ssh:me@there:22"

    desk.tree = Elsewhere()
    desk.write("a.txt", b"new")
    with pytest.raises(UndoError, match="ssh:me@there:22"):
        undo(store)
    with pytest.raises(UndoError, match="ssh:me@there:22"):
        undo(store, filesystem_of=lambda _name: LocalFileSystem())
    assert (desk.folder / "a.txt").read_bytes() == b"new"
    undo(store, filesystem_of=lambda _name: Elsewhere())
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"


def test_what_was_too_large_says_so(desk: Any) -> None:
    desk.store = UndoStore(desk.store.directory.folder, max_bytes=8)
    desk.write("a.txt", b"new")
    with pytest.raises(UndoError, match="cannot be undone: its contents are larger than 2 bytes"):
        undo(desk.store)


def test_several_steps_are_looked_through_before_the_first(desk: Any) -> None:
    desk.write("b.bin", b"1")
    for number in range(3):
        desk.write("a.txt", b"%d" % number)
    (desk.folder / "b.bin").write_bytes(b"edited by hand")
    with pytest.raises(ConflictError, match=r"b\.bin"):
        undo_last(desk.store, 4)
    assert (desk.folder / "a.txt").read_bytes() == b"2"
    assert [each.receipt.number for each in undo_last(desk.store, 3)] == [4, 3, 2]
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"


def test_more_steps_than_there_are_undo_all(desk: Any) -> None:
    before = desk.snapshot()
    for number in range(3):
        desk.write("a.txt", b"%d" % number)
    assert len(undo_last(desk.store, 100)) == 3
    assert desk.snapshot() == before
    with pytest.raises(NothingToUndoError):
        undo_last(desk.store, 100)


def test_a_preview_shows_a_diff_and_changes_nothing(desk: Any) -> None:
    desk.write("a.txt", b"one\ntwo\nthree\n")
    desk.write("a.txt", b"one\n2\nthree\n")
    before = desk.snapshot()
    plans = preview(desk.store, steps=2)
    path = desk.folder / "a.txt"
    assert list(diff_of(plans[0]))[:3] == [f"--- {path}", f"+++ {path}", "@@ -1,3 +1,3 @@"]
    assert "-2" in list(diff_of(plans[0]))
    assert "+two" in list(diff_of(plans[0]))
    assert "+old a\r" in list(diff_of(plans[1]))
    assert desk.snapshot() == before
    assert states(desk.store) == {1: "done", 2: "done"}


def test_a_diff_says_where_a_line_has_no_end(desk: Any) -> None:
    (desk.folder / "a.txt").write_bytes(b"one\ntwo")
    desk.write("a.txt", b"one\ntwo\n")
    assert list(diff_of(preview(desk.store)[0]))[2:] == [
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+two",
        "\\ No newline at end of file",
    ]
    desk.write("a.txt", None)
    assert list(diff_of(preview(desk.store)[0]))[2:] == ["@@ -0,0 +1,2 @@", "+one", "+two"]


def test_a_diff_of_much_or_of_no_text_is_short(desk: Any) -> None:
    desk.write("b.bin", b"\0" * 10)
    assert list(diff_of(preview(desk.store)[0]))[2:] == ["binary content: 10 bytes become 256"]
    lines = [b"%d" % number for number in range(30_000)]
    (desk.folder / "a.txt").write_bytes(b"\n".join(lines))
    desk.write("a.txt", b"\n".join(reversed(lines)))
    assert "too many lines" in list(diff_of(preview(desk.store)[0]))[2]
    assert undo(desk.store).files
    desk.write("a.txt", b"\n".join([*lines[:15_000], b"new", *lines[15_000:]]))
    assert list(diff_of(preview(desk.store)[0]))[2:] == [
        "@@ -14998,7 +14998,6 @@",
        " 14997",
        " 14998",
        " 14999",
        "-new",
        " 15000",
        " 15001",
        " 15002",
    ]


def test_names_that_are_no_text_come_back(desk: Any) -> None:
    name = os.fsdecode(b"\xff\xfe new\nline '\"")
    before = desk.snapshot()
    desk.write(name, b"x", task="t\udc80\0")
    assert undo(desk.store, task="t\udc80\0").files == (f"{desk.folder}/{name}",)
    assert desk.snapshot() == before


def test_what_is_done_or_was_undone_is_not_finished(desk: Any) -> None:
    desk.write("a.txt", b"new")
    with pytest.raises(UndoError, match="is done: there is nothing to finish"):
        finish(desk.store, 1)
    undo(desk.store)
    with pytest.raises(UndoError, match="is undone: there is nothing to finish"):
        finish(desk.store, 1)
    with pytest.raises(NothingToUndoError, match="There is no receipt 99"):
        finish(desk.store, 99)


def test_what_somebody_works_at_is_not_touched(desk: Any) -> None:
    class Slow(LocalFileSystem):
        """Somebody undoes while the first of two files is written already."""

        def replace(self, found: Any, data: bytes, *, mode: int | None = None) -> Any:
            if found.path.endswith("b.bin"):
                assert states(desk.store) == {1: "running"}
                for attempt in (undo, lambda store: finish(store, 1)):
                    with pytest.raises(UndoError, match="still working at receipt 1"):
                        attempt(desk.store)
            return super().replace(found, data, mode=mode)

    desk.tree = Slow()
    desk.apply(desk.change("a.txt", b"new"), desk.change("b.bin", b"new"))
    assert states(desk.store) == {1: "done"}


def test_owners_that_cannot_be_given_back_are_told(desk: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(desk.folder / "a.txt", 1234, 1234)
    desk.write("a.txt", b"changed")
    undo(desk.store)
    assert (desk.folder / "a.txt").stat().st_uid == 1234
    desk.write("a.txt", None)
    undone = undo(desk.store)
    kept = (desk.folder / "a.txt").stat().st_uid == 1234
    assert bool(undone.notes) != kept


def test_a_store_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    store = UndoStore(tmp_path / "nowhere")
    for do in (undo, redo):
        with pytest.raises(NothingToUndoError):
            do(store)
    assert list(store.entries()) == []
    assert store.last_writer("local", "/x") is None
    assert not (tmp_path / "nowhere").exists()


def test_a_place_is_opened_once(desk: Any) -> None:
    desk.apply(desk.change("a.txt", b"new"), desk.change("b.bin", b"new"))
    opened: list[str] = []

    def filesystem_of(name: str) -> FileSystem:
        opened.append(name)
        return LocalFileSystem()

    undo(desk.store, filesystem_of=filesystem_of)
    assert opened == ["local"]


def test_thousands_of_files_are_one_receipt(make_desk: Callable[..., Any], store: UndoStore, memory: Path) -> None:
    desk = make_desk(memory, store)
    names = [f"{number % 7}/{number}" for number in range(2000)]
    desk.apply(*(desk.change(name, name.encode()) for name in names))
    assert len(next(store.receipts()).files) == 2000
    assert len(desk.snapshot()) == 2007
    assert len(undo(store).files) == 2000
    assert desk.snapshot() == {}


def test_changes_know_their_path(desk: Any) -> None:
    change = desk.change("a.txt", b"x")
    assert isinstance(change, Change)
    assert change.path == str(desk.folder / "a.txt")
