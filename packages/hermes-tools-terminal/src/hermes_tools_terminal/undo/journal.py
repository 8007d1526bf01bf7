"""Writes a receipt before its changes are made, and says how they ended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from hermes_tools_terminal.undo.change import Change
from hermes_tools_terminal.undo.pruning import Bounds, make_room
from hermes_tools_terminal.undo.receipt import Receipt, encode
from hermes_tools_terminal.undo.shelf import Shelf


class Entry:
    """A receipt that is being written; others see that it is, until its block ends.

    Args:
        shelf: Where it is kept.
        bounds: How much may be kept there.
        plan: What is going to happen; it gets its number here.
        changes: The changes.

    Raises:
        OSError: it cannot be written. Nothing is left of it.
    """

    def __init__(self, shelf: Shelf, bounds: Bounds, plan: Receipt, changes: Sequence[Change]) -> None:
        self._shelf = shelf
        self._bounds = bounds
        number, self._handle = shelf.claim()
        self.receipt = replace(plan, number=number, state="unfinished")
        try:
            make_room(shelf, bounds, self.receipt)
            self._write(changes)
            shelf.move(number, "part", "unfinished")
            if self._several:
                shelf.sync()
        except BaseException:
            os.close(self._handle)
            for state in ("part", "unfinished"):
                with suppress(OSError):
                    shelf.drop(number, state)
            raise

    @property
    def _several(self) -> bool:
        return len(self.receipt.files) > 1

    def done(self) -> Receipt:
        """All changes were made; what is kept of them."""
        receipt = replace(self.receipt, state="done")
        if self._several and not self._fits():
            receipt = self._without_contents(receipt)
        else:
            with suppress(OSError):  # it stays unfinished, and a look at the files shows that it is not
                self._shelf.move(receipt.number, "unfinished", "done")
        return receipt

    def discard(self) -> None:
        """No change was made."""
        with suppress(OSError):
            self._shelf.drop(self.receipt.number, "unfinished")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it as it is. Others see that nobody works at it any more."""
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
            # One file is old or new by itself. Several are made whole by what stands here, also after a power cut.
            if self._several:
                os.fsync(self._handle)

    def _fits(self) -> bool:
        return sum(map(sum, self.receipt.sizes())) <= self._bounds.largest

    def _without_contents(self, receipt: Receipt) -> Receipt:
        """Keep the facts alone of what was too large to be kept for longer than it was needed."""
        slim = replace(receipt, reason=too_large(self._bounds), keeps_after=False)
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            path = self._shelf.path(slim.number, "part")
            with open(os.open(path, flags, 0o600), "wb") as file:
                file.write(encode(slim))
            self._shelf.move(slim.number, "part", "done")
            self._shelf.drop(slim.number, "unfinished")
        return slim


def too_large(bounds: Bounds) -> str:
    """Why something cannot be undone."""
    return f"its contents are larger than {bounds.largest:,} bytes, the most that one receipt may keep"
