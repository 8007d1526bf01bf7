"""Select the receipt to undo or redo, and compute the changes that this needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hermes_tools_terminal.undo.changes import Change
from hermes_tools_terminal.undo.errors import ConflictError, NothingToUndoError, UndoError
from hermes_tools_terminal.undo.file_states import FileState, FileStates
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.receipt_reader import ReceiptReader, Side
from hermes_tools_terminal.undo.store import UndoStore


@dataclass(frozen=True, slots=True)
class Target:
    """What a receipt's files are to be.

    Attributes:
        receipt: The receipt.
        side: `before` takes it back, `after` completes it.
    """

    receipt: Receipt
    side: Side


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be done for an aim.

    Attributes:
        aim: The aim.
        changes: The changes that are needed, the last file first when it is taken back; files that are right already
            are left out.
        is_complete: Whether all files are as the call was to leave them.
    """

    target: Target
    changes: tuple[Change, ...]
    is_complete: bool


def targets(store: UndoStore, *, redo: bool, task: str | None) -> Iterator[Target]:
    """What one undo (or redo) after another is about, each as if those before it were done.

    That are the receipts which are not undone (or redone) yet, the newest first. An undo that was interrupted is
    completed by the next undo, and so is a redo by the next redo. Who goes on with a task after an undo has decided
    against what was undone: that is not redone any more.

    Args:
        store: The receipts.
        redo: Whether it is a redo.
        task: Look at this task's receipts alone.
    """
    settled: set[int | None] = set()
    gone_on: set[str] = set()
    for receipt in store.receipts(task):
        if receipt.kind == "call" and redo:
            gone_on.add(receipt.task)
        if receipt.state == "undone" or receipt.number in settled or receipt.task in gone_on:
            continue
        if (receipt.kind == "undo") == redo:
            yield Target(receipt, "before")
        elif receipt.state != "done" and receipt.kind == ("redo" if redo else "undo"):
            yield Target(receipt, "after")
            settled.add(receipt.undoes)


def last_target(store: UndoStore, *, redo: bool, task: str | None) -> Target:
    """What the next undo (or redo) is about.

    Raises:
        NothingToUndoError: there is nothing.
    """
    for target in targets(store, redo=redo, task=task):
        return target
    whose = "" if task is None else f" of the task {task}"
    raise NothingToUndoError(f"There is nothing{whose} to {'redo' if redo else 'undo'}.")


def target_for(store: UndoStore, number: int, side: Side) -> Target:
    """What taking back or completing a certain receipt is about.

    Raises:
        UndoError: there is none of that number, or it can be neither.
    """
    with store.open(number) as opened:
        receipt = opened.receipt
    if side == "after":
        if receipt.state in ("done", "undone"):
            raise UndoError(f"Receipt {number} is {receipt.state}: there is nothing to finish.")
        return Target(receipt, side)
    for later in store.receipts():
        if later.number <= receipt.number:
            break
        if later.undoes == receipt.number and later.state == "unfinished":
            return Target(later, "after")
    return Target(receipt, side)


def plan_for(store: UndoStore, target: Target, states: FileStates) -> Plan:
    """What has to be done.

    Raises:
        ConflictError: a file was changed by something else.
        UndoError: what is needed was not kept, a process still works at it, or its place is not at hand.
    """
    with store.open(target.receipt.number) as opened:
        _check(opened.receipt, target.side)
        file_states = states.file_states(target.receipt)
        pairs = list(zip(target.receipt.files, file_states, strict=True))
        problems = [(file.path, file_state.problem) for file, file_state in pairs if file_state.problem]
        if problems:
            raise ConflictError(target.receipt.number, _explained(store, target.receipt, problems))
        changes = [
            _change(opened, target.side, index, file_state)
            for index, file_state in enumerate(file_states)
            if not (file_state.is_before if target.side == "before" else file_state.is_after)
        ]
    if target.side == "before":
        changes.reverse()
    return Plan(target, tuple(changes), all(file_state.is_after for file_state in file_states))


def plans_for_last(
    store: UndoStore, steps: int, states: FileStates, *, redo: bool = False, task: str | None = None
) -> list[Plan]:
    """What undoing (or redoing) the newest receipts would change, each step as if those before it were done.

    Args:
        store: The receipts.
        steps: How many; fewer when there are no more.
        view: How files are now. It shows them as they would be afterwards.
        redo: Whether it is a redo.
        task: Those of this task alone.

    Raises:
        NothingToUndoError: there is none at all.
        UndoError: one of them cannot be undone.
    """
    plans: list[Plan] = []
    for target in islice(targets(store, redo=redo, task=task), steps):
        plans.append(plan_for(store, target, states))
        for change in plans[-1].changes:
            states.pretend(target.receipt, change.path, change.after)
    if not plans:
        last_target(store, redo=redo, task=task)  # says that there is nothing
    return plans


def _check(receipt: Receipt, side: Side) -> None:
    if receipt.state == "running":
        raise UndoError(f"A process is still working at receipt {receipt.number}. Try again when it is done.")
    if receipt.state == "undone":
        raise UndoError(f"Receipt {receipt.number} is undone already. 'hermes undo --redo' takes the last undo back.")
    if not receipt.undoable and side == "before":
        raise UndoError(f"Receipt {receipt.number} cannot be undone: {receipt.reason}.")


def _change(opened: ReceiptReader, side: Side, index: int, file_state: FileState) -> Change:
    version = getattr(opened.receipt.files[index], side)
    mode = None if version is None else version.mode
    return Change(file_state.found, file_state.data, opened.content(index, side), mode)


def _explained(store: UndoStore, receipt: Receipt, problems: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Say who changed files since, where a later receipt tells it."""
    later: dict[str, Receipt] = {}
    for each in store.receipts():
        if each.number <= receipt.number:
            break
        if each.state != "undone" and each.place == receipt.place:
            for file in each.files:
                later.setdefault(file.path, each)
    return [
        (path, f"{why} (by receipt {later[path].number}, {later[path].tool})" if path in later else why)
        for path, why in problems
    ]
