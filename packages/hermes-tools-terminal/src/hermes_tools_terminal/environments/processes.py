"""Which processes of this machine belong together."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import defaultdict
from collections.abc import Iterable
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
    return [process.pid for process in _below([pid], all_processes())]


def family(group: int) -> list[Process]:
    """The members of a group, those of the session that its leader began, and what descends from them."""
    known = all_processes()
    inside = [process for process in known if group in (process.pid, process.group, process.session)]
    return list({*inside, *_below([process.pid for process in inside], known)})


def still_there(processes: Iterable[Process]) -> list[Process]:
    """Those that still run; a number that belongs to another process by now does not count."""
    return [
        process for process in processes if (now := look_at(process.pid)) is not None and now.started == process.started
    ]


def end(processes: Iterable[Process]) -> int:
    """End processes without asking; how many were still there."""
    left = still_there(processes)
    send(left, signal.SIGKILL)
    return len(left)


def send(processes: Iterable[Process], number: int) -> None:
    """Send a signal to processes; those that are gone, or belong to another user, are skipped."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)


def _below(pids: Iterable[int], known: Iterable[Process]) -> list[Process]:
    children = defaultdict(list)
    for process in known:
        children[process.parent].append(process)
    found: list[Process] = []
    waiting = list(pids)
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found
