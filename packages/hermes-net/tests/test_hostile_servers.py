"""Servers that know how clients work: they redirect, flood, drip and desynchronise, and get nowhere."""

from __future__ import annotations

import gc
import gzip
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_net import NetLimits, NetPolicy, ResponseLimitError, UrlRefusedError, guarded_client
from hermes_net.body import Body

PUBLIC = "93.184.216.34"
PRIVATE = ("10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "::ffff:a00:7", "0.0.0.0")
QUICK = NetLimits(seconds=0.5, silent_seconds=10.0)
HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


def moved(where: str, status: int = 302) -> bytes:
    lines = [f"HTTP/1.1 {status} Moved", f"Location: {where}", "Connection: close", "Content-Length: 0", "", ""]
    return "\r\n".join(lines).encode()


# -- redirects -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["http://private.test/", "http://169.254.169.254/latest/", "//127.0.0.1/"])
def test_every_kind_of_redirect_is_checked(network: Any, fetch: Any, status: int, where: str) -> None:
    network.serve(moved(where, status))
    inside = [network.serve(HELLO, address) for address in PRIVATE]
    with pytest.raises(UrlRefusedError):
        fetch("http://public.test/")
    assert [server.requests for server in inside] == [[]] * len(inside)


@pytest.mark.parametrize(
    "where",
    [
        "http://10.0.0.7",
        "HTTP://10.0.0.7/",
        " http://10.0.0.7/",
        "http://10.0.0.7:80/",
        "http://10.0.0.7./",
        "http://10.7/",
        "http://0xa000007/",
        "http://012.0.0.7/",
        "http://167772167/",
        "http://0x0a.0.0.07/",
        "//10.0.0.7/",
        "///10.0.0.7/",
        "////10.0.0.7/",
        "\\\\10.0.0.7\\",
        "/\\10.0.0.7/",
        "\\/10.0.0.7/",
        "http:10.0.0.7",
        "http:/10.0.0.7/",
        "http:///10.0.0.7/",
        "http:\\\\10.0.0.7/",
        "http://public.test@10.0.0.7/",
        "http://public.test:80@10.0.0.7/",
        "http://10.0.0.7#@public.test/",
        "http://10.0.0.7?@public.test/",
        "http://10.0.0.7\\@public.test/",
        "http://public.test\\@10.0.0.7/",
        "http://private.test./",
        "http://PRIVATE.test/",
        "http://localhost/",
        "http://foo.localhost/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.7]/",
        "http://[::ffff:a00:7]/",
        "http://[64:ff9b::a00:7]/",
        "http://[2002:a00:7::1]/",
        "http://[::1%25lo]/",
        "http://0/",
        "http://0.0.0.0/",
        "http://%31%30.0.0.7/",
        "http://10.0.0.7%2f@public.test/",
        "http://169.254.169.254.:80/",
        "http://metadata.google.internal/",
        "http://public.test:22/",
        "https://10.0.0.7/",
        "file:///etc/passwd",
        "gopher://10.0.0.7/",
        "javascript:alert(1)",
        "data:text/plain,hello",
        "unix:///var/run/docker.sock",
    ],
)
def test_no_spelling_of_a_redirect_leads_inside(network: Any, fetch: Any, where: str) -> None:
    network.serve(moved(where))
    inside = [network.serve(HELLO, address, port) for address in PRIVATE for port in (80, 443)]
    with pytest.raises((UrlRefusedError, httpx2.HTTPError, httpx2.InvalidURL)):
        fetch("http://public.test/", limits=NetLimits(redirects=3))
    assert {address for address, _ in network.dialled} == {PUBLIC}
    assert [server.requests for server in inside] == [[]] * len(inside)


@pytest.mark.parametrize("where", ["/next", "next", "?next", "//public.test/next", "http://public.test/next#x"])
def test_honest_redirects_are_followed(network: Any, fetch: Any, where: str) -> None:
    network.serve(lambda request: HELLO if b"next" in request else moved(where))
    assert fetch("http://public.test/").text == "hello"


def test_a_redirect_takes_no_password_along_to_another_host_or_to_plain_http(
    network: Any, fetch: Any, certificate: tuple[Path, Path]
) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*certificate)
    network.names["secure.test"] = [PUBLIC]
    first = network.serve(moved("http://secure.test/plain"), port=443, tls=serving)
    second = network.serve(moved("http://public.test/other"))
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    with pytest.raises(httpx2.TooManyRedirects):
        fetch(
            "https://secure.test/",
            tls=trusting,
            headers={"Authorization": "Bearer hidden"},
            limits=NetLimits(redirects=2),
        )
    assert b"hidden" in first.requests[0]
    assert len(second.requests) == 2
    assert b"hidden" not in b"".join(second.requests)


def test_cookies_of_one_host_are_not_for_another(network: Any) -> None:
    network.names["other.test"] = [PUBLIC]
    server = network.serve(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=hidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    with network.client() as client:
        for url in ("http://public.test/", "http://other.test/", "http://public.test/"):
            client.get(url)
    assert [b"hidden" in request for request in server.requests] == [False, False, True]


# -- connections ---------------------------------------------------------------------------------------------------


def test_a_connection_is_kept_for_its_host_and_for_no_other_at_the_same_address(network: Any) -> None:
    network.names["other.test"] = [PUBLIC]
    server = network.serve(HELLO, lasting=True)
    with network.client() as client:
        for host in ("public.test", "public.test", "other.test"):
            assert client.get(f"http://{host}/").text == "hello"
    assert server.connections == 2
    assert network.asked == ["public.test", "other.test"]
    assert [request.split(b"\r\n")[1] for request in server.requests] == [
        b"Host: public.test",
        b"Host: public.test",
        b"Host: other.test",
    ]


def test_a_name_that_changes_its_mind_while_a_connection_is_kept_leads_nowhere_else(network: Any) -> None:
    answers = iter([[PUBLIC], ["10.0.0.7"]])
    network.names["rebinding.test"] = lambda: next(answers)
    inside = network.serve(HELLO, "10.0.0.7")
    network.serve(HELLO + b"", lasting=True)
    with network.client() as client:
        assert [client.get("http://rebinding.test/").text for _ in range(3)] == ["hello"] * 3
    assert inside.requests == []


def test_an_answer_that_nobody_asked_for_is_not_given_to_the_next_request_of_another_host(network: Any) -> None:
    network.names["other.test"] = [PUBLIC]
    evil = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    network.serve(lambda request: HELLO + (b"" if b"other.test" in request else evil), lasting=True)
    with network.client() as client:
        assert client.get("http://public.test/").text == "hello"
        assert client.get("http://other.test/").text == "hello"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_request_that_is_cancelled_hangs_up(network: Any, backend: str) -> None:
    begun = threading.Event()

    def drip(_: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while not network.over.wait(0.01):
            begun.set()
            yield b"1\r\nx\r\n"

    server = network.serve(drip)

    async def run() -> None:
        async with network.async_client() as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.get, "http://public.test/")
                assert await anyio.to_thread.run_sync(begun.wait, 10.0)
                group.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(server.left.acquire, True, 10.0)

    anyio.run(run, backend=backend)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_request_that_is_cancelled_in_its_handshake_hangs_up(network: Any, backend: str) -> None:
    begun = threading.Event()

    def drip(_: bytes) -> Iterator[bytes]:
        yield b"\x16\x03\x03\x40\x00"
        while not network.over.wait(0.01):
            begun.set()
            yield b"\x02"

    server = network.serve(drip, port=443, rash=True)

    async def run() -> None:
        async with network.async_client() as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.get, "https://public.test/")
                assert await anyio.to_thread.run_sync(begun.wait, 10.0)
                group.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(server.left.acquire, True, 10.0)

    anyio.run(run, backend=backend)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_stream_that_is_left_hangs_up(network: Any, backend: str) -> None:
    def endless(_: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while not network.over.is_set():
            yield b"3e8\r\n" + b"x" * 1000 + b"\r\n"

    server = network.serve(endless)

    async def run() -> None:
        async with network.async_client() as client:
            async with (
                client.stream("GET", "http://public.test/") as response,
                aclosing(response.aiter_bytes()) as parts,
            ):
                assert await anext(parts)
            assert await anyio.to_thread.run_sync(server.left.acquire, True, 10.0)

    anyio.run(run, backend=backend)
    gc.collect()


def test_a_sync_stream_that_is_left_hangs_up(network: Any) -> None:
    def endless(_: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while not network.over.is_set():
            yield b"3e8\r\n" + b"x" * 1000 + b"\r\n"

    server = network.serve(endless)
    with network.client() as client:
        with client.stream("GET", "http://public.test/") as response:
            assert next(response.iter_bytes())
        assert server.left.acquire(timeout=10.0)


def test_a_client_may_be_closed_twice_and_asks_nobody_afterwards(network: Any) -> None:
    network.serve(HELLO)
    client = network.client()
    assert client.get("http://public.test/").text == "hello"
    client.close()
    client.close()
    with pytest.raises(RuntimeError):
        client.get("http://public.test/")


def test_a_request_can_be_sent_again_with_all_its_time(network: Any) -> None:
    network.serve(HELLO, lasting=True)
    with network.client(limits=NetLimits(seconds=5.0)) as client:
        request = client.build_request("GET", "http://public.test/")
        client.send(request)
        first = request.extensions["hermes_deadline"].deadline
        client.send(request)
        assert request.extensions["hermes_deadline"].deadline > first


# -- floods and drips ----------------------------------------------------------------------------------------------


def test_a_flood_of_interim_answers_ends(network: Any, fetch: Any) -> None:
    def flood(_: bytes) -> Iterator[bytes]:
        while not network.over.is_set():
            yield b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100

    network.serve(flood)
    with pytest.raises((ResponseLimitError, httpx2.HTTPError)):
        fetch("http://public.test/", limits=QUICK)


def test_interim_answers_come_before_the_real_one(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + HELLO)
    assert fetch("http://public.test/").text == "hello"


def test_a_change_of_protocol_that_nobody_asked_for_is_no_page(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello")
    with pytest.raises(httpx2.RemoteProtocolError):
        fetch("http://public.test/")


def test_many_cookies_and_headers_cost_little(network: Any, fetch: Any) -> None:
    cookies = b"".join(b"Set-Cookie: c%d=%d\r\n" % (number, number) for number in range(3000))
    network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + cookies + b"\r\nhello")
    assert fetch("http://public.test/", limits=NetLimits(seconds=15.0)).text == "hello"


@pytest.mark.parametrize("connect", [0.1, 5.0])
def test_a_server_that_says_nothing_during_its_handshake_is_left(network: Any, fetch: Any, connect: float) -> None:
    server = network.serve(HELLO, port=443)  # it waits for a line that does not come in a handshake
    with pytest.raises((ResponseLimitError, httpx2.ConnectTimeout)):
        fetch("https://public.test/", limits=NetLimits(connect_seconds=connect, seconds=1.0))
    assert server.left.acquire(timeout=10.0)


def test_a_server_that_drips_its_handshake_is_left(network: Any, fetch: Any) -> None:
    def drip(_: bytes) -> Iterator[bytes]:
        yield b"\x16\x03\x03\x40\x00"
        while not network.over.wait(0.02):
            yield b"\x02"

    server = network.serve(drip, port=443, rash=True)
    with pytest.raises((ResponseLimitError, httpx2.ConnectTimeout)):
        fetch("https://public.test/", limits=NetLimits(connect_seconds=5.0, seconds=1.0))
    assert server.left.acquire(timeout=10.0)


@pytest.mark.parametrize("pause", [0.0, 0.002])
def test_a_server_that_does_not_take_what_is_sent_is_left(network: Any, pause: float) -> None:
    """One that takes nothing, and one that takes it by the byte."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    over = threading.Event()

    def sip() -> None:
        connection, _ = listener.accept()
        with connection:
            while not over.wait(pause or 10.0):
                if not connection.recv(1):
                    return

    thread = threading.Thread(target=sip, daemon=True)
    thread.start()
    policy, limits = NetPolicy(allow_private=True), NetLimits(seconds=1.0, silent_seconds=0.7)
    started = time.monotonic()
    failures = (ResponseLimitError, httpx2.TimeoutException, httpx2.ReadError)
    with guarded_client(policy=policy, limits=limits, environ={}) as client, pytest.raises(failures):
        client.post(f"http://127.0.0.1:{listener.getsockname()[1]}/", content=bytes(30_000_000))
    assert time.monotonic() - started < 10.0
    over.set()
    thread.join(20.0)
    listener.close()


def typed(kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize(
    "charset",
    [
        "zlib",
        "zlib_codec",
        "bz2",
        "hex",
        "base64",
        "uu",
        "quopri",
        "rot13",
        "rot_13",
        "idna",
        "punycode",
        "undefined",
        "unicode_escape",
        "raw_unicode_escape",
        "utf-7",
        "utf-32",
        "nonsense",
        "utf-8",
    ],
)
def test_a_text_in_no_alphabet_is_read_as_the_usual_one(network: Any, fetch: Any, charset: str) -> None:
    network.serve(typed(f"text/html; charset={charset}", "naïve-99".encode()))
    assert fetch("http://public.test/").text == "naïve-99"


@pytest.mark.parametrize(("charset", "body"), [("latin-1", b"\xe4"), ("cp1252", b"\xe4"), ("utf-16-le", b"\xe4\0")])
def test_a_text_in_another_alphabet_is_read(network: Any, fetch: Any, charset: str, body: bytes) -> None:
    network.serve(typed(f"text/plain; charset={charset}", body))
    assert fetch("http://public.test/").text == "ä"


@pytest.mark.parametrize("kind", ['text/html; charset="' + ";" * 90_000, "text/html; charset*=us-ascii''utf-8%00"])
def test_a_type_that_keeps_parsers_busy_or_breaks_them_does_neither(network: Any, fetch: Any, kind: str) -> None:
    network.serve(typed(kind, b"hello"))
    started = time.process_time()
    assert fetch("http://public.test/").text == "hello"
    assert time.process_time() - started < 3.0


# -- packed bodies -------------------------------------------------------------------------------------------------


def chunked(parts: list[bytes], encoding: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("wbits", [31, 15, -15])
def test_a_packed_body_may_come_byte_by_byte(network: Any, fetch: Any, wbits: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(b"hello " * 50) + packer.flush()
    parts = [bytes([byte]) for byte in packed]
    network.serve(chunked(parts, "gzip" if wbits == 31 else "deflate"))
    assert fetch("http://public.test/").content == b"hello " * 50


def test_a_body_of_countless_packed_parts_is_cut_off(network: Any, fetch: Any) -> None:
    network.serve(chunked([gzip.compress(b"") * 3000] * 20, "gzip"))
    with pytest.raises(httpx2.DecodingError):
        fetch("http://public.test/")


@pytest.mark.parametrize("encoding", ["utf-8", "none", "binary", "identity", "aws-chunked", "UTF8"])
def test_what_is_no_encoding_changes_nothing(network: Any, fetch: Any, encoding: str) -> None:
    network.serve(chunked([b"hello"], encoding))
    assert fetch("http://public.test/").text == "hello"


@pytest.mark.parametrize(
    "encoding", ["br", "zstd", "compress", "gzip, br", "br, gzip", "gzip, gzip", "gzip,identity,gzip"]
)
def test_what_cannot_be_unpacked_is_an_error(network: Any, fetch: Any, encoding: str) -> None:
    network.serve(chunked([b"hello"], encoding))
    with pytest.raises(httpx2.DecodingError):
        fetch("http://public.test/")


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_body_may_name_an_encoding(network: Any, fetch: Any, status: int) -> None:
    network.serve(f"HTTP/1.1 {status} Nothing\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n".encode())
    assert fetch("http://public.test/").content == b""


def test_what_follows_a_packed_body_is_dropped(network: Any, fetch: Any) -> None:
    network.serve(chunked([gzip.compress(b"hello") + b"\0" * 5000], "gzip"))
    assert fetch("http://public.test/").text == "hello"


def test_packed_parts_may_come_one_by_one(network: Any, fetch: Any) -> None:
    network.serve(chunked([gzip.compress(b"one "), gzip.compress(b"two ")[:1], gzip.compress(b"two ")[1:]], "gzip"))
    assert fetch("http://public.test/").text == "one two "


@given(
    body=st.binary(max_size=300) | st.tuples(st.binary(max_size=3), st.integers(1, 200_000)).map(lambda a: a[0] * a[1]),
    wbits=st.sampled_from([31, 15, -15]),
    cut=st.integers(1, 100_000),
)
@example(body=b"x" * 65536, wbits=-15, cut=100_000)
@example(body=b"x" * 131072, wbits=-15, cut=1)
@settings(deadline=None)
def test_a_packed_body_is_the_same_however_it_is_cut(body: bytes, wbits: int, cut: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(body) + packer.flush()
    on_its_way = Body(NetLimits(ratio=10_000), "gzip" if wbits == 31 else "deflate")
    parts = [packed[start : start + cut] for start in range(0, len(packed), cut)]
    assert b"".join(piece for part in parts for piece in on_its_way.feed(part)) == body
    on_its_way.end()
