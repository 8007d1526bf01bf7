"""Finds what a script has started and left behind on this machine, in whatever group or session that is."""

from __future__ import annotations

import contextlib
import os
import signal

from hermes_tools_terminal.environments.marks import mark_of, mark_of_word

MARK = "HERMES_SCRIPT"
"""The variable that a script and all that it starts have; its value is the script's own."""

_ROUNDS = 5
"""How often one looks again: what is being ended may start something meanwhile."""


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
    if mark_of(pid) == mark_of_word(mark):
        return True
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False
