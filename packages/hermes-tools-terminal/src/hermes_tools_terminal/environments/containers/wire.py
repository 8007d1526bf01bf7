"""The engine's own socket: what its client would say there, said without the client."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import Any

from hermes_tools_terminal.environments.containers.engine import Engine

ANSWER_SECONDS = 30.0
"""How long the engine may take to start a process."""

END_SECONDS = 2.0
"""How long it may take to tell how one has ended: whoever asks waits for that."""

_MOST = 1_000_000
"""Bytes of an answer; more is none that was asked for."""


class WireError(Exception):
    """Raised when the engine refuses, or says something that nobody understands: its client finds better words."""


class Wire:
    """A way to an engine on this machine.

    Args:
        path: Its socket.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def to(cls, engine: Engine) -> Wire | None:
        """The way to an engine; None when only its client knows one."""
        return cls(path) if (path := engine.socket) else None

    def prepare(self, container: str, argv: Sequence[str], env: Sequence[str]) -> str:
        """Have a process prepared in a container; what the engine calls it.

        Args:
            container: The container's name.
            argv: The program and its arguments.
            env: Its variables, as `NAME=value`.

        Raises:
            WireError: the engine refuses.
            OSError: it does not answer.
        """
        attached = dict.fromkeys(("AttachStdin", "AttachStdout", "AttachStderr"), True)
        asked = {**attached, "Tty": False, "WorkingDir": "/", "Cmd": list(argv), "Env": list(env)}
        return str(self._ask("POST", f"/containers/{container}/exec", asked, ANSWER_SECONDS)["Id"])

    def attach(self, process: str) -> socket.socket:
        """Start a process that was prepared; a connection that is its input and, in frames, its output.

        Raises:
            WireError: the engine refuses.
            OSError: it does not answer.
        """
        line = self._connected(ANSWER_SECONDS)
        try:
            how = {"Detach": False, "Tty": False}
            upgrade = ("Connection: Upgrade", "Upgrade: tcp")
            line.sendall(_request("POST", f"/exec/{process}/start", how, *upgrade, version="1.1"))
            status = _status(line)
            if status not in (101, 200):  # older ones just go on
                raise WireError(f"it answers with {status}")
            line.setblocking(False)
        except BaseException:
            line.close()
            raise
        return line

    def ended(self, process: str) -> int | None:
        """The exit code of a process; None while it runs.

        Raises:
            WireError: the engine refuses.
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
            raise WireError("it answers with something else") from error
        if status not in (200, 201) or not isinstance(told, dict):
            raise WireError(f"it answers with {status}")
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
            raise WireError("it does not answer")
        said += byte
    words = said.split(maxsplit=2)
    if len(words) < 2 or not words[1].isdigit():
        raise WireError("it answers with something else")
    return int(words[1])
