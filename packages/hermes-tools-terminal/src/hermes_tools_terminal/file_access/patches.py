"""Apply replacements and V4A patches to the approved files of a call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_editing.decoded_text import EncodingError, Text, decode, encode_new, is_binary
from hermes_editing.diff import unified
from hermes_editing.fuzzy.replace import replace
from hermes_editing.fuzzy.results import AlreadyAppliedError, ManyMatchesError, NoMatchError, Suggestion
from hermes_editing.v4a.apply import Outcome, plan
from hermes_editing.v4a.parser import parse
from hermes_editing.v4a.patch import Add, Patch, PatchError, Update
from hermes_tools_terminal.file_access.edits import (
    Caller,
    Edit,
    apply_edits,
    not_undoable,
    syntax_report,
    unseen_change,
)
from hermes_tools_terminal.file_access.errors import (
    FileError,
    file_error,
    not_a_file_error,
    require_editable,
    require_no_new_masks,
)
from hermes_tools_terminal.file_access.session import FileSession
from hermes_tools_terminal.files.editorconfig import charset_for
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo

_MANY_FAILURES = 3
_MAX_REPLACED = 3
_HEAD = 8192
_ALREADY_APPLIED = (
    "Continue: do not send the edit again. To insert the same text once more, include more surrounding lines."
)
_DIFFERENCES = {
    "line_numbers": "line numbers, which were removed",
    "escapes": "escapes, which were decoded",
    "typography": "whitespace, indentation or typography",
    "context": "wrong context lines, which were not changed",
}


@dataclass(slots=True)
class PatchResult:
    """The result of a patch.

    Attributes:
        diff: The diff of all files.
        modified: The files that were changed.
        created: The files that were created.
        deleted: The files that were deleted.
        receipt: The number of the receipt; None if nothing was done.
        strategy: How the text to replace was found.
        lint: The syntax report: of the one file, or of each file by its path.
        warnings: Warnings for the agent.
        replaced: The text that was replaced, if it was not quoted exactly.
    """

    diff: str = ""
    modified: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    receipt: int | None = None
    strategy: str = ""
    lint: dict[str, Any] | None = None
    warnings: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a patch in its present state."""

    found: FileInfo
    data: bytes | None
    text: Text | None
    binary: bool = False
    charset: str = ""


def replace_in_file(
    files: FileSession,
    path: str,
    old: str,
    new: str,
    *,
    everywhere: bool,
    caller: Caller,
    mask: Callable[[str], str],
    again: bool,
) -> PatchResult:
    """Replace text in a file.

    Raises:
        ChangedError: The file has changed in the meantime.
        FileError: The text cannot be replaced.
    """
    file = _read(files, path, caller, again=again)
    if file.text is None or file.data is None:
        raise not_a_file_error(file.found, files)
    _require_text(file)
    require_no_new_masks("old_string", old, file.text.text)
    require_no_new_masks("new_string", new, old, file.text.text)
    warning = unseen_change(files, file.found, whole=False)
    try:
        done = replace(file.text.text, old, new, everywhere=everywhere)
    except NoMatchError as error:
        raise _no_match(files, file.found, error, mask) from error
    except AlreadyAppliedError as error:
        raise FileError(f"{path}: {error}", hint=_ALREADY_APPLIED) from error
    except ManyMatchesError as error:
        raise FileError(f"{path}: {error}", lines=list(error.lines)) from error
    except ValueError as error:
        raise FileError(f"{path}: {error}") from error
    require_no_new_masks("file", done.text, file.text.text)
    edit = _edit(file, done.text)
    result = PatchResult(strategy=done.strategy, warnings=[warning] if warning else [])
    if done.strategy != "exact":
        result.replaced = [file.text.text[slice(*span)] for span in done.spans[:_MAX_REPLACED]]
        result.warnings.append(_not_verbatim("old_string", [done.strategy]))
    elif done.repeats:
        result.warnings.append("old_string still occurs there: do not send this edit again.")
    _finish(files, [edit], caller, result)
    result.lint = syntax_report(files, edit, mask)
    return result


def apply_patch(
    files: FileSession, text: str, *, caller: Caller, mask: Callable[[str], str], again: bool
) -> PatchResult:
    """Apply a V4A patch.

    Raises:
        ChangedError: A file has changed in the meantime.
        FileError: The patch is invalid or does not fit; nothing was changed.
    """
    try:
        parsed = parse(text)
        names = dict.fromkeys(each.path for each in parsed.paths())
        by_name = {name: _read(files, name, caller, again=again) for name in names}
        _refuse_links(files, parsed, by_name)
        texts = {name: file.text.text if file.text else None for name, file in by_name.items()}
        require_no_new_masks("patch", text, *(each for each in texts.values() if each is not None))
        outcomes = plan(parsed, texts.__getitem__, key=lambda name: by_name[name].found.path)
    except PatchError as error:
        raise FileError(mask(str(error)), hint=_hint_for(error), **_suggestions(error.suggestions, mask)) from error
    result = PatchResult()
    for outcome in outcomes:
        if outcome.after is not None:
            old = [texts[name] or "" for name in (outcome.path, outcome.source) if name is not None]
            require_no_new_masks(f"new {outcome.path}", outcome.after, *old)
        if outcome.before is not None and (warning := unseen_change(files, by_name[outcome.path].found, whole=False)):
            result.warnings.append(f"{outcome.path}: {warning}")
    edits = [edit for outcome in outcomes if (edit := _edit_of(outcome, by_name)) is not None]
    strategies = dict.fromkeys(way for outcome in outcomes for way in outcome.strategies)
    result.strategy = ", ".join(strategies)
    if strategies:
        result.warnings.append(_not_verbatim("the context of some hunks", list(strategies)))
    result.warnings += _applied_before(outcomes)
    _refuse_files_in_files(edits)
    if edits:
        _finish(files, edits, caller, result)
        notes = {edit.found.path: found for edit in edits if (found := syntax_report(files, edit, mask)) is not None}
        result.lint = notes or None
    return result


def _refuse_links(files: FileSession, patch: Patch, by_name: Mapping[str, _File]) -> None:
    """Refuse to remove or move a symbolic link: its target would be removed instead."""
    for operation in patch.operations:
        if isinstance(operation, Add) or (isinstance(operation, Update) and operation.move_to is None):
            continue
        found = by_name[operation.path].found
        folder, name = os.path.split(found.asked)
        if found.kind == "file" and os.path.join(files.filesystem.find(folder, base="/").path, name) != found.path:
            raise FileError(
                f"{operation.path} is a symbolic link to {found.path}; the target would be removed, not the link.",
                hint="Name the target itself, or remove or rename the link with a command.",
            )


def _refuse_files_in_files(edits: Sequence[Edit]) -> None:
    created = {edit.found.path for edit in edits if edit.after is not None}
    for path in created:
        folder = os.path.dirname(path)
        while folder != "/":
            if folder in created:
                raise FileError(
                    f"The patch makes {folder} a file and also a directory that contains {path}. Nothing was changed.",
                    hint="Rename one of them.",
                )
            folder = os.path.dirname(folder)


def _read(files: FileSession, path: str, caller: Caller, *, again: bool) -> _File:
    try:
        return _read_file(files, path, caller, again=again)
    except ChangedError:
        raise
    except OSError as error:
        raise file_error(error, path) from error


def _read_file(files: FileSession, path: str, caller: Caller, *, again: bool) -> _File:
    found = files.assessed_file("write", path, call=caller.call, again=again)
    if found.kind not in ("file", "missing"):
        raise not_a_file_error(found, files)
    charset = charset_for(files.filesystem, found.path)
    if found.kind == "missing":
        return _File(found, None, None, charset=charset)
    require_editable(found, files)
    data = files.filesystem.read(found)
    return _File(found, data, decode(data, found.path, charset), is_binary(data[:_HEAD], charset), charset)


def _require_text(file: _File) -> None:
    if file.binary:
        raise FileError(f"{file.found.asked} is a binary file and cannot be edited as text.", hint="Use a command.")


def _edit(file: _File, new: str) -> Edit:
    assert file.text is not None
    _require_text(file)
    try:
        return Edit(file.found, file.data, file.text.encode(new), file.text.text, new)
    except EncodingError as error:
        raise FileError(f"{file.found.asked}: {error}") from error


def _edit_of(outcome: Outcome, by_name: dict[str, _File]) -> Edit | None:
    """Return the edit of one file of a patch; None if it does not change."""
    file = by_name[outcome.path]
    if outcome.after is None:
        return Edit(file.found, file.data, None, _diff_text(file)) if file.data is not None else None
    source = by_name[outcome.source] if outcome.source is not None else None
    if file.text is not None and source is None:
        return _edit(file, outcome.after) if outcome.after != outcome.before else None
    if source is not None and source.text is not None:
        data = source.data if outcome.after == source.text.text else _edit(source, outcome.after).after
        new = None if source.binary else outcome.after
        return Edit(file.found, file.data, data, _diff_text(file), new, source.found.mode, source.text.text)
    try:
        data = encode_new(outcome.after, file.found.path, file.charset)
        return Edit(file.found, file.data, data, _diff_text(file), outcome.after)
    except EncodingError as error:
        raise FileError(f"{file.found.asked}: {error}") from error


def _diff_text(file: _File) -> str | None:
    """Return the old text for a diff; None for a binary file."""
    return file.text.text if file.text is not None and not file.binary else None


def _finish(files: FileSession, edits: Sequence[Edit], caller: Caller, result: PatchResult) -> None:
    # Create before deleting, so that a moved file always exists somewhere.
    ordered = sorted(edits, key=lambda edit: edit.after is None)
    receipt = apply_edits(files, ordered, caller)
    result.receipt = receipt.number
    if not receipt.undoable:
        result.warnings.append(not_undoable(receipt))
    for edit in edits:
        kind = result.deleted if edit.after is None else result.created if edit.before is None else result.modified
        kind.append(edit.found.path)
        if edit.found.links > 1:
            result.warnings.append(f"{edit.found.path} has other hard links, which keep the old content.")
    result.diff = "".join(unified(edit.old or "", edit.new or "", edit.found.path) for edit in edits)


def _no_match(files: FileSession, found: FileInfo, error: NoMatchError, mask: Callable[[str], str]) -> FileError:
    count = files.history.failed(found.path)
    hint = "Compare it with the lines below, and copy the text exactly as it is in the file."
    if count >= _MANY_FAILURES:
        hint = f"This is failure {count} in a row: read the lines again with read_file, and copy the text from there."
    elif not error.suggestions:
        hint = "The file contains nothing similar: read it with read_file, or find the right file with search_files."
    return FileError(mask(f"{found.asked}: {error}"), hint=hint, **_suggestions(error.suggestions, mask))


def _not_verbatim(what: str, strategies: Sequence[str]) -> str:
    notes = "; ".join(_DIFFERENCES.get(each, each) for each in strategies)
    return f"The file does not contain {what} verbatim; the match ignored {notes}. Check the diff."


def _applied_before(outcomes: Sequence[Outcome]) -> list[str]:
    """Report the hunks that were already applied.

    Raises:
        FileError: Nothing else is left to do, or nothing else in one of several files: other edits were made in the
            meantime, and applying half of a patch is not intended.
    """
    notes = [
        f"{outcome.path}: already applied: hunk {', '.join(map(str, outcome.already_applied))}."
        for outcome in outcomes
        if outcome.already_applied
    ]
    if notes and all(outcome.before == outcome.after for outcome in outcomes):
        raise FileError(
            f"Already applied: the file already has all changes of the patch. Nothing was changed. {' '.join(notes)}",
            hint=_ALREADY_APPLIED,
        )
    done = [outcome.path for outcome in outcomes if outcome.already_applied and outcome.before == outcome.after]
    if done:
        raise FileError(
            f"The patch is partly applied: {', '.join(done)} already has all of its changes. Nothing was changed.",
            hint="Read the files again, and send only the missing changes.",
        )
    return notes


def _hint_for(error: PatchError) -> str:
    return "Nothing was changed. Compare with the lines below." if error.suggestions else "Nothing was changed."


def _suggestions(suggestions: Sequence[Suggestion], mask: Callable[[str], str]) -> dict[str, Any]:
    return {"did_you_mean": [mask(each.text) for each in suggestions]} if suggestions else {}
