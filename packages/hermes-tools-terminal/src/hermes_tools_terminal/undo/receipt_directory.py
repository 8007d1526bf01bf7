"""The directory of receipts, shared by all processes of a user: numbers, names, states and locks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SECONDS = 180.0
"""How long others are waited for: hundreds of commands take turns, and on a busy machine that takes minutes."""

_PAUSE = 0.0005
_LONGEST_PAUSE = 0.05
_HAS_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}


@contextmanager
def hold_lock(path: str, seconds: float = SECONDS) -> Iterator[int]:
    """Hold the lock of a file, which is made when there is none, for the length of a block; gives the opened file.

    Raises:
        TimeoutError: somebody else has held it all the time.
        OSError: the file cannot be opened.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        deadline, pause = time.monotonic() + seconds, _PAUSE
        while not try_lock(handle):
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process has held this lock for too long", path)
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        yield handle
    finally:
        os.close(handle)


def try_lock(handle: int, *, shared: bool = False) -> bool:
    """Lock an opened file if nobody else has; where the file system knows no locks, nobody has."""
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _HAS_NO_LOCKS:
            raise
    return True


_NAME = re.compile(r"([0-9]{6,15})\.(part|unfinished|done|undone)")
_STATES = ("done", "unfinished", "undone")
"""How names of receipts end; `part` is one that is being written, before anything else has happened."""

_COUNTER = "lock"
"""Holds the last number that was given; who gives one holds its lock."""

_TURN = "turn"
"""Locked by who undoes, redoes or finishes: one at a time."""

_OURS = {_COUNTER, _TURN}
_MOST = 10**14
"""Beyond that a counter is garbage."""


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A receipt's file.

    Attributes:
        number: The receipt.
        state: How its name ends.
        size: How many bytes it has.
    """

    number: int
    state: str
    size: int


class ReceiptDirectory:
    """The files of all receipts.

    Args:
        folder: Where they are; made when the first one is written.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._made = False

    def path(self, number: int, state: str) -> str:
        """Where a receipt is while it has that state."""
        return os.path.join(self.folder, f"{number:06d}.{state}")

    # -- writing ---------------------------------------------------------------------------------------------

    def claim(self) -> tuple[int, int]:
        """A number that nobody else gets, and a new file for it that is open and locked; its state is `part`.

        Raises:
            OSError: the folder cannot be written.
        """
        self._make()
        with hold_lock(os.path.join(self.folder, _COUNTER)) as counter:
            number = self._counted(counter) + 1
            if any(os.path.lexists(self.path(number, state)) for state in (*_STATES, "part")):
                number = self._highest() + 1
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            handle = os.open(self.path(number, "part"), flags, 0o600)
            try:
                try_lock(handle)
                # Who sees the number sees that it is coming.
                os.pwrite(counter, b"%020d\n" % number, 0)
            except BaseException:
                os.close(handle)
                self.drop(number, "part")
                raise
        return number, handle

    def set_state(self, number: int, old: str, new: str) -> None:
        """Give a receipt another state, at once or not at all."""
        os.rename(self.path(number, old), self.path(number, new))

    def drop(self, number: int, state: str) -> bool:
        """Remove a receipt; whether there was one in that state."""
        try:
            os.unlink(self.path(number, state))
        except FileNotFoundError:
            return False
        return True

    def sync(self) -> None:
        """Have the names of all receipts on the disk."""
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one who undoes, redoes or finishes, for the length of a block."""
        if not os.path.isdir(self.folder):
            yield  # there is nothing to undo, either
            return
        with hold_lock(os.path.join(self.folder, _TURN)):
            yield

    # -- looking ---------------------------------------------------------------------------------------------

    def last(self) -> int:
        """The last number that was given; 0 when there is none."""
        try:
            handle = os.open(os.path.join(self.folder, _COUNTER), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return self._highest()
        try:
            return self._counted(handle)
        finally:
            os.close(handle)

    def state_of(self, number: int) -> str | None:
        """Which state a receipt has; None when there is none of that number."""
        return next((state for state in _STATES if os.path.lexists(self.path(number, state))), None)

    def is_coming(self, number: int) -> bool:
        """Whether a receipt of that number is being written."""
        return os.path.lexists(self.path(number, "part"))

    def slots(self) -> list[ReceiptFile]:
        """All receipts with their sizes, the newest first, those that are being written among them."""
        found = []
        for name in self._names():
            if match := _NAME.fullmatch(name):
                with contextlib.suppress(OSError):  # gone meanwhile
                    size = os.lstat(os.path.join(self.folder, name)).st_size
                    found.append(ReceiptFile(int(match[1]), match[2], size))
        return sorted(found, key=lambda slot: (-slot.number, slot.state))

    def unknown_names(self) -> list[str]:
        """Names in the folder that are none of ours."""
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

    def _counted(self, counter: int) -> int:
        try:
            number = int(os.pread(counter, 32, 0))
        except (OSError, ValueError):
            return self._highest()
        return number if 0 <= number < _MOST else self._highest()

    def _make(self) -> None:
        """Make the folder, once; it holds contents of files, so it is nobody else's."""
        if self._made and os.path.isdir(self.folder):
            return
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        found = os.stat(self.folder)
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            os.chmod(self.folder, 0o700)
        self._made = True
