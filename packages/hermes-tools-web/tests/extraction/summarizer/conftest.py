"""A server on this machine whose model says what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = Callable[[dict[str, Any]], tuple[int, object]]


class ChatServer(ThreadingHTTPServer):
    """Answers each chat with what `reply` makes of it: a status, and JSON.

    Attributes:
        requests: The bodies that came.
        leave: Set when the test is over; a reply that hangs waits for it.
        url: Where it is.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self.requests: list[dict[str, Any]] = []
        self.leave = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        status, answer = self.server.reply(body)
        data = json.dumps(answer).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True  # whoever asked has left, which some tests are about

    def log_message(self, *args: object) -> None:
        """Tests speak for themselves."""


@pytest.fixture
def chat_server() -> Iterator[Callable[[Reply], ChatServer]]:
    """Starts servers, and stops them when the test is over."""
    started: list[tuple[ChatServer, threading.Thread]] = []

    def start(reply: Reply) -> ChatServer:
        server = ChatServer(reply)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        started.append((server, thread))
        return server

    yield start
    for server, thread in started:
        server.leave.set()
        server.shutdown()
        thread.join(20)
        server.server_close()


@pytest.fixture
def says() -> Callable[..., tuple[int, object]]:
    """Makes the answer of a server whose model says something."""

    def make(text: str, finish: str = "stop") -> tuple[int, object]:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return 200, {"id": "c1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}

    return make
