"""Bodies that are too large, too tightly packed, or not what the server says they are."""

from __future__ import annotations

import gzip
import socket
import struct
import tracemalloc
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MB = 1024 * 1024


def packed(body: bytes, encoding: str) -> bytes:
    return HEAD + f"Content-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_without_an_end_is_cut_off(network: Any, chunked: bool) -> None:
    sent = []

    def endless(_: bytes) -> Iterator[bytes]:
        yield HEAD + (b"Transfer-Encoding: chunked\r\n\r\n" if chunked else b"Connection: close\r\n\r\n")
        while not network.over.is_set():
            sent.append(10_000)
            yield b"2710\r\n" + b"x" * 10_000 + b"\r\n" if chunked else b"x" * 10_000

    error = network.failure(network.serve(endless).url)
    assert error.code == "too_large"
    assert "web.extract.max_mb" in str(error.hint)
    assert sum(sent) < 30 * MB


def test_a_body_that_says_it_is_too_large_is_not_read(network: Any) -> None:
    sent = []

    def reply(_: bytes) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 5000000000\r\n\r\n"
        while not network.over.is_set():
            sent.append(100_000)
            yield b"x" * 100_000

    assert network.failure(network.serve(reply).url).code == "too_large"
    assert sum(sent) < 30 * MB


def test_a_page_of_exactly_the_limit_is_fetched(network: Any) -> None:
    server = network.serve(HEAD + b"Content-Length: %d\r\n\r\n" % MB + b"x" * MB)
    assert len(network.fetch(server.url).body) == MB
    larger = network.serve(HEAD + b"Content-Length: %d\r\n\r\n" % (MB + 1) + b"x" * (MB + 1))
    assert network.failure(larger.url).code == "too_large"


@pytest.mark.parametrize("form", ["gzip", "x-gzip", "deflate", "raw"])
def test_a_bomb_is_cut_off_before_it_grows(network: Any, form: str) -> None:
    packer = zlib.compressobj(9, wbits={"deflate": 15, "raw": -15}.get(form, 31))
    bomb = b"".join([*(packer.compress(bytes(MB)) for _ in range(60)), packer.flush()])
    server = network.serve(packed(bomb, "deflate" if form == "raw" else form))
    tracemalloc.start()
    try:
        error = network.failure(server.url, max_mb=50)
        maximum = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == "bomb"
    assert maximum < 20 * MB
    assert network.failure(server.url, max_mb=1).code in ("too_large", "bomb")


def test_a_bomb_of_many_small_ones_is_cut_off(network: Any) -> None:
    server = network.serve(packed(gzip.compress(bytes(100_000), 9) * 2000, "gzip"))
    assert network.failure(server.url).code in ("too_large", "bomb")


@pytest.mark.parametrize("missing", [4, 8, 9])
def test_a_packed_page_that_ends_early_is_read_up_to_there(network: Any, missing: int) -> None:
    whole = "".join(f"<p>Paragraph {number}.</p>" for number in range(2_000)).encode()
    page = network.fetch(network.serve(packed(gzip.compress(whole)[:-missing], "gzip")).url)
    assert whole.startswith(page.body)
    assert len(page.body) > len(whole) - 300
    assert page.notes == ("The server's data ended early, so the end may be missing.",)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip, deflate", "deflate, gzip, gzip", "br", "zstd", "br, gzip"])
def test_an_encoding_that_nobody_asked_for_is_explained(network: Any, encoding: str) -> None:
    body = gzip.compress(gzip.compress(b"<p>Hello</p>" * 100))
    error = network.failure(network.serve(packed(body, encoding)).url)
    assert error.code == "encoding"
    assert "broken" in str(error.hint)


@pytest.mark.parametrize(
    "body",
    [
        b"<p>plain after all</p>",
        b"\x1f\x8b",
        gzip.compress(b"x", mtime=0)[:-4] + b"1234",
    ],
)
def test_a_body_that_is_not_packed_as_it_says_is_explained(network: Any, body: bytes) -> None:
    assert network.failure(network.serve(packed(body, "gzip")).url).code == "encoding"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"<p>Hello</p>", mtime=0)),
        ("GZip", gzip.compress(b"<p>Hello</p>", mtime=0)),
        ("gzip", gzip.compress(b"<p>Hel", mtime=0) + gzip.compress(b"lo</p>", mtime=0)),
        ("gzip", gzip.compress(b"<p>Hello</p>", mtime=0) + b"rubbish"),
        ("deflate", zlib.compress(b"<p>Hello</p>")),
        ("identity", b"<p>Hello</p>"),
        ("utf-8", b"<p>Hello</p>"),
        ("none", b"<p>Hello</p>"),
        ("", b"<p>Hello</p>"),
    ],
)
def test_bodies_are_unpacked_as_they_say(network: Any, encoding: str, body: bytes) -> None:
    assert network.fetch(network.serve(packed(body, encoding)).url).body == b"<p>Hello</p>"


@pytest.mark.parametrize(
    "rest",
    [
        b"zz\r\nhi\r\n0\r\n\r\n",
        b"-1\r\nhi\r\n0\r\n\r\n",
        b"0x2\r\nhi\r\n0\r\n\r\n",
        b"ffffffffffffffffffffffffffffff\r\nhi",
        b"2\r\nhi and more than two\r\n0\r\n\r\n",
        b"2;" + b"x" * 200_000 + b"\r\nhi\r\n0\r\n\r\n",
        b"\r\n\r\n",
        b"2\r\nhi\r\n0\r\nX" + b"y" * 200_000,
    ],
)
def test_malformed_chunks_are_explained(network: Any, rest: bytes) -> None:
    server = network.serve(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + rest)
    assert network.failure(server.url).code in ("bad_response", "too_large")
    assert len(server.requests) == 1, "asking again would not help"


@pytest.mark.parametrize(
    "end",
    [
        b"Content-Length: 500\r\n\r\n<p>Only this",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>On",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>On\r\n",
        b"Content-Le",
    ],
)
def test_an_answer_that_breaks_off_is_asked_for_again_and_explained(network: Any, end: bytes) -> None:
    server = network.serve(HEAD + end)
    error = network.failure(server.url)
    assert error.code == "broken_off"
    assert len(server.requests) == 2


def test_a_connection_that_is_reset_in_the_middle_is_explained(network: Any) -> None:
    taken: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                taken.append(connection.recv(65536))
                connection.sendall(HEAD + b"Content-Length: 500\r\n\r\n<p>Only this")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()

        listener.settimeout(20)
        from threading import Thread

        thread = Thread(target=serve, daemon=True)
        thread.start()
        error = network.failure(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join(20)
    assert error.code == "broken_off"
    assert len(taken) == 2


@pytest.mark.parametrize(
    "length", ["abc", "-5", "1e3", "5, 6", "5\r\nContent-Length: 6", "0x10", "99999999999999999999"]
)
def test_a_length_that_cannot_be_is_explained(network: Any, length: str) -> None:
    server = network.serve(HEAD + f"Content-Length: {length}\r\n\r\nhello".encode())
    assert network.failure(server.url).code in ("bad_response", "too_large")


def test_what_follows_a_body_is_nobodys(network: Any) -> None:
    server = network.serve(HEAD + b"Content-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\nsmuggled")
    assert network.fetch(server.url).body == b"hello"


def test_a_length_beside_chunks_does_not_count(network: Any) -> None:
    both = b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    assert network.fetch(network.serve(HEAD + both).url).body == b"hello"


def test_one_byte_in_a_chunk_is_slow_but_whole(network: Any) -> None:
    body = b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
    server = network.serve(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    assert network.fetch(server.url).body == b"x" * 20_000
