"""Delivers answers to a mailbox over a socket, so that the host knows which process answers.

A file does not show who wrote it: tools run as the same user. For a socket, the kernel says which process is at the
other end, and `session_of` whether a tool started it. That works on Linux only.
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
"""The maximum size of an answer in bytes: a choice, a name and a reason."""
_ACCEPTED, _REFUSED = b"accepted", b"refused"
_BACKLOG = 16


class AnswerSocket:
    """Listens for the answer to one request, without blocking.

    Args:
        path: Where it listens.

    Raises:
        OSError: it cannot listen there, or this system does not say who answers.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[socket.socket] = []
        self._listener = _listen(path)

    def take(self, read: Callable[[dict[str, Any]], Answer | None]) -> Answer | None:
        """Return the first answer of a trusted process, and report to each process whether its answer counts.

        Args:
            read: Parses what was sent; returns None if it is not an answer to this request.
        """
        with contextlib.suppress(OSError):  # until no other connection waits
            while True:
                self._waiting.append(self._listener.accept()[0])
        for connection in list(self._waiting):
            connection.setblocking(False)
            try:
                data = connection.recv(_LARGEST)
            except BlockingIOError:  # it has not sent anything yet
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
        """Listen again if the socket was removed or replaced."""
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
    """Send an answer to the process that asked; False if it is gone, or does not accept the answer in time.

    Args:
        path: Where it listens.
        value: The answer.
        to: The process id.
        seconds: How long to wait until it is accepted; 0 in that process itself.

    Raises:
        PermissionError: the process does not accept answers from this one.
    """
    try:
        with _connection() as client, _directory(path.parent) as folder:
            client.connect(f"{folder}/{path.name}")
            if _peer(client)[0] != to:  # another process listens in its place
                return False
            client.send(json.dumps(value, default=str).encode()[:_LARGEST])
            path.unlink(missing_ok=True)  # the first answer counts
            if not seconds:
                return True
            client.settimeout(seconds)
            reply = client.recv(len(_ACCEPTED))
    except OSError:
        return False
    if reply == _REFUSED:
        raise PermissionError(
            "The answer was refused: it came too late, the request was changed, or a tool started this process."
        )
    return reply == _ACCEPTED


def _is_trusted(connection: socket.socket) -> bool:
    """Return True if a process of this user or root is at the other end, still runs, and no tool started it."""
    pid, uid = _peer(connection)
    if uid not in (os.geteuid(), 0) or pid <= 0:  # 0: a process in another container
        return False
    if pid == os.getpid():
        return True
    before = process_of(pid)
    try:
        inside = session_of(pid) is not None
    except PermissionError:  # it runs as another user: root does so from the start, others hide behind such a program
        inside = uid != 0
    if not before.started or inside:
        return False
    return process_of(pid) == before and _is_open(connection)


def _peer(connection: socket.socket) -> tuple[int, int]:
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid


def _is_open(connection: socket.socket) -> bool:
    """Return True if the other end is still open. Otherwise its process id may have been reused."""
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
        raise OSError("this system does not say which process answers")
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
    """Provide a short path to a directory: the path of a socket has at most 107 characters."""
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
