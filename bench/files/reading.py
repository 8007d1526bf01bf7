"""`read_file` at both ends of a big file, against Python's own ways to get the same lines."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hermes_tools_terminal.plugin
from bench.harness import Row, fastest, once
from hermes_core import Hermes

SIZE = 200_000_000
LINE = b"the quick brown fox jumps over the lazy dog, and then it does it all over again without a pause\n"
LINES = 500


def rows() -> Iterator[Row]:
    """One line for each end of the file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "big.txt")
        count = SIZE // len(LINE)
        with file.open("wb") as out:
            for _ in range(count // 1000):
                out.write(LINE * 1000)
        count = file.stat().st_size // len(LINE)
        with Hermes(
            plugins=[hermes_tools_terminal.plugin], home=f"{folder}/home", config={"terminal": {"cwd": folder}}
        ) as hermes:
            yield from _start(hermes, file)
            yield _end(hermes, file, count)


def _start(hermes: Hermes, file: Path) -> Iterator[Row]:
    def lines() -> None:
        with file.open() as text:
            assert len(list(itertools.islice(text, LINES))) == LINES

    def head() -> None:
        command = ["head", "-n", str(LINES), str(file)]
        assert subprocess.run(command, check=True, capture_output=True).stdout.count(b"\n") == LINES

    limits = itertools.count(LINES, -1)  # the same lines again would not be given again
    best = fastest(
        {
            "ours": lambda: once(lambda: read(hermes, file, 1, next(limits))),
            "head": lambda: once(head),
            "lines": lambda: once(lines),
        },
        20,
    )
    what = f"read_file, start of {SIZE // 1_000_000} MB"
    yield Row(what=what, against=f"head -n {LINES}", ours=best["ours"], baseline=best["head"], limit=5)
    yield Row(what=what, against="these lines, nothing else", ours=best["ours"], baseline=best["lines"])


def _end(hermes: Hermes, file: Path, count: int) -> Row:
    def bare() -> None:
        lines = 0
        handle = os.open(file, os.O_RDONLY)
        try:
            while piece := os.read(handle, 1 << 18):
                lines += piece.count(b"\n")
        finally:
            os.close(handle)
        assert lines == count

    def ours() -> None:
        os.utime(file)  # another version: nothing is known of it
        read(hermes, file, count - LINES + 1, LINES)

    best = fastest({"ours": lambda: once(ours), "bare": lambda: once(bare)}, 5)
    what = f"read_file, end of {SIZE // 1_000_000} MB"
    return Row(what=what, against="counting its lines", ours=best["ours"], baseline=best["bare"], limit=2)


def read(hermes: Hermes, file: Path, offset: int, limit: int) -> None:
    """Read lines through the whole pipeline."""
    told = json.loads(hermes.call("read_file", {"file_path": str(file), "offset": offset, "limit": limit}))
    assert told["content"], told
