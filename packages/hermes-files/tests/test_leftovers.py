"""Temporary files of killed processes are removed; those of others are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_files.atomic import remove_leftovers, write_atomic

DEAD = 2**22 + 1  # beyond the largest process id of Linux
WRITER = """
    import os, signal, sys
    from pathlib import Path
    from hermes_files import atomic
    os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
    atomic.write_atomic(Path(sys.argv[1]), b"new")
"""


def kill_while_writing(file: Path) -> None:
    child = subprocess.run([sys.executable, "-c", textwrap.dedent(WRITER), str(file)], check=False, timeout=60)
    assert child.returncode == -signal.SIGKILL


def hidden(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


def test_a_killed_writer_leaves_the_old_file_and_the_next_one_removes_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_bytes(b"old")
    kill_while_writing(file)
    assert file.read_bytes() == b"old"
    assert len(hidden(tmp_path)) == 1
    write_atomic(file, b"newer")
    assert (file.read_bytes(), hidden(tmp_path)) == (b"newer", [])


def test_a_folder_is_cleaned_through_a_handle_that_only_names_it(tmp_path: Path) -> None:
    (tmp_path / f".hermes-{DEAD}-{'a' * 16}.tmp").touch()
    handle = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    try:
        remove_leftovers(handle)
    finally:
        os.close(handle)
    assert hidden(tmp_path) == []


def test_files_of_living_processes_and_of_other_programs_stay(tmp_path: Path) -> None:
    names = [
        f".hermes-{os.getpid()}-{'a' * 16}.tmp",
        f".hermes-{DEAD}-{'a' * 15}.tmp",
        f".hermes-{DEAD}-{'g' * 16}.tmp",
        f".hermes-{DEAD}-{'a' * 16}.tmp.bak",
        f"hermes-{DEAD}-{'a' * 16}.tmp",
        f".{'a' * 16}.tmp",
        ".hermes-notes.tmp",
        f"entry-points-{'a' * 16}.json",
    ]
    for name in names:
        (tmp_path / name).write_text("mine")
    (tmp_path / f".hermes-{DEAD}-{'b' * 16}.tmp").mkdir()
    (tmp_path / f".hermes-{DEAD}-{'c' * 16}.tmp").symlink_to("/etc/hostname")
    before = sorted(os.listdir(tmp_path))
    remove_leftovers(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == before
    remove_leftovers(str(tmp_path / "missing"))


def test_a_file_that_is_being_written_in_another_container_stays(tmp_path: Path) -> None:
    import fcntl

    file = tmp_path / f".hermes-{DEAD}-{'a' * 16}.tmp"
    with file.open("wb") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        remove_leftovers(str(tmp_path))
        assert file.exists()
    remove_leftovers(str(tmp_path))
    assert not file.exists()


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system without space."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True, timeout=30).returncode:
        pytest.skip("mounting needs root and a kernel that permits it")
    try:
        (folder / "state.json").write_bytes(b"old")
        with suppress(OSError), (folder / "fill").open("wb", buffering=0) as fill:
            while fill.write(b"x" * 1024):
                pass
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, timeout=30)


def test_a_full_disk_is_reported_with_the_file_and_changes_nothing(full_disk: Path) -> None:
    file = full_disk / "state.json"
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomic(file, b"new" * 1000)
    assert caught.value.filename == str(file)
    assert file.read_bytes() == b"old"
    assert hidden(full_disk) == []


def test_a_size_limit_is_reported_with_the_file(tmp_path: Path) -> None:
    code = """
        import resource, signal, sys
        from pathlib import Path
        from hermes_files.atomic import write_atomic
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            write_atomic(Path(sys.argv[1]), b"x" * 1000)
        except OSError as error:
            print(error.strerror, error.filename)
    """
    file = tmp_path / "state.json"
    command = [sys.executable, "-c", textwrap.dedent(code), str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert said == f"File too large {file}\n"
    assert os.listdir(tmp_path) == []
