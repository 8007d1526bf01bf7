"""What a page tells about itself, and where its links lead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]


def test_a_page_tells_about_itself(read: Read) -> None:
    document = read(
        """<html lang="de_AT"><head><title>Der Turm | Blatt</title><meta property="og:title" content="Der Turm">
        <meta name="author" content="Ada  Holm"><meta property="article:published_time" content="2025-03-04T06:00:00Z">
        <meta name="description" content="Ein Turm."><meta property="og:site_name" content="Blatt">
        <link rel="canonical" href="/turm"><meta name="robots" content="NoIndex, nofollow"></head>
        <body><p>x</p></body></html>"""
    )
    assert document.title == "Der Turm"
    assert document.facts == {
        "author": "Ada Holm",
        "date": "2025-03-04T06:00:00Z",
        "language": "de-AT",
        "description": "Ein Turm.",
        "site": "Blatt",
    }
    assert document.canonical == "https://site.example/turm"
    assert document.robots == {"noindex", "nofollow"}


def test_structured_data_is_asked_when_the_head_is_silent(read: Read) -> None:
    document = read(
        '<html><head><script type="application/ld+json">{"@graph": [{"@type": "NewsArticle", "headline": "Tide",'
        '"author": [{"name": "A"}, "B"], "datePublished": "2024-01-02"}]}</script></head><body><p>x</p></body></html>'
    )
    assert (document.title, document.facts["author"], document.facts["date"]) == ("Tide", "A, B", "2024-01-02")


def test_a_page_without_a_title_is_called_like_its_heading(read: Read) -> None:
    assert read("<body><h1>Low <i>water</i></h1><p>x</p></body>").title == "Low water"


def test_the_title_of_a_picture_is_not_the_page_s(read: Read) -> None:
    assert read("<body><svg><title>icon</title></svg><h1>Page</h1></body>").title == "Page"


def test_robots_none_means_both(read: Read) -> None:
    assert {"noindex", "nofollow"} <= read('<head><meta name="robots" content="none"></head><p>x</p>').robots


@pytest.mark.parametrize("broken", ["{", "[[[[", '{"@graph": 3}', '{"author": {"name": 5}}', "null", '"x"'])
def test_broken_structured_data_does_no_harm(read: Read, broken: str) -> None:
    page = f'<html><script type="application/ld+json">{broken}</script><body><p>Kept text.</p></body></html>'
    assert read(page).markdown == "Kept text."


def test_links_are_absolute_each_once_with_their_words(read: Read) -> None:
    document = read(
        """<body><nav><a href="/a?utm_medium=x">Alpha</a></nav>
        <p><a href="b.html#part" rel="nofollow ugc">Beta <b>b</b></a><a href="b.html"><img alt="Second" src="x.png"></a>
        <a href="mailto:x@y.example">m</a><a href="javascript:x()">j</a>
        <a href="ftp://f.example/">f</a><a href="http://[bad">bad</a><map><area href="/area" alt="Area"></map></p>
        <iframe src="/inner" title="Inner"></iframe></body>""",
        links=True,
    )
    found = {link.url: (link.text, link.rel) for link in document.links}
    assert found == {
        "https://site.example/a": ("Alpha", frozenset()),
        "https://site.example/docs/b.html": ("Beta b", frozenset()),
        "https://site.example/area": ("Area", frozenset()),
        "https://site.example/inner": ("Inner", frozenset({"frame"})),
    }


def test_links_are_told_only_when_asked_for(read: Read) -> None:
    assert read('<p><a href="/x">x</a></p>').links == ()


def test_a_nofollow_stays_when_all_links_have_it(read: Read) -> None:
    document = read('<p><a rel="nofollow" href="/x">x</a><a rel="nofollow" href="/x">y</a></p>', links=True)
    assert document.links[0].rel == {"nofollow"}


def test_frames_are_links_and_the_page_says_so(read: Read) -> None:
    document = read(
        '<html><head><title>Book</title></head><frameset><frame name="toc" src="toc.htm">'
        '<frame src="main.htm"></frameset></html>',
        links=True,
    )
    assert "[toc](https://site.example/docs/toc.htm)" in document.markdown
    assert {link.url for link in document.links if "frame" in link.rel} == {
        "https://site.example/docs/toc.htm",
        "https://site.example/docs/main.htm",
    }
    assert any("frames" in note for note in document.notes)


def test_a_shell_for_a_script_is_told(read: Read) -> None:
    document = read('<html><head><script src="a.js"></script></head><body><div id="root"></div></body></html>')
    assert any("JavaScript" in note for note in document.notes)


def test_a_page_that_says_enough_needs_no_script(read: Read) -> None:
    said = "The harbour is open again. " * 20
    document = read(
        f'<script src="a.js"></script><noscript>Please enable JavaScript</noscript><div id="root"><p>{said}</p></div>'
    )
    assert document.notes == ()


@pytest.mark.parametrize(
    "body", [b"", b"   \n", b"<html></html>", b"<!doctype html>", b"<html><body><!-- x --></body></html>"]
)
def test_an_empty_page_is_told(read: Read, body: bytes) -> None:
    document = read(body)
    assert document.markdown == ""
    assert any("empty" in note for note in document.notes)
