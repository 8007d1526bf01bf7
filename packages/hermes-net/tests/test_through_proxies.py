"""A proxy of the environment is used, and told nothing that was not checked."""

from __future__ import annotations

import base64
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hermes_net import NetLimits, NetPolicy, NetSettingsError, ResponseLimitError, UrlRefusedError
from hermes_net.proxies import Proxies

HELLO = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
OPENED = b"HTTP/1.1 200 Connection established\r\n\r\n"
BY_NAME = NetPolicy(proxy_targets="name")
PROXY = "10.9.9.9"


class Relay:
    """A proxy that opens ways to servers of the network, and writes down what it was told."""

    def __init__(self, network: Any, port: int = 3128) -> None:
        self.network = network
        self.tls: ssl.SSLContext | None = None
        self.told: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        network.servers[PROXY, port] = self
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.settimeout(20.0)
            self.threads.append(threading.Thread(target=self._serve, args=(client,), daemon=True))
            self.threads[-1].start()

    def _serve(self, client: socket.socket) -> None:
        with client if self.tls is None else self.tls.wrap_socket(client, server_side=True) as client:
            if (opened := self._open(client)) is None:
                return
            with opened:
                _pump(client, opened)

    def _open(self, client: socket.socket) -> socket.socket | None:
        head = client.recv(65536)
        self.told.append(head)
        if head[:1] == b"\x05":
            return self._open_socks(client)
        host, _, port = head.split(b" ")[1].decode().rpartition(":")
        try:
            opened = self._dial(host.strip("[]"), int(port))
        except KeyError:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            return None
        client.sendall(OPENED)
        return opened

    def _open_socks(self, client: socket.socket) -> socket.socket:
        client.sendall(b"\x05\x02")
        self.told.append(client.recv(513))
        client.sendall(b"\x01\x00")
        request = client.recv(262)
        self.told.append(request)
        host = socket.inet_ntoa(request[4:8]) if request[3] == 1 else request[5 : 5 + request[4]].decode()
        opened = self._dial(host, int.from_bytes(request[-2:], "big"))
        client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        return opened

    def _dial(self, host: str, port: int) -> socket.socket:
        address = self.network.names.get(host, [host])[0]
        return socket.create_connection(("127.0.0.1", self.network.servers[address, port].port), 20.0)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(20.0)


def _pump(client: socket.socket, server: socket.socket) -> None:
    """Carry bytes both ways, in one thread: two must not use an encrypted connection at the same time."""
    others = {client: server, server: client}
    try:
        while others:
            ready, _, _ = select.select(list(others), [], [], 20.0)
            if not ready:
                return
            for source in ready:
                data = _received(source)
                if data:
                    others[source].sendall(data)
                else:
                    others.pop(source).shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of the two has hung up


def _received(source: socket.socket) -> bytes:
    """What has come: of an encrypted connection also what was decrypted already, which select does not see."""
    data = source.recv(65536)
    while isinstance(source, ssl.SSLSocket) and source.pending():
        data += source.recv(65536)
    return data


@pytest.fixture
def relay(network: Any) -> Iterator[Relay]:
    """A proxy at a private address, where proxies are."""
    made = Relay(network)
    yield made
    assert made.port


def env(scheme: str = "http", user: str = "", **more: str) -> dict[str, str]:
    return {"ALL_PROXY": f"{scheme}://{user}{PROXY}:3128", **more}


def test_a_proxy_is_told_the_address_that_was_checked_and_the_server_its_name(
    network: Any, fetch: Any, relay: Relay
) -> None:
    server = network.serve(HELLO)
    assert fetch("http://public.test/page", environ=env(user="me:p%40ss@")).text == "hello"
    assert network.dialled == [(PROXY, 3128)]
    assert relay.told[0].startswith(b"CONNECT 93.184.216.34:80 HTTP/1.1\r\nHost: 93.184.216.34:80\r\n")
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"me:p@ss") in relay.told[0]
    assert server.requests[0].startswith(b"GET /page HTTP/1.1\r\nHost: public.test\r\n")
    assert b"proxy-authorization" not in server.requests[0].lower()


@pytest.mark.parametrize("policy", [NetPolicy(), BY_NAME])
@pytest.mark.parametrize(
    "url", ["http://private.test/", "http://127.0.0.1/", "http://169.254.169.254/", "https://10.1/"]
)
def test_a_proxy_is_never_told_of_what_may_not_be_fetched(
    network: Any, fetch: Any, relay: Relay, url: str, policy: NetPolicy
) -> None:
    with pytest.raises(UrlRefusedError):
        fetch(url, environ=env(), policy=policy)
    assert (relay.told, network.dialled) == ([], [])


def test_a_redirect_behind_a_proxy_is_checked(network: Any, fetch: Any, relay: Relay) -> None:
    network.serve(
        b"HTTP/1.1 302 Found\r\nLocation: http://private.test/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    )
    private = network.serve(HELLO, "10.0.0.7")
    with pytest.raises(UrlRefusedError):
        fetch("http://public.test/", environ=env())
    assert private.requests == []
    assert len(relay.told) == 1


def test_a_name_that_changes_its_mind_leads_nowhere_else_through_a_proxy(
    network: Any, fetch: Any, relay: Relay
) -> None:
    network.serve(HELLO)
    private = network.serve(HELLO, "10.0.0.7")
    answers = [["93.184.216.34"]]
    network.names["rebinding.test"] = lambda: answers.pop() if answers else ["10.0.0.7"]
    assert fetch("http://rebinding.test/", environ=env()).text == "hello"
    assert private.requests == []


def test_names_and_certificates_are_kept_through_a_proxy(
    network: Any, fetch: Any, relay: Relay, certificate: tuple[Path, Path]
) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*certificate)
    server = network.serve(HELLO, port=443, tls=serving)
    network.names["secure.test"] = ["93.184.216.34"]
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    assert fetch("https://secure.test/", tls=trusting, environ=env()).text == "hello"
    assert fetch("https://secure.test/", tls=trusting, environ=env(), policy=BY_NAME).text == "hello"
    assert server.server_names == ["secure.test", "secure.test"]
    assert [told.split(b" ")[1] for told in relay.told] == [b"93.184.216.34:443", b"secure.test:443"]


def test_a_proxy_that_wants_names_fetches_plain_pages_itself(network: Any, fetch: Any) -> None:
    proxy = network.serve(HELLO, PROXY, 3128)
    assert fetch("http://public.test/page?x=1#y", environ=env(user="me:secret@"), policy=BY_NAME).text == "hello"
    assert proxy.requests[0].startswith(b"GET http://public.test/page?x=1 HTTP/1.1\r\nHost: public.test\r\n")
    assert b"Proxy-Authorization: Basic " in proxy.requests[0]
    assert network.asked == ["public.test"]


def test_a_proxy_can_be_spoken_to_over_tls(network: Any, fetch: Any, certificate: tuple[Path, Path]) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*certificate)
    proxy = network.serve(HELLO, PROXY, 3128, tls=serving)
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    assert fetch("http://public.test/", environ=env("https"), policy=BY_NAME, tls=trusting).text == "hello"
    assert proxy.requests[0].startswith(b"GET http://public.test/ HTTP/1.1\r\n")


def contexts(certificate: tuple[Path, Path]) -> tuple[ssl.SSLContext, ssl.SSLContext, ssl.SSLContext]:
    """Two for servers, and one that trusts them."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for each in serving:
        each.load_cert_chain(*certificate)
    return *serving, ssl.create_default_context(cafile=str(certificate[0]))


def test_a_secure_page_comes_through_a_secure_proxy(
    network: Any, fetch: Any, relay: Relay, certificate: tuple[Path, Path]
) -> None:
    relay.tls, serving, trusting = contexts(certificate)
    page = b"x" * 300_000
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n"
    server = network.serve(head + page, port=443, tls=serving)
    network.names |= {"secure.test": ["93.184.216.34"], "other.test": ["93.184.216.34"]}
    assert fetch("https://secure.test/", tls=trusting, environ=env("https")).content == page
    assert relay.told[0].startswith(b"CONNECT 93.184.216.34:443 HTTP/1.1\r\n")
    assert server.server_names == ["secure.test"]
    with pytest.raises(httpx2.ConnectError):
        fetch("https://other.test/", tls=trusting, environ=env("https"))
    assert len(server.requests) == 1


def test_a_server_behind_a_secure_proxy_that_drips_is_left(
    network: Any, fetch: Any, relay: Relay, certificate: tuple[Path, Path]
) -> None:
    relay.tls, _, trusting = contexts(certificate)

    def drip(_: bytes) -> Iterator[bytes]:
        yield b"\x16\x03\x03\x40\x00"
        while not network.over.wait(0.02):
            yield b"\x02"

    network.serve(drip, port=443, rash=True)
    network.names["secure.test"] = ["93.184.216.34"]
    with pytest.raises(ResponseLimitError):
        fetch("https://secure.test/", tls=trusting, environ=env("https"), limits=NetLimits(seconds=0.5))


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_proxy_that_drips_is_left(network: Any, fetch: Any, start: bytes) -> None:
    def drip(_: bytes) -> Iterator[bytes]:
        yield start
        while not network.over.wait(0.02):
            yield b"x"

    network.serve(drip, PROXY, 3128)
    with pytest.raises(ResponseLimitError):
        fetch("http://public.test/", environ=env(), limits=NetLimits(seconds=0.4))


def test_a_proxy_is_told_an_address_that_it_can_reach(network: Any, fetch: Any, relay: Relay) -> None:
    network.serve(HELLO)
    network.names["both.test"] = ["2606:4700::1", "93.184.216.34"]
    assert fetch("http://both.test/", environ=env()).text == "hello"
    assert relay.told[0].startswith(b"CONNECT 93.184.216.34:80 ")


def test_a_host_without_proxy_gets_no_password_of_the_proxy(network: Any, fetch: Any) -> None:
    server = network.serve(HELLO)
    network.names["xn--bcher-kva.test"] = ["93.184.216.34"]
    without = env(user="me:secret@", NO_PROXY="xn--bcher-kva.test")
    assert fetch("http://bücher.test/", environ=without, policy=BY_NAME).text == "hello"
    assert server.requests[0].startswith(b"GET / HTTP/1.1\r\nHost: xn--bcher-kva.test\r\n")
    assert b"proxy-authorization" not in server.requests[0].lower()


def test_a_socks_proxy_is_told_the_address_too(network: Any, fetch: Any, relay: Relay) -> None:
    network.serve(HELLO)
    assert fetch("http://public.test/", environ=env("socks5h", "me:secret@")).text == "hello"
    assert relay.told == [b"\x05\x01\x02", b"\x01\x02me\x06secret", b"\x05\x01\x00\x01\x5d\xb8\xd8\x22\x00\x50"]


@pytest.mark.parametrize("reply", [b"HTTP/1.1 403 Forbidden\r\n\r\n", b"", b"nonsense\r\n\r\n", OPENED + b"too early"])
def test_a_proxy_that_opens_no_way_is_an_error(network: Any, fetch: Any, reply: bytes) -> None:
    network.serve(reply, PROXY, 3128)
    with pytest.raises(httpx2.ProxyError, match=rf"The proxy {PROXY}:3128 \(from \w+\) ") as caught:
        fetch("http://public.test/", environ=env(user="me:secret@"))
    assert "secret" not in str(caught.value)


def test_a_proxy_that_wants_a_password_is_named(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", PROXY, 3128)
    with pytest.raises(httpx2.ProxyError, match=rf"The proxy {PROXY}:3128 .*407.* requires a user and a password"):
        fetch("http://public.test/", environ=env())
    with pytest.raises(httpx2.ProxyError, match=rf"The proxy {PROXY}:3128 .*407.* requires a different user"):
        fetch("http://public.test/", environ=env(user="me:secret@"))
    with pytest.raises(httpx2.ProxyError, match=rf"The proxy {PROXY}:3128 .* requires a user and a password"):
        fetch("http://public.test/", environ=env(), policy=BY_NAME)


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_a_proxy_that_cannot_be_reached_is_named(fetch: Any, scheme: str) -> None:
    variables = env(scheme, user="me:secret@")
    with pytest.raises(httpx2.ProxyError, match=rf"The proxy {PROXY}:\d+ \(from \w+\) cannot be used: ") as caught:
        fetch("http://public.test/", environ=variables)
    assert "secret" not in str(caught.value)


def test_a_proxy_shows_no_password() -> None:
    proxy = Proxies.from_environment({"https_proxy": "http://me:secret@[2001:db8::1]:3128"}).proxy_for(
        "https", "a.test", 443
    )
    assert str(proxy) == "proxy [2001:db8::1]:3128 (from https_proxy)"
    assert "secret" not in repr(proxy)


def test_hosts_without_proxy_are_reached_directly_and_still_checked(network: Any, fetch: Any, relay: Relay) -> None:
    network.serve(HELLO)
    without = env(NO_PROXY="test")
    assert fetch("http://public.test/", environ=without).text == "hello"
    with pytest.raises(UrlRefusedError):
        fetch("http://private.test/", environ=without)
    assert (relay.told, network.dialled) == ([], [("93.184.216.34", 80)])


def test_proxies_of_the_process_are_used(
    network: Any, fetch: Any, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    network.serve(HELLO)
    for name in ("http_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", f"{PROXY}:3128")
    assert fetch("http://public.test/", environ=None).text == "hello"
    assert len(relay.told) == 1


@pytest.mark.parametrize(
    ("without", "host", "port", "direct"),
    [
        ("*", "a.test", 80, True),
        ("a.test", "a.test", 80, True),
        ("A.TEST", "a.test", 80, True),
        ("a.test", "b.a.test", 80, True),
        (".a.test", "b.a.test", 80, True),
        ("*.a.test", "b.a.test", 80, True),
        ("a.test", "ba.test", 80, False),
        ("a.test:8080", "a.test", 8080, True),
        ("a.test:8080", "a.test", 80, False),
        ("8.8.0.0/16", "8.8.8.8", 80, True),
        ("8.8.0.0/16", "8.9.8.8", 80, False),
        ("8.8.8.8", "8.8.8.8", 80, True),
        ("2606::/16", "2606:4700::1", 80, True),
        ("[2606:4700::1]", "2606:4700::1", 80, True),
        ("[2606:4700::1]:8080", "2606:4700::1", 80, False),
        ("x, y a.test", "a.test", 80, True),
        (",,", "a.test", 80, False),
        ("", "a.test", 80, False),
    ],
)
def test_no_proxy_says_which_hosts_are_reached_directly(without: str, host: str, port: int, direct: bool) -> None:
    proxies = Proxies.from_environment({"http_proxy": "http://p.test:1", "no_proxy": without})
    assert (proxies.proxy_for("http", host, port) is None) == direct
    assert proxies.proxy_for("https", host, port) is None


def test_a_header_of_a_stranger_is_not_taken_for_a_proxy() -> None:
    environ = {"HTTP_PROXY": "http://evil.test", "REQUEST_METHOD": "GET"}
    assert Proxies.from_environment(environ).proxy_for("http", "a.test", 80) is None


@pytest.mark.parametrize("url", ["ftp://p.test", "http://", "socks4://p.test", "http://p.test:port", "http://[::1"])
def test_a_proxy_that_cannot_be_is_told_to_the_user(network: Any, url: str) -> None:
    with pytest.raises(NetSettingsError, match="HTTP_PROXY"):
        network.client(environ={"HTTP_PROXY": url})


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254:80",
        "http://user:word@0xa9fea9fe",
        "http://[::ffff:169.254.169.254]:3128",
        "socks5://metadata.google.internal",
        "169.254.170.2:80",
        "http://[fd00:ec2::254]",
    ],
)
def test_a_proxy_where_clouds_keep_credentials_is_none(network: Any, url: str) -> None:
    with pytest.raises(NetSettingsError, match="HTTP_PROXY"):
        network.client(environ={"HTTP_PROXY": url})


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1:3128", "http://[::1]:8080", "http://localhost:1", "http://odd_name:1"]
)
def test_a_proxy_in_the_users_network_is_one(url: str) -> None:
    assert Proxies.from_environment({"http_proxy": url}).proxy_for("http", "a.test", 80) is not None
