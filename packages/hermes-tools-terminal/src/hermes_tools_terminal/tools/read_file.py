"""The tool `read_file`: some lines of a file, with their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from hermes_core import Finding, ToolContext, ToolUnavailableError, tool
from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.file_access.errors import FileError, file_error, not_a_file_error
from hermes_tools_terminal.file_access.session import FileSession, binding, file_session
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.files.text_contents import Contents, NotText, contents, page
from hermes_tools_terminal.secret_masks import MASKED, masking

if TYPE_CHECKING:
    from pydantic import Field

_KEY_LINE = re.compile(r"[\W_]*[A-Za-z0-9+/=]{40,}\W*(?:\\n)?\W*")
_KEY_LINES = 200
"""Lines that a private key has at most."""

_BEGIN = "-----BEGIN PRIVATE KEY-----\n"

_ROWS_ALLOWED = 2
"""How often the same lines are asked for in a row before the answer is an error."""


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """What the guard says about the file."""
    path = args.get("file_path")
    if not isinstance(path, str):
        return []
    try:
        return file_session(ctx).assess_file("read", path, call=ctx.call.id)
    except (OSError, PlaceError, ToolUnavailableError):
        return []  # it cannot be read; the tool itself says why


@tool(
    toolset="file",
    always_load=True,
    emoji="📖",
    effects=["read"],
    assess=assess,
    binding=binding,
    max_result_size_chars=float("inf"),  # it has its own limit; what was spilled is read with it
    argument_aliases={"path": "file_path"},
    keywords=["cat", "head", "tail", "view", "open", "show"],
)
def read_file(
    file_path: Annotated[
        str, Field(description="The file: absolute, from the home with ~, or from where the shell is.")
    ],
    ctx: ToolContext,
    offset: Annotated[int, Field(description="The number of the first line, counted from 1.")] = 1,
    limit: Annotated[int, Field(description="How many lines at most; up to 2000.")] = 500,
) -> dict[str, Any]:
    """Read a text file; its lines come numbered as LINE|TEXT.

    Use this instead of cat, head or tail. Long files come in parts: go on with the offset that the answer names. The
    text of notebooks, Word and Excel documents, and PDFs is given, too.
    """
    files = file_session(ctx)
    first = max(1, offset)
    count = min(max(1, limit), files.settings.max_lines)
    try:
        found = _usable(files, file_path, ctx.call.id)
        direct = ctx.call.origin != "nested"  # a script has no memory of what others were shown
        if direct and (known := _known(files, found, (first, count))) is not None:
            return known
        return _read(files, found, file_path, ctx.call.id, first, count, shown=direct, mask=masking(ctx))
    except (OSError, PlaceError) as error:
        raise file_error(error, file_path) from error
    finally:
        files.done(ctx.call.id)


def _usable(files: FileSession, path: str, call: str) -> FileInfo:
    found = files.use("read", path, call=call)
    if found.kind != "file":
        raise not_a_file_error(found, files)
    return found


def _known(files: FileSession, found: FileInfo, lines: tuple[int, int]) -> dict[str, Any] | None:
    """The answer to who asks once more for what it has; None when it is new."""
    row = files.history.count_repeats(("read", found.path, lines, found.stamp, files.task.history.version))
    if not files.history.was_shown(found, lines):
        return None
    if row > _ROWS_ALLOWED:
        raise FileError(
            f"BLOCKED: these lines of {found.asked} were read {row - 1} times in a row, and have not changed.",
            hint="Use what you have, or read other lines: another offset or limit gives them anew.",
            already_read=row - 1,
        )
    return {
        "status": "unchanged",
        "message": "The file has not changed since these lines were read; they are further up in the conversation.",
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
        read = contents(files.filesystem, found, first, count, longest=settings.max_line_chars)
    except ChangedError:  # somebody saved it between the look and the reading
        found = files.use("read", path, call=call, again=True)
        if found.kind != "file":
            raise
        read = contents(files.filesystem, found, first, count, longest=settings.max_line_chars)
    size = found.stamp.size if found.stamp else 0
    if isinstance(read, NotText):
        return _not_text(found, read, size)
    lines = page(read.lines, first, longest=settings.max_line_chars, most=settings.read_max_chars, sizes=read.sizes)
    inside = _BEGIN if _begins_inside_key(files, found, read, first, settings.max_line_chars) else ""
    text = mask(inside + lines.text).removeprefix(inside)
    more = read.more or lines.full
    masked = text is not lines.text and text != lines.text
    whole = first == 1 and not more and not lines.cut
    # Lines of an uncertain encoding are given anew: what states it may have been written meanwhile.
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
    """True when the first line shown belongs to a private key that begins before it."""
    if first == 1 or not read.lines or not _KEY_LINE.fullmatch(read.lines[0].strip()):
        return False
    start = max(1, first - _KEY_LINES)
    before = contents(files.filesystem, found, start, first - start, longest=longest)
    text = "" if isinstance(before, NotText) else "\n".join(before.lines)
    return text.rfind("PRIVATE KEY") > text.rfind("-----END") and "-----BEGIN" in text


def _notes(read: Contents, shown: int, first: int, more: bool, masked: bool, size: int) -> list[str]:
    notes = []
    last = first + shown - 1
    if not read.lines and read.total is not None and first > read.total:
        notes.append(f"The file has only {read.total} lines." if read.total else "The file is empty.")
    if more:
        of = f" of {read.total}" if read.total is not None else ""
        notes.append(f"Lines {first} to {last}{of}; go on with offset={last + 1}.")
    if read.total is None:
        notes.append(
            f"The file is big ({size:,} bytes): its lines are being counted, and the next read knows how many."
        )
    if read.note:
        notes.append(read.note)
    if masked:
        notes.append(MASKED)
    return notes


def _not_text(found: FileInfo, read: NotText, size: int) -> dict[str, Any]:
    facts = {"is_image": True} if read.image else {"is_binary": True}
    return {"error": f"{found.asked} {read.reason}", "hint": read.hint, **facts, **read.facts, "file_size": size}
