"""What a model wrote as URLs is made plain."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.extraction.extract import parse_urls


@pytest.mark.parametrize(
    ("written", "urls"),
    [
        (["https://a.org/", "https://b.org/"], ("https://a.org/", "https://b.org/")),
        (["https://a.org/", "https://a.org/"], ("https://a.org/",)),
        (
            [" <https://a.org/>\n", '"https://b.org/"', "`https://c.org`"],
            ("https://a.org/", "https://b.org/", "https://c.org"),
        ),
        (
            ["https://a.org/ https://b.org/", "https://c.org,\nHTTPS://d.org"],
            ("https://a.org/", "https://b.org/", "https://c.org", "HTTPS://d.org"),
        ),
        (["https://a.org/,  https://b.org/\n\n https://c.org"], ("https://a.org/", "https://b.org/", "https://c.org")),
        (["https://web.archive.org/web/2020/https://a.org/"], ("https://web.archive.org/web/2020/https://a.org/",)),
        (["https://a.org/?q=x,https://b.org"], ("https://a.org/?q=x,https://b.org",)),
        (
            ["example.org/page", "docs.example.org:8443?a=b"],
            ("https://example.org/page", "https://docs.example.org:8443?a=b"),
        ),
        (
            ["localhost", "10.0.0.1", "mailto:a@b.org", "/etc/passwd", "file:///etc/passwd"],
            ("localhost", "10.0.0.1", "mailto:a@b.org", "/etc/passwd", "file:///etc/passwd"),
        ),
        (["", "  "], ()),
        ([], ()),
    ],
)
def test_urls_are_made_plain(written: list[str], urls: tuple[str, ...]) -> None:
    assert parse_urls(written).urls == urls


def test_more_than_five_are_left_for_another_call() -> None:
    wanted = parse_urls([f"https://{number % 7}.org" for number in range(20)])
    assert wanted.urls == tuple(f"https://{number}.org" for number in range(5))
    assert wanted.notes == ("Only the first 5 URLs were read; pass the other 2 in another call.",)


def test_what_was_mended_is_told() -> None:
    assert "https://" in parse_urls(["example.org"]).notes[0]
    assert parse_urls(["https://example.org"]).notes == ()


@given(st.lists(st.text(max_size=40), max_size=8))
def test_whatever_was_written_there_are_at_most_five_and_each_once(written: list[str]) -> None:
    urls = parse_urls(written).urls
    assert len(urls) == len(set(urls)) <= 5
    assert all(url.strip(" \t\r\n") == url != "" for url in urls)


@pytest.mark.parametrize("unit", [" ", ", ", "\n", " ,", ",", "a. ", "https:// "])
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    started = time.process_time()
    parse_urls([unit * 300_000])
    assert time.process_time() - started < 5  # with the square of it, it would be hours
