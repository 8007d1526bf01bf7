"""Lines of files on this machine: exact, quick at the end of big files, and without holding them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.files.filesystem import FileInfo, Lines
from hermes_tools_terminal.files.local.file_info import is_settled
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem


def until(check: Callable[[], object], seconds: float = 30) -> None:
    """Wait for something, under a deadline."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def expected(data: bytes, first: int, count: int, longest: int) -> Lines:
    """The same by a way that holds everything."""
    lines = data.split(b"\n")
    ends = [b"\n"] * (len(lines) - 1) + [b""]
    if not lines[-1]:
        lines.pop()
    some = list(enumerate(zip(lines, ends, strict=False), 1))[first - 1 : first - 1 + count]
    cut = {number: len(line) for number, (line, _) in some if len(line) > longest}
    kept = b"".join(line[:longest] + end for _, (line, end) in some)
    return Lines(kept, cut, len(lines), first - 1 + count < len(lines))


def written(tree: LocalFileSystem, path: Path, data: bytes) -> FileInfo:
    """A file whose version is told from later ones by its stamp."""
    path.write_bytes(data)
    until(lambda: is_settled(path.stat()))
    return tree.find(str(path), base="/")


SIZES = [0, 0, 1, 2, 79, 2000, 2001, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 200_000]


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.sampled_from(SIZES), max_size=14),
    ended=st.booleans(),
    first=st.integers(1, 16),
    count=st.integers(0, 16),
    longest=st.sampled_from([0, 1, 80, 2000, 65_536, 131_072, 10**9]),
)
def test_lines_are_those_of_the_file(sizes: list[int], ended: bool, first: int, count: int, longest: int) -> None:
    """Around the sizes of the pieces that files are read in."""
    data = b"\n".join(bytes([65 + number]) * size for number, size in enumerate(sizes)) + b"\n" * ended
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        tree = LocalFileSystem()
        found = tree.find(file.name, base="/")
        assert tree.lines(found, first, count, longest=longest) == expected(data, first, count, longest)


@settings(max_examples=80, deadline=None)
@given(data=st.binary(max_size=60) | st.text("a\n\r", max_size=60).map(str.encode), first=st.integers(1, 12))
def test_lines_of_whatever_bytes_are_those_of_the_file(data: bytes, first: int) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        tree = LocalFileSystem()
        found = tree.find(file.name, base="/")
        for longest in (0, 3, 100):
            assert tree.lines(found, first, 3, longest=longest) == expected(data, first, 3, longest)


def test_an_empty_file_has_no_lines(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = written(tree, tmp_path / "file", b"")
    assert tree.lines(found, 1, 500, longest=100) == Lines(b"", {}, 0, False)
    assert tree.lines(found, 7, 500, longest=100) == Lines(b"", {}, 0, False)
    assert tree.read(found) == b""


def test_carriage_returns_belong_to_the_line(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = written(tree, tmp_path / "file", b"one\r\ntwo\r\n")
    assert tree.lines(found, 1, 5, longest=3) == Lines(b"one\ntwo\n", {1: 4, 2: 4}, 2, False)
    assert tree.lines(found, 2, 5, longest=4) == Lines(b"two\r\n", {}, 2, False)


def test_a_file_of_the_kernel_without_a_size_is_read(tree: LocalFileSystem) -> None:
    if not os.path.exists("/proc/self/status"):
        pytest.skip("this machine has no /proc")
    found = tree.find("/proc/self/status", base="/")
    lines = tree.lines(found, 1, 1, longest=100)
    assert lines.data.startswith(b"Name:")
    assert lines.more
    assert lines.total is not None
    assert lines.total > 10
    assert tree.read(found).startswith(lines.data)


def test_jumping_about_in_a_big_file_finds_every_line(tree: LocalFileSystem, tmp_path: Path) -> None:
    rows = [b"%d %s\n" % (number, b"x" * (number * 7 % 300)) for number in range(40_000)]
    rows[20_000] = b"y" * 3_000_000 + b"\n"  # wider than the distance between marks
    found = written(tree, tmp_path / "file", b"".join(rows))
    chance = random.Random(7)
    for first in [40_000, 1, 20_001, 20_002, 20_000, *(chance.randrange(1, 40_010) for _ in range(60))]:
        lines = tree.lines(found, first, 3, longest=4_000_000)
        assert lines.data == b"".join(rows[first - 1 : first + 2])
        assert lines.more == (first + 2 < 40_000)
        assert lines.total == 40_000


def _bytes_read() -> int:
    text = Path("/proc/self/io").read_text()
    return int(text.split("rchar:")[1].split()[0])


def test_what_was_passed_once_is_not_passed_again(tree: LocalFileSystem, tmp_path: Path) -> None:
    if not os.access("/proc/self/io", os.R_OK):
        pytest.skip("this kernel does not tell how much was read")
    found = written(tree, tmp_path / "file", (b"0123456789abcdef" * 3 + b"\n") * 400_000)
    assert tree.lines(found, 399_000, 500, longest=100).total == 400_000
    before = _bytes_read()
    for first in (399_500, 200_000, 1, 300_000):
        assert tree.lines(found, first, 500, longest=100).total == 400_000
    assert _bytes_read() - before < 6_000_000  # of a file of 20 million


def test_another_version_is_counted_anew(tree: LocalFileSystem, tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert tree.lines(written(tree, path, b"a\n" * 1_500_000), 1, 1, longest=9).total == 1_500_000
    replaced = tree.replace(tree.find(str(path), base="/"), b"bb\n" * 1_000_000)
    assert tree.lines(replaced, 1, 1, longest=9).total == 1_000_000
    path.write_bytes(b"ccc\n" * 750_000)  # in place, and of the same size
    assert tree.lines(tree.find(str(path), base="/"), 750_000, 1, longest=9) == Lines(b"ccc\n", {}, 750_000, False)


def _big(tree: LocalFileSystem, path: Path) -> FileInfo:
    """Forty-two million bytes, most of them holes, in four lines."""
    with path.open("wb") as file:
        file.write(b"first\nsecond\n")
        file.truncate(42_000_000)
        file.seek(41_000_000)
        file.write(b"\nlast")
    until(lambda: is_settled(path.stat()))
    return tree.find(str(path), base="/")


def test_the_total_of_a_big_file_comes_with_a_later_look(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = _big(tree, tmp_path / "file")
    first = tree.lines(found, 1, 2, longest=100)
    assert (first.data, first.more, first.total) == (b"first\nsecond\n", True, None)

    def total() -> int | None:
        time.sleep(0.05)  # who counts gives way to those who read
        return tree.lines(found, 1, 2, longest=100).total

    until(total)
    assert total() == 4


def test_the_total_of_a_big_file_is_told_near_its_end(tree: LocalFileSystem, tmp_path: Path) -> None:
    found = _big(tree, tmp_path / "file")
    last = tree.lines(found, 4, 2, longest=6)
    assert (last.data[:5], last.more, last.total) == (b"last\0", False, 4)
    third = tree.lines(found, 3, 1, longest=6)
    assert (third.data, third.cut, third.total) == (b"\0" * 6 + b"\n", {3: 41_000_000 - 13}, 4)


def test_a_file_that_grows_and_shrinks_while_it_is_read_breaks_nothing(tree: LocalFileSystem, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"line\n" * 1000)
    over = threading.Event()

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            while not over.is_set():
                file.write(b"line\n" * 1000)
                if file.tell() > 3_000_000:
                    file.truncate(5000)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for number in range(150):
            lines = tree.lines(tree.find(str(path), base="/"), number * 7 + 1, 10, longest=50)
            assert set(lines.data.splitlines()) <= {b"line"}
            assert lines.total is not None
            assert set(tree.read(tree.find(str(path), base="/"), 0, 500).splitlines()) <= {b"line"}
    finally:
        over.set()
        writing.join()


def test_bytes_are_read_from_anywhere(tree: LocalFileSystem, tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    found = written(tree, tmp_path / "file", data)
    assert tree.read(found) == data
    assert tree.read(found, 100, 50) == data[100:150]
    assert tree.read(found, 2_559_990) == data[-10:]
    assert tree.read(found, 10**12, 10**12) == b""
    assert tree.read(found, 0, 10**15) == data
    assert tree.read(found, 5, 0) == b""
    with pytest.raises(OSError, match="Invalid argument"):
        tree.read(found, -1, 5)


MEASURE = """
import resource, sys
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
tree = LocalFileSystem()
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform != "darwin" else 1 / 1024)
found = tree.find(sys.argv[1], base="/")
tree.lines(tree.find(sys.argv[2], base="/"), 1, 10, longest=2000)
before = peak()
lines = tree.lines(found, 1, 3, longest=2000)
assert (lines.data, lines.cut, lines.total) == (bytes(2000) + b"\\nlast\\n", {1: 300_000_000}, 2), lines
lines = tree.lines(tree.find(sys.argv[1], base="/"), 2, 1, longest=2000)
assert lines.data == b"last\\n"
print(int(peak() - before))
"""


def test_memory_stays_flat_whatever_the_size_of_files_and_lines(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(300_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    (tmp_path / "small").write_bytes(b"a\n" * 1000)
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "huge"), str(tmp_path / "small")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 12_000  # kilobytes
    assert done.stderr == ""


def test_a_program_that_ends_while_lines_are_counted_ends_quietly(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.write(b"first\n")
        file.truncate(8_000_000_000)
    script = (
        "import sys\nfrom hermes_tools_terminal.files.local.filesystem import LocalFileSystem\n"
        "tree = LocalFileSystem()\nlines = tree.lines(tree.find(sys.argv[1], base='/'), 1, 1, longest=100)\n"
        "import time; time.sleep(0.1)  # so that counting has begun\nprint(lines.data, lines.total)"
    )
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", script, str(tmp_path / "huge")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("b'first\\n' None\n", "")
