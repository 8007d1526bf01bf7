"""Appends whole lines to the audit log, from any number of threads and processes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import stat
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes_approval.audit.entry import VERSION, line_of
from hermes_approval.audit.log_files import MAX_LINE
from hermes_approval.audit.timestamps import stamp
from hermes_files.atomic import MOVED, newer_format, rename_aside

log = logging.getLogger("hermes.audit")

FILE_NAME = "audit.jsonl"
"""The log's name in `$HERMES_HOME`. Rotated files are numbered; the oldest has the highest number."""

# A process holds the lock for microseconds. A stopped one must not block the calls of all others.
_LOCK_SECONDS = 0.2
_FIRST_PAUSE = 0.000_05
_LONGEST_PAUSE = 0.002
_THREAD_SECONDS = 2.0
_FLUSH_SECONDS = 0.05
# With so many lines, a thread writes them at once; if it cannot keep up, callers do.
_MANY_WAITING = 512
_MAX_WAITING = 8_192
# Every retry means that another process has just rotated the file.
_TRIES = 50


_logs: weakref.WeakSet[AuditLog] = weakref.WeakSet()


class AuditLog:
    """The log of one process. Threads may share it, and it survives a fork.

    Each write holds the kernel's lock on the file itself, so no other process writes or rotates it meanwhile. After
    `close`, the next entry opens it again.

    Attributes:
        dropped: How many entries could not be written.
    """

    def __init__(
        self, file: Path, *, max_bytes: int = 10_000_000, keep: int = 5, clock: Callable[[], float] = time.time
    ) -> None:
        self.file = file
        self.max_bytes = max_bytes
        self.keep = keep
        self.dropped = 0
        self._path = os.fspath(file)
        self._clock = clock
        self._reported = False
        self._not_rotated: OSError | None = None
        self._notes: list[tuple[str, ...]] = []  # logged after the lock is released
        self._unseen = True
        self._descriptor = -1
        self._identity = (-1, -1)
        self._end = -1  # a file of this size ends with our last line
        self._prepare()
        _logs.add(self)

    def _prepare(self) -> None:
        self._turn = threading.Lock()
        self._starting = threading.Lock()
        self._waiting: list[str] = []
        self._is_flush_due = False
        self._are_many = threading.Event()
        self._flusher: threading.Thread | None = None

    def append_soon(self, line: str) -> None:
        """Write a line within 50 ms, together with others. It is lost if the process is killed before."""
        waiting = self._waiting
        waiting.append(line)
        if not self._is_flush_due:
            self._is_flush_due = True
            self._wake_flusher()
        elif len(waiting) >= _MANY_WAITING:
            if len(waiting) == _MANY_WAITING:
                self._are_many.set()
            elif len(waiting) >= _MAX_WAITING:
                self.flush()

    def flush(self) -> None:
        """Write the waiting lines."""
        self._is_flush_due = False
        if self._waiting:
            self.append("")

    def append(self, entry: Mapping[str, Any] | str) -> None:
        """Write an entry. Errors are logged once and counted in `dropped`, and never fail a call."""
        try:
            self.append_or_raise(entry)
        except Exception as error:  # a full disk or an invalid entry must not fail the call
            self._report("An entry of the audit log %s could not be written: %s", error)
        while self._notes:
            log.warning(*self._notes.pop())
        if self._not_rotated is not None:
            self._report("The audit log %s could not be rotated and grows: %s", self._not_rotated)

    def append_or_raise(self, entry: Mapping[str, Any] | str) -> None:
        """Write an entry or a line, and the waiting lines, before this returns.

        Raises:
            OSError: it was not written, or only a part of it, which readers skip.
        """
        count = 1
        try:
            line = _encode(entry, self._clock)
            if not self._turn.acquire(timeout=_THREAD_SECONDS):
                raise TimeoutError(errno.ETIMEDOUT, "another thread is still writing", self._path)
            try:
                waiting = self._waiting[:]
                del self._waiting[: len(waiting)]  # other threads may have added lines meanwhile
                count = len(waiting) + (line != b"")
                if waiting:
                    line = "".join(waiting).encode("ascii") + line
                if line:
                    self._write(line)
            except BaseException:
                self._let_go()
                raise
            finally:
                self._turn.release()
        except BaseException:
            self.dropped += count
            raise

    def close(self) -> None:
        """Write the waiting lines, and close the file."""
        self.flush()
        with self._turn:
            self._let_go()

    def _wake_flusher(self) -> None:
        with self._starting:
            if self._flusher is None:
                self._flusher = threading.Thread(target=self._flush_until_idle, name="hermes-audit", daemon=True)
                self._flusher.start()

    def _flush_until_idle(self) -> None:
        while True:
            self._are_many.wait(_FLUSH_SECONDS)
            self._are_many.clear()
            if self._is_flush_due:
                self.flush()
                continue
            with self._starting:  # after that, the next caller starts a new thread
                if not self._is_flush_due:
                    self._flusher = None
                    return

    def _write(self, line: bytes) -> None:
        for _ in range(_TRIES):
            if self._descriptor < 0:
                self._open()
            locked = _lock(self._descriptor)
            size = self._size()
            if locked and size and self._unseen and self._is_damaged(size):
                self._notes.append((MOVED, self._path, "no line of it can be read", rename_aside(self._path)))
                size = None
            full = locked and size is not None and size > 0 and size + len(line) > self.max_bytes
            if size is None or (full and self._rotate()):
                self._let_go()
                continue
            self._put(line, size, locked=locked)
            if locked:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            return
        raise OSError(errno.EBUSY, "the file was replaced again and again", self._path)

    def _is_damaged(self, size: int) -> bool:
        """Return True if no line at the end of the file can be read. Lines of a newer version are reported."""
        self._unseen = False
        length = min(size, 2 * MAX_LINE)
        for line in reversed(os.pread(self._descriptor, length, size - length).split(b"\n")):
            with contextlib.suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    if newer := newer_format(entry.get("v"), VERSION):
                        self._notes.append(("The audit log %s: %s. New lines are added to it.", self._path, newer))
                    return False
        return True

    def _put(self, line: bytes, size: int, *, locked: bool) -> None:
        # Without the lock, the file may end with a partial line, so start a new one.
        if not locked or (size and size != self._end and os.pread(self._descriptor, 1, size - 1) != b"\n"):
            line = b"\n" + line
        self._end = -1
        written = os.write(self._descriptor, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, "only a part of the line could be written", self._path)
        if locked:
            self._end = size + written

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._descriptor = os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
            self._descriptor = os.open(self._path, flags, 0o600)
        self._end, self._unseen = -1, True
        found = os.fstat(self._descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", self._path)
        if found.st_mode & 0o077:
            with contextlib.suppress(PermissionError):  # it belongs to another user
                os.fchmod(self._descriptor, 0o600)
        self._identity = found.st_dev, found.st_ino

    def _size(self) -> int | None:
        """Return the size of the file; None if the path leads to another one."""
        try:
            found = os.stat(self._path, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return found.st_size if (found.st_dev, found.st_ino) == self._identity else None

    def _rotate(self) -> bool:
        try:
            rotate(self._path, self.keep)
        except OSError as error:
            self._not_rotated = error  # reported after the lock is released
            return False
        return True

    def _let_go(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):  # a forked child would hold the lock
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            with contextlib.suppress(OSError):  # every line is already written or reported
                os.close(descriptor)

    def start_over(self) -> None:
        """Reset in a forked child: the parent writes its lines, and lost threads may hold the locks."""
        self._prepare()
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(descriptor)  # without unlocking: the parent may hold the lock

    def _report(self, message: str, error: Exception) -> None:
        if self._reported:
            return
        self._reported = True
        log.warning(f"{message}. This is reported once.", self._path, str(error).rstrip("."))


def _start_over() -> None:
    for each in _logs:
        each.start_over()


os.register_at_fork(after_in_child=_start_over)


def _encode(entry: Mapping[str, Any] | str, clock: Callable[[], float]) -> bytes:
    if isinstance(entry, str):
        return entry.encode("ascii")
    return line_of(entry if "at" in entry else {**entry, "at": stamp(clock())})


def rotate(path: str, keep: int) -> None:
    """Rename the file and the numbered ones to the next number, and remove those beyond `keep`. Needs the lock.

    If it is interrupted, no file is lost: the numbers have a gap, which the next rotation fills.
    """
    if keep < 1:
        os.unlink(path)
        return
    gap = next((number for number in range(1, keep) if not os.path.lexists(f"{path}.{number}")), keep)
    for number in range(gap, 1, -1):
        os.rename(f"{path}.{number - 1}", f"{path}.{number}")
    os.rename(path, f"{path}.1")
    surplus = keep + 1
    with contextlib.suppress(OSError):  # surplus files do no harm
        while os.path.lexists(f"{path}.{surplus}"):
            os.unlink(f"{path}.{surplus}")
            surplus += 1


def _lock(descriptor: int) -> bool:
    """Return True if we hold the lock: not if another process holds it too long, or the file system has no locks."""
    deadline, pause = 0.0, _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            deadline = deadline or now + _LOCK_SECONDS
            if now >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        except OSError:
            return False
        else:
            return True
