"""Undo, redo and finish receipts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from hermes_tools_terminal.undo.changes import make_change, remove_empty, require_unchanged
from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.file_states import FileStates, FileSystemFor, local_filesystem
from hermes_tools_terminal.undo.plan import Plan, Target, last_target, plan_for, plans_for_last, target_for
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.store import UndoStore


def repair_states(store: UndoStore, states: FileStates) -> None:
    """Catch up on states that a killed process could not set any more, the newest first.

    Args:
        store: The receipts.
        view: How files are now: one file is old or new, so a look says whether its change was made.
    """
    for receipt in store.receipts():
        state: str = receipt.state
        if state == "unfinished" and len(receipt.files) <= 1:
            state = _settled(store, receipt, states)
        if state == "done":
            mark_target_undone(store, receipt, states)


def mark_target_undone(store: UndoStore, done: Receipt, states: FileStates) -> None:
    """Mark what an undo or a redo, which is done now, has taken back."""
    if done.undoes is None or store.directory.state_of(done.undoes) != "done":
        return
    with suppress(UndoError):  # it is damaged, or its place is not at hand
        with store.open(done.undoes) as opened:
            target = opened.receipt
        mark_undone(store, target, states)


def mark_undone(store: UndoStore, receipt: Receipt, states: FileStates) -> list[str]:
    """Mark a receipt as undone whose files are as before; which folders have gone with them.

    That is the last step. Who is killed before it finds the receipt again, and comes back here.
    """
    gone = remove_empty(states.filesystem(receipt), receipt.folders)
    set_state(store, receipt.number, receipt.state, "undone")
    return gone


def set_state(store: UndoStore, number: int, old: str, new: str) -> None:
    """Give a receipt another state, if it has the first one."""
    with suppress(FileNotFoundError):  # pruned meanwhile, or set already
        store.directory.set_state(number, old, new)


def _settled(store: UndoStore, receipt: Receipt, states: FileStates) -> str:
    try:
        file_states = states.file_states(receipt)
    except (UndoError, OSError):
        return "unfinished"  # its place is not at hand
    if all(file_state.is_after for file_state in file_states):
        set_state(store, receipt.number, "unfinished", "done")
        return "done"
    if all(file_state.is_before for file_state in file_states) or receipt.kind != "call":
        mark_undone(store, receipt, states)
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
    store: UndoStore,
    number: int | None = None,
    *,
    filesystem_of: FileSystemFor = local_filesystem,
    task: str | None = None,
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
    with _turn(store, filesystem_of) as states:
        if number is not None:
            return _reach(store, target_for(store, number, "before"), states)
        return _next(store, states, redo=False, task=task)


def undo_last(
    store: UndoStore, steps: int, *, filesystem_of: FileSystemFor = local_filesystem, task: str | None = None
) -> list[Undone]:
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
    with _turn(store, filesystem_of) as states:
        plans = plans_for_last(store, steps, FileStates(filesystem_of), task=task)
        return [_reach(store, plan.target, states) for plan in plans]


def redo(store: UndoStore, *, filesystem_of: FileSystemFor = local_filesystem, task: str | None = None) -> Undone:
    """Take the last undo back. Arguments and errors are those of `undo`."""
    with _turn(store, filesystem_of) as states:
        return _next(store, states, redo=True, task=task)


def finish(store: UndoStore, number: int, *, filesystem_of: FileSystemFor = local_filesystem) -> Undone:
    """Complete a call that was interrupted half-way.

    Args:
        store: The receipts.
        number: Which one.
        tree_for: Gives the tree of a place by its name.

    Raises:
        UndoError: it is not unfinished, or it cannot be completed. Nothing was changed.
        OSError: it went wrong once more; each file is old or new, and it can be tried again.
    """
    with _turn(store, filesystem_of) as states:
        return _reach(store, target_for(store, number, "after"), states)


def preview(
    store: UndoStore,
    *,
    steps: int = 1,
    undoing: int | None = None,
    finishing: int | None = None,
    redoing: bool = False,
    filesystem_of: FileSystemFor = local_filesystem,
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
    with _turn(store, filesystem_of) as states:
        if undoing is not None:
            return [plan_for(store, target_for(store, undoing, "before"), states)]
        if finishing is not None:
            return [plan_for(store, target_for(store, finishing, "after"), states)]
        return plans_for_last(store, steps, states, redo=redoing, task=task)


@contextmanager
def _turn(store: UndoStore, filesystem_of: FileSystemFor) -> Iterator[FileStates]:
    """One at a time, and with states that are true."""
    with store.directory.turn():
        states = FileStates(filesystem_of)
        repair_states(store, states)
        yield states


def _next(store: UndoStore, states: FileStates, *, redo: bool, task: str | None) -> Undone:
    while True:
        reached = _reach(store, last_target(store, redo=redo, task=task), states)
        # What was interrupted before it had done anything is struck off, and is not what somebody wants undone.
        if reached.files or reached.receipt.state != "unfinished":
            return reached


def _reach(store: UndoStore, target: Target, states: FileStates) -> Undone:
    plan = plan_for(store, target, states)
    if target.receipt.state == "done":
        return _reach_anew(store, plan, states)
    if not plan.is_complete:
        return _reach_directly(store, plan, states)
    set_state(store, target.receipt.number, "unfinished", "done")
    mark_target_undone(store, target.receipt, states)
    done = replace(target.receipt, state="done")
    return Undone(done, (), completed=True) if target.side == "after" else _reach(store, Target(done, "before"), states)


def _reach_anew(store: UndoStore, plan: Plan, states: FileStates) -> Undone:
    """Take back what is done. That changes files as calls do, and leaves a receipt as they do."""
    receipt = plan.target.receipt
    tool = "redo" if receipt.kind == "undo" else "undo"
    by = store.apply(states.filesystem(receipt), plan.changes, tool=tool, task=receipt.task, undoes=receipt)
    return _told(plan, states, by, mark_undone(store, receipt, states))


def _reach_directly(store: UndoStore, plan: Plan, states: FileStates) -> Undone:
    """Bring an interrupted receipt to one of its sides. Its own entry is the journal: whoever is killed goes on."""
    receipt = plan.target.receipt
    filesystem = states.filesystem(receipt)
    if plan.changes:
        with filesystem.locked(*(change.found for change in plan.changes)):
            require_unchanged(filesystem, plan.changes)
            for change in plan.changes:
                make_change(filesystem, change)
    if plan.target.side == "before":
        return _told(plan, states, None, mark_undone(store, receipt, states))
    set_state(store, receipt.number, "unfinished", "done")
    mark_target_undone(store, receipt, states)
    return _told(plan, states, None, [])


def _told(plan: Plan, states: FileStates, by: Receipt | None, gone: Sequence[str]) -> Undone:
    files = tuple(change.path for change in plan.changes)
    notes = tuple(_owners_lost(plan, states))
    return Undone(plan.target.receipt, files, by, tuple(gone), notes, completed=plan.target.side == "after")


def _owners_lost(plan: Plan, states: FileStates) -> Iterator[str]:
    """Files that were made anew belong to who makes them."""
    filesystem = states.filesystem(plan.target.receipt)
    versions = {file.path: getattr(file, plan.target.side) for file in plan.target.receipt.files}
    for change in plan.changes:
        version = versions[change.path]
        if change.before is None and version is not None and version.owner is not None:
            with suppress(OSError):
                now = filesystem.find(change.path, base="/")
                if (now.owner, now.group) != (version.owner, version.group):
                    was = f"{version.owner}:{version.group}"
                    yield f"{change.path} belonged to {was} and belongs to {now.owner}:{now.group} now."
