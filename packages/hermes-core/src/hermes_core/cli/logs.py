"""Shows the warnings of a run as single lines on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

import hermes_core
from hermes_core.cli.output import clean

_ABOUT_PLUGINS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plugins")
"""The folder of the code that warns of plugins."""


@contextmanager
def warning_lines(*, show: bool, debug: bool, plugins: bool = True) -> Iterator[None]:
    """Show what the logger `hermes` warns of, or keep it back where the command tells it better.

    Args:
        show: Whether anything is shown.
        debug: Whether tracebacks are shown, too.
        plugins: Whether that includes what is said of plugins.
    """
    undo: list[Callable[[], None]] = []

    def begin() -> None:
        undo.append(_listen(show=show, debug=debug, plugins=plugins))

    if "logging" in sys.modules:
        begin()
    else:
        hermes_core._before_logging.append(begin)
    try:
        yield
    finally:
        if begin in hermes_core._before_logging:
            hermes_core._before_logging.remove(begin)
        for end in undo:
            end()


def _listen(*, show: bool, debug: bool, plugins: bool) -> Callable[[], None]:
    """Put a handler in place; the answer takes it away again."""
    import logging

    class WarningLines(logging.Handler):
        """Writes each record as one line, with its traceback only when debugging."""

        def emit(self, record: logging.LogRecord) -> None:
            """Write one record."""
            if not plugins and os.path.dirname(record.pathname) == _ABOUT_PLUGINS:
                return
            level = "warning" if record.levelno < logging.ERROR else "error"
            click.echo(f"hermes: {level}: {clean(record.getMessage())}", err=True)
            if debug and record.exc_info:
                click.echo(logging.Formatter().formatException(record.exc_info), err=True)

    logger = logging.getLogger("hermes")
    # Some handler must be there: without one, logging would print the bare message and its traceback.
    handler = WarningLines(logging.WARNING) if show else logging.NullHandler()
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)
