"""Every test has a home of its own, and reaches nothing but this machine."""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import pytest

import hermes_tools_web.plugin
from hermes_core import Hermes
from hermes_net import NetLimits, NetPolicy, guarded_async_client
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.fetch import FetchedPage, fetch
from hermes_tools_web.fetcher.requests import response_limits
from hermes_tools_web.settings import ExtractSettings, WebSettings

_OF_THE_USER = ("BRAVE_", "EXA_", "FIRECRAWL_", "PARALLEL_", "SEARXNG_", "TAVILY_", "AUXILIARY_", "OPENAI_", "HERMES_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's, nor use the user's keys and proxies."""
    for name in list(os.environ):
        if name.startswith(_OF_THE_USER) or name.lower() in _PROXIES:
            monkeypatch.delenv(name)
    folder = tmp_path / "hermes-home"
    folder.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


class Agent:
    """A host with the web tools, and short ways to call them.

    Args:
        web: The section `web` of the settings.
        security: The section `security`; servers of a test are on this machine, so private URLs are open.
        config: Other sections.
        options: Those of `Hermes`; `plugins` come after `hermes_tools_web`.
    """

    def __init__(
        self,
        *,
        web: dict[str, Any] | None = None,
        security: dict[str, Any] | None = None,
        config: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        private = {"allow_private_urls": True}
        sections = {"web": web or {}, "security": private if security is None else security, **(config or {})}
        plugins = [hermes_tools_web.plugin, *options.pop("plugins", ())]
        self.hermes = Hermes(plugins=plugins, config=sections, **options)

    def call(self, tool: str, args: dict[str, Any], **options: Any) -> dict[str, Any]:
        """The result of a call, read."""
        found = json.loads(self.hermes.call(tool, args, **options))
        assert isinstance(found, dict)
        return found

    def use(self, tool: str, **args: Any) -> dict[str, Any]:
        """The result of a call that works."""
        found = self.call(tool, args)
        assert not found.get("error"), found
        return found


@pytest.fixture
def agent() -> Iterator[Callable[..., Agent]]:
    """Makes agents, and closes them when the test is over."""
    made: list[Agent] = []

    def make(**options: Any) -> Agent:
        agent = Agent(**options)
        made.append(agent)
        return agent

    yield make
    for each in made:
        each.hermes.close()


# -- servers -------------------------------------------------------------------------------------------------------

Reply = Callable[[bytes], bytes | Iterable[bytes]]
PUBLIC = "93.184.216.34"
OPEN = NetPolicy(allow_private=True)
PATIENCE = 20.0


class Server:
    """A server on the loopback interface that sends what it is told to, HTTP or not, and then hangs up.

    Args:
        reply: What it sends, or what makes that of a request.
        tls: How it encrypts; not given means not at all.
    """

    def __init__(self, reply: Reply | bytes, tls: ssl.SSLContext | None = None) -> None:
        self.reply: Reply = (lambda _: reply) if isinstance(reply, bytes) else reply
        self.tls = tls
        self.requests: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.url = f"http{'' if tls is None else 's'}://127.0.0.1:{self.port}/"
        self.threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def paths(self) -> list[str]:
        """What was asked for."""
        return [head.split(b" ", 2)[1].decode("latin-1") for head in self.requests]

    def close(self) -> None:
        """Stop, and wait until nothing of it is left."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def _start(self, run: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                data = connection.recv(65536)
                if not data:
                    return
                head += data
            self.requests.append(head)
            answer = self.reply(head)
            for part in [answer] if isinstance(answer, bytes) else answer:
                connection.sendall(part)
        except OSError:
            pass  # the client had enough, which is what many tests are about
        finally:
            connection.close()


class Network:
    """Servers on the loopback interface, and a small internet of names and addresses that lead to them."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.names: dict[str, list[str]] = {}
        self.dialled: list[tuple[str, int]] = []
        self._servers: list[Server] = []
        self._placed: dict[tuple[str, int], Server] = {}

    def serve(self, reply: Reply | bytes, *, tls: ssl.SSLContext | None = None) -> Server:
        """A server at `server.url`."""
        server = Server(reply, tls)
        self._servers.append(server)
        return server

    def place(self, server: Server, name: str, *, address: str = PUBLIC, port: int | None = None) -> None:
        """Let a name lead to an address, and the address to a server."""
        self.names.setdefault(name, []).append(address)
        self._placed[address, port or (80 if server.tls is None else 443)] = server

    def client(self, *, policy: NetPolicy | None = None, limits: NetLimits | None = None, **options: Any) -> Any:
        """A guarded client in this network."""
        given = {"resolver": self._resolve, "backend": _Backend(self), "environ": {}, **options}
        return guarded_async_client(policy=policy or OPEN, limits=limits, **given)

    def fetch(
        self,
        url: str,
        *,
        seconds: float = 10.0,
        max_mb: int = 1,
        policy: NetPolicy = OPEN,
        options: dict[str, Any] | None = None,
        backend: str = "asyncio",
        **wanted: Any,
    ) -> FetchedPage:
        """What `fetch` gives for a URL, or raises; `options` are those of the client."""
        settings = WebSettings(extract=ExtractSettings(seconds=seconds, max_mb=max_mb))

        async def run() -> FetchedPage:
            with anyio.fail_after(PATIENCE):
                async with self.client(policy=policy, limits=response_limits(settings), **(options or {})) as client:
                    return await fetch(url, client=client, settings=settings, **wanted)

        return anyio.run(run, backend=backend)

    def outcome(self, url: str, **options: Any) -> FetchedPage | FetchError:
        """The same, with the error for a value."""
        try:
            return self.fetch(url, **options)
        except FetchError as error:
            return error

    def failure(self, url: str, **options: Any) -> FetchError:
        """The error that `fetch` raises for a URL."""
        found = self.outcome(url, **options)
        assert isinstance(found, FetchError), f"{url} was fetched"
        assert found.message.endswith("."), "an error is a sentence"
        return found

    def close(self) -> None:
        """Stop all servers."""
        self.over.set()
        for server in self._servers:
            server.close()

    def door(self, host: str, port: int) -> int:
        """The port on the loopback interface for an address."""
        self.dialled.append((host, port))
        if (host, port) in self._placed:
            return self._placed[host, port].port
        if host == "127.0.0.1":
            return port
        raise httpcore2.ConnectError(f"nobody is at {host}:{port}")

    def _resolve(self, host: str) -> list[str]:
        return self.names[host]


class _Backend(httpcore2.AnyIOBackend):
    def __init__(self, network: Network) -> None:
        self.network = network

    async def connect_tcp(self, host: str, port: int, *rest: Any, **more: Any) -> httpcore2.AsyncNetworkStream:
        return await super().connect_tcp("127.0.0.1", self.network.door(host, port), *rest, **more)


@pytest.fixture
def network() -> Iterator[Network]:
    """A network of the test's own."""
    made = Network()
    yield made
    made.close()
