"""Call the tools of the family from commands: through the pipeline, with progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hermes_core import CallRecord, Hermes, Progress, hookimpl
from hermes_core.commands import ExitCode, clean, note, print_json
from hermes_tools_web.cli.output import address_user, print_notes

_LINE = 100
_CODES = {
    "blocked": ExitCode.DENIED,
    "timeout": ExitCode.TIMEOUT,
    "cancelled": ExitCode.INTERRUPTED,
    "invalid_arguments": ExitCode.USAGE,
    "unknown_tool": ExitCode.UNKNOWN_TOOL,
    "unavailable": ExitCode.UNAVAILABLE,
}
"""The exit codes by the status of a call, or else by the code of its error."""

EXIT_CODES = (
    "Exit codes: 0 for success, 1 for a failure, 2 for wrong usage, 4 when the call was denied, 5 when the provider is "
    "unavailable, 124 for a timeout, 130 for an interruption."
)


def call_and_print(
    tool: str,
    args: Mapping[str, Any],
    show: Callable[[dict[str, Any]], None],
    *,
    as_json: bool,
    worked: Callable[[dict[str, Any]], bool] = lambda _result: True,
    **changes: str | None,
) -> int:
    """Call a tool of the family, print its result, and return the exit code.

    Args:
        tool: The name of the tool.
        args: The arguments.
        show: Prints a result for people.
        as_json: Print JSON instead.
        worked: Returns whether a result without an error is what was asked for.
        changes: Overrides for settings of the section `web`.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    result, code = _call(tool, args, changes)
    is_error = bool(result.get("error"))
    if as_json:
        print_json(result)
    elif is_error:
        note(f"hermes: error: {clean(result['error'])}")
        if result.get("hint"):
            note(f"hint: {clean(address_user(result['hint']))}")
        print_notes(result.get("notes"))
    else:
        show(result)
    return code or (ExitCode.TOOL_ERROR if is_error or not worked(result) else ExitCode.OK)


def _call(tool: str, args: Mapping[str, Any], changes: Mapping[str, str | None]) -> tuple[dict[str, Any], int]:
    given = {f"HERMES_WEB__{name.upper()}": value for name, value in changes.items() if value}
    with Hermes.load(approver="terminal", environ={**os.environ, **given}) as hermes, _progress(hermes):
        try:
            record = hermes.run(tool, dict(args))
        except KeyboardInterrupt:
            return {"error": "Interrupted."}, ExitCode.INTERRUPTED
    found = json.loads(record.result)
    return found if isinstance(found, dict) else {"error": str(found)}, exit_code(record)


def exit_code(record: CallRecord) -> int:
    """Return the exit code for a tool call."""
    if record.status == "ok":
        return ExitCode.OK
    return _CODES.get(record.status) or _CODES.get(record.code or "", ExitCode.TOOL_ERROR)


@contextmanager
def _progress(hermes: Hermes) -> Iterator[None]:
    """Show the progress of tools on stderr if it is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    class Display:
        __name__ = "hermes-web-progress"

        @hookimpl
        def hermes_tool_progress(self, progress: Progress) -> None:
            """Show the latest message."""
            total = f" of {progress.total:g}" if progress.total is not None else ""
            counted = f" ({progress.done:g}{total})" if progress.done is not None else ""
            status.update(Text(f"{clean(progress.message[:_LINE])}{counted}"))

    with Console(stderr=True).status("Working") as status:
        hermes.add_plugin(Display())
        yield
