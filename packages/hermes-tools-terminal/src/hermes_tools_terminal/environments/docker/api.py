"""Run processes in containers over the HTTP API of the engine's socket, without its client."""

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
"""Time limit for starting a process, in seconds."""

END_SECONDS = 2.0
"""Time limit for reporting the exit code of a process: the caller waits for it."""

_LIMIT = 1_000_000
"""Size limit of an answer in bytes."""


class EngineApiError(Exception):
    """Raised when the engine refuses or answers unexpectedly: its client reports the cause better."""


class EngineApi:
    """The API of an engine on this machine, reached through its socket."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def to(cls, engine: Engine) -> EngineApi | None:
        """Return the API of an engine; None when only its client can reach it."""
        return cls(path) if (path := engine.socket) else None

    def prepare(self, container: str, argv: Sequence[str], env: Sequence[str]) -> str:
        """Create a process in a container, with variables as `NAME=value`, and return its id.

        Raises:
            EngineApiError: the engine refused.
            OSError: it does not answer.
        """
        attached = dict.fromkeys(("AttachStdin", "AttachStdout", "AttachStderr"), True)
        asked = {**attached, "Tty": False, "WorkingDir": "/", "Cmd": list(argv), "Env": list(env)}
        return str(self._ask("POST", f"/containers/{container}/exec", asked, ANSWER_SECONDS)["Id"])

    def attach(self, process: str) -> socket.socket:
        """Start a created process, and return the connection that is its input and, in frames, its output.

        Raises:
            EngineApiError: the engine refused.
            OSError: it does not answer.
        """
        line = self._connected(ANSWER_SECONDS)
        try:
            how = {"Detach": False, "Tty": False}
            upgrade = ("Connection: Upgrade", "Upgrade: tcp")
            line.sendall(_request("POST", f"/exec/{process}/start", how, *upgrade, version="1.1"))
            status = _status(line)
            if status not in (101, 200):  # older engines do not upgrade
                raise EngineApiError(f"it answered with {status}")
            line.setblocking(False)
        except BaseException:
            line.close()
            raise
        return line

    def ended(self, process: str) -> int | None:
        """Return the exit code of a process; None while it runs.

        Raises:
            EngineApiError: the engine refused.
            OSError: it does not answer.
        """
        answer = self._ask("GET", f"/exec/{process}/json", None, END_SECONDS)
        code = answer.get("ExitCode")
        return None if answer.get("Running") or not isinstance(code, int) else code

    def _ask(self, method: str, path: str, asked: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        with self._connected(seconds) as line:
            # With HTTP 1.0 the answer ends with the connection and is not chunked.
            line.sendall(_request(method, path, asked, version="1.0"))
            status, answer_text = _status(line), bytearray()
            while (part := line.recv(65_536)) and len(answer_text) < _LIMIT:
                answer_text += part
        try:
            answer = json.loads(answer_text)
        except ValueError as error:
            raise EngineApiError("it did not answer with JSON") from error
        if status not in (200, 201) or not isinstance(answer, dict):
            raise EngineApiError(f"it answered with {status}")
        return answer

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
    """Read the headers of an answer and return its status; byte by byte, because the output of the process follows."""
    answer_text = bytearray()
    while not answer_text.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        if not byte or len(answer_text) > _LIMIT:
            raise EngineApiError("it did not answer")
        answer_text += byte
    words = answer_text.split(maxsplit=2)
    if len(words) < 2 or not words[1].isdigit():
        raise EngineApiError("it did not answer with HTTP")
    return int(words[1])


KILLED, LOST = -9, 255
"""Exit codes of a process that was released, and of one whose end is unknown."""

_FORM = struct.Struct(">II")
_HEADER = _FORM.size
_KINDS = frozenset(kind << 24 for kind in (0, 1, 2))
"""Stream types of a frame: input, output and errors; the other bytes of the word are zero."""

_ASK_AGAIN_SECONDS = 0.01
"""An engine closes the connection shortly before it knows the exit code."""


class AttachedProcess:
    """A process in a container, presented as a child process with pipes."""

    def __init__(self, api: EngineApi, name: str, line: socket.socket) -> None:
        self.pid = 0  # no process of this machine represents it
        self.stdin: IO[bytes] | None = cast("IO[bytes]", ProcessInput(line))
        self.stdout: IO[bytes] | None = cast("IO[bytes]", ProcessOutput(line))
        self._api, self._name, self._line = api, name, line
        self._code: int | None = None
        self._hangs_up = select.poll()
        self._hangs_up.register(line, getattr(select, "POLLRDHUP", select.POLLHUP))

    @classmethod
    def start(cls, api: EngineApi, container: str, argv: Sequence[str], env: Sequence[str]) -> AttachedProcess:
        """Start a process in a container; see `EngineApi`."""
        name = api.prepare(container, argv, env)
        return cls(api, name, api.attach(name))

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        if self._code is None and (self._line.fileno() < 0 or self._hangs_up.poll(0)):
            self._code = self._ask_exit_code()
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end."""
        if self.poll() is None and not self._hangs_up.poll(None if timeout is None else max(0.0, timeout) * 1000):
            raise subprocess.TimeoutExpired(self._name, timeout or 0.0)
        code = self.poll()
        return LOST if code is None else code

    def kill(self) -> None:
        """Release the connection at once."""
        if self._code is None:
            self._code = KILLED
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def _ask_exit_code(self) -> int:
        """Ask the engine for the exit code."""
        deadline = time.monotonic() + END_SECONDS
        try:
            while (code := self._api.ended(self._name)) is None and time.monotonic() < deadline:
                time.sleep(_ASK_AGAIN_SECONDS)
        except (OSError, EngineApiError):
            return LOST
        return LOST if code is None else code


class ProcessInput(io.RawIOBase):
    """The input of a process: one direction of its connection."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def fileno(self) -> int:
        """Return the descriptor, which can be written to and polled."""
        return self._line.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Write; return how much was taken, None when it would block."""
        try:
            return self._line.send(data)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Signal the end of input."""
        if not self.closed:
            with contextlib.suppress(OSError):  # the process or the connection is gone
                self._line.shutdown(socket.SHUT_WR)
        super().close()


class ProcessOutput(io.RawIOBase):
    """The output of a process, errors included, unpacked from the engine's frames.

    A frame is a stream type, three zero bytes, a size, and that many bytes. Nothing is buffered, so polling `fileno()`
    never misses data.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._header = b""
        self._left = 0

    def fileno(self) -> int:
        """Return the descriptor, which can be polled but not read from."""
        return self._line.fileno()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        """Read what is available, and return its size: None when it would block, 0 at the end.

        Raises:
            OSError: the data is not framed, or the connection is lost.
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
        """Close the connection."""
        if not self.closed:
            self._line.close()
        super().close()

    def _unpacked(self, view: memoryview, size: int) -> int:
        """Move the contents of frames to the start of a buffer, and return their size."""
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
