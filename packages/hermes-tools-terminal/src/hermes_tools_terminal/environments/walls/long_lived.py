"""Starts processes that end with this one, from a thread that lives as long as it does."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hermes_tools_terminal.environments.base import PlaceError, Started

_lock = threading.Lock()
_thread: ThreadPoolExecutor | None = None


def long_lived(start: Callable[[], Started]) -> Started:
    """Start something that is ended by the kernel when its parent dies.

    The kernel takes the thread that started it for that parent, and threads that others lend come and go; all but the
    first one, with which the process ends.

    Raises:
        PlaceError: this process is about to end.
    """
    global _thread  # noqa: PLW0603 - one thread for all
    if threading.get_native_id() == os.getpid():
        return start()
    with _lock:
        if _thread is None:
            _thread = ThreadPoolExecutor(1, thread_name_prefix="hermes-starter")
    try:
        return _thread.submit(start).result()
    except RuntimeError as error:
        raise PlaceError("Nothing can be started any more: this process is about to end.") from error


def _forget() -> None:
    global _thread, _lock  # a child of fork has neither the thread nor who held the lock
    _thread, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
