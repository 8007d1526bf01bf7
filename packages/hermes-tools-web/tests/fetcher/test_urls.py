"""URLs as people write them become URLs as servers read them, or are refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.requests import encode_url, join_url

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"


def translate_errors(work: Callable[[], str]) -> str | FetchError:
    """A URL, or the error that there is none."""
    try:
        return work()
    except FetchError as error:
        return error


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://a.test", "http://a.test/"),
        ("HTTP://A.Test/", "http://a.test/"),
        ("  http://a.test/ \n", "http://a.test/"),
        ("http://a.test/b#part", "http://a.test/b"),
        ("http://a.test?q=1", "http://a.test/?q=1"),
        ("http://a.test/?", "http://a.test/?"),
        ("http://a.test#part", "http://a.test/"),
        ("http://a.test:80/", "http://a.test/"),
        ("https://a.test:443/", "https://a.test/"),
        ("http://a.test:443/", "http://a.test:443/"),
        ("http://a.test:/", "http://a.test/"),
        ("http://a.test:08080/", "http://a.test:8080/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://bücher.test/", "http://xn--bcher-kva.test/"),
        ("http://日本語.test/ページ", "http://xn--wgv71a119e.test/%E3%83%9A%E3%83%BC%E3%82%B8"),
        ("http://a.test/two words", "http://a.test/two%20words"),
        ("http://a.test/?q=two words", "http://a.test/?q=two%20words"),
        ("http://a.test/%C3%BC", "http://a.test/%C3%BC"),
        ("http://a.test/%2F%2f", "http://a.test/%2F%2f"),
        ("http://a.test/100%", "http://a.test/100%25"),
        ("http://a.test/%zz", "http://a.test/%25zz"),
        ("http://a.test/?q=50%&r=%41", "http://a.test/?q=50%25&r=%41"),
        ("http://a.test/a;b,c=d@e:f!$&'()*+~", "http://a.test/a;b,c=d@e:f!$&'()*+~"),
        ('http://a.test/<b>"', "http://a.test/%3Cb%3E%22"),
        ("http://a.test/?x=a?b/c", "http://a.test/?x=a?b/c"),
        ("http://a.test//double//slashes", "http://a.test//double//slashes"),
        ("http://a.test/a/../b", "http://a.test/a/../b"),
    ],
)
def test_a_url_is_put_into_the_form_for_servers(written: str, meant: str) -> None:
    assert encode_url(written) == meant
    assert encode_url(meant) == meant, "what is in that form stays as it is"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("", "not_a_url"),
        ("a.test", "not_a_url"),
        ("/path", "not_a_url"),
        ("not a url", "not_a_url"),
        (None, "not_a_url"),
        (5, "not_a_url"),
        ("ftp://a.test/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("http:/a.test", "spelling"),
        ("http:///a.test", "spelling"),
        ("http://a\nb.test/", "spelling"),
        ("http://a.test/\x00", "spelling"),
        ("http://a b.test/", "spelling"),
        ("http://user@a.test/", "credentials"),
        ("http://user:word@a.test/", "credentials"),
        ("http://a.test/?api_key=0a1b2c3d4e5f60718293a4b5c6d7e8f9", "api_key"),
        ("http://a.test:22/", "port"),
        ("http://a.test/" + "a" * 70_000, "not_a_url"),
        ("http://169.254.169.254/", "metadata"),
        ("http://metadata.google.internal/", "metadata"),
    ],
)
def test_what_may_not_be_fetched_is_refused(written: Any, code: str) -> None:
    with pytest.raises(FetchError) as caught:
        encode_url(written)
    assert (caught.value.code, caught.value.refused) == ("url_refused", code)
    assert caught.value.hint


def test_a_redirect_may_carry_what_looks_like_a_key() -> None:
    with_key = "http://a.test/?access_token=0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    assert join_url("http://a.test/", with_key) == with_key


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("/b", "http://a.test/b"),
        ("b", "http://a.test/x/b"),
        ("../b", "http://a.test/b"),
        ("?q", "http://a.test/x/y?q"),
        ("#part", "http://a.test/x/y"),
        ("", "http://a.test/x/y"),
        ("//b.test/c", "http://b.test/c"),
        (" https://b.test/c ", "https://b.test/c"),
        ("/zwei wörter", "http://a.test/zwei%20w%C3%B6rter"),
        ("//bücher.test/", "http://xn--bcher-kva.test/"),
    ],
)
def test_references_lead_from_where_they_stand(reference: str, meant: str) -> None:
    assert join_url("http://a.test/x/y", reference) == meant


@given(path=st.text(max_size=60), query=st.text(max_size=60))
def test_whatever_follows_a_host_it_stays_the_host(path: str, query: str) -> None:
    try:
        found = encode_url(f"http://a.test/{path}?{query}")
    except FetchError:
        return
    parts = urlsplit(found)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("http", "a.test", "")
    assert found.isascii()
    assert " " not in found
    assert encode_url(found, redirected=True) == found


@given(written=st.text(max_size=80))
def test_whatever_is_written_there_is_a_url_or_a_refusal(written: str) -> None:
    for text in (written, f"http://{written}", f"https://{written}/"):
        found = translate_errors(partial(encode_url, text))
        assert found.isascii() if isinstance(found, str) else found.refused


@given(reference=st.text(max_size=80))
def test_whatever_a_redirect_says_there_is_a_url_or_an_explanation(reference: str) -> None:
    found = translate_errors(partial(join_url, "http://a.test/b", reference))
    if isinstance(found, str):
        assert found.startswith("http")
    else:
        assert found.code in ("url_refused", "bad_redirect")


def test_servers_get_what_was_meant(network: Any) -> None:
    server = network.serve(PAGE)
    network.place(server, "xn--bcher-kva.test")
    found = network.fetch("http://Bücher.test/schöne seiten/?q=für alle#oben")
    assert found.final_url == "http://xn--bcher-kva.test/sch%C3%B6ne%20seiten/?q=f%C3%BCr%20alle"
    assert found.url == "http://Bücher.test/schöne seiten/?q=für alle#oben"
    assert server.paths == ["/sch%C3%B6ne%20seiten/?q=f%C3%BCr%20alle"]
    assert b"\r\nHost: xn--bcher-kva.test\r\n" in server.requests[0]


def test_paths_reach_servers_as_they_are_written(network: Any) -> None:
    server = network.serve(PAGE)
    for path in ("a/../b", "a//b", "%2e%2e/b", "a%2Fb", "[a]|{b}^c", "a;b=c", "%41", "100%25"):
        network.fetch(server.url + path)
    asked = server.paths
    assert asked[0] in ("/a/../b", "/b")
    assert asked[1:4] == ["/a//b", "/%2e%2e/b", "/a%2Fb"]
    assert asked[6:] == ["/%41", "/100%25"]


def test_a_very_long_url_is_sent_whole(network: Any) -> None:
    server = network.serve(PAGE)
    network.fetch(server.url + "?q=" + "a" * 30_000)
    assert len(server.paths[0]) == 30_004
