"""Keeps the states of receipts true: who is killed between two steps leaves some that the next one sets right."""

from __future__ import annotations

from contextlib import suppress

from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.folders import remove_empty
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.store import UndoStore
from hermes_tools_terminal.undo.view import View


def settle(store: UndoStore, view: View) -> None:
    """Catch up on states that a killed process could not set any more, the newest first.

    Args:
        store: The receipts.
        view: How files are now: one file is old or new, so a look says whether its change was made.
    """
    for receipt in store.receipts():
        state: str = receipt.state
        if state == "unfinished" and len(receipt.files) <= 1:
            state = _settled(store, receipt, view)
        if state == "done":
            take_note(store, receipt, view)


def take_note(store: UndoStore, done: Receipt, view: View) -> None:
    """Mark what an undo or a redo, which is done now, has taken back."""
    if done.undoes is None or store.shelf.state_of(done.undoes) != "done":
        return
    with suppress(UndoError):  # it is damaged, or its place is not at hand
        with store.open(done.undoes) as opened:
            target = opened.receipt
        strike_off(store, target, view)


def strike_off(store: UndoStore, receipt: Receipt, view: View) -> list[str]:
    """Mark a receipt as undone whose files are as before; which folders have gone with them.

    That is the last step. Who is killed before it finds the receipt again, and comes back here.
    """
    gone = remove_empty(view.tree(receipt), receipt.folders)
    move(store, receipt.number, receipt.state, "undone")
    return gone


def move(store: UndoStore, number: int, old: str, new: str) -> None:
    """Give a receipt another state, if it has the first one."""
    with suppress(FileNotFoundError):  # pruned meanwhile, or set already
        store.shelf.move(number, old, new)


def _settled(store: UndoStore, receipt: Receipt, view: View) -> str:
    try:
        standings = view.standings(receipt)
    except (UndoError, OSError):
        return "unfinished"  # its place is not at hand
    if all(standing.is_after for standing in standings):
        move(store, receipt.number, "unfinished", "done")
        return "done"
    if all(standing.is_before for standing in standings) or receipt.kind != "call":
        strike_off(store, receipt, view)
        return "undone"
    return "unfinished"
