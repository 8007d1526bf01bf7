"""Changing files by a shell: as a whole or not at all, never over somebody else's work, and nothing is left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.files.filesystem import ChangedError
from hermes_tools_terminal.files.remote import filesystem
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

from .conftest import NOBODY, SHELLS, NewPlace, NewTree


def test_new_content_is_there_as_a_whole_and_mode_and_owner_stay(tree: RemoteFileSystem, work: Path) -> None:
    path = work / "file"
    path.write_bytes(b"old")
    path.chmod(0o2751)
    owner = (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(path, *owner)
    path.chmod(0o2751)
    data = bytes(range(256)) * 3000
    now = tree.replace(tree.find("file", base=str(work)), data)
    assert path.read_bytes() == data
    assert (path.stat().st_mode & 0o7777, path.stat().st_uid, path.stat().st_gid) == (0o2751, *owner)
    assert now == tree.find("file", base=str(work))
    assert tree.replace(now, b"") == tree.find("file", base=str(work))
    assert path.read_bytes() == b""
    assert os.listdir(work) == ["file"]


@pytest.mark.parametrize("shell", ["dash"], indirect=True)  # `cp` of busybox cannot
def test_attributes_stay_where_programs_can_keep_them(tree: RemoteFileSystem, work: Path) -> None:
    (work / "file").write_bytes(b"old")
    try:
        os.setxattr(work / "file", "user.colour", b"blue")
    except OSError as error:
        pytest.skip(f"files have no attributes here: {error}")
    tree.replace(tree.find("file", base=str(work)), b"new")
    assert os.getxattr(work / "file", "user.colour") == b"blue"


def test_a_new_file_gets_its_folders_and_its_mode(tree: RemoteFileSystem, work: Path) -> None:
    made = tree.replace(tree.find("a/b c/-d/file", base=str(work)), b"x", mode=0o640)
    assert (made.kind, made.mode, made.links) == ("file", 0o640, 1)
    assert made == tree.find("a/b c/-d/file", base=str(work))
    assert (work / "a/b c/-d/file").read_bytes() == b"x"
    assert os.listdir(work / "a/b c/-d") == ["file"]
    tree.replace(tree.find("plain", base=str(work)), b"x")
    usual = os.umask(0)
    os.umask(usual)
    assert (work / "plain").stat().st_mode & 0o777 == 0o666 & ~usual


def test_a_file_is_made_where_a_dangling_link_leads(tree: RemoteFileSystem, work: Path) -> None:
    (work / "link").symlink_to("real")
    tree.replace(tree.find("link", base=str(work)), b"x")
    assert (work / "link").is_symlink()
    assert (work / "real").read_bytes() == b"x"


def test_a_file_that_has_other_names_is_parted_from_them(tree: RemoteFileSystem, work: Path) -> None:
    (work / "one").write_bytes(b"old")
    os.link(work / "one", work / "other")
    found = tree.find("one", base=str(work))
    assert found.links == 2
    assert tree.replace(found, b"new").links == 1
    assert (work / "other").read_bytes() == b"old"


def test_what_was_changed_meanwhile_is_not_written_over(tree: RemoteFileSystem, work: Path) -> None:
    path = work / "file"

    def content() -> None:
        path.write_bytes(b"newer")

    def mode() -> None:
        path.chmod(0o600)

    def another() -> None:
        (work / "other").write_bytes(b"12")
        os.replace(work / "other", path)

    def link() -> None:
        (work / "target").write_bytes(b"t")
        path.unlink()
        path.symlink_to("target")

    def folder() -> None:
        path.unlink()
        path.mkdir()

    for change in (content, mode, another, link, path.unlink, folder):
        if path.is_symlink():
            path.unlink()
        path.write_bytes(b"12")
        found = tree.find("file", base=str(work))
        change()
        before = sorted(os.listdir(work))
        with pytest.raises(ChangedError):
            tree.replace(found, b"mine")
        with pytest.raises(ChangedError):
            tree.remove(found)
        assert sorted(os.listdir(work)) == before
    assert os.listdir(path) == []
    assert (work / "target").read_bytes() == b"t"


def test_what_came_meanwhile_is_not_written_over(tree: RemoteFileSystem, work: Path) -> None:
    (work / "secret").mkdir()
    found = tree.find("way/to/file", base=str(work))
    (work / "way").symlink_to("secret")
    with pytest.raises(ChangedError):
        tree.replace(found, b"mine")
    assert os.listdir(work / "secret") == []
    (work / "way").unlink()
    (work / "way" / "to" / "file").mkdir(parents=True)
    with pytest.raises(ChangedError):
        tree.replace(found, b"mine")
    assert os.listdir(work / "way" / "to" / "file") == []
    (work / "way" / "to" / "file").rmdir()
    (work / "way" / "to" / "file").symlink_to("nowhere")
    with pytest.raises(ChangedError):
        tree.replace(found, b"mine")
    (work / "way" / "to" / "file").unlink()
    (work / "way" / "to" / "file").write_bytes(b"theirs")
    with pytest.raises(ChangedError):
        tree.replace(found, b"mine")
    assert (work / "way" / "to" / "file").read_bytes() == b"theirs"


def test_a_folder_swapped_for_a_link_is_not_followed(tree: RemoteFileSystem, work: Path) -> None:
    for name in ("folder", "secret"):
        (work / name).mkdir()
        (work / name / "file").write_bytes(b"old")
    found, anew = tree.find("folder/file", base=str(work)), tree.find("folder/new", base=str(work))
    (work / "folder").rename(work / "moved")
    (work / "folder").symlink_to("secret")
    for use in (lambda: tree.replace(found, b"mine"), lambda: tree.remove(found), lambda: tree.replace(anew, b"mine")):
        with pytest.raises(ChangedError):
            use()
    assert os.listdir(work / "secret") == ["file"]
    assert (work / "secret" / "file").read_bytes() == (work / "moved" / "file").read_bytes() == b"old"


def test_a_file_is_removed(tree: RemoteFileSystem, work: Path) -> None:
    (work / "-file").write_bytes(b"x")
    (work / "-file").chmod(0o400)
    tree.remove(tree.find("-file", base=str(work)))
    assert os.listdir(work) == []
    for path, number in ((".", errno.EISDIR), ("none", errno.ENOENT)):
        with pytest.raises(OSError) as caught:
            tree.remove(tree.find(path, base=str(work)))
        assert caught.value.errno == number
    with pytest.raises(IsADirectoryError):
        tree.replace(tree.find(".", base=str(work)), b"x")


def test_what_may_not_be_written_stays_as_it_is(new_tree: NewTree, new_place: NewPlace, open_work: Path) -> None:
    (open_work / "file").write_bytes(b"old")
    (open_work / "file").chmod(0o444)
    (open_work / "closed").mkdir()
    (open_work / "closed" / "file").write_bytes(b"old")
    (open_work / "closed" / "file").chmod(0o666)
    (open_work / "closed").chmod(0o555)
    if os.geteuid() == 0:
        os.chown(open_work / "file", NOBODY, NOBODY)
    tree = new_tree(new_place(NOBODY))
    for path in ("file", "closed/file", "closed/new", "closed/new/deep"):
        with pytest.raises(PermissionError) as caught:
            tree.replace(tree.find(path, base=str(open_work)), b"mine")
        assert caught.value.errno == errno.EACCES
    with pytest.raises(PermissionError):
        tree.remove(tree.find("closed/file", base=str(open_work)))
    assert sorted(os.listdir(open_work)) == ["closed", "file"]
    assert os.listdir(open_work / "closed") == ["file"]
    assert (open_work / "file").read_bytes() == (open_work / "closed" / "file").read_bytes() == b"old"


def test_a_full_disk_leaves_the_old_content(tree: RemoteFileSystem, small_disk: Path) -> None:
    (small_disk / "file").write_bytes(b"old" * 1000)
    for path in ("file", "new/deep/file"):
        with pytest.raises(OSError) as caught:
            tree.replace(tree.find(path, base=str(small_disk)), b"x" * 200_000)
        assert caught.value.errno == errno.ENOSPC
    assert os.listdir(small_disk) == ["file"]
    assert (small_disk / "file").read_bytes() == b"old" * 1000
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OSError) as caught:
        tree.replace(tree.find("file", base=str(small_disk)), b"x")
    assert caught.value.errno == errno.EROFS


def test_what_killed_helpers_have_left_is_removed_after_a_while(tree: RemoteFileSystem, work: Path) -> None:
    for name, age in ((".hermes-0123.tmp", 3600), (".hermes-4567.tmp", 5), ("notes.tmp", 3600)):
        (work / name).write_bytes(b"half")
        os.utime(work / name, (time.time() - age, time.time() - age))
    tree.replace(tree.find("file", base=str(work)), b"x")
    assert sorted(os.listdir(work)) == [".hermes-4567.tmp", "file", "notes.tmp"]


_KILLED = """
import sys, os
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem
class Place(LocalEnvironment):
    kind = "shell"
    def _wrapped(self, argv):
        return [*sys.argv[2:], *argv[1:]]
tree = RemoteFileSystem(Place("/"), "shell", locks=sys.argv[1] + "/locks")
print("ready", flush=True)
number = 0
while True:
    number += 1
    tree.replace(tree.find("file", base=sys.argv[1]), b"%d\\n" % (number % 10) * 100_000)
"""


@pytest.mark.parametrize("shell", ["dash", "busybox"], indirect=True)
def test_a_process_that_is_killed_leaves_old_or_new_content(shell: str, work: Path) -> None:
    (work / "file").write_bytes(b"0\n" * 100_000)
    for turn in range(6):
        process = subprocess.Popen([sys.executable, "-c", _KILLED, str(work), *SHELLS[shell]], stdout=subprocess.PIPE)
        with process:
            assert process.stdout is not None
            process.stdout.readline()
            before = (work / "file").stat().st_ino
            deadline = time.monotonic() + 30
            while (work / "file").stat().st_ino == before and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(0.003 * turn)
            os.kill(process.pid, signal.SIGKILL)
        content = (work / "file").read_bytes()
        assert len(content) == 200_000
        assert len(set(content.split(b"\n")[:-1])) == 1
        deadline = time.monotonic() + 30
        while [name for name in os.listdir(work) if name.startswith(".hermes-")]:
            assert time.monotonic() < deadline, "something was left behind"
            time.sleep(0.01)


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
@given(data=st.binary(max_size=300), again=st.binary(max_size=300))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_written_is_what_is_read(tree: RemoteFileSystem, data: bytes, again: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = tree.replace(tree.find("file", base=folder), data)
        assert tree.read(found) == data
        assert tree.read(tree.replace(found, again)) == again


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_who_locks_loses_no_update(new_tree: NewTree, work: Path) -> None:
    (work / "count").write_bytes(b"0")

    def count() -> None:
        mine = new_tree()
        for _ in range(5):
            with mine.locked(mine.find("count", base=str(work))):
                found = mine.find("count", base=str(work))
                mine.replace(found, b"%d" % (int(mine.read(found)) + 1))

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (work / "count").read_bytes() == b"15"


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_a_lock_that_is_held_is_waited_for_and_not_for_ever(
    new_tree: NewTree, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = new_tree(), new_tree()
    a, b = one.find("a", base=str(work)), one.find("b", base=str(work))
    monkeypatch.setattr(filesystem, "LOCK_SECONDS", 0.05)
    with one.locked(a, b, a):
        with pytest.raises(TimeoutError), other.locked(b):
            pass
        with other.locked(one.find("c", base=str(work))):
            pass
    with other.locked(b, a):
        pass
    with contextlib.suppress(KeyError), one.locked(a):
        raise KeyError
    with one.locked():
        pass
    assert os.listdir(tmp_path / "locks") == []
