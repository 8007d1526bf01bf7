"""Redirects that lead in circles, or to where nobody may go."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_net import NetPolicy, WebsiteBlocklist

PUBLIC_ONLY = NetPolicy()


def redirect(target: str | bytes, status: int = 302) -> bytes:
    place = target if isinstance(target, bytes) else target.encode()
    return b"HTTP/1.1 %d Elsewhere\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % (status, place)


def page(body: bytes, *headers: str) -> bytes:
    lines = [
        "HTTP/1.1 200 OK",
        "Content-Type: text/html",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def refreshing(target: str) -> bytes:
    return page(f'<meta http-equiv="refresh" content="0; url={target}"><p>Wait.'.encode())


@pytest.mark.parametrize("target", ["/", "", "?", "#top", "/again", "."])
def test_a_circle_of_redirects_is_left(network: Any, target: str) -> None:
    server = network.serve(redirect(target))
    error = network.failure(server.url)
    assert error.code == "too_many_redirects"
    assert len(server.requests) == 11


def test_redirects_that_never_come_back_to_the_same_place_are_left(network: Any) -> None:
    server = network.serve(lambda head: redirect(head.split()[1] + b"x"))
    assert network.failure(server.url).code == "too_many_redirects"
    assert server.paths[-1] == "/" + 10 * "x"


def test_two_servers_that_send_each_other_their_guests_are_left(network: Any) -> None:
    places: list[str] = []
    one = network.serve(lambda _: redirect(places[1]))
    other = network.serve(lambda _: redirect(places[0]))
    places += [one.url, other.url]
    assert network.failure(one.url).code == "too_many_redirects"
    assert len(one.requests) + len(other.requests) == 11


def test_pages_that_refresh_to_each_other_are_read_at_last(network: Any) -> None:
    server = network.serve(lambda head: refreshing("/b" if head.startswith(b"GET /a ") else "/a"))
    found = network.fetch(server.url + "a")
    assert b"Wait." in found.body
    assert len(server.requests) == 3


def test_redirects_and_refreshes_together_end(network: Any) -> None:
    def reply(head: bytes) -> bytes:
        return refreshing("/a") if head.startswith(b"GET /b ") else redirect("/b")

    server = network.serve(reply)
    found = network.fetch(server.url + "a")
    assert b"Wait." in found.body
    assert len(server.requests) < 15


FORBIDDEN = [
    ("http://169.254.169.254/latest/meta-data/", "metadata"),
    ("http://metadata.google.internal/computeMetadata/v1/", "metadata"),
    ("http://[::ffff:169.254.169.254]/", "metadata"),
    ("http://0xa9fea9fe/", "metadata"),
    ("http://2852039166/latest/", "metadata"),
    ("//169.254.169.254/latest/", "metadata"),
    ("http://127.0.0.1:8080/admin", "private"),
    ("http://localhost/admin", "private"),
    ("http://10.0.0.7/", "private"),
    ("http://inside.test/", "private"),
    ("http://both.test/", "private"),
    ("http://cloud.test/", "metadata"),
    ("file:///etc/passwd", "scheme"),
    ("gopher://public.test/", "scheme"),
    ("data:text/html,hello", "scheme"),
    ("http://user:word@public.test/", "credentials"),
    ("http://public.test:22/", "port"),
    ("http://public.test\\@10.0.0.7/", "credentials"),
    ("http://public.test\\.10.0.0.7/", "spelling"),
    ("http://blocked.test/", "blocked_site"),
    ("http://below.blocked.test/", "blocked_site"),
]


def lead(network: Any, reply: Any) -> None:
    network.place(network.serve(reply), "public.test")
    network.names |= {
        "inside.test": ["10.0.0.7"],
        "both.test": ["93.184.216.99", "192.168.1.1"],
        "cloud.test": ["169.254.169.254"],
        "blocked.test": ["93.184.216.98"],
        "below.blocked.test": ["93.184.216.98"],
    }


@pytest.mark.parametrize(("target", "code"), FORBIDDEN)
def test_a_redirect_to_a_forbidden_place_is_refused(network: Any, target: str, code: str) -> None:
    lead(network, redirect(target))
    policy = NetPolicy(blocklist=WebsiteBlocklist(["blocked.test"]))
    error = network.failure("http://public.test/", policy=policy)
    assert (error.code, error.refused) == ("url_refused", code), error.message
    assert error.message.startswith("The page redirects to a refused URL.")
    assert network.dialled == [("93.184.216.34", 80)]


@pytest.mark.parametrize(("target", "code"), [pair for pair in FORBIDDEN if pair[1] in ("metadata", "private")])
def test_a_page_that_refreshes_to_a_forbidden_place_is_refused(network: Any, target: str, code: str) -> None:
    lead(network, refreshing(target))
    error = network.failure("http://public.test/", policy=PUBLIC_ONLY)
    assert (error.code, error.refused) == ("url_refused", code)
    assert network.dialled == [("93.184.216.34", 80)]


def test_metadata_is_refused_even_where_private_addresses_are_open(network: Any) -> None:
    server = network.serve(redirect("http://169.254.169.254/latest/meta-data/"))
    assert network.failure(server.url).refused == "metadata"
    assert [host for host, _ in network.dialled] == ["127.0.0.1"]


def test_a_name_that_changes_its_address_between_two_steps_is_refused(network: Any) -> None:
    def reply(_: bytes) -> bytes:
        network.names["public.test"] = ["10.0.0.7"]
        return redirect("/inside")

    lead(network, reply)
    assert network.failure("http://public.test/", policy=PUBLIC_ONLY).refused == "private"


@pytest.mark.parametrize(
    "target", ["javascript:void(0)", "app://open", "mailto:a@b.test", "http://[bad", "http://a b/"]
)
def test_a_refresh_that_leads_nowhere_leaves_the_page(network: Any, target: str) -> None:
    server = network.serve(refreshing(target))
    assert b"Wait." in network.fetch(server.url).body


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (b"http://[::1", "bad_redirect"),
        (b"http://" + b"a" * 70_000 + b".test/", "url_refused"),
        (b"/" + b"a" * 70_000, "url_refused"),
        (b"http://public.test:99999/", "url_refused"),
        (b"http:///nowhere", "not_found"),
        (b"http://..test/", "url_refused"),
        (b"http://xn--a.test/", "url_refused"),
        (b"/a\x01b", "url_refused"),
        (b"\xff\xfe://x", "not_found"),
    ],
)
def test_a_redirect_to_nonsense_is_explained(network: Any, place: bytes, code: str) -> None:
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    server = network.serve(lambda head: redirect(place) if head.startswith(b"GET / ") else missing)
    assert network.failure(server.url).code == code


def test_a_redirect_without_a_place_is_explained(network: Any) -> None:
    server = network.serve(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")
    error = network.failure(server.url)
    assert (error.code, error.status) == ("bad_redirect", 302)


def test_a_redirect_to_a_host_that_is_not_found_is_no_refusal(network: Any) -> None:
    server = network.serve(redirect("http://gone.test/"))
    error = network.failure(server.url)
    assert (error.code, error.refused) == ("unreachable", "")
    assert "redirects" in error.message
    assert "gone.test" in error.message
