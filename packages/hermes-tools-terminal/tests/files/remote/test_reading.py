"""Reading by a shell: the same bytes, the exact lines, and never those of another file."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.files.filesystem import ChangedError, Lines
from hermes_tools_terminal.files.remote.filesystem import PIECE, RemoteFileSystem

from .conftest import NOBODY, NewPlace, NewTree

EVERY = bytes(range(256)) * 1000


def plain(data: bytes, first: int, count: int, longest: int) -> Lines:
    """The same by plain means."""
    lines = [line + b"\n" for line in data.split(b"\n")[:-1]] + [line for line in data.split(b"\n")[-1:] if line]
    kept, cut = [], {}
    for number, line in enumerate(lines[first - 1 : first - 1 + count], first):
        bare = line.removesuffix(b"\n")
        if len(bare) > longest:
            cut[number] = len(bare)
        kept.append(bare[:longest] + line[len(bare) :])
    return Lines(b"".join(kept), cut, len(lines), more=first - 1 + count < len(lines))


def test_some_bytes_or_all_are_read(tree: RemoteFileSystem, work: Path) -> None:
    (work / "file").write_bytes(EVERY)
    found = tree.find("file", base=str(work))
    assert tree.read(found) == EVERY
    for offset, size in ((0, 10), (1, 65_536), (65_536, 1), (65_535, 65_537), (100, -1), (255_999, 50), (0, 0)):
        assert tree.read(found, offset, size) == EVERY[offset : offset + size if size >= 0 else None], (offset, size)
    assert tree.read(found, 256_000, 10) == tree.read(found, 10**12, 10) == b""


def test_big_files_come_in_pieces(tree: RemoteFileSystem, work: Path) -> None:
    data = os.urandom(PIECE * 2 + 12_345)
    (work / "file").write_bytes(data)
    assert tree.read(tree.find("file", base=str(work)), 3, PIECE + 9) == data[3 : PIECE + 12]


def test_lines_are_counted_as_they_are(tree: RemoteFileSystem, work: Path) -> None:
    for data in (b"", b"\n", b"a", b"a\n", b"a\nb", b"\n\n", b"a\r\nb\rc\r\n", b"\0\n\0\xff\n\0", b"a\n" * 99):
        (work / "file").write_bytes(data)
        found = tree.find("file", base=str(work))
        for first, count in ((1, 500), (1, 1), (2, 1), (100, 3), (10**30, 10**30), (1, 0)):
            assert tree.lines(found, first, count, longest=80) == plain(data, first, count, 80), (first, count)


@pytest.mark.parametrize("shell", ["dash", "busybox"], indirect=True)
@given(
    lines=st.lists(st.binary(max_size=12) | st.binary(min_size=60, max_size=70), max_size=12),
    first=st.integers(1, 14),
    count=st.integers(0, 14),
    longest=st.integers(1, 65),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_of_any_bytes_are_exact(
    tree: RemoteFileSystem, lines: list[bytes], first: int, count: int, longest: int
) -> None:
    data = b"\n".join(lines)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        assert tree.lines(tree.find(file.name, base="/"), first, count, longest=longest) == plain(
            data, first, count, longest
        )


@pytest.mark.parametrize("shell", ["dash", "busybox"], indirect=True)
def test_lines_that_do_not_fit_into_one_answer_are_exact(tree: RemoteFileSystem, work: Path) -> None:
    lines = [b"short", b"x" * (PIECE + 5), b"", b"y" * (3 * PIECE), b"z" * 700_000, b"w" * 700_000, b"last" * 400_000]
    for data in (b"\n".join(lines), b"\n".join(lines) + b"\n", (b"a" * 999 + b"\n") * 2500):
        (work / "file").write_bytes(data)
        found = tree.find("file", base=str(work))
        for first, count, longest in ((1, 9, 100), (2, 3, 10), (4, 2000, 2 * PIECE), (7, 5, 1)):
            assert tree.lines(found, first, count, longest=longest) == plain(data, first, count, longest)


@pytest.mark.parametrize("shell", ["dash", "busybox"], indirect=True)
def test_a_huge_line_does_not_travel(tree: RemoteFileSystem, work: Path) -> None:
    with open(work / "file", "wb") as file:
        file.write(b"first\n")
        file.truncate(100_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nend\n")
    found = tree.find("file", base=str(work))
    tracemalloc.start()
    try:
        told = tree.lines(found, 1, 10, longest=20)
        assert tracemalloc.get_traced_memory()[1] < 12 * PIECE
    finally:
        tracemalloc.stop()
    assert told == Lines(b"first\n" + b"\0" * 20 + b"\nend\n", {2: 99_999_994}, 3, more=False)


def test_files_without_a_size_are_read(tree: RemoteFileSystem) -> None:
    if not os.path.exists("/proc/version"):
        pytest.skip("there is no /proc here")
    found = tree.find("/proc/version", base="/")
    text = Path("/proc/version").read_bytes()
    assert tree.read(found) == text
    assert tree.read(found, 3, 4) == text[3:7]
    assert tree.lines(found, 1, 5, longest=1000) == Lines(text, {}, 1, more=False)


def test_only_regular_files_are_read_and_nobody_waits(tree: RemoteFileSystem, work: Path) -> None:
    os.mkfifo(work / "pipe")
    for path, number in (
        ("pipe", errno.EINVAL),
        ("/dev/zero", errno.EINVAL),
        (".", errno.EISDIR),
        ("no", errno.ENOENT),
    ):
        found = tree.find(path, base=str(work))
        with pytest.raises(OSError) as caught:
            tree.read(found)
        assert caught.value.errno == number
        with pytest.raises(OSError):
            tree.lines(found, 1, 1, longest=1)
    with pytest.raises(NotADirectoryError):
        tree.names(tree.find("pipe", base=str(work)))


def test_a_file_that_grows_can_be_read(tree: RemoteFileSystem, work: Path) -> None:
    (work / "log").write_bytes(b"one\n")
    found = tree.find("log", base=str(work))
    with (work / "log").open("ab") as log:
        log.write(b"two\n")
    assert tree.read(found) == b"one\ntwo\n"
    assert tree.lines(found, 2, 1, longest=9) == Lines(b"two\n", {}, 2, more=False)


def test_what_may_not_be_read_is_told(new_tree: NewTree, new_place: NewPlace, open_work: Path) -> None:
    (open_work / "secret").write_text("x")
    (open_work / "secret").chmod(0)
    (open_work / "blind").mkdir()
    (open_work / "blind").chmod(0o111)
    if os.geteuid() == 0:
        os.chown(open_work / "blind", NOBODY, NOBODY)
    tree = new_tree(new_place(NOBODY))
    with pytest.raises(PermissionError, match="secret"):
        tree.read(tree.find("secret", base=str(open_work)))
    with pytest.raises(PermissionError, match="blind"):
        tree.names(tree.find("blind", base=str(open_work)))


def test_a_link_put_in_its_place_is_not_followed(tree: RemoteFileSystem, work: Path) -> None:
    (work / "secret").write_text("secret")
    for swapped in ("file", "folder"):
        folder = work / "folder"
        folder.mkdir()
        (folder / "file").write_text("public")
        (work / "elsewhere").mkdir(exist_ok=True)
        (work / "elsewhere" / "file").write_text("secret")
        found, held = tree.find("folder/file", base=str(work)), tree.find("folder", base=str(work))
        if swapped == "file":
            (folder / "file").unlink()
            (folder / "file").symlink_to(work / "secret")
        else:
            folder.rename(work / "moved")
            folder.symlink_to("elsewhere")
            with pytest.raises(ChangedError):
                tree.names(held)
        for use in (tree.read, lambda it: tree.lines(it, 1, 1, longest=9)):
            with pytest.raises(ChangedError):
                use(found)
        if swapped == "file":
            (folder / "file").unlink()
            folder.rmdir()


@pytest.mark.parametrize("shell", ["dash", "bash"], indirect=True)  # busybox asks no other program but itself
def test_a_link_put_in_its_place_between_look_and_opening_is_noticed(
    new_tree: NewTree, new_place: NewPlace, work: Path, tmp_path: Path
) -> None:
    """A `stat` that plays foul: as soon as the name was looked at, it leads to something else."""
    (work / "file").write_text("public")
    (work / "secret").write_text("secret")
    programs = tmp_path / "programs"
    programs.mkdir()
    place = new_place(first=programs)
    true = next(f"{folder}/stat" for folder in place._variables["PATH"].split(":") if os.path.exists(f"{folder}/stat"))
    foul = programs / "stat"
    foul.write_text(
        f'#!/bin/sh\n{true} "$@"; status=$?\n'
        f'case "$*" in *./file) rm -f {work}/file; ln -s {work}/secret {work}/file;; esac\nexit $status\n'
    )
    foul.chmod(0o755)
    tree = new_tree(place)
    found = tree.find("file", base=str(work))
    with pytest.raises(ChangedError):
        tree.read(found)
    assert os.path.islink(work / "file")


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_many_threads_may_read(tree: RemoteFileSystem, work: Path) -> None:
    wrong: list[object] = []

    def read(number: int) -> None:
        path = work / str(number)
        path.write_bytes(b"%d\n" % number * 1000)
        for _ in range(5):
            found = tree.find(str(path), base="/")
            if tree.read(found) != b"%d\n" % number * 1000:
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert not any(thread.is_alive() for thread in threads)


def test_files_of_a_name_are_found_in_all_folders_above(new_tree: NewTree, tmp_path: Path) -> None:
    folder = Path(os.path.realpath(tmp_path)) / "a 'b'" / "c"
    folder.mkdir(parents=True)
    (folder.parent / ".x").write_bytes(b"one\n\0\n")
    (folder / ".x").write_bytes(b"")
    (folder.parent.parent / ".x").symlink_to(folder.parent / ".x")
    tree = new_tree()
    above = [(str(folder), b""), (str(folder.parent), b"one\n\0\n")]
    assert tree.upward(str(folder / "not" / "there"), ".x", limit=100) == above
    assert tree.upward(str(folder), ".x", limit=3) == above[:1]
