"""Cookies that a page needs on its way, and nothing beyond that."""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.fetcher.requests import PageCookies
from hermes_tools_web.settings import WebSettings

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"


def redirect(target: str, *cookies: str) -> bytes:
    lines = ["HTTP/1.1 302 Found", f"Location: {target}", *(f"Set-Cookie: {each}" for each in cookies)]
    return "\r\n".join([*lines, "Content-Length: 0", "Connection: close", "", ""]).encode()


def cookies_in(head: bytes) -> set[str]:
    lines = [line for line in head.decode().split("\r\n") if line.lower().startswith("cookie:")]
    return {pair.strip() for line in lines for pair in line[len("cookie:") :].split(";")}


def test_a_site_that_turns_in_circles_until_its_cookie_comes_back_is_read(network: Any) -> None:
    server = network.serve(lambda head: PAGE if "seen=yes" in cookies_in(head) else redirect("/", "seen=yes; Path=/"))
    assert network.fetch(server.url).body == b"hello"
    assert len(server.requests) == 2


def test_a_cookie_can_be_changed_and_taken_back(network: Any) -> None:
    answers = {
        "/": redirect("/two", "a=1; Path=/", "b=1; Path=/"),
        "/two": redirect("/three", "a=2; Path=/", "b=; Path=/; Max-Age=0"),
        "/three": PAGE,
    }
    server = network.serve(lambda head: answers[head.split()[1].decode()])
    assert network.fetch(server.url).body == b"hello"
    assert cookies_in(server.requests[1]) == {"a=1", "b=1"}
    assert cookies_in(server.requests[2]) == {"a=2"}


def test_a_page_that_refreshes_gets_its_cookie_back(network: Any) -> None:
    body = b'<meta http-equiv="refresh" content="0">'

    def reply(head: bytes) -> bytes:
        if "a=1" in cookies_in(head):
            return PAGE
        start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nRefresh: 0; url=/go\r\n"
        return start + b"Content-Length: %d\r\n\r\n" % len(body) + body

    assert network.fetch(network.serve(reply).url).body == b"hello"


def test_cookies_stay_with_the_site_that_set_them(network: Any) -> None:
    network.place(network.serve(lambda _: redirect("http://two.test/", "secret=1; Path=/")), "one.test")
    two = network.serve(PAGE)
    network.place(two, "two.test", address="93.184.216.35")
    assert network.fetch("http://one.test/").body == b"hello"
    assert cookies_in(two.requests[0]) == set()


def test_nobody_sets_cookies_for_another_site(network: Any) -> None:
    network.place(network.serve(lambda _: redirect("http://two.test/", "a=1; Domain=two.test; Path=/")), "one.test")
    two = network.serve(PAGE)
    network.place(two, "two.test", address="93.184.216.35")
    network.fetch("http://one.test/")
    assert cookies_in(two.requests[0]) == set()


def test_a_client_that_fetches_two_pages_keeps_nothing_between_them(network: Any) -> None:
    server = network.serve(
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
    )

    async def twice() -> None:
        async with network.client() as client:
            for _ in range(2):
                await fetch(server.url, client=client, settings=WebSettings())

    anyio.run(twice)
    assert [cookies_in(head) for head in server.requests] == [set(), set()]


ATTRIBUTES = st.sampled_from(
    ["Max-Age", "Expires", "Domain", "Path", "Port", "Version", "Secure", "Discard", "Comment"]
)
VALUES = st.one_of(
    st.text(st.characters(max_codepoint=126, min_codepoint=32), max_size=30),
    st.integers().map(str),
    st.sampled_from(["9" * 20, "-" + "9" * 400, "Thu, 01 Jan 1970 00:00:00 GMT", "inf", "nan", "1e999", '"', ".", "/"]),
)
COOKIES = st.builds(
    lambda name, value, pairs: "; ".join([f"{name}={value}", *(f"{key}={text}" for key, text in pairs)]),
    VALUES,
    VALUES,
    st.lists(st.tuples(ATTRIBUTES, VALUES), max_size=4),
)


@settings(max_examples=200, deadline=None)
@given(written=st.lists(COOKIES, max_size=4))
def test_whatever_a_cookie_says_the_next_request_can_be_sent(written: list[str]) -> None:
    cookies = PageCookies()
    request = httpx2.Request("GET", "http://a.test/b/c")
    headers = [(b"Set-Cookie", each.encode()) for each in written]
    cookies.store(httpx2.Response(200, headers=headers, request=request))
    following = httpx2.Request("GET", "http://a.test/b/d")
    cookies.add_to(following)
    sent = following.headers.get("cookie", "")
    assert len(sent) <= 8192
    assert "\n" not in sent
