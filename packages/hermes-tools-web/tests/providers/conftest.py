"""Vendors' servers on this machine: they check what they are asked and answer as the vendor documents it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
import pytest

from hermes_net import NetPolicy
from hermes_tools_web.providers.protocol import Access, ProviderError
from hermes_tools_web.settings import WebSettings

KEY = "tvly-Zq7Jm2Xk9Wb4Rt6Yp1Ls8Vn3"
PATIENCE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that a server got."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer; `body` is sent as it is when it is bytes, and as JSON otherwise."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False


class Vendor:
    """A server that remembers what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._replies: list[Reply | Callable[[Asked], Reply]] = [Reply(status=500, body={})]
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def last(self) -> Asked:
        """The latest request."""
        return self.asked[-1]

    def says(self, body: Any = None, status: int = 200, **headers: str) -> None:
        """Answer so from now on."""
        self.answers(Reply(body=body, status=status, headers={n.replace("_", "-"): v for n, v in headers.items()}))

    def answers(self, *replies: Reply | Callable[[Asked], Reply]) -> None:
        """Answer so, one after another; the last one stays."""
        self._replies = list(replies)

    def answer(self, asked: Asked) -> Reply:
        """What a request gets."""
        self.asked.append(asked)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        made = reply(asked) if callable(reply) else reply
        if made.hangs:
            self._over.wait(PATIENCE)
        return made

    def close(self) -> None:
        """End it, and let those go who wait."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, vendor: Vendor, *rest: Any) -> None:
        self.vendor = vendor
        super().__init__(*rest)

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Any) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.vendor.answer(Asked(method=self.command, path=parts.path, query=query, headers=headers, body=body))
        sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        with contextlib.suppress(OSError):  # whoever asked may have gone
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    """A vendor's server."""
    made = Vendor()
    yield made
    made.close()


@pytest.fixture
def reply() -> type[Reply]:
    """Makes answers for the vendor's server."""
    return Reply


@pytest.fixture
def key() -> str:
    """A key that looks like one."""
    return KEY


@pytest.fixture
def access(home: Path) -> Callable[..., Access]:
    """Makes what providers work with, of the settings of the section `web`."""

    def make(*, policy: NetPolicy | None = None, **settings: Any) -> Access:
        return Access(settings=WebSettings(**settings), policy=policy or NetPolicy(), home=home, section=lambda _: {})

    return make


@pytest.fixture
def run() -> Callable[..., Any]:
    """Runs a coroutine function to its end."""

    def call(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        return anyio.run(partial(function, *args, **options))

    return call


@pytest.fixture
def problem(run: Callable[..., Any]) -> Callable[..., ProviderError]:
    """The error that a coroutine function ends with."""

    def call(function: Callable[..., Any], *args: Any, **options: Any) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            run(function, *args, **options)
        return caught.value

    return call
