"""The store of receipts: every change of files goes through it, and can be taken back from it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
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
from hermes_tools_terminal.undo.last_writers import LastWriters
from hermes_tools_terminal.undo.receipt import Receipt, TouchedFile, Version, digests
from hermes_tools_terminal.undo.receipt_directory import ReceiptDirectory
from hermes_tools_terminal.undo.receipt_reader import Damaged, DamagedError, ReceiptReader

FOLDER = "undo"
"""Where the store is in `$HERMES_HOME`."""

KEEP = 500
MAX_BYTES = 500_000_000


class UndoStore:
    """Receipts of what was done to files, kept in a folder that processes share.

    Args:
        folder: Where; it need not be there. Nobody but its owner can look into it.
        keep: How many receipts are kept.
        max_bytes: How many bytes they may have together. What is larger than a fourth of that cannot be undone.
    """

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = KEEP, max_bytes: int = MAX_BYTES) -> None:
        self.directory = ReceiptDirectory(os.path.abspath(folder))
        self._limits = Limits(keep, max_bytes)
        self._last_writers = LastWriters(self.directory, self._facts, keep)

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
        """Change files, all or none, and leave a receipt. Whoever is killed meanwhile leaves files that are old or new.

        Args:
            tree: Where the files are.
            changes: What becomes of each.
            tool: Which tool does it.
            call: The id of its call.
            task: Whose task it is.
            session: In which session.
            undoes: The receipt that is taken back by this.

        Raises:
            ChangedError: a file is not what was found. Nothing was changed.
            NoJournalError: several files, and the store cannot be written. Nothing was changed.
            UnfinishedError: it went wrong half-way, and what was done could not be put back.
            OSError: it went wrong, and everything is as before.
        """
        if changes or undoes is None:  # what is as before already is taken back by a receipt alone
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
            return self._made(filesystem, changes, plan)

    def receipts(self, task: str | None = None) -> Iterator[Receipt]:
        """All receipts that can be read, the newest first.

        Args:
            task: Those of this task alone.
        """
        for found in self.entries():
            if isinstance(found, Receipt) and task in (None, found.task):
                yield found

    def entries(self) -> Iterator[Receipt | Damaged]:
        """Everything that the store holds: receipts, the newest first, then what is damaged or does not belong here."""
        damaged = [Damaged(name, "it is no receipt") for name in self.directory.unknown_names()]
        last = 0
        for slot in self.directory.slots():
            if slot.state == "part":
                continue  # nothing has happened yet
            if slot.number == last:
                name = os.path.basename(self.directory.path(slot.number, slot.state))
                damaged.append(Damaged(name, "another receipt has the same number"))
                continue
            last, receipt = slot.number, None
            try:
                with ReceiptReader(self.directory, slot.number, slot.state) as opened:
                    receipt = opened.receipt
            except FileNotFoundError:  # it has another state by now, or was pruned
                receipt = self._facts(slot.number)
            except DamagedError as error:
                damaged.append(error.damaged)
            if receipt is not None:
                yield receipt
        yield from damaged

    def open(self, number: int) -> ReceiptReader:
        """One receipt with its contents.

        Raises:
            NothingToUndoError: there is none of that number.
            DamagedError: it cannot be used.
        """
        while (state := self.directory.state_of(number)) is not None:
            try:
                return ReceiptReader(self.directory, number, state)
            except FileNotFoundError:
                continue  # it got another state meanwhile
        raise NothingToUndoError(f"There is no receipt {number}. Run 'hermes undo --list' to see which there are.")

    def last_writer(self, place: str, path: str) -> Receipt | None:
        """The newest receipt of a file: who wrote it last, of all who use this store. None when nobody did.

        Args:
            place: The name of the tree.
            path: Where the file is: absolute and without links.
        """
        return self._last_writers.last(place, path)

    def _made(self, filesystem: FileSystem, changes: Sequence[Change], plan: Receipt) -> Receipt:
        try:
            entry = JournalEntry(self.directory, self._limits, plan, changes)
        except OSError as error:
            if len(changes) > 1:
                raise NoJournalError(error, self.directory.folder) from error
            return self._made_without_journal(filesystem, changes, plan, error)
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

    def _made_without_journal(
        self, filesystem: FileSystem, changes: Sequence[Change], plan: Receipt, why: OSError
    ) -> Receipt:
        """One file is old or new by itself: a store that cannot be written is no reason to refuse the work."""
        try:
            make_all_changes(filesystem, changes)
        except RollbackError as error:
            cause = error.__cause__ or error
            raise UnfinishedError(cause, 0, error.paths) from cause
        return replace(plan, reason=f"its receipt could not be kept in {self.directory.folder}: {why.strerror or why}")

    def _too_large(self, changes: Sequence[Change]) -> str:
        """Why one file's old content is not kept. Of several it is kept at first: they must be all or none."""
        single = changes[0].before if len(changes) == 1 else None
        return too_large(self._limits) if len(single or b"") > self._limits.largest else ""

    def _facts(self, number: int) -> Receipt | None:
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
