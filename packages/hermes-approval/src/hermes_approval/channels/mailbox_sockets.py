"""Deliver answers to a mailbox over a socket, so that the host knows which process answers.

A file does not tell who wrote it: a tool's process belongs to the same user. The kernel tells which process is at the
other end of a socket, and `session_of` whether a tool started it. Only Linux tells both.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.process_identity import process_of
from hermes_core.settings import session_of

_LARGEST = 64 * 1024
"""Bytes of an answer: a word, a name and a reason."""
_ACCEPTED, _REFUSED = b"accepted", b"refused"
_BACKLOG = 16


class AnswerSocket:
    """Listens for the answer to one request. It never waits.

    Args:
        path: Where it listens.

    Raises:
        OSError: it cannot listen there, or this system does not tell who answers.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[socket.socket] = []
        self._listener = _listen(path)

    def take(self, read: Callable[[dict[str, Any]], Answer | None]) -> Answer | None:
        """Return the first answer of a process that no tool started, and tell everybody whether theirs counts.

        Args:
            read: Reads what was sent; None when it is no answer to this request.
        """
        with contextlib.suppress(OSError):  # until nobody else waits
            while True:
                self._waiting.append(self._listener.accept()[0])
        for connection in list(self._waiting):
            connection.setblocking(False)
            try:
                data = connection.recv(_LARGEST)
            except BlockingIOError:  # it is about to say something
                continue
            except OSError:
                data = b""
            value = _parsed(data) if data and _is_trusted(connection) else None
            answer = read(value) if value is not None else None
            self._waiting.remove(connection)
            with contextlib.suppress(OSError), connection:
                connection.send(_ACCEPTED if answer else _REFUSED)
            if answer:
                return answer
        return None

    def listen_again(self) -> None:
        """Listen under the name again when somebody has removed it or put something else there."""
        if self._waiting or _is_socket(self._path):
            return
        self._listener.close()
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            self._listener = _listen(self._path)

    def close(self) -> None:
        """Stop listening."""
        for connection in (*self._waiting, self._listener):
            connection.close()
        self._waiting = []

    def __del__(self) -> None:
        self.close()


def deliver(path: Path, value: dict[str, Any], *, to: int, seconds: float) -> bool:
    """Send an answer to the process that asked; False when it is not there, or does not take it.

    Args:
        path: Where it listens.
        value: The answer.
        to: The number of the process.
        seconds: How long to wait until it is taken; 0 in that process itself.

    Raises:
        PermissionError: the process does not take answers from this one.
    """
    try:
        with _connection() as client, _directory(path.parent) as folder:
            client.connect(f"{folder}/{path.name}")
            if _peer(client)[0] != to:  # somebody else listens in its place
                return False
            client.send(json.dumps(value, default=str).encode()[:_LARGEST])
            path.unlink(missing_ok=True)  # the first answer counts
            if not seconds:
                return True
            client.settimeout(seconds)
            said = client.recv(len(_ACCEPTED))
    except OSError:
        return False
    if said == _REFUSED:
        raise PermissionError("The answer was refused: it came too late, or a tool started the process that gave it.")
    return said == _ACCEPTED


def _is_trusted(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user or to root, still runs, and no tool started it."""
    pid, uid = _peer(connection)
    if uid not in (os.geteuid(), 0) or pid <= 0:  # 0: it is in a container and cannot be seen
        return False
    if pid == os.getpid():
        return True
    before = process_of(pid)
    if not before.started or session_of(pid) is not None:
        return False
    return process_of(pid) == before and _is_open(connection)


def _peer(connection: socket.socket) -> tuple[int, int]:
    """The process and the user at the other end."""
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid


def _is_open(connection: socket.socket) -> bool:
    """Whether the other end has not gone: else its number may be another process's by now."""
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except OSError:
        return False


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _listen(path: Path) -> socket.socket:
    if sys.platform != "linux":
        raise OSError("this system does not tell which process answers")
    listener = _connection()
    try:
        with _directory(path.parent) as folder:
            listener.bind(f"{folder}/{path.name}")
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _connection() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@contextlib.contextmanager
def _directory(folder: Path) -> Iterator[str]:
    """A short name for a directory: the path of a socket has at most 107 characters."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False
