"""Written last: a crate, an issue, a podcast, a house, a school, a weather report."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page

_RUST = "pub fn tide(&self) -> Option<f64> {\n    self.levels\n        .last()\n        .copied()\n}"


def crate() -> Page:
    """A page of rustdoc: a sidebar, a declaration, methods in details."""
    b = Builder("rustdoc", "https://docs.rustdoc.example/tide/struct.Gauge.html")
    return b.done(f"""<!DOCTYPE html><html lang="en"><head><title>Gauge in tide - Rust</title></head><body class="rustdoc struct"><nav class="mobile-topbar"><h2><a href="#">Gauge</a></h2></nav><nav class="sidebar"><div class="sidebar-crate"><h2><a href="../tide/index.html">tide</a></h2></div><div class="sidebar-elems"><section><h3><a href="#implementations">{b.noise("Methods in the sidebar")}</a></h3></section></div></nav>
<main><div class="width-limiter"><rustdoc-search></rustdoc-search><section id="main-content" class="content"><div class="main-heading"><h1>Struct <span class="struct">Gauge</span><button id="copy-path" title="Copy item path">Copy item path</button></h1><rustdoc-toolbar></rustdoc-toolbar><span class="sub-heading"><a class="src" href="../src/tide/lib.rs.html">Source</a></span></div><pre class="rust item-decl"><code>{b.code("pub struct Gauge {" + chr(10) + "    pub name: String," + chr(10) + "}")}</code></pre><details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock"><p>{b.keep("A gauge that reports the height of the water.")}</p></div></details>
<h2 id="implementations" class="section-header">Implementations<a href="#implementations" class="anchor">§</a></h2><div class="docblock"><p>{b.keep("Returns the last level, or nothing when none was read.")}</p><div class="example-wrap"><pre class="rust rust-example-rendered"><code>{b.code(_RUST)}</code></pre></div></div></section></div></main></body></html>""")


def issue() -> Page:
    """An issue of a repository with comments, labels and reactions."""
    b = Builder("issue", "https://git.issue.example/holm/tide/issues/7")
    comments = "".join(
        f'<div class="timeline-comment-group"><div class="timeline-comment"><h3 class="timeline-comment-header"><a class="author" href="/{who}">{b.keep(who)}</a> commented <relative-time>{b.keep(f"Jan {n}, 2025")}</relative-time></h3><div class="comment-body markdown-body">{said}</div><div class="comment-reactions"><button class="social-reaction-summary-item">👍 {n}</button></div></div></div>'
        for n, (who, said) in enumerate(
            (
                (
                    "tomhale",
                    b.paragraphs(1, 2)
                    + f"<ol><li>{b.item('Open the chart')}</li><li>{b.item('Zoom in twice')}</li></ol>",
                ),
                (
                    "adaholm",
                    f"<p>{b.keep('I can reproduce this on the main branch.')}</p><pre><code>{b.code('panic: index 12' + chr(10) + '    at chart.go:41')}</code></pre>",
                ),
            ),
            1,
        )
    )
    return b.done(
        f"""<!DOCTYPE html><html><head><title>Chart freezes · Issue #7</title></head><body><header class="Header"><a href="/pricing">{b.noise("Pricing of the forge")}</a></header><main><div class="repository-nav"><nav class="UnderlineNav"><a href="/holm/tide/pulls">{b.noise("Pull requests tab")}</a></nav></div><div class="gh-header"><h1 class="gh-header-title"><bdi>Chart freezes</bdi> <span class="f1-light">#7</span></h1><span class="State State--open">{b.keep("Open")}</span></div><div class="Layout"><div class="js-discussion">{comments}</div><div class="Layout-sidebar"><div class="discussion-sidebar-item"><div class="discussion-sidebar-heading">Labels</div>bug</div></div></div><div class="signed-out-comment"><a href="/join">{b.noise("Sign up for free")}</a> <span>{b.noise("to join this conversation on the forge")}</span></div></main><footer class="footer">{b.noise("© 2025 Forge, Inc. Manuals")}</footer></body></html>"""
    )


def podcast() -> Page:
    """An episode with notes and a transcript in a definition list."""
    b = Builder("podcast")
    lines = "".join(f"<dt>{who}</dt><dd>{b.keep(b.prose.sentence())}</dd>" for who in ("Ada", "Tom", "Ada"))
    return b.done(
        f"""<!doctype html><html><head><title>Episode 12</title></head><body><div class="site-nav-wrapper"><a href="/episodes">{b.noise("All episodes list")}</a><a href="/support">{b.noise("Support the show")}</a></div><div class="episode"><h1>Episode 12: Fog</h1><audio src="/12.mp3" controls></audio><p>{b.keep("We talk about fog horns with somebody who collects them.")}</p><h2>Show notes</h2><ul><li>{b.link("A map of horns", "/maps/horns", "https://www.podcast.example/maps/horns")}</li></ul><h2>Transcript</h2><dl class="transcript">{lines}</dl></div><div class="subscribe-links"><p>{b.noise("Listen on every platform")}</p></div><footer>{b.noise("Theme music by the Pier Band")}</footer></body></html>"""
    )


def house() -> Page:
    """A house for sale: facts as pairs of spans, features in a list."""
    b = Builder("estate")
    facts = "".join(
        f'<div class="fact"><span class="fact-label">{name}</span><span class="fact-value">{b.keep(value)}</span></div>'
        for name, value in (("Price", "€412,000"), ("Rooms", "5 rooms"), ("Built", "built in 1931"))
    )
    return b.done(
        f"""<!doctype html><html><head><title>House by the harbour</title></head><body><header class="page-header"><a href="/">EstatePort</a><nav><a href="/sell">{b.noise("Sell your own home")}</a></nav></header><div class="listing"><h1>House by the harbour</h1><div class="facts">{facts}</div><div class="description"><p>{b.keep(b.prose.paragraph(3))}</p></div><h2>Features</h2>{b.items("Tiled stove", "Garden to the south")}</div><div class="contact-box"><form><h3>{b.noise("Contact the agent now")}</h3><input name="name"></form></div><section class="similar-listings"><h2>{b.noise("Similar homes nearby")}</h2><a href="/2">{b.noise("Flat above the bakery")}</a></section><footer>{b.noise("EstatePort takes no commission")}</footer></body></html>"""
    )


def school() -> Page:
    """A page of a school from the year 2000: nested layout tables and a timetable."""
    b = Builder("school")
    b.expect(checks.row("8:00", "Maths", "Latin"), checks.row("9:00", "Music", "Sport"))
    return b.done(
        f"""<html><head><title>School by the sea</title></head><body><table width="760" border="0" cellspacing="0" cellpadding="0" align="center"><tr><td colspan="2"><img src="banner.gif" alt=""></td></tr><tr valign="top"><td width="140" bgcolor="#ccccff"><font size="1"><a href="1.html">{b.noise("Our teachers page")}</a><br><a href="2.html">{b.noise("Canteen plan page")}</a><br><a href="3.html">{b.noise("Parents council page")}</a></font></td><td width="620"><h2>Welcome</h2><p>{b.keep(b.prose.paragraph(3))}</p><p>{b.keep(b.prose.paragraph(2))}</p><h3>Timetable</h3><table border="1" cellpadding="3"><tr><th>Hour</th><th>Monday</th><th>Tuesday</th></tr><tr><td>8:00</td><td>Maths</td><td>Latin</td></tr><tr><td>9:00</td><td>Music</td><td>Sport</td></tr></table></td></tr><tr><td colspan="2" align="center"><font size="1">{b.noise("Last changed by the webmaster in 2001")}</font></td></tr></table></body></html>"""
    )


def weather() -> Page:
    """A weather report: a short text, values in a table with units, a warning."""
    b = Builder("weather")
    return b.done(
        f"""<!doctype html><html lang="en"><head><title>Weather Ornby</title></head><body><div id="top-menu" class="menu-wrap"><ul><li><a href="/radar">{b.noise("Rain radar map")}</a></li><li><a href="/pollen">{b.noise("Pollen forecast page")}</a></li></ul></div><div id="content"><h1>Weather in Ornby</h1><div class="alert alert-warning" role="alert">{b.keep("Gale warning until Tuesday noon.")}</div><p>{b.keep("Showers in the morning, then bright spells; wind from the west.")}</p><table class="forecast"><thead><tr><th>Day</th><th>High</th><th>Low</th></tr></thead><tbody>{b.row("Monday", "14 °C", "8 °C")}{b.row("Tuesday", "12 °C", "7 °C")}</tbody></table></div><div class="ad-container"><span>{b.noise("Umbrellas at half price")}</span></div><div id="footer">{b.noise("Data without warranty")}</div></body></html>"""
    )


MAKERS = (crate, issue, podcast, house, school, weather)
