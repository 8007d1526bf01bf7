"""Write a receipt before its changes are made, record the outcome, and delete old receipts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from hermes_tools_terminal.files.local.locks import try_lock
from hermes_tools_terminal.undo.changes import Change
from hermes_tools_terminal.undo.receipt import Receipt, encode
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory, ReceiptFile

_LOOK_EVERY = 16
"""Sizes are summed once for so many receipts, as that lists the whole directory."""

_BIG = 64
"""A receipt larger than this fraction of the limit triggers the sum too."""

_NEEDED = 2
"""The rank of receipts that can be undone."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is stored."""

    keep: int
    max_bytes: int

    def __post_init__(self) -> None:
        if self.keep < 1 or self.max_bytes < 0:
            raise ValueError("keep must be at least 1, and max_bytes must not be negative")

    @property
    def largest(self) -> int:
        """The maximum size in bytes of the contents of one receipt."""
        return self.max_bytes // 4


def prune(directory: ReceiptDirectory, limits: Limits, plan: Receipt) -> None:
    """Delete old receipts so that a new one fits, as far as possible. Never raises.

    Undoing many steps creates as many receipts and needs the old ones, so undo and redo get twice the limits.
    """
    number, size = plan.number, sum(map(sum, plan.sizes()))
    with suppress(OSError):
        if plan.kind == "call":
            directory.drop(number - limits.keep, "done") or directory.drop(number - limits.keep, "undone")
        if number % _LOOK_EVERY == 0 or size > limits.max_bytes // _BIG:
            _sweep(directory, limits, plan, size)


def _sweep(directory: ReceiptDirectory, limits: Limits, plan: Receipt, size: int) -> None:
    slots = [slot for slot in directory.slots() if slot.number != plan.number]
    count, total = len(slots), sum(slot.size for slot in slots)
    for slot in sorted(slots, key=lambda slot: (_worth(slot), slot.number)):
        times = 1 if plan.kind == "call" or _worth(slot) < _NEEDED else 2
        # Leave space for the receipts until the next check.
        fits = count < limits.keep * times and total <= limits.max_bytes * times * 3 // 4 - size
        if (not fits or slot.state == "part") and _dropped(directory, slot):
            count, total = count - 1, total - slot.size


def _worth(slot: ReceiptFile) -> int:
    """Rank receipts: incomplete ones are deleted first, unfinished ones last."""
    return {"part": 0, "undone": 1, "done": _NEEDED}.get(slot.state, 3)


def _dropped(directory: ReceiptDirectory, slot: ReceiptFile) -> bool:
    if slot.state in ("part", "unfinished") and _is_used(directory.path(slot.number, slot.state)):
        return False
    with suppress(OSError):
        return directory.drop(slot.number, slot.state)
    return False


def _is_used(path: str) -> bool:
    """Return whether a process is working on a receipt."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        return not try_lock(handle)
    except OSError:
        return True
    finally:
        os.close(handle)


class JournalEntry:
    """A receipt that is being written; it is locked until its block ends.

    Raises:
        OSError: The receipt cannot be written; nothing of it is left.
    """

    def __init__(self, directory: ReceiptDirectory, limits: Limits, plan: Receipt, changes: Sequence[Change]) -> None:
        self._directory = directory
        self._limits = limits
        number, self._handle = directory.claim()
        self.receipt = replace(plan, number=number, state="unfinished")
        try:
            prune(directory, limits, self.receipt)
            self._write(changes)
            directory.set_state(number, "part", "unfinished")
            if self._several:
                directory.sync()
        except BaseException:
            os.close(self._handle)
            for state in ("part", "unfinished"):
                with suppress(OSError):
                    directory.drop(number, state)
            raise

    @property
    def _several(self) -> bool:
        return len(self.receipt.files) > 1

    def done(self) -> Receipt:
        """Record that all changes were made, and return the receipt."""
        receipt = replace(self.receipt, state="done")
        if self._several and not self._fits():
            receipt = self._without_contents(receipt)
        else:
            with suppress(OSError):  # it stays unfinished, and the next undo corrects that
                self._directory.set_state(receipt.number, "unfinished", "done")
        return receipt

    def discard(self) -> None:
        """Delete the entry: no change was made."""
        with suppress(OSError):
            self._directory.drop(self.receipt.number, "unfinished")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock and leave the receipt in its present state."""
        os.close(self._handle)

    def _write(self, changes: Sequence[Change]) -> None:
        with open(self._handle, "wb", closefd=False) as file:
            file.write(encode(self.receipt))
            if self.receipt.undoable:
                for change in changes:
                    file.write(change.before or b"")
                    if self.receipt.keeps_after:
                        file.write(change.after or b"")
            file.flush()
            # A single file is old or new by itself. Several are restored from here, even after a power failure.
            if self._several:
                os.fsync(self._handle)

    def _fits(self) -> bool:
        return sum(map(sum, self.receipt.sizes())) <= self._limits.largest

    def _without_contents(self, receipt: Receipt) -> Receipt:
        """Keep only the header of a receipt that is too large to store beyond the call."""
        slim = replace(receipt, reason=too_large(self._limits), keeps_after=False)
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            path = self._directory.path(slim.number, "part")
            with open(os.open(path, flags, 0o600), "wb") as file:
                file.write(encode(slim))
            self._directory.set_state(slim.number, "part", "done")
            self._directory.drop(slim.number, "unfinished")
        return slim


def too_large(limits: Limits) -> str:
    """Explain that the contents are too large to undo."""
    return f"its contents are larger than {limits.largest:,} bytes, the maximum for one receipt"
