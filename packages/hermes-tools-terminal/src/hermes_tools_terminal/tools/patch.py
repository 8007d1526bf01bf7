"""The tool `patch`: replace text in a file, or apply a patch to several files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hermes_core import Finding, ToolContext, ToolUnavailableError, tool
from hermes_editing.v4a.parser import parse
from hermes_editing.v4a.patch import PatchError
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.file_access.edits import Caller, retry_edit
from hermes_tools_terminal.file_access.errors import FileError
from hermes_tools_terminal.file_access.patches import PatchResult, apply_patch, replace_in_file
from hermes_tools_terminal.file_access.policy import Op
from hermes_tools_terminal.file_access.session import binding, file_session
from hermes_tools_terminal.secret_masks import masking

if TYPE_CHECKING:
    from pydantic import Field

_MAX_SHOWN = 2_000
"""How many characters of an inexactly quoted text are returned."""


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
    """Return the guard's findings about all files of the call. Changed files are read too: the result shows them."""
    try:
        wanted = _uses(args)
        files = file_session(ctx)
    except (PatchError, ToolUnavailableError):
        return []  # the tool reports the error
    found: dict[tuple[str, str], Finding] = {}
    for path, op in wanted:
        try:
            for each in files.assess_file(op, path, call=ctx.call.id):
                found.setdefault((each.rule, str(each.span)), each)
        except (OSError, TerminalEnvironmentError):
            continue
    return list(found.values())


def _uses(args: Mapping[str, Any]) -> list[tuple[str, Op]]:
    """Return the files of a call with the operations; a deletion counts as a write."""
    if args.get("mode", "replace") == "replace":
        path = args.get("path")
        return [(path, "read"), (path, "write")] if isinstance(path, str) else []
    text = args.get("patch")
    if not isinstance(text, str):
        return []
    uses: dict[tuple[str, Op], None] = {}
    for each in parse(text).paths():
        uses[each.path, "read" if each.how == "read" else "write"] = None
    return list(uses)


@tool(
    toolset="file",
    always_load=True,
    emoji="🩹",
    effects=["read", "write", "delete"],
    assess=assess,
    binding=binding,
    max_result_size_chars=100_000,
    argument_aliases={"file_path": "path"},
    keywords=["edit", "replace", "change", "modify", "diff"],
)
def patch(
    ctx: ToolContext,
    mode: Annotated[
        Literal["replace", "patch"], Field(description="replace: replace text in one file. patch: apply a V4A patch.")
    ] = "replace",
    path: Annotated[str | None, Field(description="replace: path of the file.")] = None,
    old_string: Annotated[
        str | None,
        Field(description="replace: the exact text to replace, with enough context to be unique in the file."),
    ] = None,
    new_string: Annotated[
        str | None, Field(description="replace: the replacement text; empty to delete old_string.")
    ] = None,
    replace_all: Annotated[bool, Field(description="replace: replace all occurrences instead of exactly one.")] = False,
    patch: Annotated[
        str | None,
        Field(
            description="patch: '*** Begin Patch', then for each file '*** Update File: p' with '@@ context' and lines "
            "beginning with ' ', '-' or '+'; '*** Add File: p' with '+' lines; '*** Delete File: p'; "
            "'*** Move File: a -> b'; at the end '*** End Patch'."
        ),
    ] = None,
) -> dict[str, Any]:
    """Edit files: replace text in one file, or apply a patch to several files. Either all changes are made or none.

    Use this for existing files, and write_file to create files. Copy old_string from the file exactly, with enough
    lines to be unique. Differences in whitespace, indentation, quotation marks, escapes and copied line numbers are
    tolerated, and so is a wrong line of context; the result then has strategy, replaced and a warning. If old_string is
    not in the file, matches several places (without replace_all) or the edit is already applied, nothing changes and
    the error says so. The result has the diff and new syntax errors.
    """
    files = file_session(ctx)
    caller = Caller(tool="patch", call=ctx.call.id, session=ctx.session.id)
    mask = masking(ctx)
    if mode == "patch":
        if patch is None:
            raise FileError("mode=patch requires patch.", hint="Pass the text of the patch.")
        edit = functools.partial(apply_patch, files, patch, caller=caller, mask=mask)
        return _result(retry_edit(files, edit, "a file of the patch", caller), mask)
    if path is None or old_string is None or new_string is None:
        given = {"path": path, "old_string": old_string, "new_string": new_string}
        missing = " and ".join(name for name, value in given.items() if value is None)
        raise FileError(f"mode=replace requires {missing}.", hint="Pass all three.")
    edit = functools.partial(
        replace_in_file, files, path, old_string, new_string, everywhere=replace_all, caller=caller, mask=mask
    )
    return _result(retry_edit(files, edit, path, caller), mask)


def _result(done: PatchResult, mask: Callable[[str], str]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "success": True,
        "diff": mask(done.diff),
        "files_modified": done.modified,
        "files_created": done.created,
        "files_deleted": done.deleted,
    }
    if done.receipt is not None:
        answer["receipt"] = done.receipt
    if done.strategy and done.strategy != "exact":
        answer["strategy"] = done.strategy
    if done.replaced:
        answer["replaced"] = [mask(text)[:_MAX_SHOWN] for text in done.replaced]
    if done.lint is not None:
        answer["lint"] = done.lint
    if done.warnings:
        answer["_warning"] = " ".join(done.warnings)
    return answer
