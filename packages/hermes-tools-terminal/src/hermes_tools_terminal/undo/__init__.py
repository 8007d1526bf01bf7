"""Undo: each call that changes files leaves a receipt, from which the change can be reverted byte for byte.

from hermes_tools_terminal.undo import UndoStore, undo

store = UndoStore(hermes.home / "undo")
for receipt in store.receipts():  # newest first
    print(receipt.number, receipt.tool, receipt.state, [file.path for file in receipt.files])
undone = undo(store)  # the last call; undo(store, 12) for a given receipt
print(undone.files)
"""

from __future__ import annotations

from hermes_tools_terminal.undo.changes import Change
from hermes_tools_terminal.undo.errors import (
    ConflictError,
    NoJournalError,
    NothingToUndoError,
    UndoError,
    UnfinishedError,
)
from hermes_tools_terminal.undo.receipt import Receipt, TouchedFile, Version
from hermes_tools_terminal.undo.receipt_reader import Damaged, DamagedError
from hermes_tools_terminal.undo.restore import Undone, finish, preview, redo, undo, undo_last
from hermes_tools_terminal.undo.store import FOLDER, KEEP, MAX_BYTES, UndoStore

__all__ = [
    "FOLDER",
    "KEEP",
    "MAX_BYTES",
    "Change",
    "ConflictError",
    "Damaged",
    "DamagedError",
    "NoJournalError",
    "NothingToUndoError",
    "Receipt",
    "TouchedFile",
    "UndoError",
    "UndoStore",
    "Undone",
    "UnfinishedError",
    "Version",
    "finish",
    "preview",
    "redo",
    "undo",
    "undo_last",
]
