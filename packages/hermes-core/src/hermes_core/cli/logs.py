"""Shows the warnings of a run as single lines on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from hermes_core.cli.output import clean


class WarningLines(logging.Handler):
    """Writes each record as one line, with its traceback only when debugging."""

    def __init__(self, *, debug: bool) -> None:
        super().__init__(logging.WARNING)
        self._debug = debug

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        level = "warning" if record.levelno < logging.ERROR else "error"
        click.echo(f"hermes: {level}: {clean(record.getMessage())}", err=True)
        if self._debug and record.exc_info:
            click.echo(logging.Formatter().formatException(record.exc_info), err=True)


@contextmanager
def warning_lines(*, show: bool, debug: bool) -> Iterator[None]:
    """Show what the logger `hermes` warns of, or keep it back where the command tells it better."""
    logger = logging.getLogger("hermes")
    # Some handler must be there: without one, logging would print the bare message and its traceback.
    handler = WarningLines(debug=debug) if show else logging.NullHandler()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
