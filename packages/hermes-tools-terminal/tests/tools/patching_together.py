"""Processes that patch the same files at the same time, each through a Hermes of its own; run as a program."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hermes_tools_terminal.plugin
from hermes_core import Hermes

PATIENCE = 120.0
"""How many seconds a process tries."""


class Worker:
    """One who patches files of a folder.

    Args:
        folder: The folder.
        hermes: Who is called.
        number: Which one it is.
    """

    def __init__(self, folder: Path, hermes: Hermes, number: int) -> None:
        self.folder, self.hermes, self.number = folder, hermes, number
        self.deadline = time.monotonic() + PATIENCE

    def until_done(self, args: Callable[[], dict[str, Any]]) -> None:
        """Patch until it works: what others did meanwhile may be a reason to refuse, but never one to lose."""
        while time.monotonic() < self.deadline:
            if "error" not in json.loads(self.hermes.call("patch", args())):
                return
        raise TimeoutError("it did not work in time")

    def count(self, name: str) -> int:
        """What a file counts."""
        return int((self.folder / name).read_text())

    def add_by_replacing(self, _: int) -> None:
        """Count one more."""

        def args() -> dict[str, Any]:
            now = self.count("counter")
            return {"mode": "replace", "path": "counter", "old_string": f"{now}\n", "new_string": f"{now + 1}\n"}

        self.until_done(args)

    def add_by_patching(self, _: int) -> None:
        """Count one more in two folders at once; not everybody names them in the same order."""

        def args() -> dict[str, Any]:
            names = ["one/counter", "two/counter"][:: -1 if self.number % 2 else 1]
            parts = [f"*** Update File: {name}\n@@\n-{self.count(name)}\n+{self.count(name) + 1}\n" for name in names]
            return {"mode": "patch", "patch": "".join(parts)}

        self.until_done(args)

    def append_by_replacing(self, turn: int) -> None:
        """Add a line before the last one."""
        new = f"{self.number} {turn}\nend\n"
        self.until_done(lambda: {"mode": "replace", "path": "lines", "old_string": "end\n", "new_string": new})

    def append_by_patching(self, turn: int) -> None:
        """The same with a patch."""
        patch = f"*** Update File: patched\n@@\n+{self.number} {turn}\n end\n"
        self.until_done(lambda: {"mode": "patch", "patch": patch})


def start(work: Callable[[], None]) -> int:
    """Start a process; its number."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def main(folder: Path, processes: int, times: int) -> None:
    """Have processes do everything at once."""
    for name in ("one", "two"):
        (folder / name).mkdir()
    for name in ("counter", "one/counter", "two/counter"):
        (folder / name).write_text("0\n")
    for name in ("lines", "patched"):
        (folder / name).write_text("end\n")
    hermes = Hermes(
        plugins=[hermes_tools_terminal.plugin], config={"terminal": {"cwd": str(folder)}}, home=folder / ".hermes-home"
    )  # it has no thread before its first call, so forks can use it

    def work(number: int) -> None:
        worker = Worker(folder, hermes, number)
        for turn in range(times):
            worker.add_by_replacing(turn)
            worker.add_by_patching(turn)
            worker.append_by_replacing(turn)
            worker.append_by_patching(turn)

    pids = [start(lambda number=number: work(number)) for number in range(processes)]  # type: ignore[misc]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    hermes.close()
    print(json.dumps(statuses))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
