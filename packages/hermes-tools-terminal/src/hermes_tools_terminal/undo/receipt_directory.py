"""The directory of receipts, shared by all processes of a user: numbers, names, states and locks."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hermes_tools_terminal.files.local.locks import LOCK_SECONDS, try_lock, wait_for_lock


@contextmanager
def hold_lock(path: str) -> Iterator[int]:
    """Hold the lock of a file, which is created if missing, and yield its handle.

    Raises:
        TimeoutError: Another process held the lock for too long.
        OSError: The file cannot be opened.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        wait_for_lock(handle, path, time.monotonic() + LOCK_SECONDS)
        yield handle
    finally:
        os.close(handle)


_NAME = re.compile(r"([0-9]{6,15})\.(part|unfinished|done|undone)")
_STATES = ("done", "unfinished", "undone")
"""The extensions of receipt files; `part` marks one that is being written, before anything else happens."""

_COUNTER = "lock"
"""Holds the last number assigned; it is locked while a number is assigned."""

_OPERATION_LOCK = "turn"
"""Locked during undo, redo and finish: one at a time."""

_OURS = {_COUNTER, _OPERATION_LOCK}
_LIMIT = 10**14
"""A larger counter is corrupt."""


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """The file of a receipt."""

    number: int
    state: str
    size: int


class ReceiptDirectory:
    """The files of all receipts."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._made = False

    def path(self, number: int, state: str) -> str:
        """Return the path of a receipt in a state."""
        return os.path.join(self.folder, f"{number:06d}.{state}")

    def claim(self) -> tuple[int, int]:
        """Assign a new number, and create an open, locked file for it in the state `part`.

        Raises:
            OSError: The directory cannot be written.
        """
        self._make()
        with hold_lock(os.path.join(self.folder, _COUNTER)) as counter:
            number = self._read_counter(counter) + 1
            if any(os.path.lexists(self.path(number, state)) for state in (*_STATES, "part")):
                number = self._highest() + 1
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            handle = os.open(self.path(number, "part"), flags, 0o600)
            try:
                try_lock(handle)
                # The file exists before its number is published.
                os.pwrite(counter, b"%020d\n" % number, 0)
            except BaseException:
                os.close(handle)
                self.drop(number, "part")
                raise
        return number, handle

    def set_state(self, number: int, old: str, new: str) -> None:
        """Change the state of a receipt atomically."""
        os.rename(self.path(number, old), self.path(number, new))

    def drop(self, number: int, state: str) -> bool:
        """Delete a receipt; return whether one existed in that state."""
        try:
            os.unlink(self.path(number, state))
        except FileNotFoundError:
            return False
        return True

    def sync(self) -> None:
        """Flush the directory to disk."""
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Exclude other undo, redo and finish operations."""
        if not os.path.isdir(self.folder):
            yield  # nothing to undo
            return
        with hold_lock(os.path.join(self.folder, _OPERATION_LOCK)):
            yield

    def last(self) -> int:
        """Return the last number assigned; 0 if there is none."""
        try:
            handle = os.open(os.path.join(self.folder, _COUNTER), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return self._highest()
        try:
            return self._read_counter(handle)
        finally:
            os.close(handle)

    def state_of(self, number: int) -> str | None:
        """Return the state of a receipt; None if it does not exist."""
        return next((state for state in _STATES if os.path.lexists(self.path(number, state))), None)

    def is_being_written(self, number: int) -> bool:
        """Return whether a receipt is being written."""
        return os.path.lexists(self.path(number, "part"))

    def slots(self) -> list[ReceiptFile]:
        """Return the files of all receipts, newest first, including those being written."""
        found = []
        for name in self._names():
            if match := _NAME.fullmatch(name):
                with contextlib.suppress(OSError):  # deleted in the meantime
                    size = os.lstat(os.path.join(self.folder, name)).st_size
                    found.append(ReceiptFile(int(match[1]), match[2], size))
        return sorted(found, key=lambda slot: (-slot.number, slot.state))

    def unknown_names(self) -> list[str]:
        """Return the names in the directory that are not receipts."""
        return sorted(name for name in self._names() if name not in _OURS and not _NAME.fullmatch(name))

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.folder)
        except FileNotFoundError:
            return []

    def _highest(self) -> int:
        try:
            return max((int(match[1]) for name in self._names() if (match := _NAME.fullmatch(name))), default=0)
        except OSError:
            return 0

    def _read_counter(self, counter: int) -> int:
        try:
            number = int(os.pread(counter, 32, 0))
        except (OSError, ValueError):
            return self._highest()
        return number if 0 <= number < _LIMIT else self._highest()

    def _make(self) -> None:
        """Create the directory once, accessible to its owner only: it holds contents of files."""
        if self._made and os.path.isdir(self.folder):
            return
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        found = os.stat(self.folder)
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            os.chmod(self.folder, 0o700)
        self._made = True
