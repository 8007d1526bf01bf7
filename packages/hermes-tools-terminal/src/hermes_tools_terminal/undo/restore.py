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
    """Set the states that a killed process could not set anymore, newest receipt first; file contents show what
    was done.
    """
    for receipt in store.receipts():
        state: str = receipt.state
        if state == "unfinished" and len(receipt.files) <= 1:
            state = _repaired_state(store, receipt, states)
        if state == "done":
            mark_target_undone(store, receipt, states)


def mark_target_undone(store: UndoStore, done: Receipt, states: FileStates) -> None:
    """Mark the receipt that a finished undo or redo has undone."""
    if done.undoes is None or store.directory.state_of(done.undoes) != "done":
        return
    with suppress(UndoError):  # it is damaged, or its environment is not available
        with store.open(done.undoes) as opened:
            target = opened.receipt
        mark_undone(store, target, states)


def mark_undone(store: UndoStore, receipt: Receipt, states: FileStates) -> list[str]:
    """Mark a receipt as undone once its files are restored, and return the directories that were removed.

    This is the last step: if the process is killed before it, the next one finds the receipt again and repeats it.
    """
    removed = remove_empty(states.filesystem(receipt), receipt.folders)
    set_state(store, receipt.number, receipt.state, "undone")
    return removed


def set_state(store: UndoStore, number: int, old: str, new: str) -> None:
    """Change the state of a receipt if it has the expected state."""
    with suppress(FileNotFoundError):  # deleted or set in the meantime
        store.directory.set_state(number, old, new)


def _repaired_state(store: UndoStore, receipt: Receipt, states: FileStates) -> str:
    try:
        file_states = states.file_states(receipt)
    except (UndoError, OSError):
        return "unfinished"  # its environment is not available
    if all(file_state.is_after for file_state in file_states):
        set_state(store, receipt.number, "unfinished", "done")
        return "done"
    if all(file_state.is_before for file_state in file_states) or receipt.kind != "call":
        mark_undone(store, receipt, states)
        return "undone"
    return "unfinished"


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of undoing or finishing a receipt.

    Attributes:
        receipt: The receipt, as it was found.
        files: The files that were changed.
        by: The receipt of the undo itself; None if an interrupted one was completed.
        folders: The empty directories that were removed because the call had created them.
        notes: What could not be restored.
        completed: Whether the receipt was finished rather than undone.
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
    """Undo a call: restore the content and mode of all its files, or change none.

    Args:
        store: The receipts.
        number: The receipt; None for the newest that is not undone. The number of an undo reverts that undo.
        filesystem_of: Returns the filesystem with a name.
        task: Without a number: only receipts of this task.

    Raises:
        ConflictError: Something else changed a file since. Nothing was changed.
        NothingToUndoError: There is nothing to undo.
        UndoError: It cannot be undone. Nothing was changed.
        OSError: It failed, and everything is as before.
    """
    with _exclusive(store, filesystem_of) as states:
        if number is not None:
            return _restore(store, target_for(store, number, "before"), states)
        return _undo_next(store, states, redo=False, task=task)


def undo_last(
    store: UndoStore, steps: int, *, filesystem_of: FileSystemFor = local_filesystem, task: str | None = None
) -> list[Undone]:
    """Undo the newest receipts, last one first. All conflicts are detected before the first change.

    Raises:
        ConflictError: As for `undo`.
        NothingToUndoError: There is nothing to undo.
        UndoError: As for `undo`.
        OSError: It failed. The remaining receipts are unchanged.
    """
    with _exclusive(store, filesystem_of) as states:
        plans = plans_for_last(store, steps, FileStates(filesystem_of), task=task)
        return [_restore(store, plan.target, states) for plan in plans]


def redo(store: UndoStore, *, filesystem_of: FileSystemFor = local_filesystem, task: str | None = None) -> Undone:
    """Revert the last undo. Arguments and errors are those of `undo`."""
    with _exclusive(store, filesystem_of) as states:
        return _undo_next(store, states, redo=True, task=task)


def finish(store: UndoStore, number: int, *, filesystem_of: FileSystemFor = local_filesystem) -> Undone:
    """Finish a call that was interrupted.

    Raises:
        UndoError: It is not unfinished, or cannot be finished. Nothing was changed.
        OSError: It failed again; each file is old or new, and it can be retried.
    """
    with _exclusive(store, filesystem_of) as states:
        return _restore(store, target_for(store, number, "after"), states)


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
    """Return the plans of an undo, redo or finish without changing anything.

    Raises:
        UndoError: It is not possible.
    """
    with _exclusive(store, filesystem_of) as states:
        if undoing is not None:
            return [plan_for(store, target_for(store, undoing, "before"), states)]
        if finishing is not None:
            return [plan_for(store, target_for(store, finishing, "after"), states)]
        return plans_for_last(store, steps, states, redo=redoing, task=task)


@contextmanager
def _exclusive(store: UndoStore, filesystem_of: FileSystemFor) -> Iterator[FileStates]:
    """Exclude other operations, and repair the states of receipts first."""
    with store.directory.exclusive():
        states = FileStates(filesystem_of)
        repair_states(store, states)
        yield states


def _undo_next(store: UndoStore, states: FileStates, *, redo: bool, task: str | None) -> Undone:
    while True:
        undone = _restore(store, last_target(store, redo=redo, task=task), states)
        # A receipt that was interrupted before it changed anything does not count as a step.
        if undone.files or undone.receipt.state != "unfinished":
            return undone


def _restore(store: UndoStore, target: Target, states: FileStates) -> Undone:
    plan = plan_for(store, target, states)
    if target.receipt.state == "done":
        return _undo_done(store, plan, states)
    if not plan.is_complete:
        return _restore_interrupted(store, plan, states)
    set_state(store, target.receipt.number, "unfinished", "done")
    mark_target_undone(store, target.receipt, states)
    done = replace(target.receipt, state="done")
    return (
        Undone(done, (), completed=True) if target.side == "after" else _restore(store, Target(done, "before"), states)
    )


def _undo_done(store: UndoStore, plan: Plan, states: FileStates) -> Undone:
    """Undo a finished receipt: that changes files and leaves a receipt, like a call."""
    receipt = plan.target.receipt
    tool = "redo" if receipt.kind == "undo" else "undo"
    by = store.apply(states.filesystem(receipt), plan.changes, tool=tool, task=receipt.task, undoes=receipt)
    return _result(plan, states, by, mark_undone(store, receipt, states))


def _restore_interrupted(store: UndoStore, plan: Plan, states: FileStates) -> Undone:
    """Restore an interrupted receipt. Its own entry is the journal, so a killed process can be resumed."""
    receipt = plan.target.receipt
    filesystem = states.filesystem(receipt)
    if plan.changes:
        with filesystem.locked(*(change.found for change in plan.changes)):
            require_unchanged(filesystem, plan.changes)
            for change in plan.changes:
                make_change(filesystem, change)
    if plan.target.side == "before":
        return _result(plan, states, None, mark_undone(store, receipt, states))
    set_state(store, receipt.number, "unfinished", "done")
    mark_target_undone(store, receipt, states)
    return _result(plan, states, None, [])


def _result(plan: Plan, states: FileStates, by: Receipt | None, removed: Sequence[str]) -> Undone:
    files = tuple(change.path for change in plan.changes)
    notes = tuple(_owners_lost(plan, states))
    return Undone(plan.target.receipt, files, by, tuple(removed), notes, completed=plan.target.side == "after")


def _owners_lost(plan: Plan, states: FileStates) -> Iterator[str]:
    """Describe files that were recreated with another owner."""
    filesystem = states.filesystem(plan.target.receipt)
    versions = {file.path: getattr(file, plan.target.side) for file in plan.target.receipt.files}
    for change in plan.changes:
        version = versions[change.path]
        if change.before is None and version is not None and version.owner is not None:
            with suppress(OSError):
                now = filesystem.find(change.path, base="/")
                if (now.owner, now.group) != (version.owner, version.group):
                    was = f"{version.owner}:{version.group}"
                    yield f"{change.path} belonged to {was} and now belongs to {now.owner}:{now.group}."
