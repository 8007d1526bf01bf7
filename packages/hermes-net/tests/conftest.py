"""A network on the loopback interface: public and private addresses, names that lead to them, servers behind them."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shutil import which
from typing import Any

import anyio
import httpcore2
import httpx2
import pytest

from hermes_net import guarded_async_client, guarded_client

PUBLIC = "93.184.216.34"
PATIENCE = 20.0
Reply = Callable[[bytes], bytes | Iterable[bytes]]


class Server:
    """A server that answers each connection with what a function makes of the request, and then hangs up.

    One that is lasting answers request after request instead, until the client hangs up; one that is rash waits for
    no request.
    """

    def __init__(self, reply: Reply, tls: ssl.SSLContext | None, *, lasting: bool = False, rash: bool = False) -> None:
        self.reply = reply
        self.tls = tls
        self.lasting = lasting
        self.rash = rash
        self.connections = 0
        self.left = threading.Semaphore(0)
        self.requests: list[bytes] = []
        self.server_names: list[str | None] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.threads: list[threading.Thread] = []
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.server_names.append(name)
        self._start(self._accept)

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
        self.connections += 1
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            while self._answer(connection) and self.lasting:
                pass
        except OSError:
            pass  # the client had enough, which is what many tests are about
        finally:
            connection.close()
            self.left.release()

    def _answer(self, connection: socket.socket) -> bool:
        head = b""
        while b"\r\n\r\n" not in head and not self.rash:
            data = connection.recv(65536)
            if not data:
                return False
            head += data
        self.requests.append(head)
        answer = self.reply(head)
        for part in [answer] if isinstance(answer, bytes) else answer:
            connection.sendall(part)
        return True

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(PATIENCE)


class Network:
    """Addresses with servers behind them, and names; all connections end up on the loopback interface."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.asked: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self.servers: dict[tuple[str, int], Server] = {}
        self.over = threading.Event()

    def serve(
        self, reply: Reply | bytes, address: str = PUBLIC, port: int = 80, tls: Any = None, **kind: bool
    ) -> Server:
        """Put a server at an address."""
        server = Server((lambda _: reply) if isinstance(reply, bytes) else reply, tls, **kind)
        self.servers[address, port] = server
        return server

    def resolver(self, host: str) -> list[str]:
        """What names lead to: a list, or a function that makes one each time."""
        self.asked.append(host)
        found = self.names[host]
        return list(found() if callable(found) else found)

    def real(self, host: str, port: int) -> int:
        """The port on the loopback interface for an address."""
        self.dialled.append((host, port))
        if (host, port) not in self.servers:
            raise httpcore2.ConnectError(f"nobody is at {host}:{port}")
        return self.servers[host, port].port

    def options(self, backend: Any, options: dict[str, Any]) -> dict[str, Any]:
        return {"environ": {}, "resolver": self.resolver, "backend": backend, **options}

    def client(self, **options: Any) -> httpx2.Client:
        """A sync client in this network."""
        return guarded_client(**self.options(_Backend(self), options))

    def async_client(self, **options: Any) -> httpx2.AsyncClient:
        """An async client in this network."""
        return guarded_async_client(**self.options(_AsyncBackend(self), options))

    def close(self) -> None:
        self.over.set()
        for server in self.servers.values():
            server.close()


class _Backend(httpcore2.SyncBackend):
    def __init__(self, network: Network) -> None:
        self.network = network

    def connect_tcp(self, host: str, port: int, *rest: Any, **more: Any) -> httpcore2.NetworkStream:
        return super().connect_tcp("127.0.0.1", self.network.real(host, port), *rest, **more)


class _AsyncBackend(httpcore2.AnyIOBackend):
    def __init__(self, network: Network) -> None:
        self.network = network

    async def connect_tcp(self, host: str, port: int, *rest: Any, **more: Any) -> httpcore2.AsyncNetworkStream:
        return await super().connect_tcp("127.0.0.1", self.network.real(host, port), *rest, **more)


@pytest.fixture
def network() -> Iterator[Network]:
    """A network of one's own; `public.test` embeds a public address, `private.test` to a private one."""
    made = Network()
    made.names |= {"public.test": [PUBLIC], "private.test": ["10.0.0.7"]}
    yield made
    made.close()


@pytest.fixture(params=["sync", "asyncio", "trio"])
def fetch(request: pytest.FixtureRequest, network: Network) -> Callable[..., httpx2.Response]:
    """Fetches a URL with a client of each kind, and gives the response with its body read."""

    def get(url: str, *, method: str = "GET", **options: Any) -> httpx2.Response:
        if request.param == "sync":
            with network.client(**options) as client:
                return client.request(method, url)

        async def run() -> httpx2.Response:
            async with network.async_client(**options) as client:
                return await client.request(method, url)

        return anyio.run(run, backend=request.param)

    return get


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for `secure.test` that signs itself, and its key."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "certificate.pem", folder / "key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=secure.test", "-addext", "subjectAltName=DNS:secure.test,IP:93.184.216.34,IP:10.9.9.9"]
    use = ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    command = [openssl, "req", "-x509", *kind, *names, *use, "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return made, key
