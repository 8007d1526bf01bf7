"""trafilatura's selection stays; between its ends everything but boilerplate, outside only what has a reason."""

# ruff: noqa: E501 - markup on long lines, as sites write it

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]


def _prose(name: str, count: int = 6) -> str:
    """Paragraphs of ordinary length."""
    return "".join(
        f"<p>The {name} keeper climbs the tower every evening, counts {n} ships and writes their names into the book, "
        f"although nobody has asked for it since the harbour closed.</p>"
        for n in range(count)
    )


def test_a_second_article_of_a_page_stays_with_its_heading(read: Read) -> None:
    articles = "".join(
        f'<article class="post"><h2>Part {n}</h2><div class="post-content">{_prose(f"part {n}")}</div></article>'
        for n in range(3)
    )
    written = read(f"<body><div id='main'><h1>Tower</h1>{articles}</div></body>").markdown
    assert all(f"## Part {n}" in written and f"The part {n} keeper" in written for n in range(3))


@pytest.mark.parametrize(
    "wrapper", ['id="TOC_TITLE_1"', 'class="Section--Ads"', 'class="steady-paywall-container"', 'class="share popup"']
)
def test_selected_text_is_not_dropped_because_of_a_name(read: Read, wrapper: str) -> None:
    page = f"<body><main><h1>Tower</h1>{_prose('first')}<div {wrapper}>{_prose('second')}</div>{_prose('third')}</main></body>"
    assert all(f"The {name} keeper" in read(page).markdown for name in ("first", "second", "third"))


def test_a_sidebar_is_never_the_content(read: Read) -> None:
    side = "".join(f'<div class="box"><h4>Box {n}</h4><p>NOISE short text of box {n}.</p></div>' for n in range(4))
    page = f'<body><div class="wrap"><div class="col1"><h1>Tower</h1>{_prose("only")}</div><div class="sidebar">{side}</div></div></body>'
    written = read(page).markdown
    assert "The only keeper" in written
    assert "NOISE" not in written


@pytest.mark.parametrize(
    "noise",
    [
        '<ul class="x1"><li>Facebook</li><li>WhatsApp</li><li>Mail</li></ul>',
        "<p>NOISE Sign up for our weekly newsletter to get the best stories.</p>".replace("NOISE ", ""),
        "<h3>You might also like</h3><div><p>A classic of the coast, told by those who were there, with soup and stories.</p></div>",
        "<div>© 2024 Harbour Press Ltd. All rights reserved.</div>",
        '<p>Filed under: <a href="/t/1">towers</a>, <a href="/t/2">harbours</a></p>',
    ],
)
def test_invitations_and_teasers_below_an_article_are_left_out(read: Read, noise: str) -> None:
    written = read(f"<body><main><h1>Tower</h1>{_prose('only')}{noise}</main></body>").markdown
    assert written.endswith("since the harbour closed.")


def test_author_and_date_are_facts_and_not_text(read: Read) -> None:
    head = '<meta name="author" content="Jane Doe"><meta property="article:published_time" content="2024-05-01">'
    page = f'<html><head>{head}</head><body><main><h1>Tower</h1><div class="z">By Jane Doe</div><div class="y">May 1, 2024</div>{_prose("only")}</main></body></html>'
    found = read(page)
    assert found.facts["author"] == "Jane Doe"
    assert found.facts["date"] == "2024-05-01"
    assert "Jane Doe" not in found.markdown
    assert "May 1" not in found.markdown


def test_names_and_dates_of_posts_stay(read: Read) -> None:
    posts = "".join(
        f'<div class="post"><div class="head">user{n} wrote on May {n}, 2024</div><div class="text">{_prose(f"user{n}", 2)}</div></div>'
        for n in range(1, 5)
    )
    written = read(f"<body><div id='page'><h1>Which tower?</h1>{posts}</div></body>").markdown
    assert all(f"user{n} wrote on" in written for n in range(1, 5))


def test_comments_of_readers_are_left_out_below_an_article(read: Read) -> None:
    comments = '<div id="comments"><h3>2 comments</h3><div class="comment"><p>NOISE I like towers very much, and so does my aunt.</p></div></div>'
    written = read(f"<body><main><h1>Tower</h1>{_prose('only')}</main>{comments}</body>").markdown
    assert "NOISE" not in written


def test_tables_lists_and_code_within_an_article_stay(read: Read) -> None:
    data = "<table><tr><th>Ship</th><th>Tons</th></tr><tr><td>Anna</td><td>40</td></tr></table><ul><li>Rope</li><li>Tar</li></ul><pre>make tower</pre>"
    for page in (
        f"<body><article><h1>Tower</h1>{_prose('a')}<h2>Data</h2>{data}{_prose('b')}</article></body>",
        f"<body><article><h1>Tower</h1>{_prose('a')}<h2>Data</h2>{data}</article></body>",
    ):
        written = read(page).markdown
        assert "## Data" in written
        assert "| Anna | 40 |" in written
        assert "- Rope\n- Tar" in written
        assert "make tower" in written


def test_a_long_paragraph_that_repeats_is_kept_twice(read: Read) -> None:
    refrain = "<p>And the lamp goes round, and round again, over the water and over the town.</p>"
    assert read(f"<body><main><h1>Song</h1>{refrain}{refrain}</main></body>").markdown.count("over the town") == 2


def test_bare_numbers_of_votes_are_left_out(read: Read) -> None:
    answers = "".join(
        f'<div class="answer"><div class="votes"><div>{n * 17}</div></div><div class="text">{_prose(f"answer {n}", 2)}</div></div>'
        for n in range(1, 4)
    )
    title = "Which tower is the highest?"
    written = read(
        f"<html><head><title>{title} - Tower Exchange</title></head><body><h1>{title}</h1>{answers}</body></html>"
    ).markdown
    assert written.startswith(f"# {title}")
    assert all(str(n * 17) not in written for n in range(1, 4))


def test_an_image_with_sources_stays(read: Read) -> None:
    picture = '<picture><source srcset="a.avif" type="image/avif"><source srcset="a.webp"><img src="/a.jpg" alt="The old tower"></picture>'
    written = read(
        f"<body><main><h1>Tower</h1>{_prose('a')}<figure>{picture}</figure>{_prose('b')}</main></body>"
    ).markdown
    assert "![The old tower](https://site.example/a.jpg)" in written


def test_text_after_a_word_break_stays(read: Read) -> None:
    assert read("<body><p>Donau<wbr>dampf<wbr>schiff and more</p></body>").markdown == "Donaudampfschiff and more"


_STATE = '{"props":{"pageProps":{"id":"4f2","body":"<p>The keeper climbs the tower every evening, and counts the ships in the harbour.</p>"}}}'
_LINKED = '{"@type":"Product","name":"Storm lantern","description":"A lantern that stays lit in wind and rain, made in one workshop since 1902.","offers":{"price":49,"priceCurrency":"EUR"}}'


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (f'<script id="__NEXT_DATA__" type="application/json">{_STATE}</script>', "The keeper climbs the tower"),
        (f'<script type="application/ld+json">{_LINKED}</script>', "made in one workshop since 1902"),
        (f'<script type="application/ld+json">{_LINKED}</script>', "- price: 49"),
    ],
)
def test_a_page_without_text_is_read_from_its_data_and_says_so(read: Read, script: str, said: str) -> None:
    found = read(f"<html><head><title>Shop</title></head><body><div id='__next'></div>{script}</body></html>")
    assert said in found.markdown
    assert any("data in its scripts" in note for note in found.notes)
    with_text = read(f"<html><body><main><h1>Shop</h1>{_prose('a')}</main>{script}</body></html>")
    assert said not in with_text.markdown


@pytest.mark.parametrize(
    "kept",
    [
        "<p>Share this folder with your team.</p>",
        "<p>Skip to step four if you have a key.</p>",
        "<p>Recommended: a rope of eight metres.</p>",
        "<p>Get the latest version of the app.</p>",
        "<p>Join us on the third of March at noon.</p>",
        "<h2>People who live alone</h2><p>They climb the tower on Sundays and sing.</p>",
        "<h2>Related work</h2><p>Smith measured the same tower in spring.</p>",
        "<p>By then, the lamp was out.</p>",
    ],
)
def test_sentences_that_begin_like_invitations_stay(read: Read, kept: str) -> None:
    said = kept.removesuffix("</p>").rpartition(">")[2]
    assert said in read(f"<body><main><h1>Tower</h1>{_prose('a')}{kept}{_prose('b')}</main></body>").markdown
    assert said in read(f"<body><main><h1>Tower</h1>{_prose('a')}{kept}</main></body>").markdown


def test_a_heading_of_teasers_with_nothing_below_it_is_no_error(read: Read) -> None:
    page = f"<body><main><h1>Tower</h1>{_prose('light')}<h2>Related articles</h2></main></body>"
    assert "The light keeper" in read(page).markdown
