"""Mark processes so that everything they start can be found again, in whatever group or session it ends up.

The mark is a limit that no process reaches: `RLIMIT_RTTIME`, set to a random number of centuries. Every child inherits
it, through `setsid`, a double fork and a cleared environment alike, and no privilege is needed to set or read it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Container, Mapping

from hermes_tools_terminal.environments.processes import Process, look_at, send

with contextlib.suppress(ImportError):  # not on Windows
    import resource

_LOWEST = 1 << 61
_ROUNDS = 5
"""How often to look again: a process that is being killed may start another one meanwhile."""


def new_mark() -> int:
    """Return a number that no other process is marked with."""
    return _LOWEST + int.from_bytes(os.urandom(8), "big") % _LOWEST


def mark_of_word(word: str) -> int:
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
            process = look_at(int(name))
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
