"""Where paths lead in a place that only a shell reaches: the same answers as on this machine."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

from .conftest import NOBODY, NewPlace, NewTree

ODD = [
    "two words", "line\nend", "ends\n", "\n", "'single'", '"double"', "-rf", "--", "*", "[a]", "?", "~", "~root",
    "$HOME", "`id`", "back\\slash", "\\", "tab\t", "#", "!", "(", "=", "%s", "...", ".hidden", "caf\u00e9",
    "\u65e5\u672c", "\udc81\udc82\udc88\udcff", "\x01\x7f\x1b", "\r", "a" * 255,
]  # fmt: skip


def test_every_name_that_a_file_can_have_is_found(tree: RemoteFileSystem, work: Path) -> None:
    for name in ODD:
        (work / name).write_bytes(os.fsencode(name))
    for name in ODD:
        found = tree.find(str(work / name), base="/")
        assert (found.kind, found.path) == ("file", str(work / name))
        assert tree.read(found) == os.fsencode(name)
        assert tree.find("./" + name, base=str(work)) == found
    assert tree.names(tree.find(str(work), base="/")) == sorted(ODD)


def test_every_byte_can_be_in_a_name(tree: RemoteFileSystem, work: Path) -> None:
    every = bytes(byte for byte in range(1, 256) if byte != ord("/"))
    for name in (os.fsdecode(every[:127]), os.fsdecode(every[127:])):
        found = tree.replace(tree.find(name, base=str(work)), b"x")
        assert os.path.exists(work / name)
        assert tree.find(name, base=str(work)) == found
    assert len(tree.names(tree.find(".", base=str(work)))) == 2


def test_what_is_told_of_a_file_is_what_the_system_tells(tree: RemoteFileSystem, work: Path) -> None:
    path = work / "file"
    path.write_bytes(b"12345")
    path.chmod(0o4751)
    os.link(path, work / "other")
    seen, found = path.stat(), tree.find("file", base=str(work))
    assert found.stamp is not None
    assert (found.stamp.device, found.stamp.inode, found.stamp.size) == (seen.st_dev, seen.st_ino, 5)
    assert (found.stamp.changed, found.stamp.touched) == (seen.st_mtime_ns, seen.st_ctime_ns)
    assert (found.mode, found.owner, found.group, found.links) == (0o4751, seen.st_uid, seen.st_gid, 2)


def test_links_are_followed_and_what_was_asked_is_kept(tree: RemoteFileSystem, work: Path) -> None:
    (work / "a" / "b").mkdir(parents=True)
    (work / "a" / "file").write_text("x")
    (work / "short").symlink_to("a/b")
    (work / "far").symlink_to(work / "short")
    found = tree.find("far/../file", base=str(work))
    assert (found.asked, found.path) == (f"{work}/far/../file", f"{work}/a/file")
    (work / "dangling").symlink_to("a/b/not/there")
    lost = tree.find("dangling", base=str(work))
    assert (lost.kind, lost.path, lost.stamp) == ("missing", f"{work}/a/b/not/there", None)
    (work / "odd").symlink_to(work / "ends\n")
    assert tree.find("odd", base=str(work)).path == f"{work}/ends\n"


def test_what_is_missing_is_where_it_would_be(tree: RemoteFileSystem, work: Path) -> None:
    (work / "link").symlink_to(".")
    assert tree.find("link/no/such/../file", base=str(work)).path == f"{work}/no/file"
    assert tree.find("./x//y/", base=str(work)).asked == f"{work}/x/y"
    assert tree.find("/", base="/").kind == "folder"
    assert tree.find("..", base="/").path == "/"


def test_the_home_is_the_places_own(new_tree: NewTree, new_place: NewPlace, work: Path) -> None:
    place = new_place()
    place._variables["HOME"] = str(work)
    tree = new_tree(place)
    (work / "file").write_text("x")
    assert tree.find("~/file", base="/").path == f"{work}/file"
    assert tree.find("~", base="/").path == str(work)
    assert tree.find("file", base="~").path == f"{work}/file"
    assert tree.find("~root/file", base="/").path == f"{os.path.expanduser('~root')}/file"
    assert tree.find("~no-such-user/file", base=str(work)).path == f"{work}/~no-such-user/file"


def test_kinds_are_told_apart(tree: RemoteFileSystem, work: Path) -> None:
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(work)  # the name of a socket has room for 108 characters
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        kinds = [tree.find(name, base=str(work)).kind for name in (".", "pipe", "socket", "/dev/null")]
    assert kinds == ["folder", "pipe", "socket", "device"]


def test_what_leads_nowhere_is_an_error_of_the_system(tree: RemoteFileSystem, work: Path) -> None:
    (work / "file").write_text("x")
    (work / "circle").symlink_to("circle")
    for path, number in (
        ("", errno.EINVAL),
        ("a\0b", errno.EINVAL),
        ("file/x", errno.ENOTDIR),
        ("file/", errno.ENOTDIR),
        ("file/..", errno.ENOTDIR),
        ("circle", errno.ELOOP),
        ("n" * 256, errno.ENAMETOOLONG),
        ("long/" * 20_000, errno.ENAMETOOLONG),
        ("long/" * 815, errno.ENAMETOOLONG),  # only together with the base
        ("\ud800", errno.EILSEQ),
    ):
        with pytest.raises(OSError) as caught:
            tree.find(path, base=str(work))
        assert caught.value.errno == number, path[:20]
    assert tree.find("file", base=str(work)).kind == "file"  # and the helper still answers


def test_a_folder_that_may_not_be_entered_is_told(new_tree: NewTree, new_place: NewPlace, open_work: Path) -> None:
    (open_work / "closed").mkdir()
    (open_work / "closed" / "file").write_text("x")
    (open_work / "closed").chmod(0o600)
    if os.geteuid() == 0:
        os.chown(open_work / "closed", NOBODY, NOBODY)
    with pytest.raises(PermissionError):
        new_tree(new_place(NOBODY)).find("closed/file", base=str(open_work))


def test_only_what_is_beneath_the_roots_is_found(new_tree: NewTree, work: Path) -> None:
    (work / "in").mkdir()
    (work / "inside").mkdir()
    (work / "out").write_text("x")
    (work / "way").symlink_to("in")
    (work / "in" / "leak").symlink_to("../out")
    tree = new_tree(roots=[str(work / "way")])
    assert tree.find("way/new", base=str(work)).path == f"{work}/in/new"
    assert tree.find("in", base=str(work)).kind == "folder"
    for path in ("out", "in/leak", "inside", "in/../out", "/"):
        with pytest.raises(PermissionError, match="way"):
            tree.find(path, base=str(work))
    elsewhere = new_tree().find("out", base=str(work))
    for use in (tree.read, tree.remove, lambda found: tree.replace(found, b"y")):
        with pytest.raises(PermissionError):
            use(elsewhere)
    assert (work / "out").read_text() == "x"


_PARTS = st.lists(st.sampled_from(["a", "b", "file", "up", "deep", "lost", "round", "..", ".", ""]), max_size=6)


@pytest.mark.parametrize("shell", ["dash", "busybox"], indirect=True)
@given(parts=_PARTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_finds_what_the_local_tree_finds(tree: RemoteFileSystem, parts: list[str]) -> None:
    path = "/".join(["a", *parts])
    with tempfile.TemporaryDirectory() as name:
        base = os.path.realpath(name)
        os.makedirs(f"{base}/a/b/deep")
        os.symlink("..", f"{base}/a/b/up")
        os.symlink(f"{base}/a/b", f"{base}/a/deep")
        os.symlink("no/way", f"{base}/a/lost")
        os.symlink("round", f"{base}/a/round")
        with open(f"{base}/a/file", "w") as file:
            file.write("x")
        try:
            here: object = LocalFileSystem().find(path, base=base)
        except OSError as error:
            here = error.errno
        try:
            there: object = tree.find(path, base=base)
        except OSError as error:
            there = error.errno
        assert there == here
