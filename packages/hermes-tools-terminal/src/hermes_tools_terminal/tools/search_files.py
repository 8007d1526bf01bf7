"""The `search_files` tool: search files by content or by name."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hermes_core import ToolContext, tool
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.file_access.errors import FileError, file_error, not_a_file_error
from hermes_tools_terminal.file_access.policy import leaves_environment
from hermes_tools_terminal.file_access.session import FileSession, assess_path, binding, file_session
from hermes_tools_terminal.files.filesystem import FileInfo, is_beneath
from hermes_tools_terminal.search.query import Mode, Request
from hermes_tools_terminal.search.search import SearchContext, search
from hermes_tools_terminal.secret_masks import masking

if TYPE_CHECKING:
    from pydantic import Field

_LIMIT = 1000
_MAX_CONTEXT = 50
_REPEATS_ALLOWED = 3
"""How often the same search may be repeated before it is an error."""

# The remote home is unknown; most containers are used as root.
_REMOTE_HOME = "/root"


@tool(
    toolset="file",
    always_load=True,
    emoji="🔎",
    effects=["read"],
    assess=assess_path("read", "path", "."),
    binding=binding,
    max_result_size_chars=100_000,
    timeout=120.0,  # a search ends itself earlier
    keywords=["grep", "rg", "ripgrep", "find", "ls", "glob", "list"],
)
def search_files(
    pattern: Annotated[
        str,
        Field(
            description="For content: a regular expression, matched line by line. For files: a glob such as *.py, or a "
            "part of the name."
        ),
    ],
    ctx: ToolContext,
    target: Annotated[
        Literal["content", "files", "grep", "find"],
        Field(description="content (or grep) searches file contents; files (or find) searches file names."),
    ] = "content",
    path: Annotated[str, Field(description="The directory or file to search.")] = ".",
    file_glob: Annotated[
        str | None,
        Field(description="Only matching files: *.py, src/**/*.{ts,tsx}; a leading ! excludes files."),
    ] = None,
    limit: Annotated[int, Field(description="Maximum number of results, up to 1000.")] = 50,
    offset: Annotated[int, Field(description="Number of results to skip, for the next page.")] = 0,
    output_mode: Annotated[
        Mode, Field(description="content returns lines, files_only returns paths, count returns matches per file.")
    ] = "content",
    context: Annotated[int, Field(description="Lines of context before and after each match, up to 50.")] = 0,
    sort: Annotated[
        Literal["path", "modified"] | None,
        Field(description="path, or modified for newest first. Default: path for content, modified for files."),
    ] = None,
    ignore_case: Annotated[bool, Field(description="Ignore case.")] = False,
    literal: Annotated[bool, Field(description="Treat the pattern as literal text.")] = False,
    include_hidden: Annotated[bool, Field(description="Include names that start with a dot, except .git.")] = False,
) -> dict[str, Any]:
    """Search file contents, or find files by name. Use this instead of grep, rg, find or ls.

    Binary files, hidden files, and files excluded by .gitignore, .ignore or .rgignore are skipped. Results are sorted;
    total_count counts all of them, and a hint says how to get the next page. Regular expressions are those that ripgrep
    and Python share: no lookaround, no backreferences. Characters beyond ASCII are found in UTF-8, in UTF-16 with a
    byte order mark, and in files that declare their encoding.
    """
    names = target in ("files", "find")
    request = Request(
        pattern=pattern,
        names=names,
        mode=output_mode,
        glob=file_glob or "",
        limit=min(max(1, limit), _LIMIT),
        offset=max(0, offset),
        context=min(max(0, context), _MAX_CONTEXT),
        ignore_case=ignore_case,
        literal=literal,
        hidden=include_hidden,
        newest_first=sort == "modified" or (sort is None and names),
    )
    files = file_session(ctx)
    try:
        found = _find_path(files, path, ctx.call.id)
        if ctx.call.origin != "nested":  # scripts may repeat searches
            _refuse_repetition(files, request, found)
        result = search(request, _search_context(files, found, path, masking(ctx)))
    except (OSError, TerminalEnvironmentError) as error:
        raise file_error(error, path) from error
    finally:
        files.forget_assessed(ctx.call.id)
    files.history.searched(found.path, f"{target}: {pattern[:200]}")
    return result


def _find_path(files: FileSession, path: str, call: str) -> FileInfo:
    found = files.assessed_file("read", path, call=call)
    if found.kind not in ("file", "folder"):
        raise not_a_file_error(found, files)
    return found


def _refuse_repetition(files: FileSession, request: Request, found: FileInfo) -> None:
    repeats = files.history.count_repeats(("search", request, found.path, files.task.history.version))
    if repeats > _REPEATS_ALLOWED:
        raise FileError(
            f"BLOCKED: the same search was repeated {repeats - 1} times in a row.",
            hint="Use the previous results, or change the pattern, path or offset.",
        )


def _search_context(files: FileSession, found: FileInfo, path: str, mask: Callable[[str], str]) -> SearchContext:
    environment = files.task.open_environment()
    absolute = path.startswith(("/", "~"))
    root = next((root for root in files.roots if is_beneath(found.path, root)), None)
    is_guarded = files.task.settings.guard_isolated or not environment.isolated
    return SearchContext(
        environment=environment,
        found=found,
        shown_as=found.asked if absolute else posixpath.normpath(path),
        workspace=root or (files.roots[0] if files.roots else ""),
        home=os.environ.get("HOME") or None if environment.quick else _REMOTE_HOME,
        guarded=is_guarded or leaves_environment(found.path, environment.leaks(), tree=True),
        mask=mask,
    )
