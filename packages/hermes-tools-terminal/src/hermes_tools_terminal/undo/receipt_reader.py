"""Read receipts from files that may be damaged or malicious."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from itertools import accumulate
from types import TracebackType
from typing import Literal, Self, cast

from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.receipt import Receipt, State, decode, digest
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory, try_lock

Side = Literal["before", "after"]

_LONGEST_LINE = 64 * 1024 * 1024
"""So long may the line at the top be: about 150,000 files."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """Something in the store that is no receipt, or not any more.

    Attributes:
        name: The file's name.
        reason: What is the matter with it.
    """

    name: str
    reason: str


class DamagedError(UndoError):
    """Raised when a receipt's file is no receipt, or not any more.

    Attributes:
        damaged: Which one, and why.
    """

    def __init__(self, damaged: Damaged) -> None:
        self.damaged = damaged
        super().__init__(f"The receipt {damaged.name} cannot be used: {damaged.reason}.")


class ReceiptReader:
    """A receipt whose contents can be read, until it is closed.

    Args:
        shelf: Where it is.
        number: Which one.
        state: Its state by its name.

    Raises:
        FileNotFoundError: there is none of that state.
        DamagedError: it cannot be used.
    """

    def __init__(self, directory: ReceiptDirectory, number: int, state: str) -> None:
        path = directory.path(number, state)
        self._name = os.path.basename(path)
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            self._file = os.fdopen(os.open(path, flags), "rb")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._damaged(f"it cannot be opened: {error.strerror}") from None
        try:
            self.receipt, start = self._read(number, cast("State", state))
        except BaseException:
            self._file.close()
            raise
        self._starts = list(accumulate((before + after for before, after in self.receipt.sizes()), initial=start))

    def content(self, index: int, side: Side) -> bytes | None:
        """What a file held on one side, proved by its digest; None when it was not there.

        Raises:
            DamagedError: it is not what was kept.
        """
        version = getattr(self.receipt.files[index], side)
        if version is None:
            return None
        before = self.receipt.files[index].before
        self._file.seek(self._starts[index] + (before.size if before and side == "after" else 0))
        data = self._file.read(version.size)
        if digest(data) != version.sha256:
            raise self._damaged(f"the content of {self.receipt.files[index].path} that was kept is damaged")
        return data

    def close(self) -> None:
        """Let go of it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, number: int, state: State) -> tuple[Receipt, int]:
        found = os.fstat(self._file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise self._damaged("it is no regular file")
        if found.st_uid != os.geteuid():  # whoever else wrote it could have anything written anywhere
            raise self._damaged("it belongs to another user")
        line = self._file.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise self._damaged("its first line is damaged")
        try:
            receipt = decode(line, number, state)
        except ValueError as error:
            raise self._damaged(str(error)) from None
        if found.st_size != len(line) + sum(map(sum, receipt.sizes())):
            raise self._damaged("it is torn: contents are missing")
        if state == "unfinished" and not try_lock(self._file.fileno(), shared=True):
            receipt = replace(receipt, state="running")
        return receipt, len(line)

    def _damaged(self, reason: str) -> DamagedError:
        return DamagedError(Damaged(self._name, reason))
