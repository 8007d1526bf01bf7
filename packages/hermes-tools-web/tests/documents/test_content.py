"""What a page is about stays, what is around it goes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]
_STORY = "".join(f"<p>The keeper climbs the tower every evening, and step number {n} creaks.</p>" for n in range(8))


@pytest.mark.parametrize(
    "noise",
    [
        '<nav><a href="/a">NOISE one</a></nav>',
        '<header><a href="/">NOISE</a></header>',
        "<footer><p>NOISE all rights</p></footer>",
        '<div class="cookie-banner"><p>NOISE we use cookies</p></div>',
        '<div id="onetrust-consent-sdk"><div>NOISE partners</div></div>',
        '<aside class="sidebar"><p>NOISE about us</p></aside>',
        '<div class="share-buttons"><a href="/x">NOISE tweet</a></div>',
        '<ul class="breadcrumb"><li><a href="/">NOISE home</a></li></ul>',
        '<section><h2>Related articles</h2><ul><li><a href="/1">NOISE other</a></li></ul></section>',
        '<h2>You may also like</h2><div><a href="/1">NOISE other</a></div>',
        '<form><input type="email"><button>NOISE subscribe</button></form>',
        '<div class="newsletter">NOISE join us</div>',
        '<div role="dialog">NOISE sign up</div>',
        '<div class="pagination"><a href="/2">NOISE next</a></div>',
        "<button>NOISE copy</button>",
        "<noscript><img alt='NOISE pixel' src='/p'></noscript>",
        '<ul class="mainnav"><li><a href="/q">NOISE q</a></li></ul>',
        '<ul><li><a hreflang="de" href="/de">NOISE de</a></li><li><a lang="fr" href="/fr">NOISE fr</a></li>'
        '<li><a hreflang="fi" href="/fi">NOISE fi</a></li></ul>',
        '<ul><li>Previous message: <a href="/1">NOISE re: towers</a></li></ul>',
        '<ul><li>Next message: <a href="/2">NOISE</a></li></ul>',
        '<p>Next post: <a href="/2">NOISE about the sea</a></p>',
        '<div class="who-is-online"><p>NOISE four guests are reading this</p></div>',
        '<section id="newsletter"><h3>Newsletter</h3><p>NOISE every day</p><input type="email"></section>',
    ],
)
def test_noise_goes_and_the_story_stays(read: Read, noise: str) -> None:
    for page in (
        f"<body>{noise}<article><h1>Tower</h1>{_STORY}</article></body>",
        f"<body><main><h1>Tower</h1>{_STORY}{noise}</main></body>",
    ):
        written = read(page).markdown
        assert "NOISE" not in written
        assert written.startswith("# Tower")
        assert all(f"step number {n} creaks" in written for n in range(8))


@pytest.mark.parametrize(
    "kept",
    [
        '<aside class="admonition note"><p>KEPT warning</p></aside>',
        "<blockquote><p>said</p><footer>KEPT the speaker</footer></blockquote>",
        '<h2>External links</h2><ul><li><a href="/1">KEPT one</a></li></ul>',
        "<details><summary>KEPT question</summary><p>answer</p></details>",
        '<h3><button aria-expanded="false">KEPT question of all</button></h3><p>answer</p>',
        '<p>You can <a href="/x">read more</a> about KEPT things here in this text.</p>',
        '<div class="restaurant-menu"><p>KEPT soup of the day, with bread and butter, for five</p></div>',
        "<pre>share KEPT</pre>",
        '<div class="snippet-clipboard-content position-relative"><pre><code>make KEPT</code></pre></div>',
        '<div class="code-toolbar"><pre><code>make KEPT</code></pre><div class="toolbar"><a>Copy</a></div></div>',
        '<div class="language-bash highlighter-rouge"><div class="highlight"><pre>make KEPT</pre></div></div>',
        '<div class="language-sh"><button class="copy"></button><span>sh</span><pre>npm i KEPT</pre></div>',
        '<div class="language-sh highlight"><table><tr><td class="linenos"><pre>1</pre></td>'
        '<td class="code"><pre>npm i KEPT</pre></td></tr></table></div>',
        '<div class="row has-sidebar no-ads"><p>KEPT in a row beside a column.</p></div>',
        '<div class="post-12 post type-post category-newsletter tag-ads"><p>KEPT about letters.</p></div>',
        '<div class="toc-enabled popup-ready"><p>KEPT in a box that can do more.</p></div>',
        '<section id="cookies"><h2>Cookies</h2><p>KEPT: the session is in a cookie.</p></section>',
        '<div class="section" id="toolbar"><h2>4.2 Toolbar<a href="#toolbar">¶</a></h2><p>KEPT: three.</p></div>',
        '<section id="related-work"><h2>Related work</h2><p>KEPT: Smith measured the same.</p></section>',
        '<h2 id="subscription">Subscription KEPT</h2><p>How it works is told here, and how it ends.</p>',
        '<h3 id="feedback">KEPT</h3>',
        '<h2 class="anchor anchorWithStickyNavbar_LWe7" id="usage">KEPT</h2><p>How it is used is told here.</p>',
        "<ol><li>Click <b>Save</b></li><li>Close</li><li>KEPT</li></ol>",
        '<p><a href="mailto:kept@site.example">KEPT@site.example</a></p>',
        '<form class="usertext"><input type="hidden" name="id"><div><p>KEPT: what a reader wrote.</p></div></form>',
        '<div class="call-to-action"><p>KEPT: you can <a href="/1">renew it</a> if you have one, for a coin.</p></div>',
        '<ul><li><a href="tel:+35840">KEPT +358 40</a></li></ul>',
        '<tower-note><template shadowrootmode="open"><p>KEPT in a shadow</p></template></tower-note>',
    ],
)
def test_what_only_looks_like_noise_stays(read: Read, kept: str) -> None:
    assert "KEPT" in read(f"<body><main><h1>Tower</h1>{_STORY}{kept}{_STORY}</main></body>").markdown


@pytest.mark.parametrize(
    "title",
    [
        '<div class="question-header"><h1><a href="/q/1">How many steps has it?</a></h1><a href="/ask">Ask</a></div>',
        '<table><tr><td><a href="/up">+</a></td><td><a href="https://t.example/">How many steps has it?</a></td></tr>'
        "</table>",
        '<p class="title"><a href="/q/1">How many steps has it?</a> (<a href="/self">self</a>)</p>',
    ],
)
def test_a_title_that_leads_elsewhere_stays(read: Read, title: str) -> None:
    logo = '<div class="header"><a href="/">Tower Exchange</a></div>'
    page = f"<head><title>How many steps has it? - Tower Exchange</title></head><body>{logo}{title}{_STORY}</body>"
    written = read(f"<html>{page}</html>").markdown
    assert "[How many steps has it?](https://" in written
    assert "Tower Exchange" not in written


def test_steps_and_answers_of_one_word_stay(read: Read) -> None:
    steps = "<ol><li>Save</li><li>Close</li></ol><h3>Is it free?</h3><p>No</p>"
    written = read(f"<body><main><h1>Tower</h1>{_STORY}{steps}{_STORY}</main></body>").markdown
    assert "1. Save\n2. Close" in written
    assert "### Is it free?\n\nNo" in written


@pytest.mark.parametrize(
    "last",
    [
        '<section><h2>See also</h2><ul><li><a href="/1">KEPT one of them</a></li></ul></section>',
        '<h2>External links</h2><ul><li><a href="/1">KEPT one of all the sites</a></li></ul>',
        '<div class="mw-heading"><h2>Further reading</h2></div><ul><li><a href="/1">KEPT a book</a></li></ul>',
        '<section><h2>References</h2><ol><li><a href="/1">KEPT the first paper of many</a></li></ol></section>',
    ],
)
def test_links_that_end_an_article_stay(read: Read, last: str) -> None:
    for after in ("", "<footer><a href='/imprint'>Imprint</a></footer>"):
        written = read(f"<body><main><article><h1>Tower</h1>{_STORY}{last}</article></main>{after}</body>").markdown
        assert "KEPT" in written
        assert "Imprint" not in written


def test_a_page_that_is_only_links_keeps_them(read: Read) -> None:
    stories = "".join(f'<li><a href="/{n}">Headline number {n} of today</a></li>' for n in range(12))
    written = read(f"<body><div class='list'><ul>{stories}</ul></div></body>").markdown
    assert all(f"[Headline number {n} of today](https://site.example/{n})" in written for n in range(12))


def test_a_page_that_is_only_a_menu_is_not_empty(read: Read) -> None:
    assert "Alpha" in read('<body><nav><a href="/a">Alpha</a> <a href="/b">Beta</a></nav></body>').markdown


def test_a_short_page_is_kept(read: Read) -> None:
    assert read("<body><h1>Moved</h1><p>Gone to the island.</p></body>").markdown == "# Moved\n\nGone to the island."


@pytest.mark.parametrize(
    ("around", "after"),
    [("<main>{}</main>", ""), ("<div>{}</div>", "<footer>NOISE foot</footer>"), ("<article>{}</article>", "")],
)
def test_a_short_page_has_no_menu(read: Read, around: str, after: str) -> None:
    menu = "".join(f'<li><a href="/{n}">NOISE entry {n}</a></li>' for n in range(30))
    said = around.format("<h1>Opening hours</h1><p>Monday to Friday from nine to five.</p>")
    written = read(f"<body><nav><ul>{menu}</ul></nav>{said}{after}</body>").markdown
    assert written == "# Opening hours\n\nMonday to Friday from nine to five."


def test_a_short_beginning_is_not_all_of_a_page(read: Read) -> None:
    parts = "".join(f'<div class="promo">{_STORY.replace("number", f"{part} number")}</div>' for part in range(3))
    written = read(f"<body><h1>Tower</h1><p>It has three parts, as is known.</p>{parts}</body>").markdown
    assert all(f"step {part} number 7 creaks" in written for part in range(3))


def test_a_wrapper_with_a_bad_name_does_not_take_the_page_with_it(read: Read) -> None:
    assert "creaks" in read(f'<body><div class="sidebar-left share popup"><h1>Tower</h1>{_STORY}</div></body>').markdown


def test_a_form_around_the_whole_page_is_no_form(read: Read) -> None:
    assert "creaks" in read(f'<body><form id="aspnetForm"><div><h1>Tower</h1>{_STORY}</div></form></body>').markdown


@pytest.mark.parametrize(
    ("tab", "panel"),
    [
        ('<a role="tab" href="#specs">Data</a>', '<div id="specs" style="display:none">KEPT 18 V</div>'),
        ('<a data-bs-toggle="tab" data-bs-target="#s">Data</a>', '<div id="s" hidden>KEPT 18 V</div>'),
        ('<a data-toggle="tab" href="#s">Data</a>', '<div id="s" class="hide">KEPT 18 V</div>'),
        ('<li role="tab">Data</li>', '<div role="tabpanel" hidden>KEPT 18 V</div>'),
    ],
)
def test_what_a_tab_opens_is_read(read: Read, tab: str, panel: str) -> None:
    assert "KEPT" in read(f"<body><main><h1>Drill</h1>{tab}{_STORY}{panel}</main></body>").markdown
    assert "KEPT" not in read(f"<body><main><h1>Drill</h1>{_STORY}{panel}</main></body>").markdown


@pytest.mark.parametrize(
    "secret",
    [
        '<p style="display:none">SECRET</p>',
        "<p hidden>SECRET</p>",
        '<p aria-hidden="true">SECRET</p>',
        '<p style="position:absolute;left:-9999px">SECRET</p>',
        '<p style="font-size:0px">SECRET</p>',
        '<p style="font:0/0 a">SECRET</p>',
        '<p style="font:italic 1px/1 serif">SECRET</p>',
        '<p style="/* x */display:none">SECRET</p>',
        '<p style="display:/* x */none">SECRET</p>',
        '<p style="dis\\70lay:none">SECRET</p>',
        '<p style="filter:opacity(0)">SECRET</p>',
        '<p style="filter:blur(2px) opacity(0%)">SECRET</p>',
        '<p style="zoom:0.01">SECRET</p>',
        '<p style="margin-left:-9999px">SECRET</p>',
        '<p style="transform:translateX(-9999px)">SECRET</p>',
        '<p style="translate:-9999px">SECRET</p>',
        '<p style="-webkit-text-fill-color:transparent">SECRET</p>',
        '<p style="color:#ffffff;background-color:#fff">SECRET</p>',
        "<style>.q{display:none}</style><p class='q'>SECRET</p>",
        "<!-- SECRET -->",
        "<template>SECRET</template>",
        "<script>SECRET</script>",
        '<p class="sr-only">SECRET</p>',
        '<meta name="x" content="SECRET">',
        "<svg><text>SECRET</text></svg>",
    ],
)
def test_what_nobody_sees_is_not_read(read: Read, secret: str) -> None:
    written = read(f"<body><article><h1>Tower</h1>{_STORY}{secret}{_STORY}</article></body>").markdown
    assert "SECRET" not in written
    assert "creaks" in written


def test_invisible_characters_are_gone(read: Read) -> None:
    assert read("<p>a\u200bb\u202e\U000e0041c</p>").markdown == "abc"


def test_base64_is_never_in_the_text(read: Read) -> None:
    blob = "QUJD" * 3000
    written = read(
        f'<p>Text <img alt="pic" src="data:image/png;base64,{blob}"> <a href="data:text/html;base64,{blob}">x</a></p>'
    )
    assert "QUJDQUJD" not in written.markdown
    assert "pic" in written.markdown


@pytest.mark.parametrize(
    "page",
    [
        "<html><title>x</title><main><p>Text</p></main></html>",
        "<title>x</title><article><h1>Text</h1></article>",
        "<!doctype html><meta charset=utf-8><title>x</title><section>Text</section><p>More",
    ],
)
def test_a_page_whose_body_nobody_opened_is_read(read: Read, page: str) -> None:
    document = read(page)
    assert "Text" in document.markdown
    assert document.title == "x"


@pytest.mark.parametrize(
    "style",
    [
        "font:bold 14px/1.5 serif",
        "font:1.2em/1 serif",
        "filter:opacity(0.9)",
        "filter:blur(0)",
        "zoom:1",
        "margin-left:-40px",
        "transform:translateX(-50%)",
        "transform:translate(-12px, 4px) scale(1.1)",
        "-webkit-text-fill-color:transparent;-webkit-background-clip:text",
        "background:url(/*not a comment",
        "content:'\\110000'",
    ],
)
def test_what_is_only_styled_is_read(read: Read, style: str) -> None:
    assert (
        "KEPT" in read(f'<body><main><h1>Tower</h1>{_STORY}<p style="{style}">KEPT</p>{_STORY}</main></body>').markdown
    )
