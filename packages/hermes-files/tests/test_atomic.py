"""A file is written whole or not at all, and nothing is left lying about."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from hermes_files.atomic import write_atomic


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_new_file_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "secret.json"
    write_atomic(path, b"data")
    assert path.read_bytes() == b"data"
    assert mode_of(path) == 0o600
    assert mode_of(path.parent) == 0o700
    assert os.listdir(path.parent) == ["secret.json"]


@pytest.mark.parametrize("umask", [0, 0o022, 0o077, 0o777])
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_the_mode_is_exact_whatever_the_umask(umask: int, mode: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    before = os.umask(umask)
    try:
        write_atomic(path, b"x", mode=mode)
    finally:
        os.umask(before)
    assert mode_of(path) == mode


def test_an_old_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a long old text")
    path.chmod(0o666)
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode_of(path) == 0o600


def test_an_empty_file_can_be_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / "empty", b"")
    assert (tmp_path / "empty").read_bytes() == b""


def test_a_link_is_replaced_and_its_target_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"theirs")
    link.symlink_to(target)
    write_atomic(link, b"ours")
    assert not link.is_symlink()
    assert link.read_bytes() == b"ours"
    assert target.read_bytes() == b"theirs"
    assert "symbolic link" in (write_atomic.__doc__ or "")


def test_a_dangling_link_is_replaced_too(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    write_atomic(link, b"ours")
    assert link.read_bytes() == b"ours"
    assert not (tmp_path / "nowhere").exists()


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_atomic(path, b"x")
    assert path.read_bytes() == b"x"


def test_who_has_the_old_file_open_still_reads_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old" * 1000)
    with path.open("rb") as reader:
        assert reader.read(3) == b"old"
        write_atomic(path, b"new")
        assert reader.read() == b"old" * 999


def test_a_folder_in_the_way_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="file"):
        write_atomic(tmp_path / "file", b"x")
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(OSError, match="file"):
        write_atomic(tmp_path / "file" / "inner", b"x")
    assert (tmp_path / "file").read_bytes() == b"x"


def test_a_disk_without_room_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    """The kernel refuses to let the file grow, as it does on a full disk."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    script = """
        import resource, signal, sys
        from pathlib import Path
        from hermes_files.atomic import write_atomic

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_atomic(Path(sys.argv[1]), b"x" * 100_000)
        except OSError as error:
            print(error.errno)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == str(errno.EFBIG)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
def test_a_failure_at_any_step_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(OSError, match="No space left"):
            write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interruption_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_readers_never_see_half_a_file_while_writers_race(tmp_path: Path) -> None:
    path = tmp_path / "file"
    versions = [bytes([65 + number]) * 50_000 for number in range(3)]
    write_atomic(path, versions[0])
    failed: list[BaseException] = []
    writing = threading.Semaphore(0)

    def write(version: bytes) -> None:
        try:
            for _ in range(15):
                write_atomic(path, version)
        except BaseException as error:
            failed.append(error)
        finally:
            writing.release()

    threads = [threading.Thread(target=write, args=(version,)) for version in versions]
    for thread in threads:
        thread.start()
    left = len(threads)
    while left:
        assert path.read_bytes() in versions
        if writing.acquire(timeout=0.001):
            left -= 1
    for thread in threads:
        thread.join(30)
    assert failed == []
    assert os.listdir(tmp_path) == ["file"]
