"""The tool `write_file`: create or replace a file."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from hermes_core import ToolContext, tool
from hermes_editing.decoded_text import EncodingError, Text, decode, encode_new, is_binary
from hermes_editing.encodings import encoding_of
from hermes_tools_terminal.file_access.edits import (
    Caller,
    Edit,
    apply_edits,
    not_undoable,
    overwritten_change,
    retry_edit,
    syntax_report,
    unseen_change,
)
from hermes_tools_terminal.file_access.errors import (
    FileError,
    not_a_file_error,
    require_editable,
    require_no_new_masks,
)
from hermes_tools_terminal.file_access.session import FileSession, assess_path, binding, file_session
from hermes_tools_terminal.files.editorconfig import charset_for
from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.secret_masks import mask_in, masking

if TYPE_CHECKING:
    from pydantic import Field

_UNCHANGED = "The file has not changed since these lines were read"
_MARK = "\ufeff"
_HEAD = 8192


@tool(
    toolset="file",
    always_load=True,
    emoji="✍️",
    effects=["write"],
    assess=assess_path("write", "file_path"),
    binding=binding,
    max_result_size_chars=100_000,
    argument_aliases={"path": "file_path"},
    keywords=["create", "save", "overwrite", "new file"],
)
def write_file(
    file_path: Annotated[
        str, Field(description="Path of the file: absolute, relative to the shell's directory, or starting with ~.")
    ],
    content: Annotated[str, Field(description="The complete new content of the file.")],
    ctx: ToolContext,
    force: Annotated[
        bool,
        Field(
            description="Replace the file even if it has changed since you last read or wrote it. Set this only if its "
            "present content does not matter."
        ),
    ] = False,
) -> dict[str, Any]:
    """Write a file, replacing all of its content. Missing directories are created.

    To change parts of a file, use patch instead. If a file has changed since you last read or wrote it, including by
    patch, terminal or execute_code, read it again first or set force to true. An existing file keeps its line endings,
    encoding and mode. A new file is UTF-8 unless it declares another encoding itself or .editorconfig sets its charset.
    """
    files = file_session(ctx)
    if content.strip().startswith(_UNCHANGED):
        raise FileError(
            "This is a message of read_file, not the content of the file.", hint="Use the lines that you read before."
        )
    caller = Caller(tool="write_file", call=ctx.call.id, session=ctx.session.id)
    write = functools.partial(_write, files, file_path, content, caller, masking(ctx), force=force)
    return retry_edit(files, write, file_path, caller)


def _write(
    files: FileSession,
    path: str,
    content: str,
    caller: Caller,
    mask: Callable[[str], str],
    *,
    force: bool,
    again: bool,
) -> dict[str, Any]:
    found = files.assessed_file("write", path, call=caller.call, again=again)
    if found.kind not in ("file", "missing"):
        raise not_a_file_error(found, files)
    if found.kind == "missing" and path.endswith(("/", "/.")):
        raise FileError(f"{path} ends like a directory.", hint="Name the file to write.")
    if found.kind == "missing" and (masked := mask_in("path", path)) is not None:
        raise FileError(masked)
    require_editable(found, files)
    before = files.filesystem.read(found) if found.kind == "file" else None
    if before is not None and not force and (reason := overwritten_change(files, found, before)):
        raise FileError(
            f"{reason} It was not modified.",
            hint="Read it again with read_file, then write. force=true replaces it unseen.",
            changed=True,
        )
    charset = charset_for(files.filesystem, found.path)
    old = None
    if before is not None and not is_binary(before[:_HEAD], charset):
        old = decode(before, found.path, charset)
    require_no_new_masks("content", content, old.text if old is not None else "")
    try:
        data = _encoded(found, old, content, charset)
    except EncodingError as error:
        raise FileError(f"The content cannot be written: {error}") from error
    warnings = list(filter(None, [unseen_change(files, found, whole=True)]))
    written_in = encoding_of(data, found.path, charset).name
    if old is not None and data and not old.how.problem and old.encoding != written_in:
        warnings.append(f"The encoding of the file changed from {old.encoding} to {written_in.upper()}.")
    if found.links > 1:
        warnings.append("The file has other hard links, which keep the old content.")
    edit = Edit(found, before, data, old.text if old else None, content)
    receipt = apply_edits(files, [edit], caller)
    if not receipt.undoable:
        warnings.append(not_undoable(receipt))
    answer: dict[str, Any] = {
        "bytes_written": len(data),
        "dirs_created": bool(receipt.folders),
        "files_modified": [found.path],
        "resolved_path": found.path,
        "receipt": receipt.number,
    }
    if written_in != "utf-8":
        answer["encoding"] = written_in
    if (lint := syntax_report(files, edit, mask)) is not None:
        answer["lint"] = lint
    if warnings:
        answer["_warning"] = " ".join(warnings)
    return answer


def _encoded(found: FileInfo, old: Text | None, content: str, charset: str) -> bytes:
    """Encode the content with the encoding and line endings of the file."""
    if old is None:
        return encode_new(content, found.path, charset)
    if old.bom:
        content = content.removeprefix(_MARK)  # the file has it already
    # Explicit CRs are kept; plain line feeds become the line endings of the file.
    return old.replaced(content if "\r" in content or old.newline == "\n" else content.replace("\n", old.newline))
