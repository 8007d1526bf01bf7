"""Calls tools for people: through the pipeline, with the user's settings, and with progress where somebody looks."""

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
    """What became of a call.

    Attributes:
        result: What a model would get.
        code: The exit status.
    """

    result: dict[str, Any]
    code: int

    def show_result(
        self,
        show: Callable[[dict[str, Any]], None],
        *,
        as_json: bool,
        worked: Callable[[dict[str, Any]], bool] = lambda _result: True,
    ) -> int:
        """Print the result, and return the exit code, which does not depend on the form.

        Args:
            show: Prints a result for people.
            as_json: Whether it is printed as a model gets it.
            worked: Says whether a result without an error is what was asked for.
        """
        is_error = bool(self.result.get("error"))
        if as_json:
            print_json(self.result)
        elif is_error:
            _print_error(self.result)
        else:
            show(self.result)
        return self.code or (FAILED if is_error or not worked(self.result) else OK)


def call(tool: str, args: Mapping[str, Any], **changes: str | None) -> ToolRun:
    """Call a tool of the family.

    Args:
        tool: Its name.
        args: Its arguments.
        changes: Settings of the section `web` that are others this time.

    Raises:
        ConfigError: the user's settings cannot be used.
    """
    given = {f"HERMES_WEB__{name.upper()}": value for name, value in changes.items() if value}
    with _progress() as plugin, Hermes.load(approver="terminal", environ={**os.environ, **given}) as hermes:
        if plugin is not None:
            hermes.add_plugin(plugin)
        try:
            record = hermes.run(tool, dict(args))
        except KeyboardInterrupt:
            return ToolRun(result={"error": "It was interrupted."}, code=INTERRUPTED)
    found = json.loads(record.result)
    return ToolRun(result=found if isinstance(found, dict) else {"error": str(found)}, code=exit_code(record))


class _ProgressDisplay:
    """Shows on stderr what a tool says while it works."""

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
        """Show the latest line."""
        from rich.text import Text

        counted = f" ({progress.done:g})" if progress.done is not None else ""
        if progress.done is not None and progress.total is not None:
            counted = f" ({progress.done:g} of {progress.total:g})"
        self._status.update(Text(f"{to_printable(progress.message[:_LINE])}{counted}"))


def _progress() -> Any:
    """What shows progress; nothing where nobody looks at stderr."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return _ProgressDisplay(Console(stderr=True).status("Working"))


def _print_error(result: Mapping[str, Any]) -> None:
    click.echo(f"hermes: error: {to_printable(result['error'])}", err=True)
    if result.get("hint"):
        click.echo(f"What to do: {to_printable(address_user(result['hint']))}", err=True)
    print_notes(result.get("notes"))


OK = 0
FAILED = 1
INTERRUPTED = 130
_STATUS_CODES = {"blocked": 4, "timeout": 124, "cancelled": INTERRUPTED}
_ERROR_CODES = {"invalid_arguments": 2, "unknown_tool": 3, "unavailable": 5, "timeout": 124}

EXIT_CODES = (
    "Exit codes: 0 when it worked, 1 when it did not, 2 for wrong usage, 4 when it was not allowed, 5 when the chosen "
    "provider cannot be used, 124 for a time-out, 130 when it is interrupted."
)


def exit_code(record: CallRecord) -> int:
    """The exit status for what became of a call."""
    if record.status == "ok":
        return OK
    return _STATUS_CODES.get(record.status) or _ERROR_CODES.get(record.code or "", FAILED)
