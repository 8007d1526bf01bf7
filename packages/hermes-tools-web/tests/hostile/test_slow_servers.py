"""Servers that take their time: each costs what the user allows, and no more."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.settings import ExtractSettings, WebSettings

SECONDS = 0.25
SLACK = 30.0
"""What a busy machine may take beyond that; all these servers would go on for longer."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.fixture
def left_in_time(network: Any) -> Callable[..., str]:
    """The code of the error for a URL, which must come in time."""

    def run(url: str, **options: Any) -> str:
        started = time.monotonic()
        error = network.failure(url, seconds=SECONDS, **options)
        assert time.monotonic() - started < SECONDS + SLACK
        return str(error.code)

    return run


def dripping(network: Any, start: bytes, drop: bytes) -> Any:
    def reply(_: bytes) -> Iterator[bytes]:
        yield start
        while not network.over.wait(0.02):
            yield drop

    return network.serve(reply)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(
    ("start", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X"),
        (b"HTTP/1.1 200 OK\r\n", b"X-Name: value\r\n"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
        (HEAD + b"Connection: close\r\n\r\n", b"x"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Trailer: value\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
    ],
)
def test_a_server_that_drips_its_answer_is_left(
    network: Any, left_in_time: Callable[..., str], start: bytes, drop: bytes, backend: str
) -> None:
    server = dripping(network, start, drop)
    assert left_in_time(server.url, backend=backend) == "timeout"


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\n", HEAD + b"Content-Length: 5\r\n\r\nabc"])
def test_a_server_that_falls_silent_is_left(network: Any, left_in_time: Callable[..., str], start: bytes) -> None:
    def reply(_: bytes) -> Iterator[bytes]:
        yield start
        network.over.wait(20)

    assert left_in_time(network.serve(reply).url) == "timeout"


def test_the_time_is_for_all_redirects_together(network: Any, left_in_time: Callable[..., str]) -> None:
    def reply(_: bytes) -> bytes:
        network.over.wait(0.15)
        return b"HTTP/1.1 302 Found\r\nLocation: /on\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    server = network.serve(reply)
    assert left_in_time(server.url) == "timeout"
    assert len(server.requests) < 8


def test_the_time_of_the_settings_counts_whatever_the_client_would_wait(network: Any) -> None:
    server = network.serve(lambda _: b"" * network.over.wait(20))
    settings = WebSettings(extract=ExtractSettings(seconds=SECONDS))

    async def run() -> None:
        async with network.client() as client:  # its own time is a minute
            await fetch(server.url, client=client, settings=settings)

    started = time.monotonic()
    with pytest.raises(FetchError, match="in time"):
        anyio.run(run)
    assert time.monotonic() - started < SECONDS + SLACK


def test_the_time_is_for_all_attempts_together(network: Any, left_in_time: Callable[..., str]) -> None:
    server = network.serve(b"HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n")
    assert left_in_time(server.url) == "server_error"
    assert len(server.requests) == 1


def test_a_server_that_never_shakes_hands_is_left(left_in_time: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:  # it accepts, and says nothing
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/"
        assert left_in_time(url) in ("timeout", "unreachable")


def test_a_server_that_never_accepts_is_left(left_in_time: Callable[..., str]) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        try:
            for each in waiting:  # they fill the queue, so that nobody else is let in
                each.setblocking(False)
                each.connect_ex(address)
            assert left_in_time(f"http://127.0.0.1:{address[1]}/") in ("timeout", "unreachable")
        finally:
            for each in waiting:
                each.close()


def test_a_server_that_does_not_read_is_left(left_in_time: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert left_in_time(url + "a" * 60_000) == "timeout"


def test_a_slow_page_within_its_time_is_fetched(network: Any) -> None:
    def reply(_: bytes) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 10\r\n\r\n"
        for _drop in range(10):
            network.over.wait(0.03)
            yield b"x"

    assert network.fetch(network.serve(reply).url).body == b"x" * 10
