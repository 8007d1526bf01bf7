"""Read receipts from files that may be damaged or malicious."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from itertools import accumulate
from types import TracebackType
from typing import Literal, Self, cast

from hermes_tools_terminal.files.local.locks import try_lock
from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.receipt import Receipt, State, decode, digest
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory

Side = Literal["before", "after"]

_LONGEST_LINE = 64 * 1024 * 1024
"""The maximum length of a header line: about 150,000 files."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """An invalid file in the receipt directory."""

    name: str
    reason: str


class DamagedError(UndoError):
    """Raised when the file of a receipt is invalid."""

    def __init__(self, damaged: Damaged) -> None:
        self.damaged = damaged
        super().__init__(f"The receipt {damaged.name} cannot be used: {damaged.reason}.")


class ReceiptReader:
    """An open receipt, to read its contents.

    Raises:
        FileNotFoundError: No such receipt exists in that state.
        DamagedError: The file is invalid.
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
        """Return the stored content of a file, verified by its digest; None if it did not exist on that side.

        Raises:
            DamagedError: The stored content is damaged.
        """
        version = getattr(self.receipt.files[index], side)
        if version is None:
            return None
        before = self.receipt.files[index].before
        self._file.seek(self._starts[index] + (before.size if before and side == "after" else 0))
        data = self._file.read(version.size)
        if digest(data) != version.sha256:
            raise self._damaged(f"the stored content of {self.receipt.files[index].path} is damaged")
        return data

    def close(self) -> None:
        """Close the file."""
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
            raise self._damaged("it is not a regular file")
        if found.st_uid != os.geteuid():  # another user could make undo write any file
            raise self._damaged("it belongs to another user")
        line = self._file.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise self._damaged("its first line is damaged")
        try:
            receipt = decode(line, number, state)
        except ValueError as error:
            raise self._damaged(str(error)) from None
        if found.st_size != len(line) + sum(map(sum, receipt.sizes())):
            raise self._damaged("it is truncated: contents are missing")
        if state == "unfinished" and not try_lock(self._file.fileno(), shared=True):
            receipt = replace(receipt, state="running")
        return receipt, len(line)

    def _damaged(self, reason: str) -> DamagedError:
        return DamagedError(Damaged(self._name, reason))
