"""Distinguishes a running process from a later one with the same number, on Linux."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process, identified by more than its number.

    Attributes:
        pid: The process id.
        started: When it was started, in the format of the system.
        place: The boot and the namespace that the process id belongs to.
    """

    pid: int
    started: str
    place: str


def this_process() -> Process:
    """Return the current process."""
    return process_of(os.getpid())


def process_of(pid: int) -> Process:
    """Return the process that has this number now; `started` is empty if there is none."""
    return Process(pid, _started(pid), _place())


def has_ended(process: Process) -> bool:
    """Return True if a process is certainly gone. A process in another container cannot be seen."""
    if process.place != _place():
        return False
    return process.pid < 1 or _started(process.pid) != process.started


def _started(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()  # a program's name may hold spaces and parentheses
    return "" if state in "ZX" else fields[18]


@cache
def _place() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return os.uname().nodename
