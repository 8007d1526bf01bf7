"""Which processes of this machine belong together."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple


class Process(NamedTuple):
    """One process, as `/proc` tells of it."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def find_process(pid: int) -> Process | None:
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
    return [found for name in names if name.isdigit() and (found := find_process(int(name))) is not None]


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


def still_running(processes: Iterable[Process]) -> list[Process]:
    """Those that still run; a number that belongs to another process by now does not count."""
    return [
        process
        for process in processes
        if (now := find_process(process.pid)) is not None and now.started == process.started
    ]


def end(processes: Iterable[Process]) -> int:
    """End processes without asking; how many were still there."""
    left = still_running(processes)
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


with contextlib.suppress(ImportError):  # not on Windows
    import resource

_LOWEST = 1 << 61
_ROUNDS = 5
"""How often to look again: a process that is being killed may start another one meanwhile."""


def new_mark() -> int:
    """Return a number that no other process is marked with."""
    return _LOWEST + int.from_bytes(os.urandom(8), "big") % _LOWEST


def mark_from_token(word: str) -> int:
    """Return the mark that belongs to a hexadecimal word."""
    return _LOWEST + int(word, 16) % _LOWEST


def mark(pid: int, number: int, limits: Mapping[int, int] | None = None) -> int:
    """Mark a process and everything it starts from now on.

    Mark a process while it waits for its input: what it has started before has no mark.

    Args:
        pid: The process.
        number: The mark.
        limits: Further limits that tell for which session it was started, as `ToolSession` gives them.

    Returns:
        The number, or 0 when the process could not be marked: not on Linux, or it has a lower limit already.
    """
    try:
        resource.prlimit(pid, resource.RLIMIT_RTTIME, (number, number))
    except (OSError, OverflowError, ValueError, AttributeError, NameError):
        return 0
    _set_limits(pid, limits or {})
    return number


def _set_limits(pid: int, limits: Mapping[int, int]) -> None:
    """Set all of these limits, or none where the user has set one of them."""
    with contextlib.suppress(OSError, OverflowError, ValueError):  # it has ended
        if all(resource.prlimit(pid, each)[1] in (resource.RLIM_INFINITY, limits[each]) for each in limits):
            for each, value in limits.items():
                resource.prlimit(pid, each, (value, value))


def mark_of(pid: int) -> int:
    """Return the mark of a process, or 0 when it has none or belongs to another user."""
    try:
        found = resource.prlimit(pid, resource.RLIMIT_RTTIME)[1]
    except (OSError, AttributeError, NameError):
        return 0
    return found if found >= _LOWEST else 0


def marked(numbers: Container[int], *, since: float = 0.0) -> list[Process]:
    """Find the running processes that carry one of these marks, except this process.

    Args:
        numbers: The marks.
        since: Only processes that started at this `time.monotonic()` or later.
    """
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    earliest = _ticks(since) if since else 0
    own = os.getpid()
    found = []
    for name in names:
        if name.isdigit() and (number := mark_of(int(name))) and number in numbers and int(name) != own:
            process = find_process(int(name))
            if process is not None and process.started >= earliest:
                found.append(process)
    return found


def kill_marked(numbers: Container[int], *, since: float = 0.0, spared: int = 0) -> None:
    """Kill the processes that carry one of these marks, as `marked` finds them, except one."""
    for _ in range(_ROUNDS):
        found = [process for process in marked(numbers, since=since) if process.pid != spared]
        if not found:
            return
        send(found, signal.SIGKILL)


def _ticks(moment: float) -> int:
    """Convert a `time.monotonic()` to the unit that `/proc` counts start times in."""
    since_boot = moment + time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    return int(since_boot * os.sysconf("SC_CLK_TCK"))
