"""Records calls that have started, so that the next host can log those interrupted when this one was killed.

Each host has one file in `$HERMES_HOME/open-calls` and holds its lock. A file whose lock is free belongs to a dead
host, so its calls never ended. Entries have slots of a fixed size: the start and the end of a call are one write each,
and a killed writer corrupts at most one slot.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_approval.audit.entry import MAX_BYTES, line_of

FOLDER_NAME = "open-calls"
"""The name of the directory in `$HERMES_HOME`."""

_ATTEMPTS = 5
"""Another host may remove a new file just before it is locked."""

_MAX_CANCELLED = 1_000
"""How many cancelled calls without a recorded start are remembered; most of them never started."""

_MAX_SLOTS = 4_096
"""How many slots of a file are read; more than any host has open calls."""


class OpenCalls:
    """The open calls of one host. Threads may share it, and it survives a fork.

    Args:
        home: `$HERMES_HOME`.
    """

    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, FOLDER_NAME)
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._descriptor = -1
        self._path = ""
        self._slots: dict[str, list[int]] = {}
        self._free: list[int] = []
        self._used = 0
        self._cancelled: set[str] = set()

    def begin(self, id: str, entry: Mapping[str, Any] | str) -> None:
        """Record that a call starts, with its entry for the case that it never ends. Raises nothing.

        Args:
            id: The id of the call. Several open calls may have the same.
            entry: The entry, or its line.
        """
        line = entry.encode("ascii") if isinstance(entry, str) else line_of(entry)
        if self._pid != os.getpid():
            self._leave_to_parent()
        with self._lock:
            if id in self._cancelled:
                self._cancelled.discard(id)
                return
            try:
                if self._descriptor < 0:
                    self._open()
                slot = self._free.pop() if self._free else self._used
                self._used = max(self._used, slot + 1)
                self._slots.setdefault(id, []).append(slot)
                os.pwrite(self._descriptor, line, slot * MAX_BYTES)
            except OSError:
                return  # a call may run even if the disk is full

    def end(self, id: str, *, cancelled: bool = False) -> None:
        """Record that a call has ended. Raises nothing.

        Args:
            id: The id of the call.
            cancelled: Whether it was cancelled, perhaps while another thread still records its start.
        """
        if not (cancelled or id in self._slots) or self._pid != os.getpid():
            return
        with self._lock:
            open_slots = self._slots.get(id)
            if not open_slots:
                if len(self._cancelled) >= _MAX_CANCELLED:
                    self._cancelled.clear()
                self._cancelled.add(id)
                return
            slot = open_slots.pop()
            if not open_slots:
                del self._slots[id]
            self._free.append(slot)
            try:
                os.pwrite(self._descriptor, b"\n", slot * MAX_BYTES)
            except OSError:
                return

    def _leave_to_parent(self) -> None:
        """Reset after a fork: the file belongs to the parent, and a lost thread may hold the lock."""
        descriptor = self._descriptor
        self._reset()
        if descriptor >= 0:
            os.close(descriptor)

    def close(self) -> None:
        """Remove the file, unless calls are still open. The next call makes a new one."""
        if self._pid != os.getpid():
            return
        with self._lock, contextlib.suppress(OSError):
            if self._descriptor >= 0 and not self._slots:
                descriptor, self._descriptor, self._free, self._used = self._descriptor, -1, [], 0
                os.close(descriptor)
                os.unlink(self._path)

    def take_interrupted(self) -> Iterator[dict[str, Any]]:
        """Take the entries of calls whose hosts are dead. Each entry is given to one caller only."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return
        for name in names:
            path = os.path.join(self._folder, name)
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
                try:
                    if _locked(descriptor, path):
                        yield from _entries(descriptor)
                        os.unlink(path)
                finally:
                    os.close(descriptor)

    def _open(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        for _ in range(_ATTEMPTS):
            path = os.path.join(self._folder, f"{self._pid}-{os.urandom(4).hex()}")
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            if _locked(descriptor, path):
                self._descriptor, self._path = descriptor, path
                return
            os.close(descriptor)
        raise BlockingIOError(f"{self._folder} cannot be locked")


def _locked(descriptor: int, path: str) -> bool:
    """Lock a file, if its lock is free and the path still leads to it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        return False


def _entries(descriptor: int) -> Iterator[dict[str, Any]]:
    for slot in range(min(os.fstat(descriptor).st_size // MAX_BYTES + 1, _MAX_SLOTS)):
        line = os.pread(descriptor, MAX_BYTES, slot * MAX_BYTES).partition(b"\n")[0]
        with contextlib.suppress(ValueError, RecursionError):  # an empty slot, or a line cut off by a kill
            entry = json.loads(line)
            if isinstance(entry, dict):
                yield entry
