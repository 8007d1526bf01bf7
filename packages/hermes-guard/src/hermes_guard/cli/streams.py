"""Standard output and standard error that may be closed, full or read by nobody."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

BROKEN_PIPE = 141
OUTPUT = 74


class Stream:
    """A standard stream that remembers its first error, and raises it if its text must arrive."""

    def __init__(self, stream: TextIO, *, must_arrive: bool) -> None:
        self._stream = stream
        self._must_arrive = must_arrive
        self.error: OSError | None = None

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
        except OSError as error:
            self.error = self.error or error
            if self._must_arrive:
                raise
            self._silence()

    def _silence(self) -> None:
        """Send what is still to be written nowhere, so that the interpreter's last flush cannot fail."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
        self._stream.flush()

    def close(self, status: int) -> int:
        """Return the exit status of a run: its own when all of its output was written."""
        with contextlib.suppress(OSError):
            self.flush()
        if self.error is None:
            return status
        self._silence()
        if isinstance(self.error, BrokenPipeError):
            return BROKEN_PIPE
        reason = "it is closed" if self.error.errno == errno.EBADF else self.error.strerror
        print(f"hermes-guard: cannot write to stdout: {reason}", file=sys.stderr)
        return OUTPUT


@contextlib.contextmanager
def standard_streams() -> Iterator[Stream]:
    """Replace the standard streams for the length of a block, and give back standard output.

    A stream that was closed when the process started is opened again: standard output as one to which every write
    fails, standard error as one that writes nowhere.
    """
    before = sys.stdout, sys.stderr
    stdout = Stream(sys.stdout or _opened(1, os.O_RDONLY), must_arrive=True)
    stderr = Stream(sys.stderr or _opened(2, os.O_WRONLY), must_arrive=False)
    for stream in (stdout, stderr):
        if hasattr(stream, "reconfigure"):  # a command may hold letters that the terminal does not have
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = stdout, stderr
    try:
        yield stdout
    finally:
        sys.stdout, sys.stderr = before


def _opened(number: int, flags: int) -> TextIO:
    null = os.open(os.devnull, flags)
    if null != number:
        os.dup2(null, number)
        os.close(null)
    return open(number, "w", encoding="utf-8", closefd=False)
