"""Servers that mean no good cost a bounded time and a bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from hermes_net import NetLimits, ResponseLimitError

SMALL = NetLimits(bytes=100_000, seconds=20.0)
QUICK = NetLimits(seconds=0.4, silent_seconds=10.0)


def answer(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", "Connection: close", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def limit_of(fetch: Any, limits: NetLimits) -> str:
    with pytest.raises(ResponseLimitError) as caught:
        fetch("http://public.test/", limits=limits)
    return str(caught.value.limit)


def test_a_body_that_says_that_it_is_too_large_is_not_read(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n")
    assert limit_of(fetch, SMALL) == "bytes"


def test_a_body_without_end_is_cut_off(network: Any, fetch: Any) -> None:
    sent = []

    def endless(_: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while not network.over.is_set():
            sent.append(10_000)
            yield b"2710\r\n" + b"x" * 10_000 + b"\r\n"

    network.serve(endless)
    assert limit_of(fetch, SMALL) == "bytes"
    assert sum(sent) < 50_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw"])
def test_a_packed_body_that_explodes_is_cut_off(network: Any, fetch: Any, encoding: str) -> None:
    packer = zlib.compressobj(wbits={"gzip": 31, "deflate": 15, "raw": -15}[encoding])
    bomb = packer.compress(bytes(30_000_000)) + packer.flush()
    network.serve(answer(bomb, f"Content-Encoding: {'gzip' if encoding == 'gzip' else 'deflate'}"))
    assert limit_of(fetch, SMALL) == "bytes"
    assert limit_of(fetch, NetLimits()) == "ratio"


def test_a_bomb_in_a_bomb_is_not_unpacked(network: Any, fetch: Any) -> None:
    network.serve(answer(gzip.compress(gzip.compress(bytes(1_000_000))), "Content-Encoding: gzip, gzip"))
    with pytest.raises(httpx2.DecodingError):
        fetch("http://public.test/")


def test_an_encoding_that_nobody_asked_for_is_an_error(network: Any, fetch: Any) -> None:
    server = network.serve(answer(b"whatever", "Content-Encoding: br"))
    with pytest.raises(httpx2.DecodingError, match="'br'"):
        fetch("http://public.test/")
    assert b"Accept-Encoding: gzip, deflate\r\n" in server.requests[0]


@pytest.mark.parametrize("wbits", [31, 15, -15])
def test_packed_bodies_are_unpacked_in_each_form(network: Any, fetch: Any, wbits: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    text = "".join(f"line {number}\n" for number in range(30_000))
    packed = packer.compress(text.encode()) + packer.flush()
    network.serve(answer(packed, f"Content-Encoding: {'gzip' if wbits == 31 else 'deflate'}"))
    response = fetch("http://public.test/")
    assert response.text == text
    assert "content-encoding" not in response.headers


def test_a_packed_body_of_several_parts_is_read_whole(network: Any, fetch: Any) -> None:
    network.serve(answer(gzip.compress(b"one ") + gzip.compress(b"two"), "Content-Encoding: gzip"))
    assert fetch("http://public.test/").text == "one two"


@pytest.mark.parametrize(("wbits", "missing"), [(31, 8), (31, 4), (31, 40), (15, 4), (15, 40), (-15, 40)])
def test_a_packed_body_that_breaks_off_is_read_up_to_there(network: Any, fetch: Any, wbits: int, missing: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    text = "".join(f"line {number}\n" for number in range(3_000))
    packed = packer.compress(text.encode()) + packer.flush()
    network.serve(answer(packed[:-missing], f"Content-Encoding: {'gzip' if wbits == 31 else 'deflate'}"))
    response = fetch("http://public.test/")
    assert text.startswith(response.text)
    assert len(response.text) >= (len(text) if missing < 10 else 20_000)
    assert response.extensions["guarded_body"].is_truncated


def test_a_packed_body_that_is_whole_is_not_called_truncated(network: Any, fetch: Any) -> None:
    network.serve(answer(gzip.compress(b"hello"), "Content-Encoding: gzip"))
    assert not fetch("http://public.test/").extensions["guarded_body"].is_truncated


@pytest.mark.parametrize("packed", [b"\x1f", gzip.compress(b"hello", mtime=0)[:10]])
def test_a_packed_body_that_breaks_off_before_its_first_byte_is_an_error(
    network: Any, fetch: Any, packed: bytes
) -> None:
    network.serve(answer(packed, "Content-Encoding: gzip"))
    with pytest.raises(httpx2.DecodingError):
        fetch("http://public.test/")


def test_headers_that_describe_no_body_do_no_harm(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\nContent-Encoding: br\r\n\r\n")
    assert fetch("http://public.test/", method="HEAD").status_code == 200


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]
)
def test_a_server_that_drips_its_answer_is_left(network: Any, fetch: Any, start: bytes) -> None:
    def drip(_: bytes) -> Iterator[bytes]:  # it goes on until the test is over
        yield start
        while not network.over.wait(0.02):
            yield b"1\r\nx\r\n" if start.endswith(b"\r\n\r\n") else b"X"

    network.serve(drip)
    assert limit_of(fetch, QUICK) == "seconds"


def test_a_client_without_timeout_leaves_a_server_all_the_same(network: Any, fetch: Any) -> None:
    network.serve(lambda _: b"" * network.over.wait(20.0))
    with pytest.raises(ResponseLimitError) as caught:
        fetch("http://public.test/", limits=QUICK, timeout=None)
    assert caught.value.limit == "seconds"


def test_a_server_that_says_nothing_is_left(network: Any, fetch: Any) -> None:
    network.serve(lambda _: b"" * network.over.wait(20.0))
    with pytest.raises(httpx2.ReadTimeout):
        fetch("http://public.test/", limits=NetLimits(silent_seconds=0.1))


def test_the_time_is_for_all_redirects_together(network: Any, fetch: Any) -> None:
    def slowly(_: bytes) -> bytes:
        network.over.wait(0.15)
        return b"HTTP/1.1 302 Found\r\nLocation: /again\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

    server = network.serve(slowly)
    assert limit_of(fetch, NetLimits(seconds=0.4, redirects=1000)) == "seconds"
    assert len(server.requests) < 10


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffffffffff\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello",
        b"HTTP/1.1 9999 What\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
        b"\x00\xff" * 1000,
        b"",
        b"HTTP/1.1 200 OK\r\n" + b"Set-Cookie: a=b\r\n" * 10_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_broken_answer_is_an_error_of_the_client(network: Any, fetch: Any, reply: bytes) -> None:
    network.serve(reply)
    with pytest.raises((httpx2.HTTPError, httpx2.InvalidURL)):
        fetch("http://public.test/")


def test_a_body_that_goes_on_behind_its_length_is_cut_there(network: Any, fetch: Any) -> None:
    network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\nevil")
    assert fetch("http://public.test/").text == "hello"


def test_a_client_goes_on_after_it_left_a_server(network: Any) -> None:
    network.serve(lambda request: answer(b"x" * (200_000 if b"/large" in request else 5)))
    with network.client(limits=SMALL) as client:
        for _ in range(60):  # more than there are connections: none is lost
            with pytest.raises(ResponseLimitError):
                client.get("http://public.test/large")
        assert client.get("http://public.test/").text == "xxxxx"


def test_a_body_can_be_streamed_and_is_measured_on_the_way(network: Any) -> None:
    network.serve(answer(b"x" * 90_000))
    with network.client(limits=SMALL) as client, client.stream("GET", "http://public.test/") as response:
        assert sum(map(len, response.iter_bytes())) == 90_000
