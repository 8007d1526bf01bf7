"""Many commands at once that share one new home: `python -m bench crowd`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cold import hermes
from bench.harness import Score

COMMANDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """The results of commands that started at the same time.

    Attributes:
        wrong: The problems of commands that failed, gave a wrong answer, or wrote to stderr.
        audited: The tools of the entries in the audit log, in their order.
        home: The files in the home that they shared, without those of the undo store.
        files: The names of the files in the folder where they worked.
    """

    wrong: list[str]
    audited: list[str]
    home: list[str]
    files: list[str]


def run_crowd(count: int, folder: Path) -> Crowd:
    """Start so many calls at once, in turn `terminal`, `read_file`, `write_file` and `patch`.

    Beside every eighth of them runs one that changes or reads what they share: settings, grants and the list of tools.
    """
    home, work = folder / "home", folder / "work"
    work.mkdir(parents=True)
    for number in range(count):
        (work / f"{number}.txt").write_text(f"old {number}\nkept\n")
    environment = {**os.environ, "HERMES_HOME": str(home)}
    calls = [_start(_call(number), work, environment) for number in range(count)]
    others = [
        _start(arguments, work, environment)
        for number in range(0, count, 8)
        for arguments in (
            ["tools"],
            ["config", "set", "calls.timeout", str(100 + number)],
            ["approvals", "add", "terminal", f"rule.{number}", "--any-args"],
        )
    ]
    wrong = [f"{name}: {problem}" for name, process in (*calls, *others) if (problem := _problem(process))]
    for number in range(count):
        expected = f"new {number}\nkept\n" if number % 4 in (2, 3) else f"old {number}\nkept\n"
        if (found := (work / f"{number}.txt").read_text()) != expected:
            wrong.append(f"{number}.txt holds {found!r}")
    log = (home / "audit.jsonl").read_text().splitlines()
    return Crowd(
        wrong=wrong,
        audited=[json.loads(line)["tool"] for line in log if line],
        home=sorted(str(path.relative_to(home)) for path in home.rglob("*") if "undo" not in path.parts),
        files=sorted(path.name for path in work.iterdir()),
    )


def _call(number: int) -> list[str]:
    file = f"{number}.txt"
    return [
        ["call", "terminal", f"command=echo old {number}"],
        ["call", "read_file", f"file_path={file}"],
        ["call", "write_file", f"file_path={file}", f"content=new {number}\nkept\n"],
        ["call", "patch", "mode=replace", f"path={file}", f"old_string=old {number}", f"new_string=new {number}"],
    ][number % 4]


def _start(arguments: list[str], work: Path, env: Mapping[str, str]) -> tuple[str, subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*hermes(), *arguments], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
    )
    return " ".join(arguments[:3]), process


def _problem(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate()
    if process.returncode or errors:
        return f"exit status {process.returncode}: {errors[-500:]}{out[-500:]}"
    return "" if '"error": "' not in out else out[-500:]


def rows() -> Iterator[Score]:
    """200 calls at once, and as many entries in the audit log."""
    with TemporaryDirectory(prefix="hermes-bench-") as folder:
        crowd = run_crowd(COMMANDS, Path(folder))
    for problem in crowd.wrong[:10]:
        print(problem, file=sys.stderr)
    failed = min(len(crowd.wrong), COMMANDS)
    yield Score(what="commands at once that succeed", count=COMMANDS - failed, of=COMMANDS, at_least=1.0)
    yield Score(what="their entries in the audit log", count=len(crowd.audited), of=COMMANDS, at_least=1.0)
