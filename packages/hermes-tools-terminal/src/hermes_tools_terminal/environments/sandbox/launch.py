"""Run commands in a sandbox, and detect whether the sandbox was built."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError

_BUILD_SECONDS = 20.0
"""How long to wait for a sandbox; even a busy machine takes only hundredths of a second."""

_TRIES = 12
"""A hidden path that disappears meanwhile rarely does so twice."""

_Result = TypeVar("_Result")


class SandboxNotBuiltError(TerminalEnvironmentError):
    """Raised when a sandbox was not built, so that nothing ran in it."""


class ReadySignal:
    """The signal of bubblewrap that everything is mounted, just before the command runs.

    It then reads one byte and closes the socket. When it fails earlier, it closes the socket with the byte unread, and
    the kernel reports that to the other side.
    """

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.send(b"\0")
        self._ours.settimeout(_BUILD_SECONDS)

    @property
    def handle(self) -> int:
        """Return the descriptor for bubblewrap."""
        return self._theirs.fileno()

    def passed(self) -> bool:
        """Wait for the signal; return False when it can no longer arrive."""
        self._theirs.close()
        try:
            return not self._ours.recv(1)
        except ConnectionResetError:
            return False
        except TimeoutError:  # another process inherited the socket by a fork; the command reports errors
            return True

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()


@contextlib.contextmanager
def ready_signal() -> Iterator[ReadySignal]:
    """Yield a signal for the length of a block."""
    step = ReadySignal()
    try:
        yield step
    finally:
        step.close()


@dataclass(frozen=True, slots=True)
class SandboxCommand:
    """A command in a sandbox.

    Attributes:
        argv: The program and its arguments.
        handles: The descriptors that it inherits.
        ready_signal: Its ready signal; None where building cannot fail.
    """

    argv: list[str]
    handles: tuple[int, ...]
    ready_signal: ReadySignal | None = None

    def built(self) -> bool:
        """Wait, and return whether the sandbox was built."""
        return self.ready_signal is None or self.ready_signal.passed()


def retry_build(build: Callable[[], _Result]) -> _Result:
    """Build and use a sandbox; retry when it was not built, because a hidden file disappeared in between.

    Raises:
        TerminalEnvironmentError: it cannot be built, or its use failed.
    """
    for _ in range(_TRIES - 1):
        with contextlib.suppress(SandboxNotBuiltError):
            return build()
    return build()


_lock = threading.Lock()
_thread: ThreadPoolExecutor | None = None


def start_in_lasting_thread(start: Callable[[], StartedProcess]) -> StartedProcess:
    """Start a process that the kernel kills when its parent dies.

    The parent is the thread that started it. Worker threads come and go; the main thread ends with the process.

    Raises:
        TerminalEnvironmentError: this process is shutting down.
    """
    global _thread  # noqa: PLW0603 - one thread for the process
    if threading.get_native_id() == os.getpid():
        return start()
    with _lock:
        if _thread is None:
            _thread = ThreadPoolExecutor(1, thread_name_prefix="hermes-starter")
    try:
        return _thread.submit(start).result()
    except RuntimeError as error:
        raise TerminalEnvironmentError("Nothing can be started because this process is shutting down.") from error


def _forget() -> None:
    global _thread, _lock  # a forked child has neither the thread nor the holder of the lock
    _thread, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
