"""The tool `search_files`: lines of files, or files by their names."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hermes_core import Finding, ToolContext, ToolUnavailableError, tool
from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.file_access.errors import FileError, file_error, not_a_file_error
from hermes_tools_terminal.file_access.session import FileSession, binding, file_session
from hermes_tools_terminal.files.filesystem import FileInfo, is_beneath
from hermes_tools_terminal.search.query import Mode, Request
from hermes_tools_terminal.search.search import SearchContext, search
from hermes_tools_terminal.secret_masks import masking

if TYPE_CHECKING:
    from pydantic import Field

_MOST = 1000
_MOST_CONTEXT = 50
_ROWS_ALLOWED = 3
"""How often the same is searched for in a row before the answer is an error."""

# In another place nobody knows the home; most containers are used as root.
_HOME_ELSEWHERE = "/root"


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """What the guard says about the folder or file that is searched."""
    path = args.get("path", ".")
    if not isinstance(path, str):
        return []
    try:
        return file_session(ctx).assess_file("read", path, call=ctx.call.id)
    except (OSError, TerminalEnvironmentError, ToolUnavailableError):
        return []  # it cannot be searched; the tool itself says why


@tool(
    toolset="file",
    always_load=True,
    emoji="🔎",
    effects=["read"],
    assess=assess,
    binding=binding,
    max_result_size_chars=100_000,
    timeout=120.0,  # a search ends itself before
    keywords=["grep", "rg", "ripgrep", "find", "ls", "glob", "list"],
)
def search_files(
    pattern: Annotated[
        str,
        Field(
            description="For contents a regular expression, matched line by line; for files a glob such as *.py, or a "
            "part of the name."
        ),
    ],
    ctx: ToolContext,
    target: Annotated[
        Literal["content", "files", "grep", "find"],
        Field(description="content (or grep) searches in files; files (or find) searches for files by name."),
    ] = "content",
    path: Annotated[str, Field(description="The folder or file to search.")] = ".",
    file_glob: Annotated[
        str | None, Field(description="Only files that match, such as *.py or src/**/*.{ts,tsx}; with ! all others.")
    ] = None,
    limit: Annotated[int, Field(description="How many results at most; up to 1000.")] = 50,
    offset: Annotated[int, Field(description="How many results to pass over: for the next page.")] = 0,
    output_mode: Annotated[
        Mode, Field(description="content gives the lines, files_only the files, count how many lines per file.")
    ] = "content",
    context: Annotated[int, Field(description="How many lines before and after each match; up to 50.")] = 0,
    sort: Annotated[
        Literal["path", "modified"] | None,
        Field(description="path, or modified for the newest first; contents are sorted by path, files by modified."),
    ] = None,
    ignore_case: Annotated[bool, Field(description="Whether case does not matter.")] = False,
    literal: Annotated[bool, Field(description="Search for the pattern as it is: no expression, no glob.")] = False,
    include_hidden: Annotated[bool, Field(description="Search names that begin with a dot, too; never .git.")] = False,
) -> dict[str, Any]:
    """Search in files, or for files by name. Use this instead of grep, rg, find or ls.

    What .gitignore, .ignore and .rgignore leave out, hidden and binary files are passed over. Results are sorted, and
    total_count is the number of all; a hint says how to get the next page. Expressions are those that ripgrep and
    Python share: no lookaround, no references back. Letters beyond ASCII are found in UTF-8, in UTF-16 with a byte
    order mark, and in files that declare their encoding.
    """
    names = target in ("files", "find")
    request = Request(
        pattern=pattern,
        names=names,
        mode=output_mode,
        glob=file_glob or "",
        limit=min(max(1, limit), _MOST),
        offset=max(0, offset),
        context=min(max(0, context), _MOST_CONTEXT),
        ignore_case=ignore_case,
        literal=literal,
        hidden=include_hidden,
        newest_first=sort == "modified" or (sort is None and names),
    )
    files = file_session(ctx)
    try:
        found = _usable(files, path, ctx.call.id)
        if ctx.call.origin != "nested":  # a script may have its reasons
            _refuse_repetition(files, request, found)
        told = search(request, _scene(files, found, path, masking(ctx)))
    except (OSError, TerminalEnvironmentError) as error:
        raise file_error(error, path) from error
    finally:
        files.forget_assessed(ctx.call.id)
    files.history.searched(found.path, f"{target}: {pattern[:200]}")
    return told


def _usable(files: FileSession, path: str, call: str) -> FileInfo:
    found = files.assessed_file("read", path, call=call)
    if found.kind not in ("file", "folder"):
        raise not_a_file_error(found, files)
    return found


def _refuse_repetition(files: FileSession, request: Request, found: FileInfo) -> None:
    row = files.history.count_repeats(("search", request, found.path, files.task.history.version))
    if row > _ROWS_ALLOWED:
        raise FileError(
            f"BLOCKED: the same was searched for {row - 1} times in a row.",
            hint="Use what was found, or search for something else: another pattern, path or offset.",
        )


def _scene(files: FileSession, found: FileInfo, path: str, mask: Callable[[str], str]) -> SearchContext:
    place = files.task.open_environment()
    absolute = path.startswith(("/", "~"))
    root = next((root for root in files.roots if is_beneath(found.path, root)), None)
    return SearchContext(
        place=place,
        found=found,
        shown_as=found.asked if absolute else posixpath.normpath(path),
        workspace=root or (files.roots[0] if files.roots else ""),
        home=os.environ.get("HOME") or None if place.quick else _HOME_ELSEWHERE,
        guarded=files.task.settings.guard_isolated or not place.isolated or _reaches_out(found.path, place),
        mask=mask,
    )


def _reaches_out(path: str, place: Environment) -> bool:
    """Whether some of an isolated place's files below a path may be this machine's own."""
    for leak in place.leaks():
        kind, _, where = leak.partition(":")
        if kind in ("host", "everything"):
            return True
        if kind in ("folder", "socket") and (is_beneath(path, where or "/") or is_beneath(where, path)):
            return True
    return False
