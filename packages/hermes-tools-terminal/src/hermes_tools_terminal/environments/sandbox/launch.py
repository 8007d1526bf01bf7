"""A command as it is put into a sandbox, and whether that was ever built."""

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
"""How long one waits for a sandbox; on a busy machine it takes some hundredths of a second."""

_TRIES = 12
"""What was to be hidden and has gone meanwhile seldom does so twice: a file that never rests is another matter."""

_Result = TypeVar("_Result")


class SandboxNotBuiltError(TerminalEnvironmentError):
    """Raised when a sandbox was not built, so that nothing has run in it."""


class ReadySignal:
    """What bubblewrap passes when everything is mounted, just before the command.

    It reads one byte there and closes the socket. When it fails before that, the socket is closed with the byte unread,
    which the kernel tells the other side.
    """

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.send(b"\0")
        self._ours.settimeout(_BUILD_SECONDS)

    @property
    def handle(self) -> int:
        """What bubblewrap is given."""
        return self._theirs.fileno()

    def passed(self) -> bool:
        """Wait until it is passed, or until it is clear that it never will be."""
        self._theirs.close()
        try:
            return not self._ours.recv(1)
        except ConnectionResetError:
            return False
        except TimeoutError:  # somebody else has got hold of the socket, by a fork; the command tells what became of it
            return True

    def close(self) -> None:
        """Let go of both ends."""
        self._ours.close()
        self._theirs.close()


@contextlib.contextmanager
def ready_signal() -> Iterator[ReadySignal]:
    """One for the length of a block."""
    step = ReadySignal()
    try:
        yield step
    finally:
        step.close()


@dataclass(frozen=True, slots=True)
class SandboxCommand:
    """What runs a command inside.

    Attributes:
        argv: The program and its arguments.
        handles: The descriptors that it needs until it has started.
        doorstep: Where it tells that the sandbox stands; None where that is not in doubt.
    """

    argv: list[str]
    handles: tuple[int, ...]
    ready_signal: ReadySignal | None = None

    def built(self) -> bool:
        """Whether the sandbox of a program that was started stands, or has stood."""
        return self.ready_signal is None or self.ready_signal.passed()


def retry_build(build: Callable[[], _Result]) -> _Result:
    """Build a sandbox and use it; anew when it was not built, as something that it was to hide has gone meanwhile.

    Raises:
        TerminalEnvironmentError: it cannot be built, or what was done in it failed.
    """
    for _ in range(_TRIES - 1):
        with contextlib.suppress(SandboxNotBuiltError):
            return build()
    return build()


_lock = threading.Lock()
_thread: ThreadPoolExecutor | None = None


def start_in_lasting_thread(start: Callable[[], StartedProcess]) -> StartedProcess:
    """Start something that is ended by the kernel when its parent dies.

    The kernel takes the thread that started it for that parent, and threads that others lend come and go; all but the
    first one, with which the process ends.

    Raises:
        TerminalEnvironmentError: this process is about to end.
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
        raise TerminalEnvironmentError("Nothing can be started any more: this process is about to end.") from error


def _forget() -> None:
    global _thread, _lock  # a child of fork has neither the thread nor who held the lock
    _thread, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
