"""Remembers what this process has started, so that the next one can end it when this one is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_tools_terminal.environments.processes import look_at, members


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told from others that had its number before or after it.

    Attributes:
        pid: Its number.
        started: When it was started, by the machine's own count.
    """

    pid: int
    started: int

    @classmethod
    def this(cls) -> Owner:
        """This process."""
        found = look_at(os.getpid())
        return cls(os.getpid(), found.started if found else 0)

    @classmethod
    def named(cls, text: str) -> Owner | None:
        """The owner that was written as `str(owner)`."""
        pid, _, started = text.partition("-")
        return cls(int(pid), int(started)) if pid.isdigit() and started.isdigit() else None

    @property
    def alive(self) -> bool:
        """Whether it still runs. Where nobody can tell, it does."""
        found = look_at(self.pid)
        if found is None:
            return not os.path.isdir("/proc/self") and _answers(self.pid)
        return not self.started or found.started == self.started

    def __str__(self) -> str:
        return f"{self.pid}-{self.started}"


class Ledger:
    """The process groups that this process has started on this machine.

    Args:
        home: `$HERMES_HOME`; one file for each process lies in its folder `terminal`.
    """

    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, "terminal")
        self._path = ""

    def add(self, group: int) -> None:
        """Remember a group. That it cannot be written (a full disk) is no reason not to run a command."""
        found = look_at(group)
        line = json.dumps({"group": group, "started": found.started if found else 0}) + "\n"
        with contextlib.suppress(OSError):
            if not self._path:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                self._path = os.path.join(self._folder, f"{Owner.this()}.jsonl")
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)

    def close(self) -> None:
        """Forget everything: whatever was started is over."""
        if self._path:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            self._path = ""

    def reap(self) -> int:
        """End what dead processes have left behind; how many groups that were."""
        ended = 0
        for path in self._of_the_dead():
            for group, started in _entries(path):
                ended += _end(group, started)
            with contextlib.suppress(OSError):
                os.unlink(path)
        return ended

    def _of_the_dead(self) -> Iterator[str]:
        with contextlib.suppress(OSError):
            for name in os.listdir(self._folder):
                owner = Owner.named(name.removesuffix(".jsonl")) if name.endswith(".jsonl") else None
                if owner is not None and not owner.alive:
                    yield os.path.join(self._folder, name)


def _entries(path: str) -> Iterator[tuple[int, int]]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # half a line: its writer was killed
            entry = json.loads(line)
            yield int(entry["group"]), int(entry["started"])


def _end(group: int, started: int) -> bool:
    """End a group, unless its number belongs to somebody else by now."""
    leader = look_at(group)
    if leader is not None and started and leader.started != started:
        return False
    if not (left := members(group)) or group in (0, 1, os.getpgid(0)):
        return False
    for pid in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return True


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
