"""Record what this process has started, so that it ends when this process is killed.

Each record is a file under `$HERMES_HOME/terminal`, named after the process that writes it. A watcher (a small shell
that waits for its input to close) notices at once when that process dies, and ends what the file lists. The next
process that starts, or `kill_leftovers`, ends what it misses.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_tools_terminal.environments.local_processes import (
    Process,
    all_processes,
    end,
    find_process,
    kill_marked,
    mark_of,
)

if TYPE_CHECKING:
    import subprocess

_ENDED_TOGETHER = 64
"""How many groups are checked together: each check scans all processes of the machine."""

_WATCHER_SECONDS = 1.0
"""How long a killed watcher may take to end."""

# The owner removes the file when it closes its records. A dying owner may need a moment.
_WATCH = """
read -r _
[ -e "$0" ] || exit 0
exec "$1" -I -S -c "$2" "$3" "$4" "$0"
"""

# An empty module replaces the package, whose imports are not needed here and take time.
_REAP = """
import os, sys, time, types
module = types.ModuleType("hermes_tools_terminal")
module.__path__ = [sys.argv[1]]
sys.modules[module.__name__] = module
from hermes_tools_terminal.environments.process_records import Owner, ProcessRecords
owner = Owner.named(os.path.basename(sys.argv[3]).partition(".")[0])
until = time.monotonic() + 5
while owner.alive and time.monotonic() < until:
    time.sleep(0.005)
ProcessRecords(sys.argv[2]).reap()
"""

_FOREIGN_SECONDS = 7 * 86_400.0
"""How long a file from another machine, boot or container is left alone."""


class Owner(NamedTuple):
    """A process, identified by its id and start time, because ids are reused."""

    pid: int
    started: int

    @classmethod
    def this(cls) -> Owner:
        """Return this process."""
        found = find_process(os.getpid())
        return cls(os.getpid(), found.started if found else 0)

    @classmethod
    def named(cls, text: str) -> Owner | None:
        """Parse the result of `str(owner)`."""
        pid, _, started = text.partition("-")
        return cls(int(pid), int(started)) if pid.isdigit() and started.isdigit() else None

    @property
    def alive(self) -> bool:
        """Return whether it still runs; True when that is unknown."""
        found = find_process(self.pid)
        if found is None:
            return not os.path.isdir("/proc/self") and _answers(self.pid)
        return not self.started or found.started == self.started

    def __str__(self) -> str:
        return f"{self.pid}-{self.started}"


class Group(NamedTuple):
    """A process group that was started.

    Attributes:
        number: The id of the group, and of its leader.
        started: When its leader was started, in clock ticks; 0 when unknown.
        mark: The mark of its processes, or 0.
    """

    number: int
    started: int
    mark: int = 0


class ProcessRecords:
    """The process groups that this process has started on this machine; the first one starts a watcher if `watched`."""

    def __init__(self, home: str, *, watched: bool = False) -> None:
        self._folder = os.path.join(home, "terminal")
        self._home = home
        self._token = os.urandom(4).hex()
        self._path = ""
        self._groups: dict[int, Group] = {}
        self._ended: set[int] = set()
        self._watched = watched
        self._watcher: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()

    def add(self, group: int, mark: int = 0) -> None:
        """Record a group. A record that cannot be written (a full disk) does not prevent the command."""
        found = find_process(group)
        self._groups[group] = added = Group(group, found.started if found else 0, mark)
        self._ended.discard(group)
        self._write({"group": group, "started": added.started, "mark": mark, "where": _where()})
        if self._watched and self._watcher is None:
            with self._starting:
                self._watcher = self._watcher or _start_watcher(self._home, self._path)

    def ended(self, group: int) -> None:
        """Record that a group's leader has ended. Once all of the group has ended, its id may be reused."""
        self._ended.add(group)
        if len(self._ended) < _ENDED_TOGETHER:
            return
        ended, self._ended = self._ended, set()
        known = all_processes()
        busy = {number for process in known for number in (process.group, process.session)}
        marks = {mark_of(process.pid) for process in known} - {0}
        over = [group for group in ended - busy if group in self._groups and self._groups[group].mark not in marks]
        for number in over:
            del self._groups[number]
        self._ended |= ended.intersection(self._groups)
        self._write({"over": over})

    def close(self) -> None:
        """Kill what is left of all groups, and remove the records."""
        groups, self._groups = self._groups, {}
        if groups:
            _end(groups.values())
        if self._path:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            self._path = ""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            import subprocess

            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                watcher.kill()
                watcher.communicate(timeout=_WATCHER_SECONDS)

    def reap(self) -> int:
        """Kill what dead processes left running and remove their files; return how many processes were killed."""
        ended = 0
        for path, _ in self._of_the_dead():
            groups, foreign = _read_groups(path)
            if groups:
                ended += len(_end(groups.values()))
            if not foreign or _is_old(path):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        return ended

    def leftovers(self) -> list[tuple[Owner, Process]]:
        """List the running processes that dead processes have started, each with its dead owner."""
        dead = [(owner, groups) for path, owner in self._of_the_dead() if (groups := _read_groups(path)[0])]
        known = all_processes() if dead else []
        return [(owner, process) for owner, groups in dead for process in _running(groups.values(), known)]

    def _of_the_dead(self) -> Iterator[tuple[str, Owner]]:
        """Yield the files of dead processes, with their owners."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self._folder):
                owner = Owner.named(name.partition(".")[0]) if name.endswith(".jsonl") else None
                if owner is not None and not owner.alive:
                    yield os.path.join(self._folder, name), owner

    def _write(self, entry: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            if not self._path:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                self._path = os.path.join(self._folder, f"{Owner.this()}.{self._token}.jsonl")
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                # Start a new line: a full disk may have cut off the previous one.
                os.write(handle, f"\n{json.dumps(entry)}\n".encode())
            finally:
                os.close(handle)


def _start_watcher(home: str, path: str) -> subprocess.Popen[bytes] | None:
    """Start the process that ends the recorded groups when this process dies without closing the records."""
    if not path or not sys.executable:
        return None
    import subprocess

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    argv = ["/bin/sh", "-c", _WATCH, path, sys.executable, _REAP, package, home]
    try:
        return subprocess.Popen(  # noqa: S603 - ours
            argv,
            cwd="/",
            env={"PATH": os.defpath},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
    except OSError:  # too many processes: the next process does the cleanup
        return None


@cache
def _where() -> str:
    """Identify this boot and process id namespace: elsewhere the same id is another process."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _read_groups(path: str) -> tuple[dict[int, Group], bool]:
    """Return the groups in a file, and whether it is from another machine, boot or container."""
    groups: dict[int, Group] = {}
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
                group = int(entry["group"])
                groups[group] = Group(group, int(entry["started"]), int(entry.get("mark", 0)))
            else:
                foreign = True
    return groups, foreign


def _is_old(path: str) -> bool:
    """Return whether a file was not written for so long that its owner cannot come back, wherever it ran."""
    with contextlib.suppress(OSError):
        return abs(time.time() - os.stat(path).st_mtime) > _FOREIGN_SECONDS
    return False


def _end(groups: Collection[Group]) -> list[Process]:
    """Kill what is left of groups, and return the processes that were killed."""
    left = _running(groups, all_processes())
    end(left)
    if left and (marks := {group.mark for group in groups if group.mark}):
        kill_marked(marks)  # what these have started meanwhile
    return left


def _running(groups: Collection[Group], known: Collection[Process]) -> list[Process]:
    """Return the processes of groups, but never a process that only reuses a group's id.

    A mark is certain. Without marks, a group counts while its leader is the process that was started, or is gone.
    """
    leaders = {process.pid: process for process in known}
    marks = {group.mark for group in groups if group.mark}
    ours = {
        group.number
        for group in groups
        if group.number > 1
        and group.number != os.getpgid(0)
        and (leaders[group.number].started == group.started if group.number in leaders else not group.mark)
    }
    return [
        process
        for process in known
        if process.pid != os.getpid()
        and (process.group in ours or process.session in ours or (marks and mark_of(process.pid) in marks))
    ]


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


_LONGEST_COMMAND = 200


class Leftover(NamedTuple):
    """A process whose host is dead.

    Attributes:
        pid: Its process id.
        command: Its command line, at most 200 characters.
        since: Its start time in seconds since 1970.
        host: The process id of the dead host that started it.
    """

    pid: int
    command: str
    since: float
    host: int


def find_leftovers(home: str | os.PathLike[str]) -> list[Leftover]:
    """List the running commands, background processes and scripts whose host is dead. Changes nothing.

    Reused process ids are never listed: hosts and groups are identified by id and start time, and processes by an
    inherited mark.
    """
    return [
        Leftover(process.pid, _command_line(process.pid), _since(process.started), owner.pid)
        for owner, process in ProcessRecords(os.fspath(home)).leftovers()
    ]


def kill_leftovers(home: str | os.PathLike[str]) -> list[Leftover]:
    """Kill what `find_leftovers` lists, remove the records of dead hosts, and return what was killed.

    Returns:
        What was killed.
    """
    found = find_leftovers(home)
    ProcessRecords(os.fspath(home)).reap()
    return found


def _command_line(pid: int) -> str:
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
