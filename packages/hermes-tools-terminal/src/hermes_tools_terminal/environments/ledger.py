"""Remembers what this process has started, so that the next one can end it when this one is killed."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hermes_tools_terminal.environments.processes import Process, all_processes, end, look_at

_ENDED_TOGETHER = 64
"""So many groups are looked at in one go: each look goes through all processes of the machine."""

_FOREIGN_SECONDS = 7 * 86_400.0
"""How long a file from another machine, boot or container is left alone."""


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
        self._groups: dict[int, int] = {}
        self._ended: set[int] = set()

    def add(self, group: int) -> None:
        """Remember a group. That it cannot be written (a full disk) is no reason not to run a command."""
        found = look_at(group)
        self._groups[group] = found.started if found else 0
        self._ended.discard(group)
        self._write({"group": group, "started": self._groups[group], "where": _where()})

    def ended(self, group: int) -> None:
        """Take note that a group's leader has ended: once nothing of it runs, its number may be somebody else's."""
        self._ended.add(group)
        if len(self._ended) < _ENDED_TOGETHER:
            return
        ended, self._ended = self._ended, set()
        busy = {number for process in all_processes() for number in (process.group, process.session)}
        over = [group for group in ended - busy if self._groups.pop(group, None) is not None]
        self._write({"over": over})

    def close(self) -> None:
        """End what is left of all groups, and forget them."""
        groups, self._groups = self._groups, {}
        if groups:
            _end(groups)
        if self._path:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            self._path = ""

    def reap(self) -> int:
        """End what dead processes have left behind; how many groups that were."""
        ended = 0
        for path in self._of_the_dead():
            groups, foreign = _entries(path)
            if groups:
                ended += _end(groups)
            if not foreign or _is_old(path):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        return ended

    def leftovers(self) -> list[tuple[Owner, Process]]:
        """List what dead processes have left running, with its owner. Changes nothing."""
        found: list[tuple[Owner, Process]] = []
        for path in self._of_the_dead():
            owner = Owner.named(os.path.basename(path).removesuffix(".jsonl"))
            found += [(owner, process) for process in _left(_entries(path)[0])] if owner else []
        return found

    def _of_the_dead(self) -> Iterator[str]:
        with contextlib.suppress(OSError):
            for name in os.listdir(self._folder):
                owner = Owner.named(name.removesuffix(".jsonl")) if name.endswith(".jsonl") else None
                if owner is not None and not owner.alive:
                    yield os.path.join(self._folder, name)

    def _write(self, entry: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            if not self._path:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                self._path = os.path.join(self._folder, f"{Owner.this()}.jsonl")
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                # A line of its own, whatever half of one a full disk has left before it.
                os.write(handle, f"\n{json.dumps(entry)}\n".encode())
            finally:
                os.close(handle)


@cache
def _where() -> str:
    """This boot of this machine, and which numbering of processes: elsewhere the same number is another process."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _entries(path: str) -> tuple[dict[int, int], bool]:
    """The groups in a file with their start times, and whether it is from another machine, boot or container."""
    groups: dict[int, int] = {}
    foreign = False
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}, False
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # half a line: its writer was killed
            entry = json.loads(line)
            if "over" in entry:
                for group in entry["over"]:
                    groups.pop(group, None)
            elif entry["where"] == _where():
                groups[int(entry["group"])] = int(entry["started"])
            else:
                foreign = True
    return groups, foreign


def _is_old(path: str) -> bool:
    """Whether nobody has written to a file for so long that its owner, wherever that was, will not come back."""
    with contextlib.suppress(OSError):
        return abs(time.time() - os.stat(path).st_mtime) > _FOREIGN_SECONDS
    return False


def _end(groups: Mapping[int, int]) -> int:
    """End groups, but for those whose number belongs to somebody else by now; how many there were."""
    left = _left(groups)
    end(left)
    return len({group for process in left for group in (process.group, process.session) if group in groups})


def _left(groups: Mapping[int, int]) -> list[Process]:
    """What still runs of groups, but for those whose number belongs to somebody else by now."""
    known = all_processes()
    leaders = {process.pid: process for process in known if process.pid in groups}
    ours = {
        group
        for group, started in groups.items()
        if group > 1 and group != os.getpgid(0) and (group not in leaders or leaders[group].started == started)
    }
    return [process for process in known if process.group in ours or process.session in ours]


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
