"""The tool `read_file`: read lines of a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from hermes_core import ToolContext, tool
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.file_access.errors import FileError, file_error, not_a_file_error
from hermes_tools_terminal.file_access.session import FileSession, assess_path, binding, file_session
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.files.text_contents import Contents, NotText, number_lines, read_contents
from hermes_tools_terminal.secret_masks import MASKED, masking

if TYPE_CHECKING:
    from pydantic import Field

_KEY_LINE = re.compile(r"[\W_]*[A-Za-z0-9+/=]{40,}\W*(?:\\n)?\W*")
_KEY_LINES = 200
"""The maximum number of lines of a private key."""

_BEGIN = "-----BEGIN PRIVATE KEY-----\n"

_REPEATS_ALLOWED = 2
"""How many times in a row the same lines may be requested."""


@tool(
    toolset="file",
    always_load=True,
    emoji="📖",
    effects=["read"],
    assess=assess_path("read", "file_path"),
    binding=binding,
    max_result_size_chars=float("inf"),  # it has its own limit, and reads spilled results
    argument_aliases={"path": "file_path"},
    keywords=["cat", "head", "tail", "view", "open", "show"],
)
def read_file(
    file_path: Annotated[
        str, Field(description="Path of the file: absolute, relative to the shell's directory, or starting with ~.")
    ],
    ctx: ToolContext,
    offset: Annotated[int, Field(description="Line number to start at; the first line is 1.")] = 1,
    limit: Annotated[int, Field(description="Maximum number of lines to return, up to 2000.")] = 500,
) -> dict[str, Any]:
    """Read lines of a text file. Each line is returned as LINE|TEXT.

    Use this instead of cat, head or tail. Long files are returned in parts: to continue, pass the offset that the hint
    of the result gives. Text is also extracted from notebooks, Word and Excel documents, and PDFs.
    """
    files = file_session(ctx)
    first = max(1, offset)
    count = min(max(1, limit), files.settings.max_lines)
    try:
        found = _find_file(files, file_path, ctx.call.id)
        direct = ctx.call.origin != "nested"  # a script does not see what the model was shown
        if direct and (known := _repeated_request(files, found, (first, count))) is not None:
            return known
        return _read(files, found, file_path, ctx.call.id, first, count, shown=direct, mask=masking(ctx))
    except (OSError, TerminalEnvironmentError) as error:
        raise file_error(error, file_path) from error
    finally:
        files.forget_assessed(ctx.call.id)


def _find_file(files: FileSession, path: str, call: str) -> FileInfo:
    found = files.assessed_file("read", path, call=call)
    if found.kind != "file":
        raise not_a_file_error(found, files)
    return found


def _repeated_request(files: FileSession, found: FileInfo, lines: tuple[int, int]) -> dict[str, Any] | None:
    """Return the answer to a repeated request; None if the lines are new."""
    repeats = files.history.count_repeats(("read", found.path, lines, found.stamp, files.task.history.version))
    if not files.history.was_shown(found, lines):
        return None
    if repeats > _REPEATS_ALLOWED:
        raise FileError(
            f"BLOCKED: these lines of {found.asked} were read {repeats - 1} times in a row and have not changed.",
            hint="Use the lines that you have, or read others: a different offset or limit returns them again.",
            already_read=repeats - 1,
        )
    return {
        "status": "unchanged",
        "message": "The file has not changed since these lines were read; see them earlier in the conversation.",
        "path": found.path,
        "dedup": True,
        "content_returned": False,
    }


def _read(
    files: FileSession,
    found: FileInfo,
    path: str,
    call: str,
    first: int,
    count: int,
    *,
    shown: bool,
    mask: Callable[[str], str],
) -> dict[str, Any]:
    settings = files.settings
    try:
        read = read_contents(files.filesystem, found, first, count, longest=settings.max_line_chars)
    except ChangedError:  # it was saved after it was found
        found = files.assessed_file("read", path, call=call, again=True)
        if found.kind != "file":
            raise
        read = read_contents(files.filesystem, found, first, count, longest=settings.max_line_chars)
    size = found.stamp.size if found.stamp else 0
    if isinstance(read, NotText):
        return _not_text(found, read, size)
    lines = number_lines(
        read.lines, first, longest=settings.max_line_chars, limit=settings.read_max_chars, sizes=read.sizes
    )
    key_start = _BEGIN if _begins_inside_key(files, found, read, first, settings.max_line_chars) else ""
    text = mask(key_start + lines.text).removeprefix(key_start)
    more = read.more or lines.full
    masked = text is not lines.text and text != lines.text
    whole = first == 1 and not more and not lines.cut
    # Return lines of an uncertain encoding again: the encoding may have been declared since.
    files.history.read(found, (first, count), whole=whole, shown=shown and not read.note, digest=read.digest)
    answer: dict[str, Any] = {
        "content": text,
        "total_lines": read.total,
        "file_size": size,
        "truncated": more,
        **read.facts,
    }
    notes = _notes(read, lines.shown, first, more, masked, size)
    if notes:
        answer["hint"] = " ".join(notes)
    return answer


def _begins_inside_key(files: FileSession, found: FileInfo, read: Contents, first: int, longest: int) -> bool:
    """Return whether the first line belongs to a private key that begins before it."""
    if first == 1 or not read.lines or not _KEY_LINE.fullmatch(read.lines[0].strip()):
        return False
    start = max(1, first - _KEY_LINES)
    before = read_contents(files.filesystem, found, start, first - start, longest=longest)
    text = "" if isinstance(before, NotText) else "\n".join(before.lines)
    return text.rfind("PRIVATE KEY") > text.rfind("-----END") and "-----BEGIN" in text


def _notes(read: Contents, shown: int, first: int, more: bool, masked: bool, size: int) -> list[str]:
    notes = []
    last = first + shown - 1
    if not read.lines and read.total is not None and first > read.total:
        notes.append(f"The file has only {read.total} lines." if read.total else "The file is empty.")
    if more:
        of = f" of {read.total}" if read.total is not None else ""
        notes.append(f"Lines {first} to {last}{of}; continue with offset={last + 1}.")
    if read.total is None:
        notes.append(f"The file is large ({size:,} bytes); its lines are being counted for the next read.")
    if read.note:
        notes.append(read.note)
    if masked:
        notes.append(MASKED)
    return notes


def _not_text(found: FileInfo, read: NotText, size: int) -> dict[str, Any]:
    facts = {"is_image": True} if read.image else {"is_binary": True}
    return {"error": f"{found.asked} {read.reason}", "hint": read.hint, **facts, **read.facts, "file_size": size}
