"""A lock excludes threads and processes, ends with its holder, and leaves nothing lying about."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes_files.atomic import file_lock

HOLD = """
import sys
from pathlib import Path
from hermes_files.atomic import file_lock
with file_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its stdin closes."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    with file_lock(tmp_path / "file"):
        assert os.listdir(tmp_path) == [".file.lock"]
    assert os.listdir(tmp_path) == []
    with file_lock(tmp_path / "file"):
        pass


def test_the_error_names_the_process_that_holds_it(tmp_path: Path) -> None:
    with holder(tmp_path / "file") as process:
        began = time.monotonic()
        with (
            pytest.raises(TimeoutError, match=f"process {process.pid} holds the lock"),
            file_lock(tmp_path / "file", timeout=0.1),
        ):
            pass
        assert 0.1 <= time.monotonic() - began < 5


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with holder(tmp_path / "file") as process:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert (tmp_path / ".file.lock").exists()
        with file_lock(tmp_path / "file", timeout=5):
            pass
    assert os.listdir(tmp_path) == []


def test_who_waits_gets_it_as_soon_as_it_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "file") as process:
        got = threading.Event()

        def wait() -> None:
            with file_lock(tmp_path / "file", timeout=20):
                got.set()

        thread = threading.Thread(target=wait)
        thread.start()
        assert not got.is_set()
        assert process.stdin is not None
        process.stdin.close()
        assert got.wait(20)
        thread.join(20)


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(20):
            with file_lock(tmp_path / "file", timeout=20):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (len(most), max(most)) == (80, 1)
    assert os.listdir(tmp_path) == []


def test_an_exception_inside_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(KeyError), file_lock(tmp_path / "file"):
        raise KeyError
    with file_lock(tmp_path / "file", timeout=0):
        pass


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("text")
    (tmp_path / ".file.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="lock"), file_lock(tmp_path / "file", timeout=0):
        pass
    assert (tmp_path / "precious").read_text() == "text"


def test_a_lock_file_that_was_removed_meanwhile_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking, the holder before removes its file, and somebody makes a new one."""
    lock = tmp_path / ".file.lock"
    swaps = iter([True])
    plain = fcntl.flock

    def flock(descriptor: int, operation: int) -> None:
        if next(swaps, False):
            lock.unlink()
            lock.touch()
        plain(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with file_lock(tmp_path / "file", timeout=5), lock.open("rb") as other, pytest.raises(BlockingIOError):
        plain(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
