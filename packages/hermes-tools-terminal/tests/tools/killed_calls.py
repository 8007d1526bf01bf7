"""Kills processes in the middle of their calls to `write_file` and `patch`, and looks at what is left each time."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import hermes_tools_terminal.plugin
from hermes_core import Hermes
from hermes_tools_terminal.undo import Damaged, NothingToUndoError, Receipt, UndoError, UndoStore, finish, undo

MODE = 0o640
LINES = [f"line {number} of a file\r\n".encode() for number in range(400)]
CHANGED = [b"another line 200\r\n" if number == 200 else line for number, line in enumerate(LINES)]

PATCH = """*** Begin Patch
*** Update File: a.txt
@@
 line 199 of a file
-line 200 of a file
+another line 200
*** Update File: b.txt
@@
-old b
+new b
+and more
*** Add File: in/c.txt
+made
*** Delete File: d.txt
*** Move File: e.txt -> f.txt
*** End Patch
"""

Files = dict[str, bytes | None]


class SearchContext:
    """Some files and a call that changes them: all are old or all are new, but for what a killed process leaves.

    Args:
        folder: Where everything is.
        tool: Which tool is called.
        args: With what.
        files: Each file before and after.
    """

    def __init__(
        self, folder: Path, tool: str, args: dict[str, Any], files: dict[str, tuple[bytes | None, bytes | None]]
    ) -> None:
        self.tool, self.args = tool, args
        self.old: Files = {name: before for name, (before, _) in files.items()}
        self.new: Files = {name: after for name, (_, after) in files.items()}
        self.folder, self.home = folder / "files", folder / "home"
        self.folder.mkdir(parents=True)
        for name, data in self.old.items():
            if data is not None:
                (self.folder / name).write_bytes(data)
                (self.folder / name).chmod(MODE)
        self.hermes = self.make()
        """Has no thread yet, so a fork can use it."""
        self.store = UndoStore(self.home / "undo", keep=10)

    def make(self) -> Hermes:
        """Who is called."""
        config = {"terminal": {"cwd": str(self.folder)}, "files": {"undo_keep": 10}}
        return Hermes(plugins=[hermes_tools_terminal.plugin], config=config, home=self.home)

    def work(self, ready: Callable[[], None] = lambda: None) -> None:
        """The call that is interrupted, after one that has everything loaded."""
        self.hermes.call("read_file", {"file_path": "a.txt"})
        ready()
        self.hermes.call(self.tool, self.args)

    def now(self) -> str:
        """`old`, `new`, or `mixed` when some files are old and some are new; anything else is an error."""
        sides = set()
        for name, old in self.old.items():
            path = self.folder / name
            data = path.read_bytes() if path.exists() else None
            assert data in (old, self.new[name]), f"{name} is torn: {data!r}"
            if data is not None and name != "in/c.txt":
                assert path.stat().st_mode & 0o7777 == MODE, f"{name} has another mode"
            sides.add("old" if data == old else "new")
        return sides.pop() if len(sides) == 1 else "mixed"

    def look(self) -> tuple[str, str]:
        """What a kill has left: how the files are, and what became of the receipt. Then all is old again."""
        entries = list(self.store.entries())
        assert not [each for each in entries if isinstance(each, Damaged)], entries
        receipts = [each for each in entries if isinstance(each, Receipt)]
        assert not [each for each in receipts if each.state == "running"]
        unfinished = [each for each in receipts if each.state == "unfinished"]
        left = self.now()
        assert unfinished or left != "mixed", "nobody knows how to go on"
        way = self.settle(*unfinished, left=left) if unfinished else "settled"
        while self.now() != "old":
            undo(self.store)
        self.sweep()
        return left, way

    def settle(self, receipt: Receipt, *, left: str) -> str:
        """Go on in one of the ways that there are, to all new or to all old; which one it was."""
        ways: dict[str, Callable[[], object]] = {
            "undone as the last one": lambda: undo(self.store),
            "undone": lambda: undo(self.store, receipt.number),
            "finished": lambda: finish(self.store, receipt.number),
        }
        way = random.choice(list(ways))
        try:
            ways[way]()
        except NothingToUndoError:
            assert left == "old"  # nothing had happened yet
        except UndoError:
            if len(self.old) > 1:
                raise
            way = "settled by a look"  # one file is old or new by itself
        else:
            assert self.now() == ("new" if way == "finished" else "old"), way
        assert not [each for each in self.store.receipts() if each.state == "unfinished"]
        return way

    def sweep(self) -> None:
        """The folder that the patch makes is there only if a killed process has left something of its own in it."""
        folder = self.folder / "in"
        if folder.exists():
            left = [each.name for each in folder.iterdir()]
            assert left, "an empty folder was left"
            assert all(name.startswith(".hermes-") for name in left), left
            shutil.rmtree(folder)

    def strangers(self) -> set[str]:
        """What is in the folder, but for the files themselves."""
        return {path.name for path in self.folder.rglob("*") if path.is_file()} - {Path(name).name for name in self.old}


def scenes(folder: Path) -> list[SearchContext]:
    """One for each kind of call."""
    a, b = (b"".join(LINES), b"".join(CHANGED)), (b"\xef\xbb\xbfold b\n", b"\xef\xbb\xbfnew b\nand more\n")
    d, e = b"gone\n" * 3000, b"moved" * 5000
    several = {"a.txt": a, "b.txt": b, "in/c.txt": (None, b"made\n"), "d.txt": (d, None), "e.txt": (e, None)}
    replace = {"mode": "replace", "path": "a.txt", "old_string": "line 200 of a", "new_string": "another line 200"}
    big = "n" * 90_000
    patched = a[0].replace(b"line 200 of a", b"another line 200")
    return [
        SearchContext(folder / "patch", "patch", {"mode": "patch", "patch": PATCH}, {**several, "f.txt": (None, e)}),
        SearchContext(folder / "replace", "patch", replace, {"a.txt": (a[0], patched)}),
        SearchContext(
            folder / "write", "write_file", {"file_path": "a.txt", "content": big}, {"a.txt": (a[0], big.encode())}
        ),
    ]


CHANGING = {"open", "write", "flush", "fsync", "rename", "unlink", "mkdir", "rmdir", "fchmod", "flock", "close", "link"}


class Steps:
    """Counts what a call does to the disk, and kills the process at one of these steps.

    Args:
        last: At which step; None to count only.
        more: How many calls into C later.
    """

    def __init__(self, last: int | None = None, more: int = 0) -> None:
        self.count, self.last, self.more = 0, last, more
        self.on = False
        threading.setprofile(self.see)

    def see(self, _frame: object, event: str, function: object) -> None:
        """Called for everything that threads do."""
        if not self.on or event != "c_call":
            return
        self.count += getattr(function, "__name__", "") in CHANGING
        if self.last is not None and self.count >= self.last:
            if self.more <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.more -= 1

    def start(self) -> None:
        """Count from now on."""
        self.on = True


def forked(work: Callable[[], None]) -> int:
    """Start a process that does something, and is killed at its end if not before; its number."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    return pid


def input_history(work: Callable[[Callable[[bytes], None]], None]) -> tuple[int, bytes]:
    """Start such a process, and wait for the first thing that it says."""
    reading, writing = os.pipe()
    pid = forked(lambda: work(lambda said: void(os.write(writing, said))))
    os.close(writing)
    with open(reading, "rb", buffering=0) as pipe:
        return pid, pipe.read(100) or b""


def void(_: object) -> None:
    """Make nothing of something."""


def measured(scene: SearchContext) -> tuple[int, float]:
    """How many steps a call has, and how many seconds it takes."""

    def count(say: Callable[[bytes], None]) -> None:
        steps = Steps()
        scene.work(steps.start)
        say(str(steps.count).encode())

    def take(say: Callable[[bytes], None]) -> None:
        begun: list[float] = []
        scene.work(lambda: begun.append(time.monotonic()))
        say(str(time.monotonic() - begun[0]).encode())

    said = []
    for work in (count, take):
        pid, answer = input_history(work)
        os.waitpid(pid, 0)
        assert scene.now() == "new", "the call did not work"
        scene.look()
        said.append(answer)
    return int(said[0]), float(said[1])


def kill_at_some_step(scene: SearchContext, count: int) -> None:
    """Have a process die right before something that it does to the disk, or a little later."""

    def work() -> None:
        steps = Steps(random.randint(1, count + 1), random.choice((0, 0, 1, 2, random.randint(0, 60))))
        scene.work(steps.start)

    os.waitpid(forked(work), 0)


def kill_at_some_time(scene: SearchContext, seconds: float) -> None:
    """Kill a process from outside, at whatever moment."""
    pid, _ = input_history(lambda say: scene.work(lambda: say(b"x")))
    time.sleep(random.uniform(0, seconds * 1.2))  # the moment of the kill
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def load_everything(scene: SearchContext) -> None:
    """Import what calls import, and leave no thread behind: this process is going to be forked."""
    with scene.make() as hermes:
        hermes.call("read_file", {"file_path": "a.txt"})
        hermes.call(scene.tool, scene.args)
    while scene.now() != "old":
        undo(scene.store)
    deadline = time.monotonic() + 30
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert threading.active_count() == 1, threading.enumerate()


def main(folder: Path, rounds: int, seed: int) -> None:
    """Kill as often as asked for, and tell what was left."""
    random.seed(seed)
    every = scenes(folder)
    for scene in every:
        load_everything(scene)
    figures = [measured(scene) for scene in every]
    seen: Counter[tuple[str, str]] = Counter()
    for number in range(rounds):
        which = number % 5 if number % 5 < len(every) else 0
        scene, (count, seconds) = every[which], figures[which]
        if number % 3 == 0:
            kill_at_some_time(scene, seconds)
        else:
            kill_at_some_step(scene, count)
        seen[scene.look()] += 1
    for scene in every:  # whoever comes next cleans up
        with scene.make() as hermes:
            assert '"error"' not in hermes.call(scene.tool, scene.args)
        assert not scene.strangers(), scene.strangers()
        assert scene.now() == "new"
    print("killed", sum(seen.values()), *(f"{left} {way}: {times};" for (left, way), times in seen.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
