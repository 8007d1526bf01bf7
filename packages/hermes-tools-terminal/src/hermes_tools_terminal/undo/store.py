"""The store of receipts: apply changes of files, leave a receipt for each, and find the last writer of a file."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hermes_tools_terminal.files.filesystem import FileSystem
from hermes_tools_terminal.undo.changes import (
    Change,
    RollbackError,
    check_changes,
    make_all_changes,
    missing_folders,
    remove_empty,
    require_unchanged,
)
from hermes_tools_terminal.undo.errors import NoJournalError, NothingToUndoError, UnfinishedError
from hermes_tools_terminal.undo.journal import JournalEntry, Limits, too_large
from hermes_tools_terminal.undo.receipt import Receipt, TouchedFile, Version, digests
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory
from hermes_tools_terminal.undo.receipt_reader import Damaged, DamagedError, ReceiptReader

FOLDER = "undo"
"""The directory of the store in `$HERMES_HOME`."""

KEEP = 500
MAX_BYTES = 500_000_000

_MAX_FILES = 8192
"""How many files are remembered; the least recently written are dropped first."""

_MAX_AWAITED = 64
"""How many receipts that are still being written are checked again."""


class UndoStore:
    """A directory of receipts that processes share.

    Args:
        folder: The directory, accessible to its owner only; created when needed.
        keep: The maximum number of receipts.
        max_bytes: The maximum total size. Contents above a fourth of it cannot be undone.
    """

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = KEEP, max_bytes: int = MAX_BYTES) -> None:
        self.directory = ReceiptDirectory(os.path.abspath(folder))
        self._limits = Limits(keep, max_bytes)
        self._last_writers = LastWriters(self.directory, self._read_receipt, keep)

    def apply(
        self,
        filesystem: FileSystem,
        changes: Sequence[Change],
        *,
        tool: str,
        call: str = "",
        task: str = "",
        session: str = "",
        undoes: Receipt | None = None,
    ) -> Receipt:
        """Change files all or none, and leave a receipt. Each file stays old or new even if the process is killed.

        Raises:
            ChangedError: A file has changed. Nothing was changed.
            NoJournalError: There are several files and the store cannot be written. Nothing was changed.
            UnfinishedError: It failed midway and could not be rolled back.
            OSError: It failed, and everything is as before.
        """
        if changes or undoes is None:  # an undo without changes only needs a receipt
            check_changes(changes)
        with filesystem.locked(*(change.found for change in changes)):
            require_unchanged(filesystem, changes)
            plan = Receipt(
                number=0,
                state="done",
                kind="call" if undoes is None else "redo" if undoes.kind == "undo" else "undo",
                at=time.time(),
                tool=tool,
                call=call,
                task=task,
                session=session,
                place=filesystem.name,
                files=tuple(_touched(change) for change in changes),
                folders=missing_folders(filesystem, changes),
                undoes=None if undoes is None else undoes.number,
                keeps_after=len(changes) > 1,
                reason=self._too_large(changes),
            )
            return self._apply_with_journal(filesystem, changes, plan)

    def receipts(self, task: str | None = None) -> Iterator[Receipt]:
        """Yield all readable receipts, newest first; only those of a task if one is given."""
        for found in self.entries():
            if isinstance(found, Receipt) and task in (None, found.task):
                yield found

    def entries(self) -> Iterator[Receipt | Damaged]:
        """Yield all receipts, newest first, then the files that are damaged or unknown."""
        damaged = [Damaged(name, "it is not a receipt") for name in self.directory.unknown_names()]
        last = 0
        for slot in self.directory.slots():
            if slot.state == "part":
                continue  # no file was changed yet
            if slot.number == last:
                name = os.path.basename(self.directory.path(slot.number, slot.state))
                damaged.append(Damaged(name, "another receipt has the same number"))
                continue
            last, receipt = slot.number, None
            try:
                with ReceiptReader(self.directory, slot.number, slot.state) as opened:
                    receipt = opened.receipt
            except FileNotFoundError:  # its state changed, or it was deleted
                receipt = self._read_receipt(slot.number)
            except DamagedError as error:
                damaged.append(error.damaged)
            if receipt is not None:
                yield receipt
        yield from damaged

    def open(self, number: int) -> ReceiptReader:
        """Open a receipt to read its contents.

        Raises:
            NothingToUndoError: The receipt does not exist.
            DamagedError: The receipt is invalid.
        """
        while (state := self.directory.state_of(number)) is not None:
            try:
                return ReceiptReader(self.directory, number, state)
            except FileNotFoundError:
                continue  # its state changed in the meantime
        raise NothingToUndoError(f"There is no receipt {number}. Run 'hermes undo --list' to list receipts.")

    def last_writer(self, place: str, path: str) -> Receipt | None:
        """Return the newest receipt of a file, from any user of this store; None if there is none."""
        return self._last_writers.last(place, path)

    def _apply_with_journal(self, filesystem: FileSystem, changes: Sequence[Change], plan: Receipt) -> Receipt:
        try:
            entry = JournalEntry(self.directory, self._limits, plan, changes)
        except OSError as error:
            if len(changes) > 1:
                raise NoJournalError(error, self.directory.folder) from error
            return self._apply_without_journal(filesystem, changes, plan, error)
        with entry:
            try:
                make_all_changes(filesystem, changes)
            except RollbackError as error:
                cause = error.__cause__ or error
                raise UnfinishedError(cause, entry.receipt.number, error.paths) from cause
            except BaseException:
                remove_empty(filesystem, plan.folders)
                entry.discard()
                raise
            return entry.done()

    def _apply_without_journal(
        self, filesystem: FileSystem, changes: Sequence[Change], plan: Receipt, why: OSError
    ) -> Receipt:
        """Change a single file without a receipt: an unwritable store must not block the work."""
        try:
            make_all_changes(filesystem, changes)
        except RollbackError as error:
            cause = error.__cause__ or error
            raise UnfinishedError(cause, 0, error.paths) from cause
        return replace(
            plan, reason=f"its receipt could not be stored in {self.directory.folder}: {why.strerror or why}"
        )

    def _too_large(self, changes: Sequence[Change]) -> str:
        """Explain why a file's content is not stored. Several files are always stored: all or none."""
        single = changes[0].before if len(changes) == 1 else None
        return too_large(self._limits) if len(single or b"") > self._limits.largest else ""

    def _read_receipt(self, number: int) -> Receipt | None:
        try:
            with self.open(number) as opened:
                return opened.receipt
        except (NothingToUndoError, DamagedError):
            return None


def _touched(change: Change) -> TouchedFile:
    found, (before, after) = change.found, digests(change.before, change.after)
    if change.before is None:
        return TouchedFile(change.path, None, _version(change.after, after, change.mode))
    rights = (found.mode & 0o7777, found.owner, found.group)
    return TouchedFile(change.path, _version(change.before, before, *rights), _version(change.after, after, *rights))


def _version(
    data: bytes | None, sha256: str | None, mode: int | None, owner: int | None = None, group: int | None = None
) -> Version | None:
    return None if data is None or sha256 is None else Version(sha256, len(data), mode, owner, group)


class LastWriters:
    """The last receipt of each file, updated by reading new receipts."""

    def __init__(self, directory: ReceiptDirectory, read: Callable[[int], Receipt | None], keep: int) -> None:
        self._directory = directory
        self._read = read
        self._keep = keep
        self._known: OrderedDict[tuple[str, str], Receipt] = OrderedDict()
        self._seen = -1
        self._pending: set[int] = set()
        self._lock = threading.Lock()

    def last(self, place: str, path: str) -> Receipt | None:
        """Return the newest receipt of a file."""
        with self._lock:
            self._update()
            return self._known.get((place, path))

    def _update(self) -> None:
        last = self._directory.last()
        if last == self._seen and not self._pending:
            return
        if last < self._seen:  # the store was emptied
            self._seen = -1
        first = max(self._seen + 1, last - self._keep, 1)
        wanted = sorted({*self._pending, *range(first, last + 1)})
        self._seen, self._pending = last, set()
        for number in wanted:
            coming = last - number < _MAX_AWAITED and self._directory.is_being_written(number)
            receipt = self._read(number)
            if receipt is not None:
                self._add(receipt)
            elif coming:
                self._pending.add(number)

    def _add(self, receipt: Receipt) -> None:
        for file in receipt.files:
            key = (receipt.place, file.path)
            known = self._known.get(key)
            if known is None or known.number < receipt.number:
                self._known[key] = receipt
                self._known.move_to_end(key)
        while len(self._known) > _MAX_FILES:
            self._known.popitem(last=False)
