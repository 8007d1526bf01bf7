"""The engine's own socket: what its client would say there, said without the client."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from hermes_tools_terminal.environments.docker.engine import Engine

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

ANSWER_SECONDS = 30.0
"""How long the engine may take to start a process."""

END_SECONDS = 2.0
"""How long it may take to tell how one has ended: whoever asks waits for that."""

_MOST = 1_000_000
"""Bytes of an answer; more is none that was asked for."""


class EngineApiError(Exception):
    """Raised when the engine refuses, or says something that nobody understands: its client finds better words."""


class EngineApi:
    """A way to an engine on this machine.

    Args:
        path: Its socket.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def to(cls, engine: Engine) -> EngineApi | None:
        """The way to an engine; None when only its client knows one."""
        return cls(path) if (path := engine.socket) else None

    def prepare(self, container: str, argv: Sequence[str], env: Sequence[str]) -> str:
        """Have a process prepared in a container; what the engine calls it.

        Args:
            container: The container's name.
            argv: The program and its arguments.
            env: Its variables, as `NAME=value`.

        Raises:
            EngineApiError: the engine refuses.
            OSError: it does not answer.
        """
        attached = dict.fromkeys(("AttachStdin", "AttachStdout", "AttachStderr"), True)
        asked = {**attached, "Tty": False, "WorkingDir": "/", "Cmd": list(argv), "Env": list(env)}
        return str(self._ask("POST", f"/containers/{container}/exec", asked, ANSWER_SECONDS)["Id"])

    def attach(self, process: str) -> socket.socket:
        """Start a process that was prepared; a connection that is its input and, in frames, its output.

        Raises:
            EngineApiError: the engine refuses.
            OSError: it does not answer.
        """
        line = self._connected(ANSWER_SECONDS)
        try:
            how = {"Detach": False, "Tty": False}
            upgrade = ("Connection: Upgrade", "Upgrade: tcp")
            line.sendall(_request("POST", f"/exec/{process}/start", how, *upgrade, version="1.1"))
            status = _status(line)
            if status not in (101, 200):  # older ones just go on
                raise EngineApiError(f"it answers with {status}")
            line.setblocking(False)
        except BaseException:
            line.close()
            raise
        return line

    def ended(self, process: str) -> int | None:
        """The exit code of a process; None while it runs.

        Raises:
            EngineApiError: the engine refuses.
            OSError: it does not answer.
        """
        told = self._ask("GET", f"/exec/{process}/json", None, END_SECONDS)
        code = told.get("ExitCode")
        return None if told.get("Running") or not isinstance(code, int) else code

    def _ask(self, method: str, path: str, asked: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        with self._connected(seconds) as line:
            # In the older way of asking, an answer ends with the connection and comes in one piece.
            line.sendall(_request(method, path, asked, version="1.0"))
            status, said = _status(line), bytearray()
            while (part := line.recv(65_536)) and len(said) < _MOST:
                said += part
        try:
            told = json.loads(said)
        except ValueError as error:
            raise EngineApiError("it answers with something else") from error
        if status not in (200, 201) or not isinstance(told, dict):
            raise EngineApiError(f"it answers with {status}")
        return told

    def _connected(self, seconds: float) -> socket.socket:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(seconds)
            line.connect(self.path)
        except BaseException:
            line.close()
            raise
        return line


def _request(method: str, path: str, asked: dict[str, Any] | None, *headers: str, version: str) -> bytes:
    body = b"" if asked is None else json.dumps(asked).encode()
    lines = [f"{method} {path} HTTP/{version}", "Host: engine", *headers]
    if asked is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _status(line: socket.socket) -> int:
    """The number of an answer whose headers are over; byte by byte, since what follows belongs to the process."""
    said = bytearray()
    while not said.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        if not byte or len(said) > _MOST:
            raise EngineApiError("it does not answer")
        said += byte
    words = said.split(maxsplit=2)
    if len(words) < 2 or not words[1].isdigit():
        raise EngineApiError("it answers with something else")
    return int(words[1])


KILLED, LOST = -9, 255
"""How a process ended that was let go of, and one whose end nobody can tell."""

_FORM = struct.Struct(">II")
_HEADER = _FORM.size
_KINDS = frozenset(kind << 24 for kind in (0, 1, 2))
"""Input, output and errors; the other bytes of the word are zeros."""

_ASK_AGAIN_SECONDS = 0.01
"""An engine closes a connection shortly before it knows how the process ended."""


class AttachedProcess:
    """One process.

    Args:
        wire: The way to the engine.
        name: What the engine calls the process.
        line: The connection that is its input and output.
    """

    def __init__(self, wire: EngineApi, name: str, line: socket.socket) -> None:
        self.pid = 0  # no process of this machine speaks for it
        self.stdin: IO[bytes] | None = cast("IO[bytes]", ProcessInput(line))
        self.stdout: IO[bytes] | None = cast("IO[bytes]", ProcessOutput(line))
        self._wire, self._name, self._line = wire, name, line
        self._code: int | None = None
        self._hangs_up = select.poll()
        self._hangs_up.register(line, getattr(select, "POLLRDHUP", select.POLLHUP))

    @classmethod
    def start(cls, wire: EngineApi, container: str, argv: Sequence[str], env: Sequence[str]) -> AttachedProcess:
        """Start a process in a container; see `Wire`."""
        name = wire.prepare(container, argv, env)
        return cls(wire, name, wire.attach(name))

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        if self._code is None and (self._line.fileno() < 0 or self._hangs_up.poll(0)):
            self._code = self._told()
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends."""
        if self.poll() is None and not self._hangs_up.poll(None if timeout is None else max(0.0, timeout) * 1000):
            raise subprocess.TimeoutExpired(self._name, timeout or 0.0)
        code = self.poll()
        return LOST if code is None else code

    def kill(self) -> None:
        """Let go of it at once."""
        if self._code is None:
            self._code = KILLED
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def _told(self) -> int:
        """How it ended, by the engine."""
        deadline = time.monotonic() + END_SECONDS
        try:
            while (code := self._wire.ended(self._name)) is None and time.monotonic() < deadline:
                time.sleep(_ASK_AGAIN_SECONDS)
        except (OSError, EngineApiError):
            return LOST
        return LOST if code is None else code


class ProcessInput(io.RawIOBase):
    """The input of a process: one direction of its connection.

    Args:
        line: The connection.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def fileno(self) -> int:
        """Can be written to and waited for."""
        return self._line.fileno()

    def writable(self) -> bool:
        """That it is for."""
        return True

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Say something; how much was taken, None for nothing yet."""
        try:
            return self._line.send(data)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Tell that nothing more comes."""
        if not self.closed:
            with contextlib.suppress(OSError):  # the process is gone, or all of the connection
                self._line.shutdown(socket.SHUT_WR)
        super().close()


class ProcessOutput(io.RawIOBase):
    """The output of a process, errors included: what is in the frames that the engine puts around it.

    A frame is a kind, three zeros, a size, and that many bytes. What was read is never kept, so whoever waits for
    `fileno()` misses nothing.

    Args:
        line: The connection.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._header = b""
        self._left = 0

    def fileno(self) -> int:
        """Can be waited for, but not read from."""
        return self._line.fileno()

    def readable(self) -> bool:
        """That it is for."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        """Read what is there, and how much that is: None for nothing yet, 0 at the end.

        Raises:
            OSError: what comes are no frames, or the connection is lost.
        """
        with memoryview(buffer) as view:
            while True:
                try:
                    size = self._line.recv_into(view)
                except BlockingIOError:
                    return None
                if not size:
                    return 0
                if kept := self._unpacked(view, size):
                    return kept

    def close(self) -> None:
        """Let go of the connection."""
        if not self.closed:
            self._line.close()
        super().close()

    def _unpacked(self, view: memoryview, size: int) -> int:
        """Move what frames hold to the beginning of a buffer; how much that is."""
        at = kept = 0
        if size > _HEADER and not self._left and not self._header:
            kept = _size_in(view[:_HEADER])
            if kept == size - _HEADER:  # one frame, as most answers are
                view[:kept] = view[_HEADER:size]
                return kept
            kept = 0
        while at < size:
            if not self._left:
                lacking = _HEADER - len(self._header)
                self._header += bytes(view[at : min(size, at + lacking)])
                at += lacking
                if len(self._header) == _HEADER:
                    self._left, self._header = _size_in(self._header), b""
                continue
            end = min(size, at + self._left)
            view[kept : kept + end - at] = view[at:end]
            self._left -= end - at
            kept += end - at
            at = end
        return kept


def _size_in(header: bytes | memoryview) -> int:
    kind, size = _FORM.unpack(header)
    if kind not in _KINDS:
        raise OSError(errno.EPROTO, os.strerror(errno.EPROTO))
    return int(size)
