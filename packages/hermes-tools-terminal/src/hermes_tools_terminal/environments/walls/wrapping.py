"""A command as it is put into a sandbox, and whether that was ever built."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from hermes_tools_terminal.environments.base import PlaceError

_BUILD_SECONDS = 20.0
"""How long one waits for a sandbox; on a busy machine it takes some hundredths of a second."""

_TRIES = 12
"""What was to be hidden and has gone meanwhile seldom does so twice: a file that never rests is another matter."""

_Result = TypeVar("_Result")


class NotBuiltError(PlaceError):
    """Raised when a sandbox was not built, so that nothing has run in it."""


class Doorstep:
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
def doorstep() -> Iterator[Doorstep]:
    """One for the length of a block."""
    step = Doorstep()
    try:
        yield step
    finally:
        step.close()


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What runs a command inside.

    Attributes:
        argv: The program and its arguments.
        handles: The descriptors that it needs until it has started.
        doorstep: Where it tells that the sandbox stands; None where that is not in doubt.
    """

    argv: list[str]
    handles: tuple[int, ...]
    doorstep: Doorstep | None = None

    def built(self) -> bool:
        """Whether the sandbox of a program that was started stands, or has stood."""
        return self.doorstep is None or self.doorstep.passed()


def persistent(build: Callable[[], _Result]) -> _Result:
    """Build a sandbox and use it; anew when it was not built, as something that it was to hide has gone meanwhile.

    Raises:
        PlaceError: it cannot be built, or what was done in it failed.
    """
    for _ in range(_TRIES - 1):
        with contextlib.suppress(NotBuiltError):
            return build()
    return build()
