"""One spelling for each URL, and one key for all that lead to the same page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.crawler.page_urls import MAX_CHARS, parse_page_url

_HOSTS = ("A.com", "www.x.org:80", "x.org:8080", "[::1]", "bücher.example", "straße.example", "a.com.", "127.0.0.1:443")
_TAILS = st.text(alphabet="aA.;/%2eE?&=s#i d:@~é|[]\\+utm_<>\"'{}^`", max_size=40)
_WRITTEN = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "HTTPS"]),
    st.sampled_from(_HOSTS),
    st.sampled_from(["", "/", "?"]),
    _TAILS,
)


@given(_WRITTEN)
def test_the_usual_spelling_is_its_own_usual_spelling(written: str) -> None:
    address = parse_page_url(written)

    assert address is None or parse_page_url(address.url) == address


@given(_WRITTEN)
def test_an_address_is_plain_ascii_without_a_fragment(written: str) -> None:
    address = parse_page_url(written)

    if address is not None:
        assert address.url.isascii()
        assert address.url.isprintable()
        assert not set(' #"<>\\') & set(address.url)
        assert address.url.startswith(address.root + "/")
        assert address.path.startswith(address.folder)


@given(st.text(max_size=200))
def test_whatever_is_written_nothing_breaks(written: str) -> None:
    address = parse_page_url(written)

    assert address is None or address.url.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("http://example.org/a#part", "http://example.org/a"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://example.org/a/..", "http://example.org/"),
        ("http://example.org/a/b/..", "http://example.org/a/"),
        ("http://example.org/%7euser/%e2%82%ac", "http://example.org/~user/%E2%82%AC"),
        ("http://example.org/a%2fb", "http://example.org/a%2Fb"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/a/", "http://example.org/a/"),
        ("http://example.org/A", "http://example.org/A"),
        ("http://example.org/?utm_source=x&id=3&fbclid=y", "http://example.org/?id=3"),
        ("http://example.org/?utm_source=x", "http://example.org/"),
        ("http://example.org/a;jsessionid=12AB?x=1", "http://example.org/a?x=1"),
        ("http://example.org/?sid=0123456789abcdef0123", "http://example.org/"),
        ("http://example.org/?s=search", "http://example.org/?s=search"),
        ("http://example.org/?b=2&a=1", "http://example.org/?b=2&a=1"),
        ("http://straße.example/ü", "http://xn--strae-oqa.example/%C3%BC"),
        ("  http://example.org/a  ", "http://example.org/a"),
    ],
)
def test_urls_get_their_usual_spelling(written: str, usual: str) -> None:
    address = parse_page_url(written)

    assert address is not None
    assert address.url == usual


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "https://www.example.org/a/"),
        ("http://example.org/a/index.html", "http://example.org/a/"),
        ("http://example.org//a", "http://example.org/a"),
        ("http://example.org/?a=1&b=2", "http://example.org/?b=2&a=1"),
    ],
)
def test_what_leads_to_the_same_page_has_the_same_key(one: str, other: str) -> None:
    first, second = parse_page_url(one), parse_page_url(other)

    assert first is not None
    assert second is not None
    assert first.key == second.key
    assert first.site == second.site


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "http://example.org/A"),
        ("http://example.org/?a=1&a=2", "http://example.org/?a=2&a=1"),
        ("http://example.org/a%2Fb", "http://example.org/a/b"),
        ("http://example.org/a", "http://example.org:8080/a"),
        ("http://example.org/a", "http://sub.example.org/a"),
    ],
)
def test_what_may_be_different_has_different_keys(one: str, other: str) -> None:
    first, second = parse_page_url(one), parse_page_url(other)

    assert first is not None
    assert second is not None
    assert first.key != second.key


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/relative",
        "mailto:a@b.example",
        "javascript:void(0)",
        "ftp://example.org/",
        "http://",
        "http://user:word@example.org/",
        "http://example.org:99999/",
        "http://exa mple.org/",
        "http://example.org\\@other.example/",
        "http://example.org/a\nb",
        "http://[::1/",
        "http://example.org/" + "a" * MAX_CHARS,
        "http://example.org/" + "é" * (MAX_CHARS // 4),
    ],
)
def test_what_is_no_plain_url_of_the_web_is_none(written: str) -> None:
    assert parse_page_url(written) is None
