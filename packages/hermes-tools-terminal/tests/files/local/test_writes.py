"""Files on this machine are replaced as a whole, and keep what they had."""

from __future__ import annotations

import os
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.files.local import file_info, writes
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

Nobody = tuple[Path, Callable[[], AbstractContextManager[None]]]


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Another umask for a block."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@settings(max_examples=40, deadline=None)
@given(contents=st.lists(st.binary(max_size=5000), min_size=1, max_size=4))
def test_what_was_written_is_what_is_read(contents: list[bytes]) -> None:
    tree = LocalFileSystem()
    with tempfile.TemporaryDirectory() as folder:
        found = tree.find("a/b", base=folder)
        for content in contents:
            found = tree.replace(found, content)
            assert tree.find("a/b", base=folder) == found  # so it can be replaced again at once
            assert tree.read(found) == content
        assert os.listdir(os.path.join(folder, "a")) == ["b"]


def test_a_new_file_gets_what_the_umask_leaves_or_what_was_asked_for(tree: LocalFileSystem, tmp_path: Path) -> None:
    with umask(0o027):
        assert tree.replace(tree.find("plain", base=str(tmp_path)), b"").mode == 0o640
        assert tree.replace(tree.find("asked", base=str(tmp_path)), b"", mode=0o755).mode == 0o755
        tree.replace(tree.find("made/here/file", base=str(tmp_path)), b"")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o750


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444, 0o4755, 0o2770, 0o666])
def test_permissions_and_owner_stay(tree: LocalFileSystem, tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    if os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    elif mode == 0o444:
        pytest.skip("who is not root may not write it")
    path.chmod(mode)
    before = path.stat()
    now = tree.replace(tree.find(str(path), base="/"), b"new", mode=0o777)
    assert (now.mode, now.owner, now.group) == (mode, before.st_uid, before.st_gid)
    assert path.read_bytes() == b"new"


def test_what_is_attached_to_a_file_stays(tree: LocalFileSystem, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    entries = [(1, 6, -1), (2, 4, 1234), (4, 4, -1), (16, 4, -1), (32, 0, -1)]  # user 1234 may read
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(path, "user.hermes", b"kept")
        os.setxattr(path, "system.posix_acl_access", acl)
    except (OSError, AttributeError):
        pytest.skip("this file system keeps no attributes")
    tree.replace(tree.find(str(path), base="/"), b"new")
    assert os.getxattr(path, "user.hermes") == b"kept"
    assert os.getxattr(path, "system.posix_acl_access") == acl


def test_somebody_who_may_not_give_files_away_gives_no_rights_away(tree: LocalFileSystem, nobody: Nobody) -> None:
    """A file of others in a folder of one's own: it becomes one's own, and their group's rights go to nobody."""
    folder, be_nobody = nobody
    os.chown(folder, 65534, 65534)
    path = folder / "file"
    path.write_bytes(b"old")
    os.chown(path, 1234, 4321)
    path.chmod(0o6766)
    with be_nobody():
        now = tree.replace(tree.find(str(path), base="/"), b"new")
    assert (now.owner, now.group, oct(now.mode)) == (65534, 65534, oct(0o766))
    os.chown(path, 1234, 4321)
    path.chmod(0o672)
    with be_nobody():
        now = tree.replace(tree.find(str(path), base="/"), b"new")
    assert oct(now.mode) == oct(0o622)


def test_a_file_that_may_be_written_but_not_read_is_replaced(tree: LocalFileSystem, nobody: Nobody) -> None:
    folder, be_nobody = nobody
    os.chown(folder, 65534, 65534)
    folder.chmod(0o300)  # and nobody may look into its folder
    with be_nobody():
        made = tree.replace(tree.find("file", base=str(folder)), b"old", mode=0o200)
        with tree.locked(made):
            now = tree.replace(made, b"new")
        with pytest.raises(PermissionError):
            tree.read(now)
    assert (folder / "file").read_bytes() == b"new"


def test_a_link_stays_and_what_it_leads_to_is_replaced(tree: LocalFileSystem, tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "dangling").symlink_to("new/file")
    tree.replace(tree.find("link", base=str(tmp_path)), b"new")
    tree.replace(tree.find("dangling", base=str(tmp_path)), b"made")
    assert os.readlink(tmp_path / "link") == "target"
    assert (tmp_path / "target").read_bytes() == b"new"
    assert (tmp_path / "new" / "file").read_bytes() == b"made"


def test_a_file_with_several_names_is_parted_from_them(tree: LocalFileSystem, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"old")
    os.link(tmp_path / "one", tmp_path / "two")
    found = tree.find("one", base=str(tmp_path))
    assert found.links == 2
    assert tree.replace(found, b"new").links == 1
    assert (tmp_path / "two").read_bytes() == b"old"


def _rewrite(path: Path) -> None:
    path.write_bytes(b"OLD")
    os.utime(path, ns=(1, 1))


CHANGES: dict[str, Callable[[Path], object]] = {
    "longer": lambda path: path.write_bytes(b"longer"),
    "of the same size": _rewrite,
    "its mode": lambda path: path.chmod(0o611),
    "touched": os.utime,
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_file_that_has_changed_is_neither_replaced_nor_removed(
    tree: LocalFileSystem, tmp_path: Path, change: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.utime(path, ns=(1, 1))
    found = tree.find(str(path), base="/")
    CHANGES[change](path)
    now = path.read_bytes()
    with pytest.raises(ChangedError, match="was changed since"):
        tree.replace(found, b"new")
    with pytest.raises(ChangedError, match="was changed since"):
        tree.remove(found)
    assert path.read_bytes() == now
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_has_appeared_is_not_overwritten(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = tree.find("sub/file", base=str(tmp_path))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_bytes(b"somebody else's")
    with pytest.raises(ChangedError, match="was created"):
        tree.replace(found, b"ours")
    (tmp_path / "sub" / "file").unlink()
    (tmp_path / "sub" / "file").symlink_to("nowhere")
    with pytest.raises(ChangedError):
        tree.replace(found, b"ours")
    assert os.listdir(tmp_path / "sub") == ["file"]


@pytest.mark.parametrize("way", ["rename", "link", "neither"])
def test_a_name_that_is_taken_at_the_last_moment_stays_taken(
    tree: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """By each of the ways in which kernels and file systems give new names."""
    if way != "rename":
        monkeypatch.setattr(writes, "_rename_exclusively", lambda: lambda *_: 38)
    if way == "neither":
        monkeypatch.setattr(os, "link", _refuse)
    assert tree.replace(tree.find("new", base=str(tmp_path)), b"new").links == 1
    assert os.listdir(tmp_path) == ["new"]
    if way == "neither":
        return  # the look right before has to do there
    found = tree.find("taken", base=str(tmp_path))
    check = file_info.check_unchanged

    def check_then_take(found: FileInfo, folder: int, name: str) -> None:
        check(found, folder, name)
        if len(os.listdir(tmp_path)) > 1:  # ours waits beside it already
            (tmp_path / "taken").write_bytes(b"somebody else's")

    monkeypatch.setattr(writes, "check_unchanged", check_then_take)
    with pytest.raises(ChangedError, match="was created"):
        tree.replace(found, b"ours")
    assert (tmp_path / "taken").read_bytes() == b"somebody else's"
    assert sorted(os.listdir(tmp_path)) == ["new", "taken"]


def _refuse(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_folder_on_the_way_that_became_a_link_is_not_followed(tree: LocalFileSystem, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "elsewhere").mkdir()
    found = tree.find("a/b/c/file", base=str(tmp_path))
    (tmp_path / "a" / "b").symlink_to("../elsewhere")
    with pytest.raises(ChangedError):
        tree.replace(found, b"new")
    (tmp_path / "a" / "b").unlink()
    (tmp_path / "a" / "b").write_bytes(b"a file")
    with pytest.raises(ChangedError):
        tree.replace(found, b"new")
    assert os.listdir(tmp_path / "elsewhere") == []


def test_only_files_are_replaced(tree: LocalFileSystem, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Not a regular file but a named pipe"):
        tree.replace(tree.find("pipe", base=str(tmp_path)), b"")
    with pytest.raises(IsADirectoryError):
        tree.replace(tree.find(".", base=str(tmp_path)), b"")
    with pytest.raises(OSError, match="a device"):
        tree.replace(tree.find("/dev/null", base="/"), b"")


def test_a_removed_file_is_gone(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = tree.replace(tree.find("file", base=str(tmp_path)), b"x")
    tree.remove(found)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ChangedError, match="moved, removed|was removed"):
        tree.remove(found)


# -- what the system refuses ---------------------------------------------------------------------------------------


def test_a_file_that_may_not_be_written_is_not_replaced(tree: LocalFileSystem, nobody: Nobody) -> None:
    folder, be_nobody = nobody
    os.chown(folder, 65534, 65534)
    with be_nobody():
        found = tree.replace(tree.find("file", base=str(folder)), b"old", mode=0o444)
        with pytest.raises(PermissionError) as caught:
            tree.replace(found, b"new")
        assert caught.value.filename == str(folder / "file")
        assert tree.read(found) == b"old"
    assert os.listdir(folder) == ["file"]


def test_nothing_is_changed_in_a_folder_that_may_not_be_written(tree: LocalFileSystem, nobody: Nobody) -> None:
    folder, be_nobody = nobody
    (folder / "file").write_bytes(b"old")
    (folder / "file").chmod(0o666)
    with be_nobody():
        found = tree.find("file", base=str(folder))
        with pytest.raises(PermissionError, match="no file can be created in it") as caught:
            tree.replace(found, b"new")
        assert caught.value.filename == str(folder)
        with pytest.raises(PermissionError, match="no file can be created in it"):
            tree.replace(tree.find("other", base=str(folder)), b"new")
        with pytest.raises(PermissionError, match="no directory can be created in it") as caught:
            tree.replace(tree.find("sub/other", base=str(folder)), b"new")
        assert caught.value.filename == str(folder)
        with pytest.raises(PermissionError):
            tree.remove(found)
        assert tree.read(found) == b"old"


def test_a_file_that_may_not_be_read_says_so(tree: LocalFileSystem, nobody: Nobody) -> None:
    folder, be_nobody = nobody
    (folder / "file").write_bytes(b"secret")
    (folder / "file").chmod(0o600)
    with be_nobody(), pytest.raises(PermissionError):
        tree.read(tree.find("file", base=str(folder)))


def test_a_full_disk_leaves_the_old_content_and_nothing_else(tree: LocalFileSystem, small_disk: Path) -> None:
    found = tree.replace(tree.find("file", base=str(small_disk)), b"old")
    with pytest.raises(OSError, match="No space left on device") as caught:
        tree.replace(found, bytes(100_000))
    assert caught.value.filename == str(small_disk / "file")
    with pytest.raises(OSError, match="No space left on device"):
        tree.replace(tree.find("a/b/new", base=str(small_disk)), bytes(100_000))
    assert os.listdir(small_disk) == ["file"]
    assert tree.read(tree.find("file", base=str(small_disk))) == b"old"
    assert tree.replace(found, b"new").stamp != found.stamp


def test_folders_that_were_made_for_nothing_are_removed_but_not_those_of_others(
    tree: LocalFileSystem, small_disk: Path
) -> None:
    (small_disk / "a").mkdir()
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError, match="No space left"):
        tree.replace(tree.find("a/b/c/new", base=str(small_disk)), bytes(100_000))
    assert os.listdir(small_disk) == ["a"]
    assert os.listdir(small_disk / "a") == []
    with pytest.raises(OSError, match="no directory can be created"):
        tree.replace(tree.find("a/" + "b/" * 1500 + "new", base=str(small_disk)), b"x")  # folders need room, too
    assert os.listdir(small_disk / "a") == []
    assert len(os.listdir("/dev/fd")) == before


def test_folders_are_made_as_deep_as_paths_go(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = tree.find("d/" * 60 + "file", base=str(tmp_path))
    assert tree.read(tree.replace(found, b"deep down")) == b"deep down"
