"""The last receipt of each file, for agents that share files."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory

_MOST_FILES = 8192
"""How many files are remembered; the least recently written are dropped first."""

_MOST_AWAITED = 64
"""How many receipts that are still being written are checked again."""


class LastWriters:
    """The last receipt of each file, updated by reading new receipts.

    Args:
        directory: The directory of receipts.
        read: Reads a receipt; returns None if it cannot be read.
        keep: The maximum number of receipts.
    """

    def __init__(self, directory: ReceiptDirectory, read: Callable[[int], Receipt | None], keep: int) -> None:
        self._directory = directory
        self._read = read
        self._keep = keep
        self._known: OrderedDict[tuple[str, str], Receipt] = OrderedDict()
        self._seen = -1
        self._awaited: set[int] = set()
        self._lock = threading.Lock()

    def last(self, place: str, path: str) -> Receipt | None:
        """Return the newest receipt of a file."""
        with self._lock:
            self._catch_up()
            return self._known.get((place, path))

    def _catch_up(self) -> None:
        last = self._directory.last()
        if last == self._seen and not self._awaited:
            return
        if last < self._seen:  # the store was emptied
            self._seen = -1
        first = max(self._seen + 1, last - self._keep, 1)
        wanted = sorted({*self._awaited, *range(first, last + 1)})
        self._seen, self._awaited = last, set()
        for number in wanted:
            coming = last - number < _MOST_AWAITED and self._directory.is_coming(number)
            receipt = self._read(number)
            if receipt is not None:
                self._note(receipt)
            elif coming:
                self._awaited.add(number)

    def _note(self, receipt: Receipt) -> None:
        for file in receipt.files:
            key = (receipt.place, file.path)
            known = self._known.get(key)
            if known is None or known.number < receipt.number:
                self._known[key] = receipt
                self._known.move_to_end(key)
        while len(self._known) > _MOST_FILES:
            self._known.popitem(last=False)
