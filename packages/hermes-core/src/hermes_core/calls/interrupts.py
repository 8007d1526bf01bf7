"""Distinguishes interruptions from outside, such as Ctrl-C, from exceptions that foreign code raises itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from opcode import opmap
from types import CodeType, TracebackType

_RAISE = opmap["RAISE_VARARGS"]
_MAX_LINKED = 100  # limits how many linked exceptions are followed


def comes_from_signal(error: BaseException) -> bool:
    """Return True if a signal raised this exception.

    Only the main thread handles signals. Python raises `KeyboardInterrupt` for Ctrl-C without a `raise` statement;
    signal handlers written in Python appear in the traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    handlers = frozenset(_signal_handlers())
    return any(_is_interrupt(each, handlers) for each in _linked(error))


def comes_from_outside(error: BaseException) -> bool:
    """Return True for a signal, and for a coroutine that is cancelled or closed by its caller."""
    if type(error).__name__ in ("CancelledError", "Cancelled"):  # of asyncio and trio, which may not be imported
        return True
    if not isinstance(error, GeneratorExit):
        return comes_from_signal(error)
    return any(isinstance(each, GeneratorExit) and not _was_raised(each) for each in _linked(error))


def _is_interrupt(error: BaseException, handlers: frozenset[CodeType]) -> bool:
    if any(trace.tb_frame.f_code in handlers for trace in _traces(error)):
        return True
    return isinstance(error, KeyboardInterrupt) and not _was_raised(error)


def _was_raised(error: BaseException) -> bool:
    """Return True if the innermost instruction is a `raise` statement."""
    traces = list(_traces(error))
    return bool(traces) and traces[-1].tb_frame.f_code.co_code[traces[-1].tb_lasti] == _RAISE


def _traces(error: BaseException) -> Iterator[TracebackType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _linked(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it replaced, up to the first ordinary one."""
    linked: BaseException | None = error
    for _ in range(_MAX_LINKED):
        if linked is None or isinstance(linked, Exception):
            return
        yield linked
        linked = linked.__cause__ or linked.__context__


def _signal_handlers() -> Iterator[CodeType]:
    import signal  # slow to import, and rarely needed

    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        while isinstance(handler, partial):
            handler = handler.func
        for function in (handler, getattr(handler, "__func__", None), vars(type(handler)).get("__call__")):
            if isinstance(code := getattr(function, "__code__", None), CodeType):
                yield code
