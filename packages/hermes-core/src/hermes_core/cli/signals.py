"""Turn the signals that ask the `hermes` command to end into an exception, so that what runs is ended and recorded."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_ENDING = ("SIGTERM", "SIGHUP")


class EndedBySignal(KeyboardInterrupt):
    """Raised in the main thread by a signal that asks the command to end, and treated like Ctrl-C everywhere.

    Attributes:
        status: The exit status that tells which signal it was: 128 and the signal's number.
        code: The code of calls that it ends, such as `sigterm`.
    """

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(name)
        self.status = 128 + number
        self.code = name.lower()


@contextlib.contextmanager
def ending_signals() -> Iterator[None]:
    """Raise `EndedBySignal` for SIGTERM and SIGHUP while the block runs.

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

    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    replaced = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in replaced:  # once one has come, the process ends with a status of its own, whatever comes after it
            signal.signal(number, signal.SIG_IGN if ended else signal.SIG_DFL)
