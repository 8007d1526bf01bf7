"""`terminal` on this machine, through the whole pipeline: guard, shell, redaction."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hermes_tools_terminal.plugin
from bench.harness import Row, fastest, numbered, once
from bench.terminal.bare import BareShell
from bench.terminal.pairs import in_turn
from hermes_core import Hermes

WARM = 1_000
STREAMED = 100_000_000


def rows() -> Iterator[Row]:
    """The lines of the table."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Hermes(plugins=[hermes_tools_terminal.plugin], home=folder, config={"terminal": {"cwd": "/"}}) as hermes,
    ):
        yield _cold(hermes)
        yield _warm(hermes)
        yield _stream(hermes, Path(folder) / "much")


def run(hermes: Hermes, command: str, task: str | None = None) -> None:
    """One command that must succeed."""
    told = json.loads(hermes.call("terminal", {"command": command}, task_id=task))
    assert told.get("exit_code") == 0, told


def _cold(hermes: Hermes) -> Row:
    tasks = numbered("task")
    run(hermes, "true", next(tasks))
    best = fastest(
        {
            "ours": lambda: once(lambda: run(hermes, "true", next(tasks))),
            "bare": lambda: once(lambda: subprocess.run(["bash", "-c", "true"], check=True)),
        },
        40,
    )
    return Row(
        what="terminal true, new task", against="bash -c true", ours=best["ours"], baseline=best["bare"], limit=2
    )


def _warm(hermes: Hermes) -> Row:
    bare = BareShell(["bash", "--noprofile", "--norc"])
    sides = {"ours": lambda: once(lambda: run(hermes, "true")), "bare": lambda: once(lambda: bare.run("true"))}
    in_turn(sides, 20)
    usual = in_turn(sides, WARM)
    bare.close()
    against = "bare persistent shell"
    return Row(what="terminal true, warm", against=against, ours=usual["ours"], baseline=usual["bare"], limit=10)


def _stream(hermes: Hermes, file: Path) -> Row:
    line = b"0123456789abcdef" * 64 + b"\n"
    file.write_bytes(line * (STREAMED // len(line)))
    run(hermes, f"cat {file}")
    best = fastest(
        {
            "ours": lambda: once(lambda: run(hermes, f"cat {file}")),
            "bare": lambda: once(lambda: subprocess.run(["bash", "-c", f"cat {file} | cat >/dev/null"], check=True)),
        },
        5,
    )
    return Row(
        what="100 MB of output", against="cat | cat >/dev/null", ours=best["ours"], baseline=best["bare"], limit=2
    )
