"""Locks, and processes that die or meet each other while they change files of this machine."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hermes_files.atomic import temporary_name
from hermes_tools_terminal.files.local import locks
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.files.local.writes import Sweeper

DRIVER = Path(__file__).with_name("dying.py")


def _drive(*args: str) -> dict[str, int]:
    command = [sys.executable, "-W", "error", str(DRIVER), *args]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_a_process_killed_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    seen = _drive("killed", str(tmp_path), "60")
    assert seen["torn"] == 0
    assert seen["rounds"] == 60
    assert seen["moved_on"] > 0  # the kills did not all come before the first write
    assert seen["find_abandoned_groups"] > 0  # nor were they all between two writes
    assert seen["left_after_the_next"] == 0
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_two_processes_that_change_a_file_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "counter").write_bytes(b"0")
    assert _drive("counting", str(tmp_path), "3", "40") == {"sum": 120, "changed": 0}
    assert os.listdir(tmp_path) == ["counter"]


def test_without_locks_a_change_in_between_is_noticed_or_none(tmp_path: Path) -> None:
    """What is added up is what was not refused."""
    tree = LocalFileSystem()
    (tmp_path / "counter").write_bytes(b"0")
    first = tree.find("counter", base=str(tmp_path))
    second = tree.find("counter", base=str(tmp_path))
    tree.replace(first, b"1")
    with pytest.raises(OSError, match="since it was last checked"):
        tree.replace(second, b"1")


def test_threads_wait_for_each_other(tree: LocalFileSystem, tmp_path: Path) -> None:
    path = str(tmp_path / "counter")
    tree.replace(tree.find(path, base="/"), b"0")
    troubles: list[BaseException] = []

    def add() -> None:
        try:
            for _ in range(15):
                with tree.locked(tree.find(path, base="/")):
                    found = tree.find(path, base="/")
                    tree.replace(found, b"%d" % (int(tree.read(found)) + 1))
        except BaseException as error:
            troubles.append(error)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not troubles
    assert Path(path).read_bytes() == b"60"


def test_whoever_holds_a_folder_may_hold_it_again(tree: LocalFileSystem, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    one, two, missing = (tree.find(name, base=str(tmp_path)) for name in ("one", "b/two", "c/d/three"))
    with tree.locked(one, two, missing, one):
        with LocalFileSystem().locked(two, one):
            tree.replace(one, b"")
        assert _held_by_somebody(tmp_path)
        assert _held_by_somebody(tmp_path / "b")
    assert not _held_by_somebody(tmp_path)
    assert not _held_by_somebody(tmp_path / "b")


def _held_by_somebody(folder: Path) -> bool:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def test_a_lock_ends_with_its_block_however_that_ends(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = tree.find("x", base=str(tmp_path))
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(ZeroDivisionError), tree.locked(found):
        raise ZeroDivisionError
    assert not _held_by_somebody(tmp_path)
    assert len(os.listdir("/dev/fd")) == before


def test_whoever_waits_too_long_is_told(tree: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "LOCK_SECONDS", 0.1)
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with (
            pytest.raises(TimeoutError, match="try again later") as caught,
            tree.locked(tree.find("x", base=str(tmp_path))),
        ):
            pytest.fail("it was not held")
        assert caught.value.filename == str(tmp_path)
    finally:
        os.close(handle)
    with tree.locked(tree.find("x", base=str(tmp_path))):
        pass


def test_a_file_system_without_locks_stops_nobody(
    tree: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    found = tree.find("x", base=str(tmp_path))
    with tree.locked(found):
        assert tree.read(tree.replace(found, b"written")) == b"written"


# -- what dead processes leave ---------------------------------------------------------------------------------


def _dead() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_only_what_the_dead_have_left_is_removed(tree: LocalFileSystem, tmp_path: Path) -> None:
    dead = _dead()
    names = {
        "of the dead": f".hermes-{dead}-{'0' * 16}.tmp",
        "of the living": f".hermes-{os.getppid()}-{'0' * 16}.tmp",
        "held elsewhere": f".hermes-{dead}-{'1' * 16}.tmp",
        "of our own": temporary_name(),
        "somebody's own": f".hermes-{dead}-notes.tmp",
        "a link": f".hermes-{dead}-{'2' * 16}.tmp",
    }
    for name in names.values():
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / names["a link"]).unlink()
    (tmp_path / names["a link"]).symlink_to(names["somebody's own"])
    with (tmp_path / names["held elsewhere"]).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        tree.replace(tree.find("file", base=str(tmp_path)), b"")
    assert set(os.listdir(tmp_path)) == {*names.values(), "file"} - {names["of the dead"]}


def test_a_folder_is_not_looked_through_again_and_again(tmp_path: Path) -> None:
    sweeper = Sweeper()
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        for number in range(2000):
            (tmp_path / str(number)).touch()
        sweeper.sweep(folder)
        left = tmp_path / f".hermes-{_dead()}-{'0' * 16}.tmp"
        left.touch()
        sweeper._next = {key: value + 3600 for key, value in sweeper._next.items()}  # type: ignore[assignment]
        sweeper.sweep(folder)
        assert left.exists()
        Sweeper().sweep(folder)
        assert not left.exists()
    finally:
        os.close(folder)


def test_many_folders_at_once_do_not_use_up_the_handles(tmp_path: Path) -> None:
    tree = LocalFileSystem()
    for number in range(300):
        (tmp_path / str(number)).mkdir()
    found = [tree.find(f"{number}/new", base=str(tmp_path)) for number in range(300)]
    before = len(os.listdir("/proc/self/fd"))
    with tree.locked(*found):
        assert len(os.listdir("/proc/self/fd")) <= before + locks.MAX_HELD + 1
    assert len(os.listdir("/proc/self/fd")) <= before + 1
