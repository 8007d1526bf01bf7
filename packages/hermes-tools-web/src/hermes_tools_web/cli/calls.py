"""Call the tools of the family from commands: through the pipeline, with progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from hermes_core import CallRecord, Hermes, hookimpl
from hermes_tools_web.cli.output import address_user, print_json, print_notes, to_printable

if TYPE_CHECKING:
    from rich.status import Status

    from hermes_core import Progress


_LINE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A finished tool call."""

    result: dict[str, Any]
    code: int  # the exit code

    def show_result(
        self,
        show: Callable[[dict[str, Any]], None],
        *,
        as_json: bool,
        worked: Callable[[dict[str, Any]], bool] = lambda _result: True,
    ) -> int:
        """Print the result as JSON or for people, and return the exit code; `worked` judges one without an error."""
        is_error = bool(self.result.get("error"))
        if as_json:
            print_json(self.result)
        elif is_error:
            click.echo(f"hermes: error: {to_printable(self.result['error'])}", err=True)
            if self.result.get("hint"):
                click.echo(f"hint: {to_printable(address_user(self.result['hint']))}", err=True)
            print_notes(self.result.get("notes"))
        else:
            show(self.result)
        return self.code or (FAILED if is_error or not worked(self.result) else OK)


def call(tool: str, args: Mapping[str, Any], **changes: str | None) -> ToolRun:
    """Call a tool of the family; `changes` override settings of the section `web`.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    given = {f"HERMES_WEB__{name.upper()}": value for name, value in changes.items() if value}
    with _progress() as plugin, Hermes.load(approver="terminal", environ={**os.environ, **given}) as hermes:
        if plugin is not None:
            hermes.add_plugin(plugin)
        try:
            record = hermes.run(tool, dict(args))
        except KeyboardInterrupt:
            return ToolRun(result={"error": "Interrupted."}, code=INTERRUPTED)
    found = json.loads(record.result)
    return ToolRun(result=found if isinstance(found, dict) else {"error": str(found)}, code=exit_code(record))


class _ProgressDisplay:
    """Shows the progress of a tool on stderr."""

    __name__ = "hermes-web-progress"

    def __init__(self, status: Status) -> None:
        self._status = status

    def __enter__(self) -> _ProgressDisplay:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    @hookimpl
    def hermes_tool_progress(self, progress: Progress) -> None:
        """Show the latest message."""
        from rich.text import Text

        counted = f" ({progress.done:g})" if progress.done is not None else ""
        if progress.done is not None and progress.total is not None:
            counted = f" ({progress.done:g} of {progress.total:g})"
        self._status.update(Text(f"{to_printable(progress.message[:_LINE])}{counted}"))


def _progress() -> Any:
    """Return the progress display; nothing when stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return _ProgressDisplay(Console(stderr=True).status("Working"))


OK = 0
FAILED = 1
INTERRUPTED = 130
_STATUS_CODES = {"blocked": 4, "timeout": 124, "cancelled": INTERRUPTED}
_ERROR_CODES = {"invalid_arguments": 2, "unknown_tool": 3, "unavailable": 5, "timeout": 124}

EXIT_CODES = (
    "Exit codes: 0 for success, 1 for a failure, 2 for wrong usage, 4 when the call was denied, 5 when the provider is "
    "unavailable, 124 for a timeout, 130 for an interruption."
)


def exit_code(record: CallRecord) -> int:
    """Return the exit code for a tool call."""
    if record.status == "ok":
        return OK
    return _STATUS_CODES.get(record.status) or _ERROR_CODES.get(record.code or "", FAILED)
