"""Processes that change files and are killed at it, or that change one file together; run as a program."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable

from hermes_tools_terminal.files.filesystem import ChangedError
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

SIZE = 300_000


def _start(work: Callable[[], None]) -> int:
    pid = os.fork()
    if not pid:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def _waiting(folder: str) -> int:
    return sum(name.startswith(".hermes-") for name in os.listdir(folder))


def _write_on(folder: str, signal_start: int) -> None:
    tree, number = LocalFileSystem(), 0
    os.write(signal_start, b"x")
    while True:
        number += 1
        tree.replace(tree.find("file", base=folder), bytes([number % 256]) * (SIZE + number % 256))


def _time_of_a_write(folder: str) -> float:
    start, tree = time.monotonic(), LocalFileSystem()
    tree.replace(tree.find("file", base=folder), bytes(SIZE))
    return min(time.monotonic() - start, 0.01)


def killed(folder: str, rounds: int) -> dict[str, int]:
    """Kill writers at random moments; how often the file was torn, and what was left behind."""
    seen = {"rounds": 0, "torn": 0, "moved_on": 0, "find_abandoned_groups": 0, "left_after_the_next": 0}
    chance = random.Random(1)
    once = _time_of_a_write(folder)
    for _ in range(rounds):
        reading, writing = os.pipe()
        pid = _start(lambda writing=writing: _write_on(folder, writing))  # type: ignore[misc]
        os.read(reading, 1)
        time.sleep(chance.uniform(0, 3 * once))  # the moment of the kill
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reading)
        os.close(writing)
        tree = LocalFileSystem()
        found = tree.find("file", base=folder)
        data = tree.read(found) if found.kind == "file" else b""
        seen["rounds"] += 1
        seen["torn"] += data not in (b"", b"next") and (len(set(data)) != 1 or len(data) != SIZE + data[0])
        seen["moved_on"] += data not in (b"", b"next")
        seen["find_abandoned_groups"] += _waiting(folder) > 0
        tree.replace(found, b"next")
        seen["left_after_the_next"] += _waiting(folder)
    return seen


def _add(folder: str, times: int, changed: int) -> None:
    tree = LocalFileSystem()
    for _ in range(times):
        with tree.locked(tree.find("counter", base=folder)):
            found = tree.find("counter", base=folder)
            try:
                tree.replace(found, b"%d" % (int(tree.read(found)) + 1))
            except ChangedError:
                os.write(changed, b"x")


def counting(folder: str, processes: int, times: int) -> dict[str, int]:
    """Add to one number from several processes; what it is in the end."""
    reading, writing = os.pipe()
    pids = [_start(lambda: _add(folder, times, writing)) for _ in range(processes)]
    for pid in pids:
        os.waitpid(pid, 0)
    os.close(writing)
    with open(reading, "rb") as changed, open(os.path.join(folder, "counter"), "rb") as counter:
        return {"sum": int(counter.read()), "changed": len(changed.read())}


if __name__ == "__main__":
    work, where, *numbers = sys.argv[1:]
    print(json.dumps((killed if work == "killed" else counting)(where, *map(int, numbers))))
