"""Apply edits for a call: with a receipt, conflict warnings and a syntax check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.file_access.errors import file_error
from hermes_tools_terminal.files.filesystem import ChangedError
from hermes_tools_terminal.syntax_checks.new_problems import lint
from hermes_tools_terminal.undo.changes import Change

if TYPE_CHECKING:
    from hermes_tools_terminal.file_access.session import FileSession
    from hermes_tools_terminal.files.filesystem import FileInfo
    from hermes_tools_terminal.undo.receipt import Receipt

_Result = TypeVar("_Result")
_TRIES = 8
"""How often an edit is tried when others change its files at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The caller of an edit."""

    tool: str
    call: str
    session: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A file before and after an edit.

    Attributes:
        found: The file.
        before: The old content; None if the file is missing.
        after: The new content; None if the file is removed.
        old: The old text, if any.
        new: The new text, if any.
        mode: The permissions of a new file; None for the default.
        base: The text of the file that was moved here, if any.
    """

    found: FileInfo
    before: bytes | None
    after: bytes | None
    old: str | None = None
    new: str | None = None
    mode: int | None = None
    base: str | None = None


def apply_edits(files: FileSession, edits: Sequence[Edit], caller: Caller) -> Receipt:
    """Apply edits all or none, and record them in the history.

    Raises:
        ChangedError: A file has changed in the meantime; nothing was done.
        OSError: It failed; nothing was done.
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


def retry_edit(files: FileSession, edit: Callable[..., _Result], name: str, caller: Caller) -> _Result:
    """Run an edit again, with `again=True`, while others change its files, so that their changes are never
    overwritten unseen.

    Raises:
        FileError: The edit failed.
    """
    try:
        for number in range(_TRIES - 1):
            try:
                return edit(again=number > 0)
            except ChangedError:
                continue
        return edit(again=True)
    except (OSError, TerminalEnvironmentError) as error:
        raise file_error(error, name) from error
    finally:
        files.forget_assessed(caller.call)


def not_undoable(receipt: Receipt) -> str:
    """Explain that a change cannot be undone."""
    return f"This cannot be undone with `hermes undo`: {receipt.reason or 'it left no receipt'}."


def unseen_change(files: FileSession, found: FileInfo, *, whole: bool) -> str | None:
    """Describe what the agent does not know about a file that it is about to change; None if there is nothing."""
    record = files.history.record(found.path)
    if found.kind == "missing":
        return None
    if record is None:
        return "The file already existed and was not read before it was replaced." if whole else None
    if record.stamp != found.stamp:
        return f"The file had changed since this task last saw it{_describe_writer(files, found, record.at)}."
    if whole and not record.whole and not record.written:
        return "Only a part of the file was read before all of it was replaced."
    return None


def overwritten_change(files: FileSession, found: FileInfo, content: bytes) -> str | None:
    """Describe the change by others that a write would lose; None if there is none."""
    known = files.history.changed_since(found, content)
    if known is None:
        return None
    files.history.forget_lines(found.path)
    return f"{found.path} has changed since it was last read or written here{_describe_writer(files, found, known.at)}."


def syntax_report(files: FileSession, edit: Edit, mask: Callable[[str], str]) -> dict[str, Any] | None:
    """Report syntax problems that an edit introduced; None if there is no checker for the language."""
    if not files.settings.lint or edit.new is None:
        return None
    found = lint(edit.found.path, edit.old if edit.base is None else edit.base, edit.new, run=files.run)
    return None if found is None else {key: mask(value) for key, value in found.items()}


def _describe_writer(files: FileSession, found: FileInfo, since: float) -> str:
    writer = files.store.last_writer(files.filesystem.name, found.path)
    if writer is None or writer.at < since or writer.task == files.task.name:
        return ""
    return f": the task {writer.task!r} wrote it with {writer.tool}"
