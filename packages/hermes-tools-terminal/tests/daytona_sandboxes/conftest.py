"""A server on loopback that speaks Daytona's wire format and runs what it is asked to run in local processes."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from pydantic import TypeAdapter

pytest.importorskip("daytona", reason="the Daytona SDK is missing: pip install daytona")

from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage

from hermes_tools_terminal.environments.base import StartedProcess
from hermes_tools_terminal.environments.cloud import daytona
from hermes_tools_terminal.environments.cloud.daytona import DaytonaEnvironment
from hermes_tools_terminal.environments.local import spawn
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.shell import Shell

KEY = "a key of the tests"
_ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of the protocol itself


class DaytonaServer:
    """Daytona's API and the toolbox of its sandboxes.

    Attributes:
        sandboxes: What the API knows, by id, in its own words.
        created: The bodies of requests for new sandboxes.
        asked: Method and path of every request.
        terminals: The processes that have a terminal, by the terminal's name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sandboxes: dict[str, dict[str, Any]] = {}
        self.created: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.terminals: dict[str, StartedProcess] = {}
        self.sockets: set[socket.socket] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def stop(self) -> None:
        """End it, with everything that runs in its sandboxes."""
        for started in list(self.terminals.values()):
            end(started)
        for each in list(self.sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def home(self, id: str) -> Path:
        """The folder that stands for a sandbox's disk."""
        return self.folder / id

    def variables(self, id: str) -> dict[str, str]:
        """What processes in a sandbox get."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home(id)), "SANDBOX": id}

    def stopped(self, id: str) -> None:
        """A sandbox was stopped, by itself or by somebody: nothing runs in it any more."""
        for name, started in list(self.terminals.items()):
            if name.startswith(id):
                end(started)

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        self.created.append(body)
        id = str(uuid.uuid4())
        self.home(id).mkdir(parents=True)
        known = {"labels": body["labels"], "env": body["env"], "cpu": body.get("cpu", 1), "state": "creating"}
        sizes = {"memory": body.get("memory", 1), "disk": body.get("disk", 3), "gpu": 0}
        flags = {"public": False, "networkBlockAll": False, "kvm": False}
        names = {"organizationId": "o", "name": id, "user": "daytona", "target": "us"}
        self.sandboxes[id] = {"id": id, **names, **known, **sizes, **flags, "toolboxProxyUrl": f"{self.url}/toolbox"}
        return self.sandboxes[id]

    def api(self, method: str, words: list[str], query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        """What the API answers."""
        if words == ["sandbox"]:
            if method == "POST":
                return 200, self.create(body)
            wanted = json.loads(query["labels"][0])
            found = [each for each in self.sandboxes.values() if wanted.items() <= each["labels"].items()]
            return 200, {"items": found, "nextCursor": None}
        sandbox = self.sandboxes.get(words[1]) if words[:1] == ["sandbox"] else None
        if sandbox is None:
            return 404, {"message": "not found", "statusCode": 404}
        answered = dict(sandbox)
        # What was asked for takes a while: the answer tells of the beginning, the next question of the end.
        if method == "GET":
            sandbox["state"] = {"creating": "started", "starting": "started", "stopping": "stopped"}.get(
                sandbox["state"], sandbox["state"]
            )
            answered = dict(sandbox)
        elif method == "DELETE":
            self.stopped(words[1])
            del self.sandboxes[words[1]]
            shutil.rmtree(self.home(words[1]), ignore_errors=True)
            answered["state"] = "destroyed"
        elif words[2] == "labels":
            sandbox["labels"] = body["labels"]
            return 200, body
        elif words[2] in ("start", "stop"):
            if words[2] == "stop":
                self.stopped(words[1])
            sandbox["state"] = answered["state"] = {"start": "starting", "stop": "stopping"}[words[2]]
        return 200, answered

    def execute(self, id: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Run a command to its end."""
        try:
            done = subprocess.run(
                ["sh", "-c", body["command"]],
                cwd=body.get("cwd") or self.home(id),
                env=self.variables(id),
                timeout=body.get("timeout") or 10,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 408, {"message": "command execution timeout", "statusCode": 408}
        return 200, {"exitCode": done.returncode, "result": done.stdout.decode(errors="replace")}


def end(started: StartedProcess) -> None:
    """End a process with all of its session."""
    subprocess.run(["pkill", "-KILL", "-s", str(started.group)], check=False)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.group, signal.SIGKILL)


def _handler(server: DaytonaServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            url = urlsplit(self.path)
            server.asked.append(f"{self.command} {url.path}")
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            words = url.path.strip("/").split("/")
            if self.headers.get("Authorization") != f"Bearer {KEY}":
                self._send(401, {"message": "Unauthorized", "statusCode": 401})
            elif words[0] == "api":
                self._send(*server.api(self.command, words[1:], parse_qs(url.query), _json(data)))
            elif words[0] == "toolbox" and server.sandboxes.get(words[1], {}).get("state") == "started":
                self._toolbox(words[1], words[2:], parse_qs(url.query), data)
            else:
                self._send(404, {"message": "not found", "statusCode": 404})

        def _toolbox(self, id: str, words: list[str], query: dict[str, list[str]], data: bytes) -> None:
            match words:
                case ["process", "execute"]:
                    self._send(*server.execute(id, _json(data)))
                case ["process", "pty", "create-connect"]:
                    self._terminal(id, query["id"][0])
                case ["process", "pty", name]:
                    if (started := server.terminals.get(f"{id}/{name}")) is not None:
                        started.child.kill()
                    self._send(200, {"message": "deleted"})
                case ["work-dir"]:
                    self._send(200, {"dir": str(server.home(id))})
                case _:
                    self._send(404, {"message": "not found", "statusCode": 404})

        def _terminal(self, id: str, name: str) -> None:
            """A terminal by WebSocket, as the sandbox's daemon gives it."""
            key = self.headers["Sec-WebSocket-Key"] + _ACCEPT
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            offered = self.headers.get("Sec-WebSocket-Protocol", "").split(",")[0]
            lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
            lines += [f"Sec-WebSocket-Accept: {accept}", f"Sec-WebSocket-Protocol: {offered}", "", ""]
            self.connection.sendall("\r\n".join(lines).encode())
            self.close_connection = True
            argv = ["bash", "--noprofile", "--norc", "-i"]
            started = spawn(argv, cwd=str(server.home(id)), env=server.variables(id), pty=True)
            server.terminals[f"{id}/{name}"] = started
            server.sockets.add(self.connection)
            try:
                _Terminal(self.connection, started).serve()
            finally:
                server.sockets.discard(self.connection)

        def _send(self, status: int, body: Any) -> None:
            self._send_bytes(status, json.dumps(body).encode(), "application/json")

        def _send_bytes(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


class _Terminal:
    """One terminal and its connection."""

    def __init__(self, connection: socket.socket, started: StartedProcess) -> None:
        self._socket = connection
        self._child = started.child
        self._frames = Connection(ConnectionType.SERVER)
        self._lock = threading.Lock()

    def serve(self) -> None:
        self._send(TextMessage(json.dumps({"type": "control", "status": "connected"})))
        printing = threading.Thread(target=self._print)
        printing.start()
        try:
            while self._frames.state is ConnectionState.OPEN and (data := self._socket.recv(65536)):
                self._frames.receive_data(data)
                for event in self._frames.events():
                    self._hear(event)
        except OSError:
            pass
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.kill()
        printing.join()

    def _hear(self, event: Any) -> None:
        if isinstance(event, BytesMessage | TextMessage):
            data = event.data if isinstance(event.data, bytes | bytearray) else event.data.encode()
            assert self._child.stdin is not None
            view = memoryview(bytes(data))
            with contextlib.suppress(OSError):
                while view:
                    view = view[os.write(self._child.stdin.fileno(), view) :]
        elif isinstance(event, Ping | CloseConnection) and self._frames.state is not ConnectionState.CLOSED:
            self._send(event.response())

    def _print(self) -> None:
        assert self._child.stdout is not None
        with contextlib.suppress(OSError):  # what a terminal says when nobody has it any more
            while data := os.read(self._child.stdout.fileno(), 65536):
                self._send(BytesMessage(data))
        code = self._child.wait(10)
        self._child.stdout.close()
        told = {"exitCode": code if code >= 0 else 128 - code}
        self._send(TextMessage(json.dumps({"type": "control", "status": "exited", **told})))
        self._send(CloseConnection(1000, json.dumps(told)))

    def _send(self, event: Any) -> None:
        with self._lock, contextlib.suppress(OSError, Exception):
            self._socket.sendall(self._frames.send(event))


def _json(data: bytes) -> Any:
    return json.loads(data) if data else None


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DaytonaServer]:
    """The server, and the credentials for it."""
    for name in tuple(os.environ):
        if name.startswith("DAYTONA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAYTONA_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    served = DaytonaServer(tmp_path / "sandboxes")
    yield served
    served.stop()


@pytest.fixture
def settings(server: DaytonaServer) -> Callable[..., TerminalSettings]:
    """Makes the section `terminal`; what is given is for Daytona, but for `terminal`."""

    def make(*, terminal: dict[str, Any] | None = None, **given: Any) -> TerminalSettings:
        section = {"api_url": f"{server.url}/api", **given}
        return TypeAdapter(TerminalSettings).validate_python({"env": "daytona", **(terminal or {}), "daytona": section})

    return make


@pytest.fixture
def opened(settings: Callable[..., TerminalSettings], home: Path) -> Iterator[Callable[..., DaytonaEnvironment]]:
    """Makes and opens environments, and closes them when the test is over."""
    made: list[DaytonaEnvironment] = []

    def make(task: str = "a task", **given: Any) -> DaytonaEnvironment:
        place = daytona.make(settings(**given), task=task, home=str(home))
        made.append(place)
        place.open()
        return place

    yield make
    for place in made:
        place.close()


@pytest.fixture
def outcomes() -> Callable[..., list[Any]]:
    """Runs commands one after another in one shell, and tells how they ended."""

    def run(place: DaytonaEnvironment, *commands: str, timeout: float = 20, **more: Any) -> list[Any]:
        async def in_shell() -> list[Any]:
            shell = Shell(place)
            try:
                return [await shell.run(command, timeout=timeout, **more) for command in commands]
            finally:
                await anyio.to_thread.run_sync(shell.close)

        return anyio.run(in_shell)

    return run
