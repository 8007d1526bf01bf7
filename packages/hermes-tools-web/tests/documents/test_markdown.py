"""What a page is made of is still there in its Markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Write = Callable[[str], str]


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<h1>One</h1><h3>Two <b>bold</b></h3>", "# One\n\n### Two bold"),
        ('<div role="heading" aria-level="4">Four</div>', "#### Four"),
        ("<p>one\n  two</p><p>three</p>", "one two\n\nthree"),
        ("text<div>block</div>tail", "text\n\nblock\n\ntail"),
        ("<p>a <b> bold </b>and<i>it</i> <del>old</del></p>", "a **bold** and*it* ~~old~~"),
        ("<p>line<br>next</p>", "line\nnext"),
        ("<p>one<br><br>two</p>", "one\n\ntwo"),
        ("<p>x<sup>2</sup> H<sub>2</sub>O 1<sup>st</sup></p>", "x^2 H2O 1st"),
        ("<p><q>said</q></p>", "“said”"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<p>use <code>a `b` c</code></p>", "use ``a `b` c``"),
        ("<dl><dt>Term</dt><dd>Meaning</dd><dd>Other</dd></dl>", "**Term**\n: Meaning\n: Other"),
        ("<dl><div><dt>Term</dt><dd>Meaning</dd></div></dl>", "**Term**\n: Meaning"),
        ("<details><summary>Why?</summary><p>So.</p></details>", "**Why?**\n\nSo."),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<ol start=3><li>a</li><li value=9>b</li><li>c</li></ol>", "3. a\n9. b\n10. c"),
        ("<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li></ul>", "- a\n  1. b\n     - c"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
        ("<li>stray</li>", "- stray"),
        ('<ul><li><input type="checkbox" checked> done</li></ul>', "- [x] done"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", "漢(かん)"),
    ],
)
def test_structure_is_kept(write: Write, markup: str, markdown: str) -> None:
    assert write(markup) == markdown


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ('<p><a href="../a b.html">x</a></p>', "[x](https://site.example/a%20b.html)"),
        ('<p><a href="/w/Orn_(lake)">x</a></p>', "[x](https://site.example/w/Orn_(lake))"),
        ('<p><a href="/w/Orn)">x</a></p>', "[x](https://site.example/w/Orn%29)"),
        ('<p><a href="/?utm_source=n&amp;id=1&amp;fbclid=z">x</a></p>', "[x](https://site.example/?id=1)"),
        ('<p><a href="javascript:alert(1)">x</a> <a href="data:text/html,hi">y</a></p>', "x y"),
        ('<p><a href="mailto:a@b.example">a@b.example</a></p>', "a@b.example"),
        ('<p><a href="mailto:a%40b.example?subject=x">Write to us</a></p>', "[Write to us](mailto:a@b.example)"),
        ('<p><a href="tel:+358 40 1234567">Call</a></p>', "[Call](tel:+358401234567)"),
        ('<p><a href="tel:+358401234567">Call</a></p>', "[Call](tel:+358401234567)"),
        ('<p><a href="tel:+358401234567">040 123 4567</a></p>', "040 123 4567"),
        ('<p><a href="mailto:?subject=x">Share it with somebody</a></p>', "Share it with somebody"),
        ("<p><code>a</code><code>b</code></p>", "`a` `b`"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字</p>", "漢(kan)字"),
        ("<p><label>pip</label><label>conda</label></p>", "pip conda"),
        ('<p><a href="#part">part</a></p>', "part"),
        ('<p>see <a href="/x"> this </a>now</p>', "see [this](https://site.example/x) now"),
        ('<a href="/x"><h3>Card</h3><p>text</p></a>', "### [Card](https://site.example/x)\n\ntext"),
        ('<p><a href="/x">a [1]</a></p>', "[a \\[1\\]](https://site.example/x)"),
    ],
)
def test_links_are_absolute_and_clean(write: Write, markup: str, markdown: str) -> None:
    assert write(markup) == markdown


def test_the_base_of_a_page_is_heeded(read: Callable[..., object]) -> None:
    document = read('<html><head><base href="/other/"></head><body><p><a href="x">x</a></p></body></html>', links=True)
    assert "https://site.example/other/x" in str(document)


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ('<p><img src="a.png" alt="A pier"></p>', "![A pier](https://site.example/docs/a.png)"),
        ('<p>text <img src="a.png" alt=""></p>', "text"),
        (
            '<p><img src="data:image/png;base64,QUJD" data-src="b.png" alt="B"></p>',
            "![B](https://site.example/docs/b.png)",
        ),
        ('<p>a <img src="data:image/png;base64,QUJDREVG" alt="A pier"></p>', "a \\[image: A pier]"),
        ('<p>hi <img class="emoji" alt="🙂" src="e.png"></p>', "hi 🙂"),
    ],
)
def test_images_say_what_they_show_and_never_their_bytes(write: Write, markup: str, markdown: str) -> None:
    assert write(markup) == markdown


def test_formulas_are_tex(write: Write) -> None:
    assert (
        write('<p>a <math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math></p>') == "a $x^2$"
    )
    assert write('<p><script type="math/tex; mode=display">y=1</script></p>') == "$$y=1$$"
    assert "$z$" in write('<p>v <img class="mwe-math-fallback-image-inline" alt="{\\displaystyle z}" src="z.svg"></p>')


def test_footnotes_point_to_their_notes(write: Write) -> None:
    written = write(
        '<p>Fact<sup><a href="#fn1">1</a></sup>.</p><ol><li id="fn1">The source. <a href="#r1">↩</a></li></ol>'
    )
    assert "Fact[^1]." in written
    assert "[^1]: The source." in written
    assert "↩" not in written


def test_words_side_by_side_are_not_glued(write: Write) -> None:
    assert write('<p><span class="price">5</span><span class="unit">each</span></p>') == "5 each"


def test_video_frames_are_named(write: Write) -> None:
    written = write('<p>a</p><iframe src="https://video.example/1" title="A film"></iframe><iframe src="/ad"></iframe>')
    assert written == "a\n\n[A film](https://video.example/1)"
