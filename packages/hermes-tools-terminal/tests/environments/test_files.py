"""The files of this machine."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.files import LocalFiles

FILES = LocalFiles()


def test_what_is_written_can_be_read_whole_or_in_part(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    FILES.write(path, b"0123456789")
    assert FILES.read(path) == b"0123456789"
    assert FILES.read(path, 3, 4) == b"3456"
    assert FILES.read(path, 100) == b""
    assert FILES.names(str(tmp_path)) == ["file"]
    found = FILES.info(path)
    assert (found.kind, found.size) == ("file", 10)
    FILES.remove(path)
    assert FILES.names(str(tmp_path)) == []


def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        FILES.write(str(tmp_path / "new"), b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_the_umask_of_other_threads_is_left_alone(tmp_path: Path) -> None:
    before = os.umask(0o077)
    done = threading.Event()
    seen = set()

    def look() -> None:
        number = 0
        while not done.is_set():
            path = tmp_path / f"other{number}"
            path.touch()
            seen.add(stat.S_IMODE(path.stat().st_mode))
            path.unlink()
            number += 1

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for number in range(200):
            FILES.write(str(tmp_path / f"mine{number}"), b"x")
    finally:
        done.set()
        thread.join()
        os.umask(before)
    assert seen == {0o600}


def test_mode_owner_and_links_stay_as_they_were(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o751)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
        path.chmod(0o751)
    before = path.stat()
    link.symlink_to(path)
    FILES.write(str(link), b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_a_device_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    FILES.write("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert FILES.info("/dev/null").kind == "other"


def test_a_pipe_that_nobody_uses_does_not_hold_anybody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device"):
        FILES.write(str(tmp_path / "pipe"), b"x")
    with pytest.raises(OSError, match="seek"):
        FILES.read(str(tmp_path / "pipe"))


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        FILES.write(str(tmp_path / "folder"), b"x")
    with pytest.raises(FileNotFoundError):
        FILES.write(str(tmp_path / "none" / "file"), b"x")
    assert FILES.names(str(tmp_path)) == ["folder"]


def test_the_longest_name_that_is_allowed_is_allowed_here(tmp_path: Path) -> None:
    path = str(tmp_path / ("ä" * 127))
    FILES.write(path, b"x")
    assert FILES.read(path) == b"x"


@pytest.mark.parametrize("call", ["read", "info", "names", "remove"])
def test_what_is_not_there_is_an_oserror(tmp_path: Path, call: str) -> None:
    with pytest.raises(OSError, match="No such file"):
        getattr(FILES, call)(str(tmp_path / "none"))
