"""One run of the command: `--debug`, warnings on stderr, the host, and signals."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from hermes_core.logs import before_logging

if TYPE_CHECKING:
    from hermes_core.host import Hermes

_PLUGIN_CODE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plugins")
"""The directory of the code that warns about plugins."""


class Options:
    debug = False


def is_debugging() -> bool:
    """Return True if `--debug` was given."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.find_root().ensure_object(Options).debug


def debug_option() -> click.Option:
    """Return the option `--debug`, which every command has."""

    def remember(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().ensure_object(Options).debug = True

    return click.Option(
        ["--debug"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember,
        help="Show tracebacks with errors and warnings.",
    )


def add_debug_option(command: click.Command) -> None:
    """Add `--debug` to a command and its subcommands, unless they have such an option."""
    if not any("--debug" in parameter.opts or parameter.name == "debug" for parameter in command.params):
        command.params.append(debug_option())
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        add_debug_option(each)


# -- warnings --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def warning_lines(*, show: bool = True, plugins: bool = True) -> Iterator[None]:
    """Print warnings as single lines on stderr, with tracebacks only when debugging; `plugins` includes theirs."""
    debug = is_debugging()
    undo: list[Callable[[], None]] = []

    def begin() -> None:
        undo.append(_add_handler(show=show, debug=debug, plugins=plugins))

    if "logging" in sys.modules:
        begin()
    else:  # most runs never load it
        before_logging.append(begin)
    try:
        yield
    finally:
        if begin in before_logging:
            before_logging.remove(begin)
        for end in undo:
            end()


def _add_handler(*, show: bool, debug: bool, plugins: bool) -> Callable[[], None]:
    import logging

    from hermes_core.cli.output import note
    from hermes_text.terminal import clean

    class WarningLines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not plugins and os.path.dirname(record.pathname) == _PLUGIN_CODE:
                return
            level = "warning" if record.levelno < logging.ERROR else "error"
            note(f"hermes: {level}: {clean(record.getMessage())}")
            if debug and record.exc_info:
                note(logging.Formatter().formatException(record.exc_info))

    logger = logging.getLogger("hermes")
    # Without any handler, logging would print the bare message and its traceback.
    handler = WarningLines(logging.WARNING) if show else logging.NullHandler()
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)


# -- the host --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def loaded_host(*, warn: bool = True, warn_of_plugins: bool = True, **options: Any) -> Iterator[Hermes]:
    """Load a host with all installed plugins for the duration of a block. By default, its tools cannot be called."""
    from hermes_core.host import Hermes

    options.setdefault("only_looking", True)
    with (
        plugin_output(show=warn, plugins=warn_of_plugins),
        # Closed, not entered: a session starts when a tool is called, not when tools are listed.
        contextlib.closing(Hermes.load(**options)) as host,
    ):
        yield host


@contextlib.contextmanager
def plugin_output(*, show: bool, plugins: bool = True) -> Iterator[None]:
    """Redirect stdout to stderr, including that of child processes, because stdout is for the command's own output."""
    saved = None
    try:
        if sys.stdout is not None and sys.stdout.fileno() == 1:
            sys.stdout.flush()
            saved = os.dup(1)
            os.dup2(2, 1)
    except (OSError, ValueError):  # one of them is closed, or not a file
        pass
    try:
        with warning_lines(show=show, plugins=plugins), contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


# -- signals -----------------------------------------------------------------------------------------------------------


class EndedBySignal(KeyboardInterrupt):
    """Raised in the main thread by a signal that ends the command, and handled like Ctrl-C.

    `status` is the exit code, `code` that of the calls that it ends, such as `sigterm`.
    """

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(name)
        self.status = 128 + number
        self.code = name.lower()


@contextlib.contextmanager
def ending_signals() -> Iterator[None]:
    """Raise `EndedBySignal` for the first SIGTERM or SIGHUP, so that running calls are ended and recorded.

    Signals that are ignored, like SIGHUP under `nohup`, stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ended = False

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ended
        if not ended:
            ended = True
            raise EndedBySignal(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    replaced = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in replaced:  # after a first signal, a second one must not change the exit status
            signal.signal(number, signal.SIG_IGN if ended else signal.SIG_DFL)
