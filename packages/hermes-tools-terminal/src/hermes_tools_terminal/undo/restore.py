"""Undo, redo and finish receipts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from hermes_tools_terminal.undo.changes import look_again, make, remove_empty
from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.file_states import TreeFor, View, local_tree
from hermes_tools_terminal.undo.plan import Aim, Plan, aim_at, last_aim, plan_for, plans_for_last
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.store import UndoStore


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


@dataclass(frozen=True, slots=True)
class Undone:
    """What was done to take a receipt back, or to complete it.

    Attributes:
        receipt: The receipt, as it was found.
        files: The files that were changed for it.
        by: The receipt of doing so; None when an interrupted one was settled.
        folders: The folders that were removed, because the call had made them and they were empty.
        notes: What could not be made as it was.
        completed: Whether it was completed, not taken back.
    """

    receipt: Receipt
    files: tuple[str, ...]
    by: Receipt | None = None
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    completed: bool = False


def undo(
    store: UndoStore, number: int | None = None, *, tree_for: TreeFor = local_tree, task: str | None = None
) -> Undone:
    """Take back what a call did: every file gets back the bytes and the mode that it had. All files or none.

    Args:
        store: The receipts.
        number: Which receipt; the newest one that is not undone when it is None. That of an undo takes the undo back.
        tree_for: Gives the tree of a place by its name.
        task: With no number: the newest one of this task.

    Raises:
        ConflictError: a file was changed by something else since. Nothing was changed.
        NothingToUndoError: there is none.
        UndoError: it cannot be undone, for the reason told. Nothing was changed.
        OSError: it went wrong, and everything is as before.
    """
    with _turn(store, tree_for) as view:
        if number is not None:
            return _reach(store, aim_at(store, number, "before"), view)
        return _next(store, view, redo=False, task=task)


def undo_last(store: UndoStore, steps: int, *, tree_for: TreeFor = local_tree, task: str | None = None) -> list[Undone]:
    """Take back the newest receipts, the last one first. Conflicts in any of them are found before the first change.

    Args:
        store: The receipts.
        steps: How many; fewer when there are no more.
        tree_for: Gives the tree of a place by its name.
        task: Those of this task alone.

    Raises:
        ConflictError: as for `undo`. Nothing was changed.
        NothingToUndoError: there is none at all.
        UndoError: as for `undo`.
        OSError: it went wrong. The receipts that are still not undone are as they were.
    """
    with _turn(store, tree_for) as view:
        plans = plans_for_last(store, steps, View(tree_for), task=task)
        return [_reach(store, plan.aim, view) for plan in plans]


def redo(store: UndoStore, *, tree_for: TreeFor = local_tree, task: str | None = None) -> Undone:
    """Take the last undo back. Arguments and errors are those of `undo`."""
    with _turn(store, tree_for) as view:
        return _next(store, view, redo=True, task=task)


def finish(store: UndoStore, number: int, *, tree_for: TreeFor = local_tree) -> Undone:
    """Complete a call that was interrupted half-way.

    Args:
        store: The receipts.
        number: Which one.
        tree_for: Gives the tree of a place by its name.

    Raises:
        UndoError: it is not unfinished, or it cannot be completed. Nothing was changed.
        OSError: it went wrong once more; each file is old or new, and it can be tried again.
    """
    with _turn(store, tree_for) as view:
        return _reach(store, aim_at(store, number, "after"), view)


def preview(
    store: UndoStore,
    *,
    steps: int = 1,
    undoing: int | None = None,
    finishing: int | None = None,
    redoing: bool = False,
    tree_for: TreeFor = local_tree,
    task: str | None = None,
) -> list[Plan]:
    """What would be changed; no file is.

    Args:
        store: The receipts.
        steps: By undoing so many of the newest.
        undoing: By undoing this one instead.
        finishing: By finishing this one instead.
        redoing: By taking undos back instead.
        tree_for: Gives the tree of a place by its name.
        task: Those of this task alone.

    Raises:
        UndoError: it cannot be done.
    """
    with _turn(store, tree_for) as view:
        if undoing is not None:
            return [plan_for(store, aim_at(store, undoing, "before"), view)]
        if finishing is not None:
            return [plan_for(store, aim_at(store, finishing, "after"), view)]
        return plans_for_last(store, steps, view, redo=redoing, task=task)


@contextmanager
def _turn(store: UndoStore, tree_for: TreeFor) -> Iterator[View]:
    """One at a time, and with states that are true."""
    with store.shelf.turn():
        view = View(tree_for)
        settle(store, view)
        yield view


def _next(store: UndoStore, view: View, *, redo: bool, task: str | None) -> Undone:
    while True:
        reached = _reach(store, last_aim(store, redo=redo, task=task), view)
        # What was interrupted before it had done anything is struck off, and is not what somebody wants undone.
        if reached.files or reached.receipt.state != "unfinished":
            return reached


def _reach(store: UndoStore, aim: Aim, view: View) -> Undone:
    plan = plan_for(store, aim, view)
    if aim.receipt.state == "done":
        return _reach_anew(store, plan, view)
    if not plan.is_complete:
        return _reach_directly(store, plan, view)
    move(store, aim.receipt.number, "unfinished", "done")
    take_note(store, aim.receipt, view)
    done = replace(aim.receipt, state="done")
    return Undone(done, (), completed=True) if aim.side == "after" else _reach(store, Aim(done, "before"), view)


def _reach_anew(store: UndoStore, plan: Plan, view: View) -> Undone:
    """Take back what is done. That changes files as calls do, and leaves a receipt as they do."""
    receipt = plan.aim.receipt
    tool = "redo" if receipt.kind == "undo" else "undo"
    by = store.apply(view.tree(receipt), plan.changes, tool=tool, task=receipt.task, undoes=receipt)
    return _told(plan, view, by, strike_off(store, receipt, view))


def _reach_directly(store: UndoStore, plan: Plan, view: View) -> Undone:
    """Bring an interrupted receipt to one of its sides. Its own entry is the journal: whoever is killed goes on."""
    receipt = plan.aim.receipt
    tree = view.tree(receipt)
    if plan.changes:
        with tree.locked(*(change.found for change in plan.changes)):
            look_again(tree, plan.changes)
            for change in plan.changes:
                make(tree, change)
    if plan.aim.side == "before":
        return _told(plan, view, None, strike_off(store, receipt, view))
    move(store, receipt.number, "unfinished", "done")
    take_note(store, receipt, view)
    return _told(plan, view, None, [])


def _told(plan: Plan, view: View, by: Receipt | None, gone: Sequence[str]) -> Undone:
    files = tuple(change.path for change in plan.changes)
    notes = tuple(_owners_lost(plan, view))
    return Undone(plan.aim.receipt, files, by, tuple(gone), notes, completed=plan.aim.side == "after")


def _owners_lost(plan: Plan, view: View) -> Iterator[str]:
    """Files that were made anew belong to who makes them."""
    tree = view.tree(plan.aim.receipt)
    versions = {file.path: getattr(file, plan.aim.side) for file in plan.aim.receipt.files}
    for change in plan.changes:
        version = versions[change.path]
        if change.before is None and version is not None and version.owner is not None:
            with suppress(OSError):
                now = tree.find(change.path, base="/")
                if (now.owner, now.group) != (version.owner, version.group):
                    was = f"{version.owner}:{version.group}"
                    yield f"{change.path} belonged to {was} and belongs to {now.owner}:{now.group} now."
