"""What goes wrong between here and a server is told apart, and explained."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.to_thread
import pytest

from hermes_net import NetPolicy, WebsiteBlocklist
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.settings import WebSettings

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
Tls = Callable[..., ssl.SSLContext]


@contextmanager
def listening(work: Callable[[socket.socket], object]) -> Iterator[int]:
    """The port of a server that does something with each connection, once something came."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                connection.recv(65536)
                work(connection)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(20)


@pytest.fixture
def dead_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_dead_server_is_explained(network: Any, dead_port: int, backend: str) -> None:
    error = network.failure(f"http://127.0.0.1:{dead_port}/", backend=backend)
    assert error.code == "unreachable"
    assert error.message == "127.0.0.1 cannot be reached: connection refused."
    assert "later" in str(error.hint)
    assert len(network.dialled) == 1, "it is not asked again"


def test_a_host_without_a_way_to_it_is_explained(network: Any) -> None:
    network.names["far.test"] = ["93.184.216.77"]
    error = network.failure("http://far.test/")
    assert (error.code, error.message) == ("unreachable", "far.test cannot be reached: no route to the host.")


def test_a_host_that_is_not_found_is_explained_and_not_called_refused(network: Any) -> None:
    error = network.failure("http://nobody.test/")
    assert (error.code, error.refused) == ("unreachable", "")
    assert error.message == "nobody.test could not be resolved."
    assert "spelled right" in str(error.hint)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "100.64.0.1"])
def test_a_private_address_behind_a_name_is_refused(network: Any, address: str) -> None:
    network.names["inside.test"] = [address]
    error = network.failure("http://inside.test/", policy=NetPolicy())
    assert error.code == "url_refused"
    assert error.refused in ("private", "metadata")
    assert network.dialled == []


def test_a_blocked_website_is_refused(network: Any, tmp_path: Any) -> None:
    network.place(network.serve(PAGE), "www.example.test")
    policy = NetPolicy(blocklist=WebsiteBlocklist(["example.test"]))
    error = network.failure("http://www.example.test/", policy=policy)
    assert (error.code, error.refused) == ("url_refused", "blocked_site")
    lost = NetPolicy(blocklist=WebsiteBlocklist(files=[tmp_path / "gone.txt"]))
    error = network.failure("http://www.example.test/", policy=lost)
    assert (error.refused, error.hint) == ("blocklist", "Ask the user to mend it.")
    assert network.dialled == []


def test_a_trusted_certificate_is_trusted(network: Any, serving_tls: Tls, trusting: Tls) -> None:
    network.place(network.serve(PAGE, tls=serving_tls()), "secure.test")
    found = network.fetch("https://secure.test/", options={"tls": trusting()})
    assert (found.body, found.final_url) == (b"hello", "https://secure.test/")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_certificate_that_nobody_signed_is_explained(network: Any, serving_tls: Tls, backend: str) -> None:
    network.place(network.serve(PAGE, tls=serving_tls()), "secure.test")
    error = network.failure("https://secure.test/", backend=backend)
    assert error.code == "tls"
    assert "certificate of secure.test cannot be trusted: self" in error.message
    assert ".." not in error.message


def test_a_certificate_that_has_expired_is_explained(network: Any, serving_tls: Tls, trusting: Tls) -> None:
    network.place(network.serve(PAGE, tls=serving_tls("expired")), "secure.test")
    error = network.failure("https://secure.test/", options={"tls": trusting("expired")})
    assert error.code == "tls"
    assert "certificate has expired" in error.message


def test_a_certificate_for_another_host_is_explained(network: Any, serving_tls: Tls, trusting: Tls) -> None:
    network.place(network.serve(PAGE, tls=serving_tls()), "other.test")
    error = network.failure("https://other.test/", options={"tls": trusting()})
    assert error.code == "tls"
    assert "not valid for 'other.test'" in error.message
    assert ".." not in error.message


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_plain_http_where_tls_is_expected_is_explained(network: Any, backend: str) -> None:
    def rude(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\nThis is plain HTTP.")

    with listening(rude) as port:
        error = network.failure(f"https://127.0.0.1:{port}/", backend=backend)
    assert error.code == "tls"
    assert "http://" in str(error.hint)


def test_a_server_that_hangs_up_at_the_handshake_is_explained(network: Any) -> None:
    with listening(lambda connection: None) as port:
        assert network.failure(f"https://127.0.0.1:{port}/").code in ("tls", "unreachable", "broken_off")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_handshake_that_nobody_waits_for_any_more_leaves_no_connection(network: Any, backend: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    def silent(connection: socket.socket) -> None:
        begun.set()
        connection.settimeout(10)
        while connection.recv(65536):
            pass
        ended.set()

    async def run(port: int) -> None:
        async with network.client() as client, anyio.create_task_group() as tasks:

            async def one() -> None:
                await fetch(f"https://127.0.0.1:{port}/", client=client, settings=WebSettings())

            tasks.start_soon(one)
            assert await anyio.to_thread.run_sync(begun.wait, 10)
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                assert await anyio.to_thread.run_sync(ended.wait, 10)

    with listening(silent) as port:
        anyio.run(run, port, backend=backend)
    assert ended.is_set()


def test_tls_where_plain_http_is_expected_is_explained(network: Any, serving_tls: Tls) -> None:
    server = network.serve(PAGE, tls=serving_tls())
    assert network.failure(f"http://127.0.0.1:{server.port}/").code in ("bad_response", "broken_off")


# -- proxies -------------------------------------------------------------------------------------------------------


def test_a_proxy_of_the_environment_is_used(network: Any) -> None:
    server = network.serve(PAGE)
    network.names["far.test"] = ["93.184.216.77"]
    tunnels: list[bytes] = []

    def tunnel(connection: socket.socket) -> None:
        tunnels.append(b"")
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as onward:
            onward.sendall(connection.recv(65536))
            while data := onward.recv(65536):
                connection.sendall(data)

    with listening(tunnel) as port:
        environ = {"HTTP_PROXY": f"http://127.0.0.1:{port}"}
        assert network.fetch("http://far.test/page", options={"environ": environ}).body == b"hello"
    assert len(tunnels) == 1
    assert server.paths == ["/page"]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 403 No\r\n\r\n", b"HTTP/1.1 407 Who\r\n\r\n", b"noise\r\n\r\n"])
def test_a_proxy_that_does_not_help_is_explained(network: Any, answer: bytes) -> None:
    network.names["far.test"] = ["93.184.216.77"]
    with listening(lambda connection: connection.sendall(answer)) as port:
        environ = {"HTTP_PROXY": f"http://127.0.0.1:{port}"}
        error = network.failure("http://far.test/", options={"environ": environ})
    assert error.code == "proxy"
    assert "check the proxy" in str(error.hint)


def test_a_proxy_leads_to_no_private_address(network: Any) -> None:
    network.names["inside.test"] = ["10.0.0.7"]
    used: list[object] = []
    with listening(used.append) as port:
        environ = {"ALL_PROXY": f"http://127.0.0.1:{port}"}
        error = network.failure("http://inside.test/", policy=NetPolicy(), options={"environ": environ})
    assert error.refused == "private"
    assert used == []
