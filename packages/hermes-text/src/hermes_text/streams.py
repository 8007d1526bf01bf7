"""Standard output and standard error of a command that may be closed, full or without a reader."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

BROKEN_PIPE = 141
"""The exit status of a program that SIGPIPE ends because its reader is gone, which is no error."""
NOT_WRITTEN = 74
"""The exit status of a program whose output was lost: `EX_IOERR`."""


class Stream:
    """A standard stream that remembers its first error.

    Args:
        stream: The stream.
        must_arrive: True to raise an error. Otherwise an error turns the stream off, and only notes are lost.
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
        """Write buffered text."""
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
        """Discard buffered text, so that the interpreter's last flush cannot fail."""
        # A stream without a file, as in tests, has nothing to flush.
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)
            self._stream.flush()

    def close(self, status: int, prefix: str) -> int:
        """Return the exit status of a run: `status` when all of its output was written.

        Otherwise the reason is printed to standard error after `prefix`, except for a broken pipe.
        """
        with contextlib.suppress(OSError, ValueError):
            self.flush()
        if self.error is None:
            return status
        self._silence()
        if isinstance(self.error, BrokenPipeError):
            return BROKEN_PIPE
        is_closed = isinstance(self.error, ValueError) or self.error.errno == errno.EBADF
        reason = "it is closed" if is_closed else getattr(self.error, "strerror", None)
        print(f"{prefix}: cannot write to stdout: {reason}", file=sys.stderr)
        return NOT_WRITTEN


@contextlib.contextmanager
def standard_streams() -> Iterator[Stream]:
    """Replace the standard streams for a block by streams that remember their errors; yield standard output.

    A stream that was closed when the process started is opened again, so that no file opened later takes its number:
    on standard output every write fails, and standard error discards its text. Characters that the terminal cannot show
    are escaped.
    """
    before = sys.stdout, sys.stderr
    stdout = Stream(sys.stdout or _open(1, os.O_RDONLY), must_arrive=True)
    stderr = Stream(sys.stderr or _open(2, os.O_WRONLY), must_arrive=False)
    for stream in (stdout, stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
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
