"""Answers that begin in ways no server should: too many headers, other protocols, noise."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_web.fetcher.errors import FetchError

PAGE = b"Content-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
CODES = {
    *("url_refused", "not_found", "gone", "login_needed", "forbidden", "rate_limited", "legal", "request_refused"),
    *("server_error", "bad_redirect", "too_many_redirects", "timeout", "too_large", "bomb", "encoding", "unreachable"),
    *("broken_off", "tls", "proxy", "bad_response"),
}


def cookies(how_many: int, size: int = 1) -> bytes:
    return b"".join(b"Set-Cookie: c%d=%s; Path=/\r\n" % (number, b"v" * size) for number in range(how_many))


def test_ten_thousand_cookies_are_explained(network: Any) -> None:
    server = network.serve(b"HTTP/1.1 200 OK\r\n" + cookies(10_000) + PAGE)
    started = time.monotonic()
    error = network.failure(server.url)
    assert error.code == "too_large"
    assert "headers" in error.message
    assert time.monotonic() - started < 60


def test_thousands_of_cookies_do_no_harm(network: Any) -> None:
    """As many as fit into headers that are read at all: the page comes, and few of them go on."""

    def reply(head: bytes) -> bytes:
        if head.startswith(b"GET / "):
            return b"HTTP/1.1 302 Found\r\nLocation: /page\r\n" + cookies(3500) + b"Content-Length: 0\r\n\r\n"
        return b"HTTP/1.1 200 OK\r\n" + PAGE

    server = network.serve(reply)
    assert network.fetch(server.url).body == b"hello"
    assert 1 <= server.requests[1].count(b"=v") <= 50


def test_cookies_that_are_too_long_together_are_cut_at_a_whole_one(network: Any) -> None:
    def reply(head: bytes) -> bytes:
        if head.startswith(b"GET / "):
            return b"HTTP/1.1 302 Found\r\nLocation: /page\r\n" + cookies(24, 3000) + b"Content-Length: 0\r\n\r\n"
        return b"HTTP/1.1 200 OK\r\n" + PAGE

    server = network.serve(reply)
    assert network.fetch(server.url).body == b"hello"
    assert len(server.requests[1]) < 10_000
    assert b"v" * 3000 in server.requests[1]
    sent = next(line for line in server.requests[1].split(b"\r\n") if line.lower().startswith(b"cookie:"))
    assert all(len(pair.partition(b"=")[2]) == 3000 for pair in sent.split(b"; "))


@pytest.mark.parametrize(
    "value",
    [
        'a="' + "\\" * 3000,
        "a=b; expires=" + " " * 3000 + "x",
        "a=b; expires=" + "1" * 3000,
        "a=b; expires=Thu, 99 Foo 99999 99:99:99 GMT",
        "a=b; max-age=" + "9" * 3000,
        'a=b; Max-Age = "' + "9" * 3000,
        "a=b; domain=" + "." * 3000,
        "a=b; domain=.test; path=" + "/" * 3000,
        "; ; ;=;=;,,,",
        "=",
        "",
        "a" * 3000,
        "a=" + "b" * 50_000,
        "a=b; version=x; port=y; discard",
        "ä=ö",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_strange_cookies_do_no_harm(network: Any, value: str, encoding: str) -> None:
    lines = ["HTTP/1.1 302 Found", "Location: /page", f"Set-Cookie: {value}", "Content-Length: 0", "", ""]
    head = "\r\n".join(lines).encode(encoding)
    server = network.serve(lambda asked: head if asked.startswith(b"GET / ") else b"HTTP/1.1 200 OK\r\n" + PAGE)
    started = time.monotonic()
    assert network.fetch(server.url).body == b"hello"
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    "headers",
    [
        b"X-Long: " + b"x" * 2_000_000 + b"\r\n",
        b"".join(b"X-%d: y\r\n" % number for number in range(100_000)),
        b"x" * 2_000_000,
        b"X: a\r\n" + b" folded\r\n" * 100_000,
    ],
)
def test_a_bomb_of_headers_is_explained(network: Any, headers: bytes) -> None:
    server = network.serve(b"HTTP/1.1 200 OK\r\n" + headers + PAGE)
    error = network.failure(server.url)
    assert error.code == "too_large"
    assert "headers" in error.message


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>what servers said before there were headers</html>\r\n\r\n",
        b"ICY 200 OK\r\n\r\nmusic",
        b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
        b"220 mail.test ESMTP\r\n\r\n",
        b"RTSP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 999 No\r\n" + PAGE,
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\n: nameless\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-A: \0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        bytes(range(256)) + b"\r\n\r\n",
        b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00",
        b"\x15\x03\x01\x00\x02\x02\x28\r\n\r\n",
    ],
)
def test_what_is_not_http_is_explained(network: Any, answer: bytes) -> None:
    server = network.serve(answer)
    assert network.failure(server.url).code == "bad_response"
    assert len(server.requests) == 1


def test_a_server_that_says_nothing_and_hangs_up_is_asked_again(network: Any) -> None:
    server = network.serve(b"")
    error = network.failure(server.url)
    assert error.code == "broken_off"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + b"HTTP/1.1 200 OK\r\n" + PAGE,
        b"HTTP/1.1 200 \xe4\xf6\r\n" + PAGE,
        b"HTTP/1.1 200 OK\r\nX-Odd: \xff\xfe\r\n" + PAGE,
    ],
)
def test_heads_that_are_only_odd_are_read(network: Any, head: bytes) -> None:
    assert network.fetch(network.serve(head).url).body == b"hello"


def test_a_type_that_is_no_text_does_no_harm(network: Any) -> None:
    server = network.serve(b"HTTP/1.1 200 OK\r\nContent-Type: \xff\xfe;;\r\nContent-Length: 2\r\n\r\nhi")
    assert network.fetch(server.url).body == b"hi"


LINES = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 302 Found", b"HTTP/1.1 204 No", b"HTTP/1.1 404 No", b"HTTP/1.0 200 OK", b"HTTP/1.1"]
)
NAMES = st.sampled_from(
    [b"Content-Length", b"Content-Encoding", b"Transfer-Encoding", b"Location", b"Set-Cookie", b"Refresh", b"X", b""]
)
VALUES = st.one_of(
    st.sampled_from([b"5", b"gzip", b"chunked", b"/next", b"a=b; path=/", b"0;url=/next", b"http://[", b"close"]),
    st.binary(max_size=20),
)
HEADERS = st.lists(st.tuples(NAMES, VALUES).map(b": ".join), max_size=5)
ANSWERS = st.one_of(
    st.binary(max_size=200),
    st.builds(
        lambda line, headers, body: b"\r\n".join([line, *headers, b"", body]), LINES, HEADERS, st.binary(max_size=50)
    ),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=ANSWERS)
def test_whatever_a_server_says_there_is_a_page_or_an_explanation(network: Any, answer: bytes) -> None:
    server = network.serve(answer)
    found = network.outcome(server.url, seconds=0.15)
    assert found.code in CODES if isinstance(found, FetchError) else found.status in (200, 204)
