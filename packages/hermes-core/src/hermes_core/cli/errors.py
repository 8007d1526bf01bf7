"""Prints an error in one line with a remedy, and returns the exit code."""

from __future__ import annotations

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import note
from hermes_core.errors import (
    HermesError,
    ToolDeniedError,
    ToolError,
    ToolUnavailableError,
    UnknownToolError,
    describe_error,
)
from hermes_core.families import explain_missing
from hermes_text.terminal import clean

_CODES: tuple[tuple[type[BaseException], ExitCode], ...] = (
    (UnknownToolError, ExitCode.UNKNOWN_TOOL),
    (ToolDeniedError, ExitCode.DENIED),
    (ToolUnavailableError, ExitCode.UNAVAILABLE),
    (HermesError, ExitCode.USAGE),
    (click.ClickException, ExitCode.USAGE),
    (OSError, ExitCode.USAGE),
)


def report_error(error: Exception, *, debug: bool) -> ExitCode:
    """Print an error on stderr, after its traceback when debugging, and return the exit code."""
    if debug:
        import traceback

        note("".join(traceback.format_exception(error)).rstrip())
    note(f"hermes: error: {clean(_explain(error))}")
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.INTERNAL)


def _explain(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        ctx = getattr(error, "ctx", None)
        return error.format_message() + (f" See '{ctx.command_path} --help'." if ctx else "")
    if isinstance(error, UnknownToolError):
        # The error's own hint is for models.
        list_tools = "'hermes tools --all' lists all tools."
        return f"{error.message}. {explain_missing(error.name) or (error.hint if error.near else list_tools)}"
    if isinstance(error, ToolError):
        return " ".join(part for part in (error.message, error.hint) if part)
    if isinstance(error, HermesError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return f"unexpected {describe_error(error)} (run with --debug for the traceback)"
