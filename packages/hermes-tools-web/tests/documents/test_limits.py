"""However big, deep or strange a page is, it is read in time, and within bounds."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from bench.web import generated
from bench.web.building import Page
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_web.documents.document import MAX_CHARACTERS, Document, UnreadableError, cut
from hermes_tools_web.documents.reader import read_document

Read = Callable[..., Document]

_TRAPS: dict[str, Callable[[int], str]] = {
    "div": lambda size: "<div>" * size + "x",
    "b": lambda size: "<b>" * size + "x",
    "ul": lambda size: "<ul><li>a" * size,
    "quote": lambda size: "<blockquote>a" * size,
    "table": lambda size: "<table><tr><td>a" * size,
    "link": lambda size: '<a href="x">a' * size,
    "attributes": lambda size: "<p " + " ".join(f"a{n}=b" for n in range(size)) + ">x</p>",
    "quoted attributes": lambda size: "<p " + " ".join(f'a{n}="<b>"' for n in range(size)) + ">x</p>",
    "cells": lambda size: "<table><tr>" + "<td>1" * size,
    "rows": lambda size: "<table>" + "<tr><td>1<td>2" * size,
    "spans": lambda size: "<table>" + '<tr><td colspan="900" rowspan="900">1' * (size // 10),
    "inline": lambda size: "<p>" + "<span>a</span>" * size,
    "brackets": lambda size: "<p>" + "[](" * size,
    "backticks": lambda size: "<p>" + "`" * size,
    "dashes": lambda size: "<p>" + "- " * size,
    "blanks": lambda size: "<p>a" + " \n" * size + "b",
    "angles": lambda size: "<body>" + "<" * size,
    "tag quotes": lambda size: "<body>" + "<a b='" * size,
    "comments": lambda size: "<body>" + "<!--" * size,
    "scripts": lambda size: "<body>" + "<script>" * size,
    "styles": lambda size: "<style>" + "@media x{" * size,
    "white": lambda size: "<p style='color:#fff'>x" * size,
    "headings": lambda size: "<h2>Related</h2><p><a href=x>y</a>" * size,
    "notes": lambda size: "<body>" + "".join(f"<sup><a href=#n{n}>{n % 9}</a></sup><li id=n{n}>x" for n in range(size)),
    "meanings": lambda size: "<body><dl><dt>a" + "<dd>b" * size,
    "lists in a list": lambda size: "<body><ul><li>a</li>" + "<ul><li>b</li></ul>" * size,
    "buttons": lambda size: "<body>" + "<div aria-expanded=true>" * 90 + "<button>question of all</button>" * size,
    "hidden": lambda size: "<div hidden>" * 100 + "<p hidden>x" * size,
    "linked cells": lambda size: "<body><p>" + "A sentence. " * 30 + "<table><tr>" + "<td><a href=x>a</a>" * size,
    "menus": lambda size: "<nav><ul><li><a href=x>a</a></li>" * size,
    "sidebars": lambda size: "<div class='sidebar share'><pre>x</pre>" * 90 + "<p class=nav>a" * size,
    "small fonts": lambda size: "<div style='font-size:0'>" * 90 + "<p style='font-size:0'>a" * size,
    "rules": lambda size: "<style>" + ".a,.b{display:none}" * size + "</style><p class=a>x",
    "breaks in code": lambda size: "<body>" + "<code>a<br>b</code>" * size,
}


@pytest.mark.parametrize("trap", _TRAPS)
def test_time_grows_with_the_size_and_no_faster(read: Read, trap: str) -> None:
    read("<p>warm</p>")
    small, big = (_seconds(read, _TRAPS[trap](size)) for size in (1500, 12000))
    # Eight times the size: 64 times the time would be quadratic. Short times are all noise.
    assert big < max(0.5, small * 24), f"{small:.3f} s, then {big:.3f} s"


def _seconds(read: Read, page: str) -> float:
    started = time.process_time()
    read(page, links=True)
    return time.process_time() - started


_FEED_TRAPS: dict[str, Callable[[int], str]] = {
    "items": lambda size: "<item><title>x</title></item>" * size,
    "open items": lambda size: "<item><title>x<br>" * size,
    "open tags": lambda size: "&<item><title>" + "<b x='" * size,
    "declarations": lambda size: "&<item>" + "<!" * size,
    "namespaces": lambda size: "&" + "".join(f"<x{n}:y xmlns:x{n}='u{n}'>" for n in range(size)),
    "authors": lambda size: "<item>" + "<author>x</author>" * size + "</item>",
}


@pytest.mark.parametrize("trap", _FEED_TRAPS)
def test_the_time_of_a_feed_grows_with_its_size(read: Read, trap: str) -> None:
    def seconds(size: int) -> float:
        return _seconds(read, f"<rss version='2.0'><channel>{_FEED_TRAPS[trap](size)}</channel></rss>")

    seconds(1)
    small, big = seconds(1500), seconds(12000)
    assert big < max(0.5, small * 24), f"{small:.3f} s, then {big:.3f} s"


def test_a_hundred_thousand_levels_are_read(read: Read) -> None:
    assert "bottom" in read("<div>" * 100_000 + "bottom").markdown


@pytest.mark.parametrize("tags", ["<ul><li>", "<table><tr><td>", "<blockquote>", "<b>", "<p><span>"])
def test_no_text_is_lost_in_the_depth(read: Read, tags: str) -> None:
    document = read("<body>" + "".join(f"{tags}w{n} " for n in range(600)))
    assert all(re.search(rf"\bw{n}\b", document.markdown) for n in range(600))


def test_a_million_attributes_are_read(read: Read) -> None:
    page = "<body><p " + " ".join(f"a{n}" for n in range(1_000_000)) + ">still here</p><p>and after</p>"
    assert read(page).markdown == "still here\n\nand after"


def test_long_attributes_do_not_hide_short_ones(read: Read) -> None:
    page = f'<p><img data-x="{"y" * 9000}" alt="A pier > B" src="p.png" onload="{"z" * 9000}"></p>'
    assert read(page).markdown == "![A pier > B](https://site.example/docs/p.png)"


def test_a_very_long_page_is_cut_and_says_so(read: Read) -> None:
    document = read("<main>" + "<p>" + "word " * 500_000 + "</p></main>")
    assert len(document.markdown) <= MAX_CHARACTERS
    assert any("very long" in note for note in document.notes)


def test_a_very_big_page_is_read_in_part_and_says_so(read: Read) -> None:
    document = read("<main><p>First words.</p>" + "<p>x</p>" * 150_000 + "</main>")
    assert document.markdown.startswith("First words.")
    assert any("very big" in note for note in document.notes)


def test_scripts_and_pictures_do_not_count_as_size(read: Read) -> None:
    junk = f"<script>{'x=1;' * 2_000_000}</script><img src='data:image/png;base64,{'A' * 3_000_000}'>"
    document = read(f"<body>{junk}<main><p>After the junk.</p></main></body>")
    assert document.markdown == "After the junk."
    assert document.notes == ()


def test_a_cut_closes_its_fence() -> None:
    text = "a\n\n```python\n" + "x = 1\n" * 100 + "```"
    assert cut(text, 200).endswith("\n```")
    assert cut("plain\n" * 100, 200).endswith("plain")


def test_importing_the_reader_imports_no_parser() -> None:
    code = (
        "import sys, hermes_tools_web, hermes_tools_web.documents.reader, hermes_tools_web.documents.html;"
        "import hermes_tools_web.documents.feeds;"
        "heavy = 'trafilatura lxml pypdf httpx2 httpx chardetng_py webencodings feedparser puremagic'.split();"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


_SOUP = """
<p> </p> <table> <tr> <td> <th_colspan=3> </table> <ul> <ol> <li> </ul> <pre> </pre> <code> <a_href=x> </a> <b> <i> <br>
<div> </div> <blockquote> <h1> </h1> <h2> <dl> <dt> <dd> <details> <summary> <img_alt=x> <script>
</script> <style>
<!-- --> <main> <article> <nav> <form> <math> <sup> <sub> <frameset> <frame_src=x>
<svg> <noscript> <iframe_src=y_title=z> text
&amp; &#0; &#x110000; ``` | # [ ]( \\ <li_id=n> <a_href=#n> <sup><a_href=#n>1</a></sup>
<base_href=//[> <meta_charset=x>
\ud800 \x00 漢 ש
"""
_WORDS = st.sampled_from(_SOUP.split())


_LONG = "long enough to be no binary file, " * 10


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_WORDS, max_size=60))
def test_no_soup_of_tags_breaks_the_reader(read: Read, words: list[str]) -> None:
    document = read(f"<html><body><p>{_LONG} " + " ".join(words).replace("_", " "), links=True)
    assert document.kind in ("html", "feed", "xml")
    assert not re.search(r"[\x00-\x08\u200b\ud800-\udfff]", document.markdown)


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(["text/html", "application/json", "text/xml", "application/pdf", "", ";;charset=x", "text/plain"]),
)
def test_any_bytes_are_read_or_refused(body: bytes, content_type: str) -> None:
    document = _read_or_refuse(body, content_type, "https://site.example/")
    assert isinstance(document, Document) or document.reason


def _read_or_refuse(body: bytes, content_type: str, url: str) -> Document | UnreadableError:
    try:
        return read_document(body, content_type=content_type, url=url, links=True)
    except UnreadableError as error:
        return error


_PAGES = [make() for make in generated.MAKERS if make.__name__ != "huge"]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(_PAGES), st.data())
def test_damaged_pages_are_read_or_refused(page: Page, data: st.DataObject) -> None:
    body = bytearray(page.body)
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 40))] = data.draw(
            st.sampled_from([b"", b"<", b">", b'"', b"\xff\xfe", b"</div>", b"<table>", b"<!--", b"\x00"])
        )
        if not body:
            break
    document = _read_or_refuse(bytes(body), page.content_type, page.url)
    assert not re.search(r"base64,[\w+/]{100}", str(document))


@pytest.mark.parametrize("url", ["", "x", "https://[", "https://site.example/\x00", "https://é.example/ü?q=ß#x"])
def test_a_strange_address_of_the_page_does_no_harm(read: Read, url: str) -> None:
    assert read('<p>Text <a href="/x">link</a> <a href="//[">bad</a></p>', url=url, links=True).markdown.startswith(
        "Text "
    )
