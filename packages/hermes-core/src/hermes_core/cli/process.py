"""How the process of the command ends: by signals, and when standard streams are closed, full or read by nobody."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TextIO

from hermes_core.cli.exit_codes import ExitCode


class EndedBySignal(KeyboardInterrupt):
    """Raised in the main thread by a signal that asks the command to end, and treated like Ctrl-C everywhere.

    Attributes:
        status: The exit status: 128 and the signal's number.
        code: The code of calls that it ends, such as `sigterm`.
    """

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(name)
        self.status = 128 + number
        self.code = name.lower()


@contextlib.contextmanager
def ending_signals() -> Iterator[None]:
    """Raise `EndedBySignal` for SIGTERM and SIGHUP while the block runs, so that what runs is ended and recorded.

    The first signal counts, and cleaning up is not interrupted by a second one. A signal that is ignored, as SIGHUP is
    under `nohup`, stays ignored. Only the main thread can handle signals; in another one this does nothing.
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


class Stream:
    """A standard stream that remembers its first error.

    Args:
        stream: The stream.
        must_arrive: Whether an error is raised. Otherwise it turns the stream off: nothing is lost but notes.
    """

    def __init__(self, stream: TextIO, *, must_arrive: bool) -> None:
        self._stream = stream
        self._must_arrive = must_arrive
        self.error: OSError | ValueError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (OSError, ValueError) as error:  # a closed file raises a ValueError
            self.error = self.error or error
            if self._must_arrive:
                raise
            self._silence()

    def _silence(self) -> None:
        """Send what is still buffered nowhere, so that the interpreter's last flush cannot fail."""
        # A stream without a file, as in tests, has nothing to flush.
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)
            self._stream.flush()

    def close(self, code: int) -> int:
        """Return the exit code of a run: `code` when all of its output was written."""
        with contextlib.suppress(OSError, ValueError):
            self.flush()
        error = self.error
        if error is None:
            return code
        self._silence()
        if isinstance(error, BrokenPipeError):
            return ExitCode.BROKEN_PIPE
        is_closed = isinstance(error, ValueError) or error.errno == errno.EBADF
        reason = "it is closed" if is_closed else getattr(error, "strerror", None)
        print(f"hermes: error: cannot write to stdout: {reason}", file=sys.stderr)
        return ExitCode.OUTPUT


@contextlib.contextmanager
def standard_streams() -> Iterator[Stream]:
    """Replace the standard streams for a block by some that remember their errors; yield standard output.

    A stream that was closed when the process started is opened again, so that no file opened later takes its number:
    standard output as one to which every write fails, standard error as one that writes nowhere.
    """
    before = sys.stdout, sys.stderr
    stdout = Stream(sys.stdout or _open(1, os.O_RDONLY), must_arrive=True)
    stderr = Stream(sys.stderr or _open(2, os.O_WRONLY), must_arrive=False)
    for stream in (stdout, stderr):
        # Characters that the terminal cannot show are escaped, because they are no reason to fail.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = stdout, stderr
    try:
        yield stdout
    finally:
        sys.stdout, sys.stderr = before


def _open(number: int, flags: int) -> TextIO:
    null = os.open(os.devnull, flags)
    try:
        os.fstat(number)
    except OSError:  # it is closed, not only hidden from Python
        os.dup2(null, number)
        os.close(null)
        null = number
    return open(null, "w", encoding="utf-8", closefd=False)
