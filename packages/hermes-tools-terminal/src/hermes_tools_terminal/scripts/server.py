"""A Unix socket for one script: nobody else can reach it, and who reaches it must know the token."""

from __future__ import annotations

import contextlib
import contextvars
import hmac
import json
import os
import secrets
import socket
import struct
import threading

from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.scripts.calls import Answers
from hermes_tools_terminal.scripts.room import SOCKET

MOST_BYTES = 16 << 20
"""How long a request may be."""

_MOST_HELD = 64 << 20
"""How much of requests that are not there as a whole yet is held at once."""

_MOST_LINES = 64
_TOKEN_SECONDS = 10.0
"""How long a new connection may take to say the token."""


class Server:
    """Listens in a folder, and answers on a thread for each connection.

    Args:
        answer: What answers requests; called from many threads.
        folder: A folder that only this user can look into.
        inside: What the script calls that folder.

    Raises:
        PlaceError: there can be no socket.
    """

    def __init__(self, answer: Answers, folder: str, inside: str | None = None) -> None:
        self.token = secrets.token_hex(32)
        self.path = os.path.join(inside or folder, SOCKET)
        self._answer = answer
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._lines: set[socket.socket] = set()
        self._held = 0
        self._closed = False
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _bind(self._listener, folder)
            self._listener.listen(_MOST_LINES)
            self._listener.setblocking(False)
        except OSError as error:
            self._listener.close()
            raise PlaceError(f"There is no socket for a script's calls in {folder}: {error}") from error

    @property
    def line(self) -> dict[str, object]:
        """What the script needs to know."""
        return {"socket": self.path, "token": self.token}

    def fileno(self) -> int:
        """What can be waited for: that somebody wants to connect."""
        return self._listener.fileno()

    def accept(self) -> None:
        """Take a connection, if there is one."""
        with contextlib.suppress(OSError):  # gone before it was there
            line, _ = self._listener.accept()
            line.setblocking(True)
            self._begin(line)

    def close(self) -> None:
        """End all connections; who waits at one of them is told."""
        self._listener.close()
        with self._lock:
            self._closed = True
            for line in self._lines:
                with contextlib.suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def _begin(self, line: socket.socket) -> None:
        with self._lock:
            crowded = self._closed or len(self._lines) >= _MOST_LINES
            if not crowded:
                self._lines.add(line)
        if crowded:
            with line, contextlib.suppress(OSError):
                line.setblocking(False)
                _send(line, _words(f"There are {_MOST_LINES} connections already. Use fewer at once."))
            return
        serve = self._context.copy().run
        threading.Thread(target=serve, args=(self._serve, line), name="hermes-script-calls", daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        try:
            with line, contextlib.suppress(OSError):  # the other side went away: nobody is left to be told
                if self._is_ours(line):
                    while (request := self._received(line)) is not None:
                        _send(line, self._answer(request))
        finally:
            with self._lock:
                self._lines.discard(line)

    def _is_ours(self, line: socket.socket) -> bool:
        """Whether it is this user who speaks, and knows the token."""
        if hasattr(socket, "SO_PEERCRED"):
            _, user, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if user != os.geteuid():
                return False
        line.settimeout(_TOKEN_SECONDS)
        said = _frame(line, len(self.token))
        line.settimeout(None)
        return said is not None and hmac.compare_digest(said, self.token.encode())

    def _received(self, line: socket.socket) -> bytes | None:
        """The next request; None at the end, and for one that is too long."""
        # The whole of most requests comes at once, so that one look is enough.
        data = line.recv(1 << 16)
        size = int.from_bytes(data[:4], "big")
        if len(data) >= 4 and len(data) == 4 + size:
            return data[4:]
        while 0 < len(data) < 4:
            more = line.recv(4 - len(data))
            data = data + more if more else b""
            size = int.from_bytes(data[:4], "big")
        if not data:
            return None
        if size > MOST_BYTES or len(data) > 4 + size:
            return self._refused(line, f"A request may be {MOST_BYTES} bytes long, and the next waits for its answer.")
        return self._rest(line, bytearray(data[4:]), size)

    def _rest(self, line: socket.socket, held: bytearray, size: int) -> bytes | None:
        with self._lock:
            self._held += size
            crowded = self._held > _MOST_HELD
        try:
            if crowded:
                return self._refused(line, "Too many long requests at once. Send one after another.")
            while len(held) < size:
                more = line.recv(min(1 << 20, size - len(held)))
                if not more:
                    return None
                held += more
            return bytes(held)
        finally:
            with self._lock:
                self._held -= size

    @staticmethod
    def _refused(line: socket.socket, reason: str) -> None:
        _send(line, _words(reason))


def _bind(listener: socket.socket, folder: str) -> None:
    """Bind in a folder whose path may be too long for a socket's."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        way = f"/proc/self/fd/{handle}"
        listener.bind(os.path.join(way if os.path.isdir(way) else folder, SOCKET))
        os.chmod(os.path.join(folder, SOCKET), 0o600)
    finally:
        os.close(handle)


def _frame(line: socket.socket, most: int) -> bytes | None:
    """A short frame, read no further than its end."""
    head = _exactly(line, 4)
    size = int.from_bytes(head, "big")
    return _exactly(line, size) if len(head) == 4 and size <= most else None


def _exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = line.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def _send(line: socket.socket, data: bytes) -> None:
    line.sendall(len(data).to_bytes(4, "big") + data)


def _words(reason: str) -> bytes:
    return json.dumps({"error": reason}).encode()
