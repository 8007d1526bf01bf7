"""Tells a shell that works from one that has nothing to do, or cannot do anything: it may have lost its voice."""

from __future__ import annotations

import fcntl
import os
import termios
from array import array
from typing import Literal

State = Literal["busy", "waiting", "stopped"]

# What the kernel calls waiting for something to come out of a pipe, over the years.
_READING = frozenset({"pipe_read", "anon_pipe_read", "pipe_wait", "pipe_wait_readable"})


def state_of(shell: int, pipe: int) -> State:
    """What a shell does right now; `busy` where nobody can tell.

    A command's input is never the shell's own, so a shell that waits for that one has finished with all it was told.

    Args:
        shell: Its process, on this machine.
        pipe: The end of its input that is written to.
    """
    try:
        with open(f"/proc/{shell}/stat", "rb") as file:
            letter = file.read().rpartition(b")")[2].split()[0]
        if letter in (b"T", b"t"):
            return "stopped"
        if letter != b"S" or _unread(pipe) or not os.path.samestat(os.stat(f"/proc/{shell}/fd/0"), os.fstat(pipe)):
            return "busy"
        return "waiting" if _reads(shell) else "busy"
    except (OSError, IndexError):
        return "busy"


def _unread(pipe: int) -> int:
    left = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0]


def _reads(shell: int) -> bool:
    with open(f"/proc/{shell}/wchan", encoding="ascii") as file:
        where = file.read()
    if where not in ("", "0"):
        return where in _READING
    with open(f"/proc/{shell}/syscall", encoding="ascii") as file:  # names are hidden: its first argument is 0
        words = file.read().split()
    return len(words) > 2 and words[1] == "0x0" and words[3] == "0x1"  # byte by byte, as shells read from pipes
