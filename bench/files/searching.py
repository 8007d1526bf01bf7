"""`search_files` over many files, against ripgrep itself."""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hermes_tools_terminal.plugin
from bench.harness import Row, fastest, once
from hermes_core import Hermes

FILES = 5_000


def rows() -> Iterator[Row]:
    """One line for a word that is in many files, one for a word that is in few."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        for number in range(FILES):
            file = tree / f"part{number % 50}" / f"file{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"def function_{number}():\n    return {number}\n\n\n# words and more words\n" * 10)
        with Hermes(
            plugins=[hermes_tools_terminal.plugin], home=f"{folder}/home", config={"terminal": {"cwd": folder}}
        ) as hermes:
            for what, pattern in (("a common word", "return"), ("a rare word", "function_4999")):
                best = fastest(
                    {
                        "ours": lambda pattern=pattern: once(lambda: search(hermes, pattern)),  # type: ignore[misc]
                        "bare": lambda pattern=pattern: once(lambda: ripgrep(tree, pattern)),  # type: ignore[misc]
                    },
                    7,
                )
                name = f"search_files, {what} in {FILES:,} files"
                yield Row(what=name, against="ripgrep", ours=best["ours"], baseline=best["bare"], limit=1.5)


_limits = itertools.count(50)


def search(hermes: Hermes, pattern: str) -> None:
    """Search through the whole pipeline; never for just the same again, which is not done for long."""
    told = json.loads(hermes.call("search_files", {"pattern": pattern, "path": "tree", "limit": next(_limits)}))
    assert told["matches"], told


def ripgrep(tree: Path, pattern: str) -> None:
    """What a person would type."""
    subprocess.run(["rg", "--line-number", pattern, str(tree)], check=True, capture_output=True)
