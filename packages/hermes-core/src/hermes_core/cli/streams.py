"""Standard output and standard error that may be closed, full or read by nobody."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from hermes_core.cli.exit_codes import ExitCode


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
        """Write text."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
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
        """Send what is still to be written nowhere, so that the interpreter's last flush cannot fail."""
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)
            self._stream.flush()
        except (OSError, ValueError):  # a stream without a file, as in tests, has nothing to flush
            pass

    def close(self, code: int) -> int:
        """Return the exit code of a run: its own when all of its output was written."""
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
    """Give the length of a block standard streams that remember their errors, and give back standard output.

    A stream that was closed when the process started is opened again, so that no file opened later takes its number:
    standard output as one to which every write fails, standard error as one that writes nowhere.
    """
    before = sys.stdout, sys.stderr
    stdout = Stream(sys.stdout or _opened(1, os.O_RDONLY), must_arrive=True)
    stderr = Stream(sys.stderr or _opened(2, os.O_WRONLY), must_arrive=False)
    for stream in (stdout, stderr):
        # Text that the terminal cannot show is escaped: a foreign letter is no reason to fail.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = stdout, stderr
    try:
        yield stdout
    finally:
        sys.stdout, sys.stderr = before


def _opened(number: int, flags: int) -> TextIO:
    null = os.open(os.devnull, flags)
    try:
        os.fstat(number)
    except OSError:  # it is closed, not only hidden from Python
        os.dup2(null, number)
        os.close(null)
        null = number
    return open(null, "w", encoding="utf-8", closefd=False)
