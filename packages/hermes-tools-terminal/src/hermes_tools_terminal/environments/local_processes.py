"""Find, mark and signal processes of this machine.

The mark is a limit that no process reaches: `RLIMIT_RTTIME`, set to a random number of centuries. Every descendant
inherits it, through `setsid`, double forks and cleared environments, and no privilege is needed to set or read it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple


class Process(NamedTuple):
    """A process, as listed in `/proc`."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def find_process(pid: int) -> Process | None:
    """Return a process; None when it is no longer running."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    # The name is in parentheses and may contain anything, so skip to the last closing one.
    words = text[text.rfind(b")") + 2 :].split()
    if words[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(words[1]), int(words[2]), int(words[3]), int(words[19]))


def all_processes() -> list[Process]:
    """Return all visible processes; none where there is no `/proc`."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    return [found for name in names if name.isdigit() and (found := find_process(int(name))) is not None]


def members(group: int) -> list[int]:
    """Return the processes of a group, and of the session that its leader started."""
    return [process.pid for process in all_processes() if group in (process.group, process.session)]


def descendants(pid: int) -> list[int]:
    """Return the descendants of a process in all groups."""
    return [process.pid for process in _below([pid], all_processes())]


def family(group: int) -> list[Process]:
    """Return the members of a group and of its leader's session, and all their descendants."""
    known = all_processes()
    inside = [process for process in known if group in (process.pid, process.group, process.session)]
    return list({*inside, *_below([process.pid for process in inside], known)})


def still_running(processes: Iterable[Process]) -> list[Process]:
    """Return those that still run; reused process ids do not count."""
    return [
        process
        for process in processes
        if (now := find_process(process.pid)) is not None and now.started == process.started
    ]


def end(processes: Iterable[Process]) -> int:
    """Kill processes, and return how many were still running."""
    left = still_running(processes)
    send(left, signal.SIGKILL)
    return len(left)


def send(processes: Iterable[Process], number: int) -> None:
    """Send a signal to processes; skip those that are gone or belong to another user."""
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
"""How often to look again: a process may start another one while it is being killed."""


def new_mark() -> int:
    """Return a mark that no other process has."""
    return _LOWEST + int.from_bytes(os.urandom(8), "big") % _LOWEST


def mark_from_token(word: str) -> int:
    """Return the mark for a hexadecimal token."""
    return _LOWEST + int(word, 16) % _LOWEST


def mark(pid: int, number: int, limits: Mapping[int, int] | None = None) -> int:
    """Mark a process and everything it starts from now on.

    Mark a process while it waits for its input: processes that it has already started get no mark.

    Args:
        pid: The process.
        number: The mark.
        limits: Further limits that identify the session, from `ToolSession`.

    Returns:
        The mark, or 0 when the process cannot be marked: not on Linux, or it already has a lower limit.
    """
    try:
        resource.prlimit(pid, resource.RLIMIT_RTTIME, (number, number))
    except (OSError, OverflowError, ValueError, AttributeError, NameError):
        return 0
    _set_limits(pid, limits or {})
    return number


def _set_limits(pid: int, limits: Mapping[int, int]) -> None:
    """Set all these limits, or none if the user has set one of them."""
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
    """Return the running processes with one of these marks that started at `since` (`time.monotonic()`) or
    later, except this process.
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
    """Kill the processes with one of these marks, as found by `marked`, except one."""
    for _ in range(_ROUNDS):
        found = [process for process in marked(numbers, since=since) if process.pid != spared]
        if not found:
            return
        send(found, signal.SIGKILL)


def _ticks(moment: float) -> int:
    """Convert a `time.monotonic()` to the clock ticks of start times in `/proc`."""
    since_boot = moment + time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    return int(since_boot * os.sysconf("SC_CLK_TCK"))
