"""Tables: statistics with spans, an encyclopedia, prices, a list of links, tables as layout."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page


def statistics() -> Page:
    """A table with heads over several columns, cells over several rows, and footnotes."""
    b = Builder("statistics", "https://data.statistics.example/tables/12")
    body = ""
    for region, values in {
        "North": ((2023, "1,204", "87"), (2024, "1,311", "91")),
        "South": ((2023, "988", "64"), (2024, "1,002", "70")),
    }.items():
        for at, (year, births, share) in enumerate(values):
            first = f'<th rowspan="2" scope="rowgroup">{region}</th>' if not at else ""
            body += f"<tr>{first}<td>{year}</td><td>{births}</td><td>{share}</td></tr>"
            b.expect(checks.row(str(year), births, share))
    b.expect(
        checks.row("North", "2023", "1,204"), checks.row("North", "2024", "1,311"), checks.row("South", "2024", "1,002")
    )
    return b.done(f"""<!doctype html><html><head><title>Table 12</title></head><body><div class="gov-header"><a href="/">Office of Figures</a></div><ol class="govuk-breadcrumbs__list"><li><a href="/t">{b.noise("All statistical tables")}</a></li></ol>
<div class="govuk-width-container"><h1>Births by region</h1><p>{b.keep("Figures are final for 2023 and preliminary for 2024.")}</p><table class="govuk-table"><caption>{b.keep("Table 12: Births and share of first births")}</caption><thead><tr><th rowspan="2">Region</th><th rowspan="2">Year</th><th colspan="2">Births</th></tr><tr><th>Total</th><th>Share</th></tr></thead><tbody>{body}</tbody></table>
<p>{b.keep("Share: per cent of births that are first births, rounded.")}</p></div><div class="govuk-footer">{b.noise("Crown copyright of figures")}</div></body></html>""")


def encyclopedia() -> Page:
    """An article of MediaWiki: infobox, contents, edit links, references, navigation boxes."""
    b = Builder("wiki", "https://en.wiki.example/wiki/Lake_Orn")
    b.expect(checks.row("Surface area", "41 km"), checks.text("The lake was dammed in 1911"))
    return b.done(f"""<!DOCTYPE html><html lang="en" dir="ltr"><head><title>Lake Orn - Wiki</title></head><body class="mediawiki ltr sitedir-ltr ns-0 page-Lake_Orn skin-vector"><div class="mw-page-container"><a class="mw-jump-link" href="#bodyContent">{b.noise("Jump to content area")}</a>
<div class="vector-header-container"><header class="vector-header"><nav class="vector-main-menu-landmark"><ul><li><a href="/wiki/Special:Random">{b.noise("Random article button")}</a></li></ul></nav></header></div>
<div class="mw-content-container"><main id="content" class="mw-body"><header class="mw-body-header"><h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">Lake Orn</span></h1><div class="vector-page-toolbar"><ul><li><a href="?action=edit">{b.noise("Edit source tab")}</a></li></ul></div></header>
<div id="bodyContent" class="vector-body"><div id="siteSub" class="noprint">{b.noise("From Wiki, the free encyclopedia")}</div><div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above">Lake Orn</th></tr><tr><th scope="row" class="infobox-label">Surface area</th><td class="infobox-data">41 km<sup>2</sup></td></tr><tr><th class="infobox-label">Max. depth</th><td class="infobox-data">{b.keep("88 m at the northern basin")}</td></tr></tbody></table>
<p><b>Lake Orn</b> {b.keep("is a lake in the eastern uplands, fed by two rivers.")}<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup> It lies near {b.link("Ornby", "/wiki/Ornby_(town)", "https://en.wiki.example/wiki/Ornby_(town)")}.</p>
<div id="toc" class="toc" role="navigation"><h2>{b.noise("Contents of article")}</h2><ul><li class="toclevel-1"><a href="#History">1 {b.noise("History in the contents")}</a></li></ul></div>
<div class="mw-heading mw-heading2"><h2 id="History">History</h2><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="?edit">{b.noise("edit this bit")}</a><span class="mw-editsection-bracket">]</span></span></div>{b.paragraphs(2)}<p>The lake was <a href="/wiki/Dam">dammed</a> in 1911.</p>
<table class="wikitable sortable"><tbody><tr><th>Year</th><th>Level</th><th>Note</th></tr>{b.row("1911", "212 m", "dam built")}{b.row("1954", "209 m", "drought")}</tbody></table>
<h2>References</h2><div class="reflist"><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text">{b.keep("Holm, K. (1988). Lakes of the Uplands. p. 12.")}</span></li></ol></div>
<div role="navigation" class="navbox"><table class="nowraplinks"><tbody><tr><th>{b.noise("Lakes of the eastern uplands box")}</th></tr><tr><td><a href="/wiki/L2">{b.noise("Lake Sorn entry")}</a></td></tr></tbody></table></div></div></div>
<div class="printfooter">{b.noise("Retrieved from the wiki at revision 991")}</div><div id="catlinks" class="catlinks">{b.noise("Categories: Lakes of Ornland")}</div></div></main></div>
<footer id="footer" class="mw-footer"><ul><li>{b.noise("This page was last edited on 3 May")}</li></ul></footer></div></body></html>""")


def prices() -> Page:
    """Plans in cards and a table that compares them with ticks."""
    b = Builder("pricing")
    cards = "".join(
        f'<div class="plan card"><h3>{b.keep(name)}</h3><div class="price"><span class="amount">{b.keep(price)}</span><span class="period">/month</span></div>{b.items(*said)}<a class="btn" href="/buy">Choose plan</a></div>'
        for name, price, said in (
            ("Starter", "€9", ("3 projects", "Community support")),
            ("Studio", "€29", ("Unlimited projects", "Answers within a day")),
        )
    )
    rows = (
        "<tr><td>Single sign-on</td><td>–</td><td>✓</td></tr><tr><td>Audit log</td><td>30 days</td><td>1 year</td></tr>"
    )
    b.expect(checks.row("Single sign-on", "–", "✓"), checks.row("Audit log", "30 days", "1 year"))
    return b.done(f"""<!doctype html><html><head><title>Pricing</title></head><body><nav class="nav"><a href="/">Boardly</a><a href="/enterprise">{b.noise("For enterprise teams")}</a></nav><div class="pricing"><h1>Simple prices</h1><p>{b.keep("Cancel whenever you like; unused months are paid back.")}</p><div class="plans">{cards}</div>
<h2>Compare</h2><table><thead><tr><th></th><th>Starter</th><th>Studio</th></tr></thead><tbody>{rows}</tbody></table></div><div class="cta-banner newsletter"><p>{b.noise("Join 40,000 subscribers today")}</p></div><footer>{b.noise("Boardly is a registered trademark")}</footer></body></html>""")


def link_list() -> Page:
    """A list of stories laid out by tables, as some old sites still do."""
    b = Builder("aggregator", "https://agg.aggregator.example/")
    stories = ""
    for n, said in enumerate(
        ("A kernel bug that slept for twelve years", "Show: a calculator made of wood", "The economics of lighthouses"),
        1,
    ):
        stories += f"""<tr class="athing" id="{n}"><td align="right" class="title"><span class="rank">{n}.</span></td><td class="votelinks"><a href="vote?id={n}"><div class="votearrow"></div></a></td><td class="title"><span class="titleline"><a href="https://story{n}.example/a">{said}</a><span class="sitebit"> (<a href="from?s=x">story{n}.example</a>)</span></span></td></tr><tr><td colspan="2"></td><td class="subtext"><span class="score">{n * 41} points</span> by <a href="user?id=u{n}">user{n}</a> | <a href="item?id={n}">{n * 13} comments</a></td></tr><tr class="spacer" style="height:5px"></tr>"""
        b.expect(
            checks.link(said, f"https://story{n}.example/a"),
            checks.text(f"{n * 41} points"),
            checks.text(f"{n * 13} comments"),
        )
    return b.done(f"""<html op="news"><head><title>Aggregator</title></head><body><center><table id="hnmain" border="0" cellpadding="0" cellspacing="0" width="85%" bgcolor="#f6f6ef"><tr><td bgcolor="#ff6600"><table border="0" width="100%"><tr><td><span class="pagetop"><b><a href="news">Aggregator</a></b> <a href="newest">new</a> | <a href="front">past</a></span></td></tr></table></td></tr>
<tr id="pagespace"></tr><tr><td><table border="0" cellpadding="0" cellspacing="0">{stories}</table></td></tr><tr><td><center><span class="yclinks"><a href="guide">{b.noise("Guidelines of conduct")}</a> | <a href="legal">{b.noise("Legal small print")}</a></span></center></td></tr></table></center></body></html>""")


MAKERS = (statistics, encyclopedia, prices, link_list)
