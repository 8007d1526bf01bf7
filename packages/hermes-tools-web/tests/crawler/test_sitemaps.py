"""Sitemaps in all of their forms, whole and broken."""

from __future__ import annotations

import gzip
import zlib

import anyio
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.crawler.sitemaps import MAX_BYTES, Sitemap, collect_pages, parse_sitemap

_NAMESPACE = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
)


def test_pages_are_listed_in_xml() -> None:
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?><!-- c --><urlset {_NAMESPACE}>'
        "<url><loc> https://example.org/a?x=1&amp;y=2 </loc>"
        "<image:image><image:loc>https://example.org/i.png</image:loc></image:image></url>"
        "<url><loc><![CDATA[https://example.org/b]]></loc></url></urlset>"
    )

    assert parse_sitemap(body.encode()).pages == ("https://example.org/a?x=1&y=2", "https://example.org/b")


def test_an_index_names_sitemaps() -> None:
    body = f"<sitemapindex {_NAMESPACE}><sitemap><loc>https://example.org/1.xml</loc></sitemap></sitemapindex>"

    assert parse_sitemap(body.encode()) == Sitemap(sitemaps=("https://example.org/1.xml",))


def test_plain_lines_packed_files_and_feeds_are_read() -> None:
    lines = "\ufeffhttps://example.org/a\r\n# no\nhttps://example.org/b\n"
    rss = (
        "<rss><channel><link>https://example.org/</link><item><link>https://example.org/c</link></item></channel></rss>"
    )
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/d"/></entry></feed>'

    assert parse_sitemap(lines.encode()).pages == ("https://example.org/a", "https://example.org/b")
    assert parse_sitemap(gzip.compress(lines.encode())).pages == ("https://example.org/a", "https://example.org/b")
    assert parse_sitemap(rss.encode()).pages == ("https://example.org/c",)
    assert parse_sitemap(atom.encode()).pages == ("https://example.org/d",)


def test_of_a_broken_sitemap_is_read_what_can_be() -> None:
    body = b"<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://exa"

    assert "https://example.org/a" in parse_sitemap(body).pages
    assert parse_sitemap(gzip.compress(body)[:-10]).pages[:1] == ("https://example.org/a",)


def test_entities_are_neither_expanded_nor_loaded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    body = f"{bomb}<urlset><url><loc>https://example.org/&b;</loc></url><url><loc>&f;</loc></url></urlset>"

    assert all(
        "aaaa" not in url and url.startswith("https://example.org/") for url in parse_sitemap(body.encode()).pages
    )


def test_what_is_packed_too_tightly_is_not_unpacked_whole() -> None:
    packer = zlib.compressobj(wbits=31)
    line = b"https://example.org/a\n"
    packed = packer.compress(line * (3 * MAX_BYTES // len(line))) + packer.flush()

    assert set(parse_sitemap(packed).pages) == {"https://example.org/a"}


@given(st.binary(max_size=300))
def test_whatever_comes_nothing_breaks(body: bytes) -> None:
    assert isinstance(parse_sitemap(body), Sitemap)
    assert isinstance(parse_sitemap(b"<urlset>" + body), Sitemap)


def test_sitemaps_of_sitemaps_are_gathered_within_bounds() -> None:
    asked: list[str] = []
    pages: list[str] = []

    async def fetch(url: str) -> bytes:
        asked.append(url)
        more = "".join(
            f"<sitemap><loc>https://example.org/{len(asked)}-{number}.xml</loc></sitemap>" for number in range(3)
        )
        elsewhere = "<sitemap><loc>https://other.example/x.xml</loc></sitemap>"
        return f"<x>{elsewhere}{more}<url><loc>https://example.org/page{len(asked)}</loc></url></x>".encode()

    anyio.run(lambda: collect_pages(["https://example.org/s.xml"] * 2, "example.org", fetch, pages.extend, max_files=5))

    assert len(asked) == len(set(asked)) == 5
    assert not any("other.example" in url for url in asked)
    assert pages == [f"https://example.org/page{number}" for number in range(1, 6)]
