"""`patch` on a long file: a text that is there, and one that is not."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import hermes_tools_terminal.plugin
from bench.harness import Row, fastest, once
from hermes_core import Hermes

LINES = 20_000


def rows() -> Iterator[Row]:
    """One line for a hit, one for a miss."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "long.txt")
        file.write_text(
            "".join(f"line {number}: some words that stand in it, {number * 7}\n" for number in range(LINES))
        )
        with Hermes(
            plugins=[hermes_tools_terminal.plugin], home=f"{folder}/home", config={"terminal": {"cwd": folder}}
        ) as hermes:
            yield _hit(hermes, file)
            yield _miss(hermes, file)


def _hit(hermes: Hermes, file: Path) -> Row:
    numbers = count(1)

    def ours() -> None:
        number = next(numbers)
        told = patch(hermes, file, f"line {LINES // 2 + number}: some", f"line {LINES // 2 + number}: other")
        assert told.get("success"), told

    def bare() -> None:
        number = next(numbers)
        text = file.read_text()
        old = f"line {LINES // 4 + number}: some"
        assert text.count(old) == 1
        changed = text.replace(old, f"line {LINES // 4 + number}: other")
        beside = file.with_suffix(".tmp")
        with beside.open("w") as out:
            out.write(changed)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(file)
        handle = os.open(file.parent, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)

    best = fastest({"ours": lambda: once(ours), "bare": lambda: once(bare)}, 15)
    what = f"patch, exact, {LINES:,} lines"
    return Row(what=what, against="find and atomic rewrite", ours=best["ours"], baseline=best["bare"], limit=3)


def _miss(hermes: Hermes, file: Path) -> Row:
    old = "def nothing_like_this(in, the, file):\n    return 'or anywhere else'\n    # at all\n"

    def ours() -> None:
        assert "error" in patch(hermes, file, old, "x")

    best = fastest({"ours": lambda: once(ours), "bare": lambda: once(lambda: file.read_text().split("\n"))}, 7)
    what = f"patch, no match, {LINES:,} lines"
    return Row(what=what, against="reading and splitting", ours=best["ours"], baseline=best["bare"], limit=30)


def patch(hermes: Hermes, file: Path, old: str, new: str) -> dict[str, object]:
    """Replace a text through the whole pipeline."""
    args = {"mode": "replace", "path": str(file), "old_string": old, "new_string": new}
    told = json.loads(hermes.call("patch", args))
    assert isinstance(told, dict)
    return told
