"""Turns whatever went wrong into one line that says what to do, and an exit status."""

from __future__ import annotations

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.errors import (
    HermesError,
    ToolDeniedError,
    ToolError,
    ToolUnavailableError,
    UnknownToolError,
    UnknownToolsetError,
    describe_error,
)
from hermes_core.families import explain_missing

_CODES: tuple[tuple[type[BaseException], ExitCode], ...] = (
    (UnknownToolError, ExitCode.UNKNOWN_TOOL),
    (ToolDeniedError, ExitCode.DENIED),
    (ToolUnavailableError, ExitCode.UNAVAILABLE),
    (HermesError, ExitCode.USAGE),
    (click.ClickException, ExitCode.USAGE),
    (OSError, ExitCode.USAGE),
)


def report(error: Exception, *, debug: bool) -> ExitCode:
    """Print an error on stderr: its traceback first when that was asked for, and always its line."""
    if debug:
        import traceback

        click.echo("".join(traceback.format_exception(error)).rstrip(), err=True)
    from hermes_core.cli.output import clean

    click.echo(f"hermes: error: {clean(explain(error))}", err=True)
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.INTERNAL)


def explain(error: Exception) -> str:
    """What happened and what to do next."""
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, UnknownToolError):
        # The error's own hint speaks to a model, which has a list of tools; a person has a command.
        hint = explain_missing(error.name) or (error.hint if error.near else _LIST_TOOLS)
        return f"{error.message}. {hint}"
    if isinstance(error, UnknownToolsetError):
        return f"{error} {explain_missing(error.name)}".rstrip()
    if isinstance(error, ToolError):
        return " ".join(part for part in (error.message, error.hint) if part)
    if isinstance(error, HermesError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    described = describe_error(error)
    return f"unexpected {described} (run with --debug for the traceback)"


_LIST_TOOLS = "Run 'hermes tools --all' to see the tools that there are."


def _usage(error: click.ClickException) -> str:
    message = error.format_message()
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return message if ctx is None else f"{message} See '{ctx.command_path} --help'."
