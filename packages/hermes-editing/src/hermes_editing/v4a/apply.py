"""Apply a patch in memory, before any file is changed."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass

from hermes_editing.v4a.editable_lines import WorkBudget
from hermes_editing.v4a.hunks import UpdatedText, apply_hunks
from hermes_editing.v4a.patch import Add, Delete, Move, Operation, Patch, PatchError, Update


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one file.

    Attributes:
        path: The file, as the patch first names it.
        before: The old text; None if the file is missing.
        after: The new text; None if the file is deleted.
        source: The original name of the file that was moved here; None if none was.
        strategies: How inexact hunks were found.
        already_applied: The numbers of the hunks that were already applied, counted from 1 in each operation.
    """

    path: str
    before: str | None
    after: str | None
    source: str | None = None
    strategies: tuple[str, ...] = ()
    already_applied: tuple[int, ...] = ()


def plan(
    patch: Patch, look: Callable[[str], str | None], *, key: Callable[[str], str] = posixpath.normpath
) -> tuple[Outcome, ...]:
    """Apply a patch in memory, and return the result for each file in the order of the patch.

    Args:
        patch: The patch.
        look: Returns the text of a file with line feeds as line endings, None if it is missing; called once per file.
        key: Maps paths that lead to the same file to the same value, such as the resolved path.

    Raises:
        PatchError: The patch does not fit; then nothing of it may be applied.
    """
    files = _Files(look, key)
    for operation in patch.operations:
        files.do(operation)
    return files.outcomes()


@dataclass(slots=True)
class _File:
    path: str
    before: str | None
    now: str | None
    source: str | None
    strategies: tuple[str, ...] = ()
    already_applied: tuple[int, ...] = ()


class _Files:
    """The files after the operations so far."""

    def __init__(self, look: Callable[[str], str | None], key: Callable[[str], str]) -> None:
        self._look = look
        self._key = key
        self._files: dict[str, _File] = {}
        self._budget = WorkBudget()

    def do(self, operation: Operation) -> None:
        """Apply an operation. Raise `PatchError` if it does not fit."""
        match operation:
            case Add():
                self._add(operation)
            case Delete():
                file, _ = self._existing(operation)
                file.now = file.source = None
            case Update():
                self._update(operation)
            case Move():
                self._move(operation, operation.move_to)

    def outcomes(self) -> tuple[Outcome, ...]:
        """Return the result for each file."""
        return tuple(
            Outcome(
                file.path,
                file.before,
                file.now,
                file.source if file.source != file.path else None,
                file.strategies,
                file.already_applied,
            )
            for file in self._files.values()
        )

    def _add(self, operation: Add) -> None:
        file = self._file(operation.path)
        if file.now is not None and file.now != operation.content:
            raise _error(operation, "the file already exists. Use `*** Update File` to change it, or delete it first.")
        file.now = operation.content

    def _update(self, operation: Update) -> None:
        file, text = self._existing(operation)
        done = apply_hunks(text, operation, self._budget) if operation.hunks else UpdatedText(text)
        file.now = done.text
        file.strategies = tuple(dict.fromkeys((*file.strategies, *done.strategies)))
        file.already_applied += done.already_applied
        if operation.move_to is not None:
            self._move(operation, operation.move_to)
        elif file.now == text and not done.already_applied:
            raise _error(operation, "its hunks change nothing: the file already has their new lines.")

    def _move(self, operation: Update | Move, target: str) -> None:
        file, text = self._existing(operation)
        other = self._file(target)
        if other is file:
            raise _error(operation, "the old and new names are the same file.")
        if other.now is not None:
            raise _error(operation, "a file with the new name already exists. Delete it first to replace it.")
        other.now, other.source = text, file.source
        other.strategies, other.already_applied = file.strategies, file.already_applied
        file.now, file.source, file.strategies, file.already_applied = None, None, (), ()

    def _existing(self, operation: Delete | Update | Move) -> tuple[_File, str]:
        file = self._file(operation.path)
        if file.now is None:
            raise _error(
                operation, "the file does not exist. Find it with search_files, or create it with `*** Add File`."
            )
        return file, file.now

    def _file(self, path: str) -> _File:
        key = self._key(path)
        if key not in self._files:
            text = self._look(path)
            self._files[key] = _File(path, text, text, None if text is None else path)
        return self._files[key]


def _error(operation: Operation, reason: str) -> PatchError:
    name = type(operation).__name__ + " File"
    target = getattr(operation, "move_to", None)
    path = operation.path if target is None else f"{operation.path} -> {target}"
    return PatchError(reason, line=operation.line, operation=name, path=path)
