"""Find and kill the processes that a Hermes process has left running on this machine because it was killed."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from hermes_tools_terminal.environments.ledger import Ledger

_LONGEST_COMMAND = 200


class Leftover(NamedTuple):
    """A process whose host is dead.

    Attributes:
        pid: Its process id.
        command: Its command line, at most 200 characters.
        since: When it was started, in seconds since 1970.
        host: The process id of the host that started it and is dead.
    """

    pid: int
    command: str
    since: float
    host: int


def find_leftovers(home: str | os.PathLike[str]) -> list[Leftover]:
    """List the running commands, background processes and scripts whose host is dead. Changes nothing.

    A process id that has been reused is never listed: hosts and groups are known by id and start time, and processes by
    a mark that only what the host has started carries.

    Args:
        home: `$HERMES_HOME`.
    """
    return [
        Leftover(process.pid, _command(process.pid), _since(process.started), owner.pid)
        for owner, process in Ledger(os.fspath(home)).leftovers()
    ]


def kill_leftovers(home: str | os.PathLike[str]) -> list[Leftover]:
    """Kill what `find_leftovers` lists, and remove the records of dead hosts.

    Args:
        home: `$HERMES_HOME`.

    Returns:
        What was killed.
    """
    found = find_leftovers(home)
    Ledger(os.fspath(home)).reap()
    return found


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().rstrip(b"\0").replace(b"\0", b" ")
    except OSError:
        return ""
    return words.decode(errors="replace")[:_LONGEST_COMMAND]


def _since(ticks: int) -> float:
    """Convert a start time of `/proc` to seconds since 1970."""
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age
