"""Redirects that stand in pages are found where browsers find them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.fetcher.fetch import find_refresh


def found(page: str | bytes, header: str = "", content_type: str = "text/html") -> str | None:
    return find_refresh(page if isinstance(page, bytes) else page.encode(), content_type, header)


@pytest.mark.parametrize(
    "tag",
    [
        '<meta http-equiv="refresh" content="0; url=/next">',
        "<META HTTP-EQUIV='Refresh' CONTENT='0;URL=/next'>",
        "<meta content=0;url=/next http-equiv=refresh>",
        '<meta http-equiv="refresh" content="0;url=\'/next\'"/>',
        "<meta http-equiv='refresh' content='5, url = /next'>",
        '<meta http-equiv="refresh" content="0 /next">',
        '<meta http-equiv="refresh" content="0;/next">',
        '<meta http-equiv="refresh" content=".5;url=/next">',
        '<meta\nhttp-equiv="refresh"\ncontent="0;\nurl=/next">',
        '<meta http-equiv="refresh" content="0;url=&#47;next">',
        '<meta charset="utf-8"><meta name="a" content="b"><meta http-equiv=" refresh " content="0;url=/next">',
        '<!-- <meta> --><script>"<meta>"</script><meta http-equiv="refresh" content="0;url=/next">',
        '<title>a > b</title><meta http-equiv="refresh" content="0;url=/next">',
    ],
)
def test_a_refresh_is_found(tag: str) -> None:
    assert found(f"<html><head>{tag}</head><body>Wait.") == "/next"


@pytest.mark.parametrize(
    "page",
    [
        "<p>Nothing.",
        '<meta http-equiv="refresh" content="30;url=/next">',
        '<meta http-equiv="refresh" content="300">',
        '<meta http-equiv="refresh" content="0">',
        '<meta http-equiv="refresh" content="0;url=">',
        '<meta http-equiv="refresh" content="soon;url=/next">',
        '<meta http-equiv="refresh">',
        '<meta name="refresh" content="0;url=/next">',
        '<!-- <meta http-equiv="refresh" content="0;url=/next"> -->',
        '<script>var a = \'<meta http-equiv="refresh" content="0;url=/next">\';</script>',
        '<textarea><meta http-equiv="refresh" content="0;url=/next"></textarea>',
        '<template><meta http-equiv="refresh" content="0;url=/next"></template>',
        '<title><meta http-equiv="refresh" content="0;url=/next"></title>',
        '<script>never closed <meta http-equiv="refresh" content="0;url=/next">',
        '<head></head><body><meta http-equiv="refresh" content="0;url=/next">',
        "x" * 40_000 + '<meta http-equiv="refresh" content="0;url=/next">',
    ],
)
def test_what_is_no_refresh_is_let_be(page: str) -> None:
    assert found(page) is None


def test_the_header_goes_first() -> None:
    assert found('<meta http-equiv="refresh" content="0;url=/page">', "0; url=/header") == "/header"
    assert found("", "0; url=/header", "application/pdf") == "/header"
    assert found("", "60; url=/header") is None


def test_only_pages_are_looked_through() -> None:
    tag = '<meta http-equiv="refresh" content="0;url=/next">'
    assert found(tag, content_type="text/plain") is None
    assert found(tag, content_type="application/xhtml+xml; charset=utf-8") == "/next"
    assert found("\n" + tag, content_type="") == "/next"
    assert found("text " + tag, content_type="") is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_pages_in_other_encodings_are_looked_through(encoding: str) -> None:
    assert found('<p title="ä"><meta http-equiv="refresh" content="0;url=/next">'.encode(encoding)) == "/next"


@pytest.mark.parametrize(
    "page",
    [
        "<meta " * 6000,
        "<meta a" + " a=" * 10_000,
        "<!--" * 8000,
        "<script" * 4000,
        "<script></script" * 2000,
        "<meta http-equiv=refresh content='" + "0;" * 15_000 + "'>",
        "<meta http-equiv=refresh content='0;" + " " * 1900 + "'>",
        "<meta " + "a" * 2000 + ">" + ("<meta " + "a " * 1000 + ">") * 15,
    ],
)
def test_a_page_that_was_made_to_take_long_does_not(page: str) -> None:
    started = time.process_time()
    found(page)
    assert time.process_time() - started < 5


@given(body=st.binary(max_size=300), header=st.text(max_size=100))
def test_whatever_a_page_says_it_can_be_looked_through(body: bytes, header: str) -> None:
    for page in (body, b"<meta http-equiv=refresh content='" + body, b"\xff\xfe" + body):
        target = find_refresh(page, "text/html", header)
        assert target is None or target.strip() == target != ""
