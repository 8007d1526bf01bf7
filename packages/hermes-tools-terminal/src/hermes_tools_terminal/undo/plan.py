"""Select the receipt to undo or redo, and compute the changes that this needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hermes_editing.diff import changed_part, hunks
from hermes_tools_terminal.undo.changes import Change
from hermes_tools_terminal.undo.errors import ConflictError, NothingToUndoError, UndoError
from hermes_tools_terminal.undo.file_states import FileState, FileStates
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.receipt_reader import ReceiptReader, Side
from hermes_tools_terminal.undo.store import UndoStore

_MAX_LINES = 2000
"""How many changed lines a diff shows."""


@dataclass(frozen=True, slots=True)
class Target:
    """The state that a receipt's files are restored to.

    Attributes:
        receipt: The receipt.
        side: `before` to undo the receipt, `after` to finish it.
    """

    receipt: Receipt
    side: Side


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that reach a target.

    Attributes:
        target: The target.
        changes: The changes; files that already match are omitted. Undo runs in reverse order.
        is_complete: Whether all files are as the call was meant to leave them.
    """

    target: Target
    changes: tuple[Change, ...]
    is_complete: bool


def targets(store: UndoStore, *, redo: bool, task: str | None) -> Iterator[Target]:
    """Yield the targets of successive undos (or redos), each as if the ones before were done.

    These are the receipts that are not undone (or redone) yet, newest first. The next undo completes an interrupted
    undo, and the next redo an interrupted redo. A new call in a task after an undo discards what could be redone.
    """
    settled: set[int | None] = set()
    continued_tasks: set[str] = set()
    for receipt in store.receipts(task):
        if receipt.kind == "call" and redo:
            continued_tasks.add(receipt.task)
        if receipt.state == "undone" or receipt.number in settled or receipt.task in continued_tasks:
            continue
        if (receipt.kind == "undo") == redo:
            yield Target(receipt, "before")
        elif receipt.state != "done" and receipt.kind == ("redo" if redo else "undo"):
            yield Target(receipt, "after")
            settled.add(receipt.undoes)


def last_target(store: UndoStore, *, redo: bool, task: str | None) -> Target:
    """Return the target of the next undo (or redo). Raise `NothingToUndoError` if there is nothing to undo."""
    for target in targets(store, redo=redo, task=task):
        return target
    scope = "" if task is None else f" in the task {task}"
    raise NothingToUndoError(f"There is nothing to {'redo' if redo else 'undo'}{scope}.")


def target_for(store: UndoStore, number: int, side: Side) -> Target:
    """Return the target for undoing or finishing a given receipt.

    Raises:
        UndoError: The receipt does not exist, or cannot be undone or finished.
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
    """Plan the changes for a target.

    Raises:
        ConflictError: Something else changed a file.
        UndoError: The content was not stored, a process is still working on it, or its environment is not available.
    """
    with store.open(target.receipt.number) as opened:
        _check(opened.receipt, target.side)
        file_states = states.file_states(target.receipt)
        pairs = list(zip(target.receipt.files, file_states, strict=True))
        problems = [(file.path, file_state.problem) for file, file_state in pairs if file_state.problem]
        if problems:
            raise ConflictError(target.receipt.number, _with_later_receipts(store, target.receipt, problems))
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
    """Plan undoing (or redoing) the newest receipts, each as if the ones before were done; `states` is updated
    accordingly.

    Raises:
        NothingToUndoError: There is nothing to undo.
        UndoError: One of them cannot be undone.
    """
    plans: list[Plan] = []
    for target in islice(targets(store, redo=redo, task=task), steps):
        plans.append(plan_for(store, target, states))
        for change in plans[-1].changes:
            states.assume(target.receipt, change.path, change.after)
    if not plans:
        last_target(store, redo=redo, task=task)  # raises NothingToUndoError
    return plans


def diff_of(plan: Plan) -> Iterator[str]:
    """Yield the lines of a diff of all files of a plan."""
    for change in plan.changes:
        yield f"--- {change.path}" if change.before is not None else "--- /dev/null"
        yield f"+++ {change.path}" if change.after is not None else "+++ /dev/null"
        yield from _diff(change.before or b"", change.after or b"")


def _diff(before: bytes, after: bytes) -> Iterator[str]:
    if b"\0" in before or b"\0" in after:
        yield f"binary content: {len(before):,} bytes become {len(after):,}"
        return
    skipped, old, new = changed_part(_text(before), _text(after))
    if len(old) + len(new) > _MAX_LINES:
        yield f"@@ -{skipped + 1},{len(old)} +{skipped + 1},{len(new)} @@ too many lines to show"
        return
    for line in hunks(old, new, skipped):
        yield line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _check(receipt: Receipt, side: Side) -> None:
    if receipt.state == "running":
        raise UndoError(f"A process is still working at receipt {receipt.number}. Try again when it has finished.")
    if receipt.state == "undone":
        raise UndoError(f"Receipt {receipt.number} is already undone. 'hermes undo --redo' reverts the last undo.")
    if not receipt.undoable and side == "before":
        raise UndoError(f"Receipt {receipt.number} cannot be undone: {receipt.reason}.")


def _change(opened: ReceiptReader, side: Side, index: int, file_state: FileState) -> Change:
    version = getattr(opened.receipt.files[index], side)
    mode = None if version is None else version.mode
    return Change(file_state.found, file_state.data, opened.content(index, side), mode)


def _with_later_receipts(
    store: UndoStore, receipt: Receipt, problems: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Add which later receipt changed a file, where one did."""
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
