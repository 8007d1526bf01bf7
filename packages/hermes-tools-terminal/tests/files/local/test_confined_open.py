"""What was found is what is used: swaps in between are noticed, by both ways to open files."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.files.local import confined_open
from hermes_tools_terminal.files.local.confined_open import STEP, open_stepwise, open_with_openat2, open_without_links
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

MakeTree = Callable[..., LocalFileSystem]
Use = Callable[[LocalFileSystem, FileInfo], object]

USES: dict[str, Use] = {
    "read": lambda tree, found: tree.read(found),
    "lines": lambda tree, found: tree.lines(found, 1, 10, longest=100),
    "replace": lambda tree, found: tree.replace(found, b"new"),
    "remove": lambda tree, found: tree.remove(found),
}


@pytest.fixture(params=list(USES))
def use(request: pytest.FixtureRequest) -> Use:
    """One of the things that can be done with a file."""
    return USES[request.param]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file in a folder, and a secret with the same content elsewhere."""
    for name in ("work", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"content\n")
    return tmp_path


def test_a_link_put_in_its_place_is_not_followed(tree: LocalFileSystem, place: Path, use: Use) -> None:
    found = tree.find("work/file", base=str(place))
    (place / "work" / "file").unlink()
    (place / "work" / "file").symlink_to("../elsewhere/file")
    with pytest.raises(ChangedError, match="since it was last checked; read it again") as caught:
        use(tree, found)
    assert caught.value.filename == str(place / "work" / "file")
    assert (place / "work" / "file").is_symlink()
    assert (place / "elsewhere" / "file").read_bytes() == b"content\n"
    assert len(os.listdir(place / "work")) == 1


@pytest.mark.parametrize("confined", [False, True])
def test_a_folder_turned_into_a_link_is_not_followed(
    make_tree: MakeTree, place: Path, use: Use, confined: bool
) -> None:
    tree = make_tree([str(place)] if confined else [])
    found = tree.find("work/file", base=str(place))
    (place / "work").rename(place / "moved")
    (place / "work").symlink_to("moved")  # even when it leads to the very same file
    with pytest.raises(ChangedError):
        use(tree, found)
    (place / "work").unlink()
    (place / "work").symlink_to("elsewhere")
    with pytest.raises(ChangedError):
        use(tree, found)
    assert (place / "moved" / "file").read_bytes() == (place / "elsewhere" / "file").read_bytes() == b"content\n"


def test_a_root_turned_into_a_link_is_not_followed(make_tree: MakeTree, place: Path, use: Use) -> None:
    tree = make_tree([str(place / "work")])
    found = tree.find("work/file", base=str(place))
    (place / "work").rename(place / "moved")
    (place / "work").symlink_to("moved")
    with pytest.raises(ChangedError):
        use(tree, found)


def test_another_file_of_the_same_name_is_not_taken_for_it(tree: LocalFileSystem, place: Path, use: Use) -> None:
    found = tree.find("work/file", base=str(place))
    (place / "elsewhere" / "file").rename(place / "work" / "file")
    with pytest.raises(ChangedError, match="was replaced"):
        use(tree, found)


def test_a_file_that_is_gone_has_changed(tree: LocalFileSystem, place: Path, use: Use) -> None:
    found = tree.find("work/file", base=str(place))
    (place / "work" / "file").unlink()
    with pytest.raises(ChangedError):
        use(tree, found)
    (place / "work").rmdir()
    with pytest.raises(ChangedError):
        use(tree, found)


@pytest.mark.parametrize("what", ["pipe", "socket", "folder", "device"])
def test_something_else_put_in_its_place_neither_hangs_nor_is_used(
    tree: LocalFileSystem, place: Path, use: Use, what: str
) -> None:
    found = tree.find("work/file", base=str(place))
    path = place / "work" / "file"
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    else:
        try:
            os.mknod(path, 0o20666, os.stat("/dev/zero").st_rdev)
        except PermissionError:
            pytest.skip("making devices needs root")
    with pytest.raises(ChangedError):
        use(tree, found)
    assert os.listdir(place / "work") == ["file"]


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("pipe", OSError),
        ("socket", OSError),
        (".", IsADirectoryError),
        ("/dev/zero", OSError),
        ("no", FileNotFoundError),
    ],
)
def test_only_regular_files_are_read_or_removed(
    tree: LocalFileSystem, tmp_path: Path, use: Use, what: str, error: type[OSError]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
    found = tree.find(what, base=str(tmp_path))
    if found.kind == "missing" and use is USES["replace"]:
        return  # that makes it
    with pytest.raises(error) as caught:
        use(tree, found)
    assert not isinstance(caught.value, ChangedError)
    assert caught.value.filename == found.path


def test_content_that_has_changed_is_read_as_it_is_now(tree: LocalFileSystem, place: Path) -> None:
    found = tree.find("work/file", base=str(place))
    (place / "work" / "file").write_bytes(b"more content\n")
    assert tree.read(found) == b"more content\n"
    assert tree.lines(found, 1, 5, longest=100).data == b"more content\n"


def test_a_folder_is_listed_as_it_was_found(tree: LocalFileSystem, place: Path) -> None:
    (place / "work" / "a\udcff").write_bytes(b"")
    found = tree.find("work", base=str(place))
    assert tree.names(found) == ["a\udcff", "file"]
    (place / "work").rename(place / "moved")
    (place / "work").symlink_to("elsewhere")
    with pytest.raises(ChangedError):
        tree.names(found)
    (place / "work").unlink()
    (place / "elsewhere").rename(place / "work")
    with pytest.raises(ChangedError):
        tree.names(found)
    with pytest.raises(NotADirectoryError):
        tree.names(tree.find("work/file", base=str(place)))
    with pytest.raises(FileNotFoundError):
        tree.names(tree.find("nothing", base=str(place)))


def test_somebody_who_swaps_all_the_time_gains_nothing(tree: LocalFileSystem, tmp_path: Path) -> None:
    """A file turns into a link to a secret and back, again and again, while it is found, judged and read."""
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "work").mkdir()
    target = tmp_path / "work" / "file"
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (tmp_path / "plain").write_bytes(b"plain")
            os.rename(tmp_path / "plain", target)
            os.symlink(tmp_path / "secret", tmp_path / "link")
            os.rename(tmp_path / "link", target)

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes = {"read": 0, "changed": 0}
    try:
        for _ in range(1500):
            found = tree.find("work/file", base=str(tmp_path))
            if found.path != str(target) or found.kind != "file":
                continue  # it led to the secret, and whoever judges paths sees that
            try:
                assert tree.read(found) == b"plain"
                outcomes["read"] += 1
            except ChangedError:
                outcomes["changed"] += 1
    finally:
        over.set()
        swapping.join()
    assert sum(outcomes.values()) > 0


# -- the openers themselves --------------------------------------------------------------------------------------


@pytest.mark.parametrize("opener", [open_with_openat2, open_stepwise, open_without_links])
def test_no_opener_leaves_its_folder(opener: confined_open.Opener, place: Path) -> None:
    (place / "work" / "up").symlink_to("..")
    folder = os.open(place / "work", STEP)
    try:
        for path in ("../elsewhere/file", "up/elsewhere/file", "up"):
            with pytest.raises(OSError) as caught:
                opener(folder, path, os.O_RDONLY)
            assert caught.value.errno in (errno.EXDEV, errno.ELOOP, errno.ENOTDIR)
        handle = opener(folder, "file", os.O_RDONLY)
        assert not os.get_inheritable(handle)
        os.close(handle)
    finally:
        os.close(folder)


def test_a_filter_that_forbids_the_call_is_no_hindrance(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers forbid calls that they do not know; the other way has the last word then, errors included."""
    folder = os.open(place, STEP)
    try:
        for number in (errno.EPERM, errno.ENOSYS, errno.EAGAIN):
            monkeypatch.setattr(confined_open, "_openat2", lambda number=number: lambda *_: -number)
            os.close(open_with_openat2(folder, "work/file", os.O_RDONLY))
            with pytest.raises(FileNotFoundError):
                open_with_openat2(folder, "work/nothing", os.O_RDONLY)
    finally:
        os.close(folder)


def test_nothing_stays_open(tree: LocalFileSystem, place: Path, use: Use) -> None:
    def handles() -> int:
        return len(os.listdir("/dev/fd"))

    before = handles()
    for name in ("work/file", "work/nothing/new", "work"):
        found = tree.find(name, base=str(place))
        try:
            use(tree, found)
            use(tree, found)
        except OSError:
            pass
    assert handles() == before
