"""What is no page is read, too, or it is said why not."""

# ruff: noqa: E501 - feeds stand on long lines, as sites write them

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import pytest
from bench.web.pdf import pdf

from hermes_tools_web.documents.document import Document, UnreadableError

Read = Callable[..., Document]


def test_a_pdf_is_read_page_by_page(read: Read) -> None:
    document = read(pdf(["The first page (one)."], ["The second page."]), "application/octet-stream")
    assert document.kind == "pdf"
    assert document.markdown == "## Page 1\n\nThe first page (one).\n\n## Page 2\n\nThe second page."
    assert document.facts["pages"] == "2"


@pytest.mark.parametrize("body", [b"%PDF-1.4\nbroken", pdf(["x"])[:200], b"%PDF-1.7\n" + b"\x00" * 500])
def test_a_broken_pdf_is_explained(read: Read, body: bytes) -> None:
    with pytest.raises(UnreadableError) as error:
        read(body, "application/pdf")
    assert "PDF" in error.value.reason
    assert error.value.hint


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "PNG"),
        (b"PK\x03\x04" + b"\x00" * 20 + b"word/document.xml", "Word"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "JPEG"),
        (bytes(range(256)) * 20, "binary"),
    ],
)
def test_what_is_no_text_is_named(read: Read, body: bytes, name: str) -> None:
    with pytest.raises(UnreadableError, match=name):
        read(body, "text/html")


def test_json_is_made_readable(read: Read) -> None:
    document = read('{"a":{"b":[1,2]}}', "application/json")
    assert document.kind == "json"
    assert document.markdown == '```json\n{\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  }\n}\n```'


def test_text_stays_as_it_is(read: Read) -> None:
    text = "usage: tide [-v]\n    -v   say more"
    assert read(text, "text/plain").markdown == text


def test_packed_pages_are_unpacked(read: Read) -> None:
    assert read(gzip.compress(b"<html><body><p>Packed.</p></body></html>")).markdown == "Packed."


_RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Pilots</title>
<description>News &amp; more</description><language>en</language><item><title>Low [water]</title><link>/1?utm_source=rss</link>
<pubDate>Mon, 03 Mar 2025 08:00:00 GMT</pubDate><dc:creator>Ada</dc:creator>
<description>&lt;p&gt;A &lt;b&gt;bold&lt;/b&gt; line.&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description></item></channel></rss>"""
_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Pilots</title>
</channel><item><title>Low [water]</title><link>https://site.example/1</link><description>A **bold** line.</description></item></rdf:RDF>"""
_ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Pilots</title><link rel="self" href="/feed"/><entry><title type="html">Low
[water]</title><link rel="enclosure" href="/x.mp3"/><link href="/1"/><updated>2025-03-03</updated><author><name>Ada</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A <b>bold</b> line.</p></div></content></entry></feed>"""
_JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Pilots",
        "items": [
            {
                "title": "Low [water]",
                "url": "/1",
                "content_html": "<p>A <b>bold</b> line.</p>",
                "authors": [{"name": "Ada"}],
            }
        ],
    }
)


@pytest.mark.parametrize(
    ("feed", "kind"),
    [
        (_RSS, "application/rss+xml"),
        (_RDF, "text/xml"),
        (_ATOM, "application/atom+xml"),
        (_ATOM, "text/html"),
        (_JSON, "application/json"),
    ],
)
def test_feeds_of_all_kinds_are_lists_of_what_they_announce(read: Read, feed: str, kind: str) -> None:
    document = read(feed, kind, links=True)
    assert document.kind == "feed"
    assert document.title == "Pilots"
    assert "## [Low \\[water\\]](https://site.example/1)" in document.markdown
    assert "A **bold** line." in document.markdown
    assert "x()" not in document.markdown
    assert [(link.url, link.text) for link in document.links] == [("https://site.example/1", "Low [water]")]
    assert document.facts["entries"] == "1"


@pytest.mark.parametrize("cut", range(40, len(_RSS), 97))
def test_a_feed_that_was_cut_off_is_read_as_far_as_it_goes(read: Read, cut: int) -> None:
    document = read(_RSS[:cut], "application/rss+xml")
    assert document.kind in ("feed", "xml")


def test_a_feed_with_invalid_xml_is_read_whole(read: Read) -> None:
    items = "".join(f"<item><title>{n} & more <br> of&nbsp;it</title><link>/{n}</link></item>" for n in range(300))
    document = read(f"<rss version='2.0'><channel><title>Raw</title>{items}</channel></rss>", "text/xml")
    assert document.facts["entries"] == "300"
    assert "## [299 & more of it](https://site.example/299)" in document.markdown


def test_a_feed_that_is_a_path_or_url_opens_nothing(read: Read) -> None:
    feed = "<rss version='2.0'><channel><title>file:///etc/hostname</title><link>http://127.0.0.1:9/</link></channel></rss>"
    assert read(feed, "text/xml").title == "file:///etc/hostname"


def test_entities_of_a_feed_load_nothing_and_do_not_grow(read: Read) -> None:
    entities = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    feed = (
        f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a0 "aaaaaaaaaa">{entities}<!ENTITY f SYSTEM "file:///etc/hostname">]>'
        "<rss><channel><title>&a12;</title><item><title>&f;</title></item></channel></rss>"
    )
    assert len(read(feed, "text/xml").markdown) < 10_000


def test_a_long_feed_says_how_much_is_shown(read: Read) -> None:
    document = read(f"<rss><channel>{'<item><title>x</title></item>' * 600}</channel></rss>", "text/xml")
    assert document.notes == ("The first 500 of 600 entries are shown.",)


@pytest.mark.parametrize("text", ["[2024-01-01 10:00] INFO started", "[31mred line", "{placeholder} text", "[x] done"])
def test_a_text_that_begins_with_a_bracket_is_not_said_to_be_broken(read: Read, text: str) -> None:
    found = read(text, "text/plain")
    assert (found.kind, found.markdown, found.notes) == ("text", text, ())


def test_an_episode_leads_to_its_sound(read: Read) -> None:
    item = (
        '<item><title>One</title><guid>a-1</guid><enclosure url="https://pod.example/1.mp3" type="audio/mpeg"/></item>'
    )
    found = read(f'<rss version="2.0"><channel><title>Pod</title>{item}</channel></rss>', "application/rss+xml")
    assert found.markdown == "## [One](https://pod.example/1.mp3)"
