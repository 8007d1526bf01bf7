"""Where paths lead on this machine."""

from __future__ import annotations

import errno
import os
import pwd
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

MakeTree = Callable[..., LocalFileSystem]


def test_a_file_is_found_with_what_is_known_of_it(tree: LocalFileSystem, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    file.chmod(0o640)
    os.link(file, tmp_path / "other name")
    found = tree.find("file", base=str(tmp_path))
    seen = file.stat()
    assert found.stamp is not None
    assert (found.asked, found.path, found.kind) == (str(file), str(file), "file")
    assert (found.mode, found.owner, found.group, found.links) == (0o640, seen.st_uid, seen.st_gid, 2)
    assert (found.stamp.device, found.stamp.inode, found.stamp.size) == (seen.st_dev, seen.st_ino, 5)
    assert (found.stamp.changed, found.stamp.touched) == (seen.st_mtime_ns, seen.st_ctime_ns)
    assert tree.kind == tree.name == "local"


def test_links_are_followed_and_what_was_asked_for_is_remembered(tree: LocalFileSystem, tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "deep" / "file").write_bytes(b"")
    (tmp_path / "folder").symlink_to("real/deep")
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    found = tree.find("./link", base=str(tmp_path))
    assert found.asked == str(tmp_path / "link")
    assert found.path == str(tmp_path / "real" / "deep" / "file")
    upwards = tree.find("folder/../deep//./file", base=str(tmp_path))
    assert upwards.path == found.path  # the folder above is that of the link's target
    assert upwards.asked == f"{tmp_path}/folder/../deep/file"


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("new", "new"),
        ("a/b/new", "a/b/new"),
        ("folder/a/../b/./new", "real/b/new"),
        ("nothing/../folder/new", "real/new"),
        ("nothing/../real/file", "real/file"),
        ("dangling", "real/gone/file"),
        ("dangling/more", "real/gone/file/more"),
        ("real/../../../../../../../../../../../..", "/"),
    ],
)
def test_what_is_missing_has_the_path_that_it_would_have(
    tree: LocalFileSystem, tmp_path: Path, asked: str, leads_to: str
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "dangling").symlink_to("folder/gone/x/../file")
    found = tree.find(asked, base=str(tmp_path))
    assert found.path == os.path.join(tmp_path, leads_to)
    assert found.kind == {"real/file": "file", "/": "folder"}.get(leads_to, "missing")
    assert (found.stamp is None) == (found.kind == "missing")


def test_homes_are_filled_in(tree: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tree.find("~/x", base="/").path == str(tmp_path / "x")
    assert tree.find("~", base="/").kind == "folder"
    me = pwd.getpwuid(os.getuid())
    assert tree.find(f"~{me.pw_name}", base="/").path == os.path.realpath(me.pw_dir)
    assert tree.find("~nobody-has-this-name/x", base=str(tmp_path)).path == str(
        tmp_path / "~nobody-has-this-name" / "x"
    )


def test_a_base_that_is_no_path_is_taken_from_where_we_are(
    tree: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tree.find("x", base="").path == str(tmp_path / "x")
    assert tree.find("x", base="sub").path == str(tmp_path / "sub" / "x")


@pytest.mark.parametrize(
    "name", ["caf\udce9", "new\nline", " ", "-rf", "'\"$(x)", "ü" * 120, "(deleted)", "x (deleted)"]
)
def test_any_name_that_the_system_takes_is_found(tree: LocalFileSystem, tmp_path: Path, name: str) -> None:
    found = tree.replace(tree.find(name, base=str(tmp_path)), b"content")
    assert os.listdir(tmp_path) == [name]
    again = tree.find(name, base=str(tmp_path))
    assert again == found
    assert tree.read(again) == b"content"


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("", errno.EINVAL),
        ("a\0b", errno.EINVAL),
        ("~a\0b/x", errno.EINVAL),
        ("\ud800", errno.EILSEQ),
        ("x" * 256, errno.ENAMETOOLONG),
        ("x/" * 2_000_000, errno.ENAMETOOLONG),
        ("circle", errno.ELOOP),
        ("circle/x", errno.ELOOP),
        ("file/x", errno.ENOTDIR),
        ("file/", errno.ENOTDIR),
        ("file/..", errno.ENOTDIR),
        ("to-file/.", errno.ENOTDIR),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_what_cannot_be_followed_is_an_error_that_names_it(
    tree: LocalFileSystem, tmp_path: Path, path: str, number: int
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "to-file").symlink_to("file")
    (tmp_path / "circle").symlink_to("circle2")
    (tmp_path / "circle2").symlink_to("circle")
    with pytest.raises(OSError) as caught:
        tree.find(path, base=str(tmp_path))
    assert caught.value.errno == number
    assert caught.value.strerror
    assert isinstance(caught.value.filename, str)
    assert len(str(caught.value)) < 1000
    caught.value.filename.encode()


def test_kinds_are_told_apart(tree: LocalFileSystem, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        kinds = {name: tree.find(name, base=str(tmp_path)).kind for name in ("pipe", "socket", ".", "/dev/null")}
    assert kinds == {"pipe": "pipe", "socket": "socket", ".": "folder", "/dev/null": "device"}


def test_a_pipe_without_a_name_is_not_taken_for_a_missing_file(tmp_path: Path) -> None:
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("this machine has no /proc")
    tree = LocalFileSystem()
    reading, writing = os.pipe()
    try:
        found = tree.find(f"/proc/self/fd/{reading}", base="/")
        assert found.kind == "pipe"
        with pytest.raises(OSError, match="a named pipe"):
            tree.read(found)
    finally:
        os.close(reading)
        os.close(writing)
    gone = tmp_path / "gone"
    with gone.open("w+b") as file:
        gone.unlink()
        assert tree.find(f"/proc/self/fd/{file.fileno()}", base="/").kind == "file"


def test_a_folder_that_may_not_be_entered_hides_what_is_in_it(
    tree: LocalFileSystem, nobody: tuple[Path, Callable[[], object]]
) -> None:
    folder, be_nobody = nobody
    (folder / "closed").mkdir(mode=0o700)
    with be_nobody(), pytest.raises(PermissionError):  # type: ignore[attr-defined]
        tree.find("closed/x", base=str(folder))


# -- roots -----------------------------------------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A workspace, something beside it, and links out of it."""
    (tmp_path / "work" / "sub").mkdir(parents=True)
    (tmp_path / "work2").mkdir()
    (tmp_path / "work2" / "secret").write_bytes(b"secret")
    (tmp_path / "work" / "file").write_bytes(b"file")
    (tmp_path / "work" / "out").symlink_to("../work2")
    (tmp_path / "work" / "in").symlink_to(tmp_path / "work" / "sub" / "x")
    (tmp_path / "to-work").symlink_to("work")
    return tmp_path


@pytest.mark.parametrize("path", ["../work2/secret", "out/secret", "out/new", "/etc/passwd", "..", "sub/../../work2/x"])
def test_what_lies_outside_of_the_roots_is_refused(make_tree: MakeTree, outside: Path, path: str) -> None:
    tree = make_tree([str(outside / "to-work"), str(outside / "missing")])
    with pytest.raises(PermissionError, match=f"Outside .*{outside}/work, {outside}/missing"):
        tree.find(path, base=str(outside / "work"))


def test_what_lies_below_a_root_is_used_as_ever(make_tree: MakeTree, outside: Path) -> None:
    tree = make_tree([str(outside / "to-work"), str(outside / "later")])
    base = str(outside / "to-work")
    assert tree.read(tree.find("file", base=base)) == b"file"
    assert tree.replace(tree.find("in", base=base), b"new").path == f"{outside}/work/sub/x"
    assert tree.replace(tree.find("a/b/c", base=base), b"deep").path == f"{outside}/work/a/b/c"
    assert tree.names(tree.find(".", base=base)) == ["a", "file", "in", "out", "sub"]
    made = tree.replace(tree.find(f"{outside}/later/x", base=base), b"in a root that was missing")
    with tree.locked(made, tree.find("file", base=base)):
        tree.remove(made)
    assert os.listdir(outside / "later") == []


def test_what_another_tree_has_found_outside_of_the_roots_is_not_opened(make_tree: MakeTree, outside: Path) -> None:
    found = make_tree().find("work2/secret", base=str(outside))
    tree = make_tree([str(outside / "work")])
    new = FileInfo(str(outside / "work2/x"), str(outside / "work2/x"), "missing")
    uses: list[Callable[[], object]] = [
        lambda: tree.read(found),
        lambda: tree.replace(found, b""),
        lambda: tree.remove(found),
        lambda: tree.replace(new, b""),
    ]
    for use in uses:
        with pytest.raises(PermissionError, match="Outside"):
            use()
    assert os.listdir(outside / "work2") == ["secret"]


def test_the_root_of_all_is_a_root(make_tree: MakeTree, outside: Path) -> None:
    tree = make_tree(["/"])
    assert tree.read(tree.find("work2/secret", base=str(outside))) == b"secret"
    assert "etc" in tree.names(tree.find("/", base="/"))
