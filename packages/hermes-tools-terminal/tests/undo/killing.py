"""Kills a process that changes, undoes and redoes files again and again, and looks at what is left each time."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import (
    Change,
    Damaged,
    NothingToUndoError,
    Receipt,
    UndoError,
    UndoStore,
    finish,
    preview,
    redo,
    undo,
)

OLD: dict[str, bytes | None] = {"a": b"old a" * 2000, "b": b"old b", "in/c": None, "d": b"", "e": None}
NEW: dict[str, bytes | None] = {"a": b"new a", "b": None, "in/c": b"new c" * 3000, "d": b"new d", "e": b"old b"}
"""All kinds of changes: smaller, removed, made in a new folder, filled, and a move from b to e."""

CHANGING = {
    "open",
    "write",
    "flush",
    "pwrite",
    "fsync",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
    "fchmod",
    "flock",
    "close",
}


class Scene:
    """Some files that are either all old or all new, but for what a killed process leaves.

    Args:
        folder: Where everything is.
        names: The files that are changed together.
    """

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder / f"files-{len(names)}"
        self.names = names
        self.store = UndoStore(folder / f"store-{len(names)}", keep=10)
        self.folder.mkdir()
        for name in names:
            if (data := OLD[name]) is not None:
                (self.folder / name).write_bytes(data)
                (self.folder / name).chmod(0o640)

    def work(self) -> None:
        """What is interrupted: a change, its undo, its redo, and the undo of that."""
        tree = LocalFileSystem()
        changes = []
        for name in self.names:
            found = tree.find(name, base=str(self.folder))
            changes.append(Change(found, tree.read(found) if found.kind == "file" else None, NEW[name], 0o640))
        self.store.apply(tree, changes, tool="patch")
        undo(self.store)
        redo(self.store)
        undo(self.store)

    def now(self) -> str:
        """`old`, `new`, or `mixed` when some files are old and some are new; anything else is an error."""
        sides = set()
        for name in self.names:
            path = self.folder / name
            data = path.read_bytes() if path.exists() else None
            assert data in (OLD[name], NEW[name]), f"{name} is torn: {data!r}"
            assert data is None or path.stat().st_mode & 0o777 == 0o640, f"{name} has another mode"
            sides.add("old" if data == OLD[name] else "new")
        return sides.pop() if len(sides) == 1 else "mixed"

    def look(self) -> tuple[str, str]:
        """What a kill has left: how the files are, and the state of the newest receipt. Then all is old again."""
        entries = list(self.store.entries())
        assert not [each for each in entries if isinstance(each, Damaged)], entries
        receipts = [each for each in entries if isinstance(each, Receipt)]
        assert not [each for each in receipts if each.state == "running"]
        unfinished = [each for each in receipts if each.state == "unfinished"]
        left = self.now()
        assert len(unfinished) <= 1
        assert unfinished or left != "mixed", "nobody knows how to go on"
        for each in unfinished:
            with suppress(NothingToUndoError):
                self.repair_states(each, left)
        while self.now() != "old":
            undo(self.store)
        with suppress(NothingToUndoError):
            preview(self.store)  # settles what there is to settle
        self.check_folder(self.folder / "in")
        return left, "unfinished" if unfinished else "settled"

    @staticmethod
    def check_folder(folder: Path) -> None:
        """It was made by the call, and is there only if it holds what was to become a file of it."""
        if folder.exists():
            left = list(folder.iterdir())
            assert left, "an empty folder was left"
            assert all(each.suffix == ".tmp" for each in left), left
            shutil.rmtree(folder)

    def repair_states(self, receipt: Receipt, left: str) -> None:
        """Go on in one of the ways that there are."""
        ways: list[Callable[[], object]] = [
            lambda: undo(self.store),
            lambda: undo(self.store, receipt.number),
            lambda: finish(self.store, receipt.number),
        ]
        refused = ""
        try:
            random.choice(ways)()
        except UndoError as error:
            refused = str(error)
        # One file is old or new by itself: a look is all that was needed, and nothing is left to undo or to finish.
        assert not refused or left != "mixed", refused
        assert not refused or any(word in refused for word in ("nothing to undo", "already", "to finish")), refused
        assert self.now() != "mixed"
        assert not [each for each in self.store.receipts() if each.state == "unfinished"]


@contextmanager
def forked(work: Callable[[], None]) -> Iterator[int]:
    """A process that does something and ends; gives its number."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    try:
        yield pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def steps_of(work: Callable[[], None]) -> list[int]:
    """At which of its calls into C a piece of work changes something on the disk, or may do so."""
    count = 0
    found = []

    def counting(_frame: object, event: str, function: object) -> None:
        nonlocal count
        if event == "c_call":
            count += 1
            if getattr(function, "__name__", "") in CHANGING:
                found.append(count)

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return [*found, *range(1, count, max(1, count // len(found)))]


def die_at(step: int, work: Callable[[], None]) -> None:
    """Do something, and die right before one of its calls into C."""
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "c_call"
        if count >= step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(counting)
    work()


def main(folder: Path, rounds: int, seed: int) -> None:
    random.seed(seed)
    scenes = [Scene(folder, list(OLD)), Scene(folder, ["a"])]
    for scene in scenes:
        scene.work()
    steps = [steps_of(scene.work) for scene in scenes]
    seconds = []
    for scene in scenes:
        started = time.monotonic()
        scene.work()
        seconds.append(time.monotonic() - started)
    seen: dict[tuple[str, str], int] = {}
    for number in range(rounds):
        which = 1 if number % 5 == 0 else 0
        scene = scenes[which]
        if number % 3 == 0:
            with forked(scene.work):
                time.sleep(random.uniform(0, seconds[which] * 1.2))
        else:
            step = random.choice(steps[which]) + random.randint(0, 2)
            with forked(partial(die_at, step, scene.work)) as pid:
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        found = scene.look()
        seen[found] = seen.get(found, 0) + 1
    print("killed", sum(seen.values()), *(f"{left} {state}: {count};" for (left, state), count in seen.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
