"""Compares what the guard says about the corpus between releases of Python.

`python -m bench.guard.verdicts DIR` saves the verdicts of this Python in DIR and compares them with those that other
releases have saved there for the same sources.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from itertools import pairwise
from pathlib import Path
from typing import Literal, cast

import hermes_guard
from bench.guard.corpus import FOLDER, HOME, lines
from hermes_guard import Verdict, judge, judge_path

_COMMANDS = ("attacks", "hardline", "ordinary", "later_attacks", "later_ordinary")


def verdicts() -> dict[str, str]:
    """Judge every command, every command as a second line, every two neighbors as two lines, and every path."""
    commands = [line.command for file in _COMMANDS for line in lines(file)]
    scripts = [*commands, *(f"pwd\n{command}" for command in commands), *map("\n".join, pairwise(commands))]
    found = {script: _describe(judge(script, home=HOME)) for script in scripts}
    for line in lines("paths"):
        op = cast("Literal['read', 'write']", line.op)
        verdict = judge_path(op, line.path, workspace=line.workspace, home=HOME)
        found[f"{line.op} {line.path} in {line.workspace}"] = _describe(verdict)
    return found


def _describe(verdict: Verdict) -> str:
    return " ".join((verdict.severity, *sorted(verdict.rules)))


def compare(folder: Path) -> list[str]:
    """Save the verdicts of this Python in a folder, and list where other releases disagree."""
    folder.mkdir(parents=True, exist_ok=True)
    mine, sources = verdicts(), _digest()
    saved = folder / f"{platform.python_version()}-{sources}.json"
    saved.write_text(json.dumps(mine), encoding="utf-8")
    differences = []
    for other in sorted({*folder.glob(f"*-{sources}.json")} - {saved}):
        theirs = json.loads(other.read_text(encoding="utf-8"))
        release = other.name.partition("-")[0]
        print(f"Comparing {len(mine)} verdicts of Python {platform.python_version()} with those of {release}")
        differences += [
            f"{text!a}: {verdict!r} here, {theirs.get(text)!r} on Python {release}"
            for text, verdict in mine.items()
            if theirs.get(text) != verdict
        ]
    return differences


def _digest() -> str:
    """Verdicts can be compared when the guard and the corpus are the same."""
    package = Path(hermes_guard.__file__).parent
    files = [*sorted(package.rglob("*.py")), *sorted(FOLDER.glob("*.jsonl"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


if __name__ == "__main__":
    found = compare(Path(sys.argv[1]))
    sys.exit("\n".join(found) if found else 0)
