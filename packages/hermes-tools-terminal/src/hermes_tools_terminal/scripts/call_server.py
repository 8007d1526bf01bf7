"""A Unix socket server for the tool calls of one script. Only this user can connect, and a token is required."""

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

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.scripts.directory import SOCKET
from hermes_tools_terminal.scripts.tool_calls import CallHandler

MAX_BYTES = 16 << 20
"""Size limit of a request."""

_LONG, _MAX_LONG = 1 << 20, 4
"""The size from which a request counts as long, and how many long requests are read at once, to limit memory."""

_LONG_SECONDS = 10.0
"""How long a long request waits for its turn."""

_BODY_SECONDS = 60.0
"""How long a request may take to arrive, so that an incomplete one does not block others."""

_MAX_CONNECTIONS = 64
_TOKEN_SECONDS = 10.0
"""How long a new connection may take to send the token."""


class CallServer:
    """Listens in a directory, and answers in a thread for each connection.

    Args:
        answer: Answers requests; called from many threads.
        folder: A directory that only this user can access.
        inside: The path of that directory inside the environment.

    Raises:
        TerminalEnvironmentError: the socket cannot be created.
    """

    def __init__(self, answer: CallHandler, folder: str, inside: str | None = None) -> None:
        self.token = secrets.token_hex(32)
        self.path = os.path.join(inside or folder, SOCKET)
        self._answer = answer
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._long = threading.BoundedSemaphore(_MAX_LONG)
        self._closed = False
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _bind(self._listener, folder)
            self._listener.listen(_MAX_CONNECTIONS)
            self._listener.setblocking(False)
        except OSError as error:
            self._listener.close()
            raise TerminalEnvironmentError(f"There is no socket for a script's calls in {folder}: {error}") from error

    @property
    def address(self) -> dict[str, object]:
        """Return what the script needs to connect."""
        return {"socket": self.path, "token": self.token}

    def fileno(self) -> int:
        """Return the descriptor, which is readable when a connection waits."""
        return self._listener.fileno()

    def accept(self) -> None:
        """Accept a connection, if there is one."""
        with contextlib.suppress(OSError):  # it was closed meanwhile
            connection, _ = self._listener.accept()
            connection.setblocking(True)
            self._begin(connection)

    def close(self) -> None:
        """Close all connections, which wakes their clients."""
        self._listener.close()
        with self._lock:
            self._closed = True
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _begin(self, connection: socket.socket) -> None:
        with self._lock:
            is_full = self._closed or len(self._connections) >= _MAX_CONNECTIONS
            if not is_full:
                self._connections.add(connection)
        if is_full:
            with connection, contextlib.suppress(OSError):
                connection.setblocking(False)
                _send(connection, _error(f"There are {_MAX_CONNECTIONS} connections already. Use fewer at once."))
            return
        serve = self._context.copy().run
        threading.Thread(target=serve, args=(self._serve, connection), name="hermes-script-calls", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):  # the client is gone
                if self._is_authorized(connection):
                    while self._exchange(connection):
                        pass
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _is_authorized(self, connection: socket.socket) -> bool:
        """Return whether the client runs as this user and knows the token."""
        if hasattr(socket, "SO_PEERCRED"):
            _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if user != os.geteuid():
                return False
        connection.settimeout(_TOKEN_SECONDS)
        token = _read_frame(connection, len(self.token))
        connection.settimeout(None)
        return token is not None and hmac.compare_digest(token, self.token.encode())

    def _exchange(self, connection: socket.socket) -> bool:
        """Read and answer a request; return False at the end, and after a refused one."""
        # Most requests arrive at once, so one read is enough.
        data = connection.recv(1 << 16)
        while 0 < len(data) < 4:
            more = connection.recv(4 - len(data))
            data = data + more if more else b""
        if not data:
            return False
        size, data = int.from_bytes(data[:4], "big"), data[4:]
        if size > MAX_BYTES or len(data) > size:
            return _refused(
                connection, f"A request has at most {MAX_BYTES} bytes and must wait for the previous answer."
            )
        if size <= _LONG:
            return self._answered(connection, data, size)
        if not self._long.acquire(timeout=_LONG_SECONDS):
            return _refused(connection, "Too many long requests at once. Send them one after another.")
        try:
            return self._answered(connection, data, size)
        finally:
            self._long.release()

    def _answered(self, connection: socket.socket, data: bytes, size: int) -> bool:
        """Read the rest of a request and answer it; return whether it was complete."""
        if len(data) < size:
            connection.settimeout(_BODY_SECONDS if size > _LONG else None)
            held = bytearray(data)
            while len(held) < size:
                more = connection.recv(min(1 << 20, size - len(held)))
                if not more:
                    return False
                held += more
            connection.settimeout(None)
            data = bytes(held)
        _send(connection, self._answer(data))
        return True


def _bind(listener: socket.socket, folder: str) -> None:
    """Bind in a directory whose path may be too long for a socket, and which may have been replaced by a link."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        way = f"/proc/self/fd/{handle}"
        if os.path.isdir(way):
            os.fchmod(listener.fileno(), 0o600)  # the socket file inherits the mode
            listener.bind(os.path.join(way, SOCKET))
        else:
            listener.bind(os.path.join(folder, SOCKET))
            os.chmod(os.path.join(folder, SOCKET), 0o600)
    finally:
        os.close(handle)


def _read_frame(connection: socket.socket, limit: int) -> bytes | None:
    """Read a short frame, and not beyond its end."""
    head = _read_exactly(connection, 4)
    size = int.from_bytes(head, "big")
    return _read_exactly(connection, size) if len(head) == 4 and size <= limit else None


def _read_exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def _send(connection: socket.socket, data: bytes) -> None:
    connection.sendall(len(data).to_bytes(4, "big") + data)


def _refused(connection: socket.socket, reason: str) -> bool:
    _send(connection, _error(reason))
    return False


def _error(reason: str) -> bytes:
    return json.dumps({"error": reason}).encode()
