"""A temporary directory that is removed however a command ends, short of SIGKILL."""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType


@contextlib.contextmanager
def scratch_directory(prefix: str) -> Iterator[Path]:
    """Make a private temporary directory for the length of a block. SIGTERM and SIGHUP leave the block, too.

    Raises:
        OSError: no temporary directory can be written.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        caught = (signal.SIGTERM, signal.SIGHUP)  # but not one that nohup has turned off
        wanted = [number for number in caught if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, _leave) for number in wanted}
    try:
        with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
            yield Path(folder).resolve()
    except _SignalReceived as signalled:
        sys.exit(128 + signalled.number)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _SignalReceived(KeyboardInterrupt):
    """Raised by a signal: as Ctrl-C, it passes through calls of tools, which hold back a `SystemExit`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _leave(number: int, _frame: FrameType | None) -> None:
    raise _SignalReceived(number)
