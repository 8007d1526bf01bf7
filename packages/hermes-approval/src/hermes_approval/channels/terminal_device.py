"""The terminal of a prompt: taken over for a while, read with a deadline, and restored afterwards."""

from __future__ import annotations

import atexit
import os
import select
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TextIO

_LOOK_SECONDS = 0.1
"""How soon a prompt notices that its call was cancelled."""
_LONGEST_LINE = 4096
_CTRL_C = b"\x03"
_NO_KEY = (b"\0", b"\xff")
"""How systems encode a key that is switched off."""
_JOB_SIGNALS = {signal.SIGTTIN, signal.SIGTTOU}


class Withdrawn(Exception):  # noqa: N818 - a signal, not an error
    """Raised when the answer is no longer needed."""


class Device:
    """A terminal for input and one for output, usually the same.

    Args:
        stdin: The input; the process's stdin by default.
        stdout: The output; the process's stdout by default.
    """

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._interrupt = _CTRL_C

    @property
    def output(self) -> TextIO:
        """Where the prompt is written."""
        return self._stdout if self._stdout is not None else sys.stdout

    def ready(self) -> bool:
        """Return True if both sides are a terminal, in the foreground, and no application reads keys."""
        try:
            source, target = self._source(), self.output.fileno()
            if not (os.isatty(source) and os.isatty(target)) or os.tcgetpgrp(source) != os.getpgrp():
                return False
            # A program that reads single keys - an editor, a full-screen application, readline - has left line mode.
            return bool(termios.tcgetattr(source)[3] & termios.ICANON) and not _application_runs()
        except (OSError, ValueError, AttributeError, termios.error):  # closed, replaced or missing
            return False

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Read whole lines with echo, Ctrl-C as text, and without job control; then restore the terminal.

        Raises:
            termios.error: the terminal is gone.
        """
        source = self._source()
        before = termios.tcgetattr(source)
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, _JOB_SIGNALS)  # in the background, a prompt fails

        def give_back() -> None:
            try:
                termios.tcflush(source, termios.TCIFLUSH)  # half an answer must not become the next command
                termios.tcsetattr(source, termios.TCSANOW, before)
            except termios.error:  # the terminal is gone
                pass

        atexit.register(give_back)  # the interpreter does not wait for worker threads
        try:
            termios.tcsetattr(source, termios.TCSANOW, self._line_mode(before))
            yield
        finally:
            give_back()
            atexit.unregister(give_back)
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)

    def discard(self) -> None:
        """Discard what was typed so far."""
        termios.tcflush(self._source(), termios.TCIFLUSH)

    def read_line(self, until: float, cancelled: Callable[[], bool]) -> str:
        """Return the next line without its line break.

        Raises:
            EOFError: the input ended, or the terminal is gone.
            KeyboardInterrupt: Ctrl-C was typed.
            TimeoutError: `until`, of the monotonic clock, has passed.
            Withdrawn: the call was cancelled.
        """
        source = self._source()
        while not cancelled():
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError
            if select.select([source], [], [], min(left, _LOOK_SECONDS))[0]:
                return self._line(source)
        raise Withdrawn

    def _line(self, source: int) -> str:
        try:
            line = os.read(source, _LONGEST_LINE)
        except OSError as error:
            raise EOFError from error
        if self._interrupt in line:
            raise KeyboardInterrupt
        if not line.endswith(b"\n"):  # Ctrl-D does not finish a line
            raise EOFError
        return line.decode("utf-8", "replace").strip()

    def _line_mode(self, before: list[Any]) -> list[Any]:
        reading, writing, control, local, *speeds, keys = before
        keys = list(keys)
        self._interrupt = keys[termios.VINTR] if keys[termios.VINTR] not in _NO_KEY else _CTRL_C
        keys[termios.VEOL] = self._interrupt  # it ends the line like Enter, so it is read at once
        return [
            (reading | termios.ICRNL) & ~(termios.IXON | termios.INLCR | termios.IGNCR),
            writing | termios.OPOST | termios.ONLCR,
            control,
            (local | termios.ICANON | termios.ECHO | termios.ECHOE) & ~termios.ISIG,
            *speeds,
            keys,
        ]

    def _source(self) -> int:
        return (self._stdin if self._stdin is not None else sys.stdin).fileno()


def _application_runs() -> bool:
    """Return True if prompt_toolkit or textual owns the terminal; both would wait for each other."""
    prompts = sys.modules.get("prompt_toolkit.application.current")
    textual = sys.modules.get("textual._context")
    try:
        if prompts is not None and prompts.get_app_or_none() is not None:
            return True
        return textual is not None and textual.active_app.get(None) is not None
    except Exception:  # foreign code: an application that fails may still own the terminal
        return True
