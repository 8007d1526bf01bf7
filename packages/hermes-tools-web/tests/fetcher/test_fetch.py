"""One page: what is asked, what comes back, and what happens on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

import hermes_tools_web.plugin
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.fetcher.requests import request_headers, response_limits
from hermes_tools_web.settings import ExtractSettings, WebSettings


def page(body: bytes = b"hello", *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def redirect(target: bytes, status: int = 302) -> bytes:
    return b"HTTP/1.1 %d On\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % (status, target)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_page_is_fetched_with_what_is_known_of_it(network: Any, backend: str) -> None:
    headers = ["Content-Type: text/html; charset=utf-8", "ETag: abc", "Last-Modified: then", "X-Robots-Tag: noindex"]
    server = network.serve(page(b"<p>Hello", *headers, "X-Robots-Tag: nofollow", "X-Other: x"))
    found = network.fetch(server.url, backend=backend)
    assert (found.url, found.final_url, found.status) == (server.url, server.url, 200)
    assert (found.body, found.content_type) == (b"<p>Hello", "text/html; charset=utf-8")
    assert found.headers["etag"] == "abc"
    assert found.headers["x-robots-tag"] == "noindex, nofollow"
    assert "x-other" not in found.headers


def test_the_last_of_two_types_counts(network: Any) -> None:
    server = network.serve(page(b"{}", "Content-Type: text/html", "Content-Type: application/json"))
    assert network.fetch(server.url).content_type == "application/json"


def test_a_server_is_told_who_asks_and_nothing_else(network: Any) -> None:
    server = network.serve(page())
    network.fetch(server.url)
    lines = server.requests[0].decode().split("\r\n")
    asked = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines[1:] if line}
    assert lines[0] == "GET / HTTP/1.1"
    assert asked["user-agent"] == f"hermes-tools-web/{hermes_tools_web.__version__}"
    assert asked["accept-encoding"] == "gzip, deflate"
    assert asked["accept"].startswith("text/html")
    assert set(asked) <= {"host", "accept", "accept-encoding", "accept-language", "connection", "user-agent"}


def test_headers_are_lines_whatever_the_settings_say() -> None:
    settings = WebSettings(user_agent="Me\r\nX-Evil: 1 \u2028 ä")
    headers = request_headers(settings, accept="")
    assert headers["User-Agent"] == "Me X-Evil: 1"
    assert headers["Accept"] == "*/*"


def test_limits_follow_the_settings() -> None:
    limits = response_limits(WebSettings(extract=ExtractSettings(seconds=4, max_mb=3)))
    assert (limits.bytes, limits.seconds, limits.connect_seconds) == (3 * 1024 * 1024, 4, 2)
    assert response_limits(WebSettings()).connect_seconds == 10


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_redirects_are_followed(network: Any, status: int) -> None:
    server = network.serve(lambda head: page() if head.startswith(b"GET /next ") else redirect(b"/next#part", status))
    found = network.fetch(server.url)
    assert (found.body, found.final_url) == (b"hello", server.url + "next")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/schön".encode(), "/sch%C3%B6n"),
        ("/schön".encode("latin-1"), "/sch%C3%B6n"),
        (b"/two words", "/two%20words"),
        (b"/100%", "/100%25"),
        (b"next?q=a b", "/next?q=a%20b"),
        (b"  /padded  ", "/padded"),
        (b"?only=query", "/?only=query"),
        (b"/a|b", "/a%7Cb"),
    ],
)
def test_odd_places_of_redirects_are_understood(network: Any, place: bytes, path: str) -> None:
    server = network.serve(lambda head: redirect(place) if head.startswith(b"GET / ") else page())
    assert network.fetch(server.url).body == b"hello"
    assert server.paths[1].replace("|", "%7C") == path


def test_a_redirect_may_carry_what_looks_like_a_key_however_long_the_way(network: Any) -> None:
    key = b"access_token=0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    places = iter([b"/%d?%s" % (number, key) for number in range(9)])
    server = network.serve(lambda _: redirect(place) if (place := next(places, b"")) else page())
    assert network.fetch(server.url).body == b"hello"
    assert len(server.requests) == 10


def test_a_redirect_from_http_to_https_is_followed(network: Any, serving_tls: Any, trusting: Any) -> None:
    network.place(network.serve(redirect(b"https://secure.test/page")), "secure.test")
    network.place(network.serve(page(), tls=serving_tls()), "secure.test")
    found = network.fetch("http://secure.test/", options={"tls": trusting()})
    assert found.final_url == "https://secure.test/page"


def test_pages_that_send_their_readers_on_are_followed(network: Any) -> None:
    onward = b'<meta http-equiv="refresh" content="0; url=/%s">'
    answers = {
        "/": page(onward % b"two", "Content-Type: text/html"),
        "/two": page(onward % b"three", "Content-Type: text/html"),
        "/three": page(),
    }
    server = network.serve(lambda head: answers[head.split()[1].decode()])
    assert network.fetch(server.url).final_url == server.url + "three"


def test_a_page_that_only_wants_to_be_fresh_is_read(network: Any) -> None:
    server = network.serve(page(b"<meta http-equiv=refresh content='5; url=/#now'>News", "Content-Type: text/html"))
    assert b"News" in network.fetch(server.url).body
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [204, 205])
def test_a_page_without_content_is_empty(network: Any, status: int) -> None:
    found = network.fetch(network.serve(b"HTTP/1.1 %d Nothing\r\n\r\n" % status).url)
    assert (found.status, found.body) == (status, b"")


@pytest.mark.parametrize("status", [200, 201, 203, 206, 226, 299])
def test_any_success_is_a_page(network: Any, status: int) -> None:
    found = network.fetch(network.serve(b"HTTP/1.1 %d OK\r\nContent-Length: 2\r\n\r\nhi" % status).url)
    assert (found.status, found.body) == (status, b"hi")


def test_a_connection_that_a_server_has_closed_meanwhile_is_made_anew(network: Any) -> None:
    server = network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")  # it does not say that it hangs up

    async def twice() -> list[bytes]:
        async with network.client() as client:
            return [(await fetch(server.url, client=client, settings=WebSettings())).body for _ in range(3)]

    assert anyio.run(twice) == [b"hello"] * 3


def test_pages_that_were_not_read_to_their_end_hold_no_connections(network: Any) -> None:
    server = network.serve(b"HTTP/1.1 404 Not Found\r\nContent-Length: 100000\r\n\r\nAn error page")
    settings = WebSettings(extract=ExtractSettings(seconds=3))
    codes: list[str] = []

    async def many() -> None:
        async with network.client(limits=response_limits(settings)) as client:
            for _ in range(60):  # a client has 50 connections
                try:
                    await fetch(server.url, client=client, settings=settings)
                except FetchError as error:
                    codes.append(error.code)

    anyio.run(many)
    assert codes == ["not_found"] * 60


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_fetch_that_is_cancelled_ends_at_once_and_leaves_nothing(network: Any, backend: str) -> None:
    begun: list[bytes] = []

    def endless(head: bytes) -> Iterator[bytes]:
        begun.append(head)
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        while not network.over.wait(0.01):
            yield b"x"

    server = network.serve(endless)

    async def run() -> tuple[float, bytes]:
        async with network.client(limits=response_limits(WebSettings())) as client:
            with anyio.move_on_after(60) as scope:
                async with anyio.create_task_group() as tasks:

                    async def one() -> None:
                        await fetch(server.url, client=client, settings=WebSettings())

                    tasks.start_soon(one)
                    while not begun:
                        await anyio.sleep(0.01)
                    started = time.monotonic()
                    tasks.cancel_scope.cancel()
            assert not scope.cancelled_caught
            took = time.monotonic() - started
            other = network.serve(page())
            return took, (await fetch(other.url, client=client, settings=WebSettings())).body

    took, body = anyio.run(run, backend=backend)
    assert took < 50
    assert body == b"hello"


def test_a_client_may_be_used_for_other_things_beside(network: Any) -> None:
    server = network.serve(lambda head: page() if head.startswith(b"GET /next ") else redirect(b"/next"))

    async def run() -> tuple[bytes, bytes]:
        async with network.client() as client:
            fetched = await fetch(server.url, client=client, settings=WebSettings())
            plain = await client.get(server.url)
            return fetched.body, plain.content

    assert anyio.run(run) == (b"hello", b"hello")
