"""Apply edits for a call: with a receipt, conflict warnings and a syntax check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.syntax_checks.new_problems import lint
from hermes_tools_terminal.undo.changes import Change

if TYPE_CHECKING:
    from hermes_tools_terminal.file_access.session import FileSession
    from hermes_tools_terminal.files.filesystem import FileInfo
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

    found: FileInfo
    before: bytes | None
    after: bytes | None
    old: str | None = None
    new: str | None = None
    mode: int | None = None
    base: str | None = None


def change(files: FileSession, edits: Sequence[Edit], caller: Caller) -> Receipt:
    """Make changes, all or none, and remember them.

    Raises:
        ChangedError: a file was changed by somebody else meanwhile; nothing was done.
        OSError: it did not work; nothing was done.
    """
    changes = [Change(edit.found, edit.before, edit.after, edit.mode) for edit in edits]
    receipt = files.store.apply(
        files.filesystem, changes, tool=caller.tool, call=caller.call, task=files.task.name, session=caller.session
    )
    for edit in edits:
        now = files.filesystem.find(edit.found.path, base="/")
        files.history.wrote(now, caller.tool, edit.after or b"")
        if edit.after is not None:
            files.task.history.wrote(now.path, edit.new)
    return receipt


def not_undoable(receipt: Receipt) -> str:
    """That a change cannot be taken back, and why."""
    return f"This cannot be undone with `hermes undo`: {receipt.reason or 'it left no receipt'}."


def unseen_change(files: FileSession, found: FileInfo, *, whole: bool) -> str | None:
    """What an agent should know about a file that it is about to change; None when there is nothing.

    Args:
        desk: The task's desk.
        found: The file as it is now.
        whole: Whether all of it is replaced.
    """
    seen = files.history.seen(found.path)
    if found.kind == "missing":
        return None
    if seen is None:
        return "The file was there already and was not read before it was replaced." if whole else None
    if seen.stamp != found.stamp:
        return f"The file had changed since this task last saw it{_by_whom(files, found, seen.at)}."
    if whole and not seen.whole and not seen.written:
        return "Only a part of the file had been read before all of it was replaced."
    return None


def overwritten_change(files: FileSession, found: FileInfo, content: bytes) -> str | None:
    """Explain which change of others a write would lose; None when there is none.

    Args:
        desk: The task's desk.
        found: The file as it is now.
        content: What is in it now.
    """
    known = files.history.changed_since(found, content)
    if known is None:
        return None
    files.history.expect_reading(found.path)
    return f"{found.path} has changed since it was last read or written here{_by_whom(files, found, known.at)}."


def checked(files: FileSession, edit: Edit, mask: Callable[[str], str]) -> dict[str, Any] | None:
    """Report what an edit broke in a file's syntax; None when no checker knows the language.

    Args:
        desk: The task's desk.
        edit: The edit.
        mask: Masks secrets in the lines that a report quotes.
    """
    if not files.settings.lint or edit.new is None:
        return None
    found = lint(edit.found.path, edit.old if edit.base is None else edit.base, edit.new, run=files.run)
    return None if found is None else {key: mask(value) for key, value in found.items()}


def _by_whom(files: FileSession, found: FileInfo, since: float) -> str:
    writer = files.store.last_writer(files.filesystem.name, found.path)
    if writer is None or writer.at < since or writer.task == files.task.name:
        return ""
    return f": the task {writer.task!r} wrote it with {writer.tool}"
