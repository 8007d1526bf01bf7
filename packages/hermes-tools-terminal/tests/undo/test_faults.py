"""Full disks, several processes, and a store in which somebody has put things."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.undo import (
    Damaged,
    DamagedError,
    NoJournalError,
    NothingToUndoError,
    Receipt,
    UndoStore,
    undo,
    undo_last,
)
from hermes_tools_terminal.undo import receipt as receipt_module

# -- full disks --------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(new_disk: Callable[[str], Path]) -> Path:
    """A disk that is soon full, but holds a receipt or two."""
    return new_disk("size=128k")


def test_a_disk_that_is_full_at_the_second_file_leaves_all_old(
    make_desk: Callable[..., Any], store: UndoStore, small_disk: Path
) -> None:
    desk = make_desk(small_disk, store)
    for name in ("a", "b", "c"):
        (small_disk / name).write_bytes(name.encode() * 20_000)
    before = desk.snapshot()
    changes = [desk.change("a", b"A" * 40_000), desk.change("c", None), desk.change("new", b"N" * 100_000)]
    with pytest.raises(OSError, match="No space left") as caught:
        desk.apply(*changes)
    assert caught.value.errno == errno.ENOSPC
    assert desk.snapshot() == before
    assert list(store.receipts()) == []


def test_a_disk_that_is_full_for_an_undo_leaves_all_as_it_was(
    make_desk: Callable[..., Any], store: UndoStore, small_disk: Path
) -> None:
    desk = make_desk(small_disk, store)
    (small_disk / "a").write_bytes(b"a" * 60_000)
    (small_disk / "b").write_bytes(b"b" * 10)
    desk.apply(desk.change("b", b"B"), desk.change("a", b"A"))
    (small_disk / "filler").write_bytes(b"x" * 100_000)
    before = desk.snapshot()
    with pytest.raises(OSError, match="No space left"):
        undo(store)
    assert desk.snapshot() == before
    (small_disk / "filler").unlink()
    undo(store)
    assert (small_disk / "a").read_bytes() == b"a" * 60_000


def fill(disk: Path) -> None:
    with open(disk / "filler", "wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    assert shutil.disk_usage(disk).free == 0


def test_a_full_store_stops_no_single_write_but_several_at_once(desk: Any, small_disk: Path) -> None:
    desk.store = UndoStore(small_disk / "undo")
    desk.write("a.txt", b"1")
    fill(small_disk)
    (desk.folder / "b.bin").write_bytes(b"b" * 9000)
    receipt = desk.write("b.bin", b"2")
    assert (desk.folder / "b.bin").read_bytes() == b"2"
    assert (receipt.number, receipt.undoable) == (0, False)
    assert "could not be stored" in receipt.reason
    assert "No space left" in receipt.reason
    before = desk.snapshot()
    with pytest.raises(NoJournalError, match="Nothing was changed") as caught:
        desk.apply(desk.change("a.txt", b"x"), desk.change("b.bin", b"y" * 9000))
    assert caught.value.errno == errno.ENOSPC
    assert desk.snapshot() == before
    assert [each.number for each in desk.store.receipts()] == [1]
    assert undo(desk.store).receipt.number == 1
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"


@pytest.mark.parametrize("place", ["/proc/hermes-undo", "/dev/null/undo"])
def test_a_store_that_cannot_be_written_stops_no_single_write(desk: Any, place: str) -> None:
    desk.store = UndoStore(place)
    assert not desk.write("a.txt", b"new").undoable
    assert (desk.folder / "a.txt").read_bytes() == b"new"
    with pytest.raises(NoJournalError):
        desk.apply(desk.change("a.txt", b"x"), desk.change("b.bin", b"y"))
    assert (desk.folder / "a.txt").read_bytes() == b"new"


# -- several processes -------------------------------------------------------------------------------------------


def test_processes_that_share_a_store_lose_nothing(make_desk: Callable[..., Any], memory: Path) -> None:
    (memory / "desk").mkdir()
    desk = make_desk(memory / "desk", UndoStore(memory / "undo"))
    (desk.folder / "counter").write_bytes(b"0")
    before = desk.snapshot()
    driver, times = Path(__file__).with_name("sharing.py"), 25
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-W", "error", str(driver), desk.store.directory.folder),
                *(str(desk.folder / "counter"), str(desk.folder / f"own-{number}"), str(times)),
            ]
        )
        for number in range(3)
    ]
    assert [each.wait(120) for each in running] == [0, 0, 0]
    assert (desk.folder / "counter").read_bytes() == b"75"
    receipts = list(desk.store.receipts())
    assert len({each.number for each in receipts}) == 75
    assert {each.state for each in receipts} == {"done"}
    assert desk.store.last_writer("local", str(desk.folder / "counter")) == receipts[0]
    assert len(undo_last(desk.store, 75)) == 75
    assert desk.snapshot() == before


def test_threads_that_share_a_store_get_numbers_of_their_own(make_desk: Callable[..., Any], memory: Path) -> None:
    desk = make_desk(memory, UndoStore(memory / ".undo"))

    def work(name: str) -> None:
        for number in range(15):
            desk.write(f"{name}/file", b"%d" % number, task=name)
            last = desk.store.last_writer("local", str(memory / name / "file"))
            assert (last.task, last.files[0].after.size) == (name, len(str(number)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    assert sorted(each.number for each in desk.store.receipts()) == list(range(1, 61))


# -- what somebody has put into the store ------------------------------------------------------------------------


def entries(store: UndoStore) -> dict[str, str]:
    return {each.name: each.reason for each in store.entries() if isinstance(each, Damaged)}


def test_what_does_not_belong_into_the_store_is_told_and_left_alone(desk: Any) -> None:
    desk.write("a.txt", b"new")
    folder = Path(desk.store.directory.folder)
    (folder / "notes.txt").write_text("mine")
    (folder / "000002.done").write_bytes(b"")
    (folder / "000003.done").write_bytes(b'{"format":1,"number":3')
    (folder / "000004.done").write_bytes(b"[" * 200_000 + b"\n")
    (folder / "000005.unfinished").mkdir()
    os.mkfifo(folder / "000006.done")
    (folder / "000007.done").symlink_to("/etc/passwd")
    (folder / "000008.undone").write_bytes((folder / "000001.done").read_bytes())
    (folder / "000009.done").write_bytes(b'{"format":99,"number":9}\n')
    (folder / "000010.done").write_bytes(b"\xff\xfe\n")
    (folder / "000011.done").write_bytes(b'{"format":1,"number":' + b"9" * 5000 + b"}\n")
    (folder / "000001.undone").write_bytes(b"twice")
    (folder / "000012.part").write_bytes(b"never finished")
    told = entries(desk.store)
    assert set(told) == {
        *("notes.txt", "000001.undone", "000002.done", "000003.done", "000004.done", "000005.unfinished"),
        *("000006.done", "000007.done", "000008.undone", "000009.done", "000010.done", "000011.done"),
    }
    assert told["000008.undone"] == "its number does not match its name"
    assert told["000009.done"].startswith("it was written by a newer version of Hermes (format 99;")
    assert [each.number for each in desk.store.receipts()] == [1]
    with pytest.raises(DamagedError, match=r"000003\.done cannot be used"):
        undo(desk.store, 3)
    (folder / "000001.undone").unlink()
    assert desk.write("b.bin", b"more").number == 13
    assert desk.store.last_writer("local", str(desk.folder / "a.txt")) is not None
    assert [each.receipt.number for each in undo_last(desk.store, 2)] == [13, 1]
    assert (folder / "notes.txt").read_text() == "mine"


FACTS: list[tuple[str, Any]] = [
    ("at", "soon"),
    ("at", float("nan")),
    ("kind", "trick"),
    ("undoes", -1),
    ("undoes", True),
    ("tool", 7),
    ("keeps_after", 1),
    ("files", [{"path": "relative", "before": None, "after": None}]),
    ("files", [{"path": "/nul\0", "before": None, "after": None}]),
    ("files", ["x"]),
    ("files", 3),
    ("folders", [3]),
    ("number", 2),
]


@pytest.mark.parametrize(("name", "value"), FACTS)
def test_facts_that_cannot_be_are_damage(desk: Any, name: str, value: Any) -> None:
    desk.write("a.txt", b"new")
    file = Path(desk.store.directory.folder, "000001.done")
    line, _, rest = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(line), name: value}).encode() + b"\n" + rest)
    assert set(entries(desk.store)) == {"000001.done"}
    with pytest.raises(NothingToUndoError):
        undo(desk.store)


@pytest.mark.parametrize("cut", [1, 3])
def test_a_torn_receipt_is_never_used(desk: Any, cut: int) -> None:
    desk.write("a.txt", b"new")
    file = Path(desk.store.directory.folder, "000001.done")
    file.write_bytes(file.read_bytes()[:-cut])
    assert entries(desk.store) == {"000001.done": "it is truncated: contents are missing"}


def test_contents_that_were_changed_in_the_store_are_never_written(desk: Any) -> None:
    desk.write("a.txt", b"new")
    file = Path(desk.store.directory.folder, "000001.done")
    file.write_bytes(file.read_bytes()[:-3] + b"evl")
    with pytest.raises(DamagedError, match=r"the stored content of .*a\.txt is damaged"):
        undo(desk.store)
    assert (desk.folder / "a.txt").read_bytes() == b"new"


def test_receipts_of_another_user_are_not_trusted(desk: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    desk.write("a.txt", b"new")
    os.chown(Path(desk.store.directory.folder, "000001.done"), 1234, 1234)
    assert entries(desk.store) == {"000001.done": "it belongs to another user"}


@pytest.mark.parametrize("counter", [b"", b"garbage", b"-5", b"9" * 30, b"\0" * 21, b"1"])
def test_a_damaged_counter_gives_no_number_twice(desk: Any, counter: bytes) -> None:
    for number in range(3):
        desk.write("a.txt", b"%d" % number)
    Path(desk.store.directory.folder, "lock").write_bytes(counter)
    assert desk.write("a.txt", b"more").number == 4
    assert desk.write("a.txt", b"more still").number == 5
    assert [each.number for each in desk.store.receipts()] == [5, 4, 3, 2, 1]


def test_receipts_that_were_never_written_to_the_end_are_swept(desk: Any) -> None:
    folder = Path(desk.store.directory.folder)
    desk.write("a.txt", b"0")
    (folder / "000002.part").write_bytes(b"left by somebody who was killed")
    for number in range(16):
        desk.write("a.txt", b"%d" % number)
    assert not list(folder.glob("*.part"))


def test_a_receipt_reads_as_it_was_written(desk: Any) -> None:
    written = desk.apply(desk.change("a.txt", None), desk.change("in/n", b"n", 0o600), call="c\n", session="\ud800")
    line = receipt_module.encode(written)
    assert line.count(b"\n") == 1
    assert receipt_module.decode(line, written.number, "done") == written
    assert isinstance(written, Receipt)
    assert json.loads(json.dumps(written.facts()))["folders"] == [str(desk.folder / "in")]
