"""Apply edits for a call: with a receipt, conflict warnings and a syntax check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.syntax_checks.new_problems import lint
from hermes_tools_terminal.undo.changes import Change

if TYPE_CHECKING:
    from hermes_tools_terminal.file_access.session import Desk
    from hermes_tools_terminal.files.filesystem import Found
    from hermes_tools_terminal.undo.receipt import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who changes something.

    Attributes:
        tool: The tool's name.
        call: The id of the call.
        session: The id of its session.
    """

    tool: str
    call: str
    session: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after.

    Attributes:
        found: The file.
        before: Its bytes; None when it was not there.
        after: Its bytes; None when it is not there any more.
        old: Its text before; None when there was none.
        new: Its text after; None when there is none.
        mode: The permissions of a file that is made; None for the usual ones.
        base: The text of the file that was moved here; None when none was.
    """

    found: Found
    before: bytes | None
    after: bytes | None
    old: str | None = None
    new: str | None = None
    mode: int | None = None
    base: str | None = None


def change(desk: Desk, edits: Sequence[Edit], caller: Caller) -> Receipt:
    """Make changes, all or none, and remember them.

    Raises:
        ChangedError: a file was changed by somebody else meanwhile; nothing was done.
        OSError: it did not work; nothing was done.
    """
    changes = [Change(edit.found, edit.before, edit.after, edit.mode) for edit in edits]
    receipt = desk.store.apply(
        desk.tree, changes, tool=caller.tool, call=caller.call, task=desk.task.name, session=caller.session
    )
    for edit in edits:
        now = desk.tree.find(edit.found.path, base="/")
        desk.memory.wrote(now, caller.tool, edit.after or b"")
        if edit.after is not None:
            desk.task.history.wrote(now.path, edit.new)
    return receipt


def lasting(receipt: Receipt) -> str:
    """That a change cannot be taken back, and why."""
    return f"This cannot be undone with `hermes undo`: {receipt.reason or 'it left no receipt'}."


def surprise(desk: Desk, found: Found, *, whole: bool) -> str | None:
    """What an agent should know about a file that it is about to change; None when there is nothing.

    Args:
        desk: The task's desk.
        found: The file as it is now.
        whole: Whether all of it is replaced.
    """
    seen = desk.memory.seen(found.path)
    if found.kind == "missing":
        return None
    if seen is None:
        return "The file was there already and was not read before it was replaced." if whole else None
    if seen.stamp != found.stamp:
        return f"The file had changed since this task last saw it{_by_whom(desk, found, seen.at)}."
    if whole and not seen.whole and not seen.written:
        return "Only a part of the file had been read before all of it was replaced."
    return None


def overwritten_change(desk: Desk, found: Found, content: bytes) -> str | None:
    """Explain which change of others a write would lose; None when there is none.

    Args:
        desk: The task's desk.
        found: The file as it is now.
        content: What is in it now.
    """
    known = desk.memory.changed_since(found, content)
    if known is None:
        return None
    desk.memory.expect_reading(found.path)
    return f"{found.path} has changed since it was last read or written here{_by_whom(desk, found, known.at)}."


def checked(desk: Desk, edit: Edit, mask: Callable[[str], str]) -> dict[str, Any] | None:
    """Report what an edit broke in a file's syntax; None when no checker knows the language.

    Args:
        desk: The task's desk.
        edit: The edit.
        mask: Masks secrets in the lines that a report quotes.
    """
    if not desk.settings.lint or edit.new is None:
        return None
    found = lint(edit.found.path, edit.old if edit.base is None else edit.base, edit.new, run=desk.run)
    return None if found is None else {key: mask(value) for key, value in found.items()}


def _by_whom(desk: Desk, found: Found, since: float) -> str:
    writer = desk.store.last_writer(desk.tree.name, found.path)
    if writer is None or writer.at < since or writer.task == desk.task.name:
        return ""
    return f": the task {writer.task!r} wrote it with {writer.tool}"
