"""Finds what a script has started and left behind on this machine, in whatever group or session that is."""

from __future__ import annotations

import contextlib
import os
import resource
import signal

MARK = "HERMES_SCRIPT"
"""The variable that a script and all that it starts have; its value is the script's own."""

_HUGE = 1 << 61
_ROUNDS = 5
"""How often one looks again: what is being ended may start something meanwhile."""


def mark(pid: int, word: str) -> None:
    """Mark a process, and all that it starts, in a way that outlives a change of its variables.

    A limit that is far beyond what anything uses is as good as none, and is inherited by whatever is started.

    Args:
        pid: The process.
        word: The value of the variable that it is marked with, too.
    """
    # Linux only, and there may be a lower limit already.
    with contextlib.suppress(OSError, OverflowError, ValueError, AttributeError):
        resource.prlimit(pid, resource.RLIMIT_RTTIME, (limit(word), limit(word)))


def limit(word: str) -> int:
    """The limit that belongs to a mark."""
    return _HUGE + int(word, 16) % _HUGE


def end_leftovers(mark: str, since: int) -> None:
    """End all processes that have a script's mark.

    Args:
        mark: The value of the variable.
        since: The number of the script's own process: what it started came later.
    """
    for _ in range(_ROUNDS):
        found = [pid for pid in _later(since) if _is_marked(pid, mark)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _later(since: int) -> list[int]:
    """The processes with a later number. Most scripts start nothing, and then nothing needs to be looked at."""
    try:
        with open("/proc/loadavg", "rb") as file:
            last = int(file.read().split()[-1])  # the number that was given out last
        if last == since:
            return []
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except (OSError, ValueError, IndexError):
        return []
    if last < since:  # they have begun again at the lowest
        return [number for number in numbers if number not in (since, os.getpid())]
    return [number for number in numbers if since < number <= last]


def _is_marked(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if f"{MARK}={mark}".encode() in file.read().split(b"\0"):
                return True
        with open(f"/proc/{pid}/limits", "rb") as file:
            return str(limit(mark)).encode() in file.read().split()
    except OSError:
        return False
