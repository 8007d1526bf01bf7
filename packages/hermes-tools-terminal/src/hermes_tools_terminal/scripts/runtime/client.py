"""The script's side of the connection to the tools: one request at a time per connection, one connection per thread."""

from __future__ import annotations

import itertools
import json
import os
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")

MAX_BYTES = 16 << 20
"""Size limit of a request."""

MAX_AT_ONCE = 32
"""How many threads call tools at once; others wait."""

_GONE = "The connection to the tools is closed: the host has ended this script, or is gone."


class SocketChannel:
    """Socket connections to the host, which are reused.

    Args:
        path: The host's socket.
        token: Authenticates the script.
    """

    def __init__(self, path: str, token: str) -> None:
        self._path = path
        self._token = token.encode()
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Drop the connections after a fork, because parent and child would use the same ones."""
        self._idle: list[socket] = []
        self._slots = threading.BoundedSemaphore(MAX_AT_ONCE)

    def ask(self, data: bytes) -> bytes:
        """Return the answer to a request.

        Raises:
            ConnectionError: the host is gone.
        """
        frame = len(data).to_bytes(4, "big") + data
        with self._slots:
            line = self._sent(frame)
            try:
                answer = _received(line)
            except OSError as error:
                _close(line)
                raise ConnectionError(_GONE) from error
            except BaseException:
                _close(line)
                raise
            self._idle.append(line)
            return answer

    def _sent(self, frame: bytes) -> socket:
        """Send the request on an idle connection, or on a new one."""
        while self._idle:
            line = self._idle.pop()
            try:
                line.sendall(frame)
                return line
            except OSError:
                _close(line)
        return self._opened(frame)

    def _opened(self, frame: bytes) -> socket:
        from _socket import AF_UNIX, SOCK_STREAM, socket

        line = socket(AF_UNIX, SOCK_STREAM)
        try:
            line.connect(self._path)
            line.sendall(len(self._token).to_bytes(4, "big") + self._token + frame)
        except OSError as error:
            _close(line)
            raise ConnectionError(_GONE) from error
        return line


def _close(line: socket) -> None:
    try:
        line.close()
    except OSError:
        pass  # the script has closed its descriptor


def _received(line: socket) -> bytes:
    data = line.recv(1 << 16)
    if len(data) >= 4 and len(data) == 4 + int.from_bytes(data[:4], "big"):
        return data[4:]
    held = bytearray(data)
    while len(held) < 4 or len(held) < 4 + int.from_bytes(held[:4], "big"):
        data = line.recv(1 << 20)
        if not data:
            raise ConnectionError(_GONE)
        held += data
    return bytes(held[4:])


class FileChannel:
    """Requests and answers as files in a shared directory, for environments without sockets.

    Args:
        folder: The private directory.
        seconds: How long to wait for an answer.
    """

    def __init__(self, folder: str, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._count = itertools.count(1)
        self._family = os.getpid(), os.getppid()

    def ask(self, data: bytes) -> bytes:
        """Return the answer to a request.

        Raises:
            ConnectionError: the directory is gone, or there is no answer.
        """
        name = f"{os.getpid()}_{next(self._count):06d}"
        asked, answered = os.path.join(self._folder, "req_" + name), os.path.join(self._folder, "res_" + name)
        deadline = time.monotonic() + self._seconds
        try:
            with open(asked + ".new", "wb") as file:
                file.write(data)
            os.rename(asked + ".new", asked)
            nap = 0.001
            while not os.path.exists(answered):
                if time.monotonic() > deadline or not os.path.isdir(self._folder) or self._is_orphan():
                    raise ConnectionError(_GONE)
                time.sleep(nap)
                nap = min(0.05, nap * 1.2)
            with open(answered, "rb") as file:
                answer = file.read()
            os.unlink(answered)
        except FileNotFoundError as error:
            raise ConnectionError(_GONE) from error
        return answer

    def _is_orphan(self) -> bool:
        """Return whether the process that transfers the files is gone."""
        return os.getpid() == self._family[0] and os.getppid() != self._family[1]


class Tools:
    """The source and the helpers of the module `hermes_tools`.

    Args:
        line: The connection.

    Attributes:
        source: The source of the module.
        helpers: Functions that every script has.
    """

    def __init__(self, line: SocketChannel | FileChannel) -> None:
        self._line = line
        self.source: str = self._request({"want": "module"})["source"]
        self.helpers = {"json_parse": json_parse, "retry": retry, "shell_quote": shell_quote}

    def call(self, name: str, args: dict[str, Any]) -> Any:
        """Call a tool."""
        return self._request({"tool": name, "args": args})

    def _request(self, request: dict[str, Any]) -> Any:
        data = json.dumps(request, default=_plain).encode()
        if len(data) > MAX_BYTES:
            most = f"the limit is {MAX_BYTES}"
            return {"error": f"The arguments are {len(data)} bytes long, and {most}. Send less at once."}
        return json.loads(self._line.ask(data))

    def tool(self, name: str, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that turns a declaration into a function that calls a tool.

        Args:
            name: The tool.
            names: The tool's names of the function's parameters, in order.
        """

        def made(declared: Callable[..., Any]) -> Callable[..., Any]:
            ours = declared.__code__.co_varnames[: declared.__code__.co_argcount]
            theirs = {mine: real for mine, real in zip(ours, names) if mine != real}  # noqa: B905 - from 3.10 on

            def call(*given: Any, **named: Any) -> Any:
                if len(given) > len(names):
                    raise TypeError(f"{name}() takes at most {len(names)} arguments, not {len(given)}")
                args = dict(zip(names, given))  # noqa: B905 - as above
                for mine, value in named.items():
                    key = theirs.get(mine, mine)
                    if key in args:
                        raise TypeError(f"{name}() got two values for {key!r}")
                    args[key] = value
                return self.call(name, args)

            for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
                setattr(call, attribute, getattr(declared, attribute))
            call.__wrapped__ = declared  # type: ignore[attr-defined]
            return call

        return made


def _plain(value: object) -> object:
    """Convert values that JSON lacks: a path becomes text."""
    if hasattr(value, "__fspath__"):
        return os.fsdecode(os.fspath(value))
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a tool cannot be given {type(value).__name__}: send text, numbers, lists and dicts")


def open_channel(given: dict[str, Any]) -> Tools:
    """Return the tools behind a connection.

    Args:
        given: `socket` and `token`, or `folder` and `seconds`.
    """
    if "socket" in given:
        return Tools(SocketChannel(given["socket"], given["token"]))
    return Tools(FileChannel(given["folder"], given["seconds"]))


def json_parse(text: str) -> Any:
    """Parse JSON, even with control characters in its strings."""
    return json.loads(text, strict=False)


def shell_quote(text: str) -> str:
    """Quote a text for a shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def retry(function: Callable[[], Answer], max_attempts: int = 3, delay: float = 2) -> Answer:
    """Call a function until it raises nothing, with a doubling pause; the last error is raised.

    Args:
        function: The function.
        max_attempts: The number of attempts.
        delay: Seconds to wait after the first failure.
    """
    for attempt in range(1, max_attempts):
        try:
            return function()
        except Exception:
            time.sleep(delay * 2 ** (attempt - 1))
    return function()
