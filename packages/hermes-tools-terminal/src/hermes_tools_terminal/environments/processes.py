"""Which processes of this machine belong together."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import NamedTuple


class Process(NamedTuple):
    """One process, as `/proc` tells of it."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def look_at(pid: int) -> Process | None:
    """A process; None when there is none, or only what is left of one."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    # The name stands in parentheses and may hold anything, so counting begins behind the last one.
    words = text[text.rfind(b")") + 2 :].split()
    if words[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(words[1]), int(words[2]), int(words[3]), int(words[19]))


def all_processes() -> list[Process]:
    """Every process that can be seen; none where there is no `/proc`."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    return [found for name in names if name.isdigit() and (found := look_at(int(name))) is not None]


def members(group: int) -> list[int]:
    """The processes of a group, and of the session that its leader began."""
    return [process.pid for process in all_processes() if group in (process.group, process.session)]


def descendants(pid: int) -> list[int]:
    """The children of a process, their children, and so on, whatever group they are in."""
    children = defaultdict(list)
    for process in all_processes():
        children[process.parent].append(process.pid)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found
