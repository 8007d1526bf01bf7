"""Notices: a law with numbered paragraphs, an error page, a page in Greek, a bug report, an Atom feed."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page


def law() -> Page:
    """A law: numbered paragraphs, letters, cross references."""
    b = Builder("law", "https://laws.law.example/harbour-act")
    sections = "".join(
        f'<div class="section"><h3 id="s{n}">§ {n} {name}</h3><p>({n}) {b.keep(said)}</p><ol type="a"><li>{b.item(first)}</li><li>{b.item(second)}</li></ol></div>'
        for n, (name, said, first, second) in enumerate(
            (
                (
                    "Scope",
                    "This Act applies to all harbours of the state.",
                    "with more than ten berths,",
                    "that are open to the public.",
                ),
                (
                    "Fees",
                    "The harbour master may charge fees for berths.",
                    "by the length of the boat,",
                    "by the number of nights.",
                ),
            ),
            1,
        )
    )
    return b.done(
        f"""<!DOCTYPE html><html lang="en"><head><title>Harbour Act</title></head><body><div id="container"><div id="level1"><ul id="servicenav"><li><a href="/sitemap">{b.noise("Sitemap of all laws")}</a></li></ul></div><div id="paddingLR12"><h1>Harbour Act</h1><p>{b.keep("Date of issue: 12 May 1998")}</p>{sections}<p>{b.keep("This Act enters into force on the day after its promulgation.")} See {b.link("the Fees Order", "../fees-order/#s3", "https://laws.law.example/fees-order/#s3")}.</p></div><div id="fusszeile">{b.noise("Top of page | Ministry of Justice")}</div></div></body></html>"""
    )


def greek() -> Page:
    """A Greek page in ISO-8859-7 without any label."""
    b = Builder("greek")
    page = f"""<html><head><title>Το λιμάνι</title></head><body><div class="menu"><a href="/">{b.noise("Αρχική σελίδα τόπου")}</a></div><h1>Το λιμάνι</h1><p>{b.keep("Το παλιό λιμάνι άνοιξε ξανά για τα σκάφη της γραμμής, ύστερα από έργα τριών ετών.")}</p><p>{b.keep("Οι κάτοικοι ελπίζουν ότι θα έρθουν περισσότεροι επισκέπτες το καλοκαίρι.")}</p><p>{b.keep("Τα εισιτήρια πωλούνται στο κτίριο δίπλα στον φάρο.")}</p></body></html>"""
    return b.done(page, "text/html", "iso-8859-7")


def bug_report() -> Page:
    """A bug in a tracker: fields in a table, comments with monospaced text."""
    b = Builder("bugzilla", "https://bugs.bugzilla.example/show_bug.cgi?id=42")
    comments = "".join(
        f'<div id="c{n}" class="bz_comment"><div class="bz_comment_head"><span class="bz_comment_user">{b.keep(who)}</span> <span class="bz_comment_time">2025-01-0{n} 10:0{n} UTC</span></div><pre class="bz_comment_text">{b.keep(said)}</pre></div>'
        for n, (who, said) in enumerate(
            (
                ("Tom Hale", "Steps: open the chart, zoom twice, it freezes."),
                ("Ada Holm", "Confirmed on 3.2; the tile cache never ends."),
                ("Tom Hale", "Fixed by the patch of today."),
            ),
            1,
        )
    )
    return b.done(
        f"""<!DOCTYPE html><html><head><title>42 – Chart freezes</title></head><body class="bz_bug"><div id="header"><ul class="links"><li><a href="./">{b.noise("Tracker home link")}</a></li><li><span class="separator">| </span><a href="enter_bug.cgi">{b.noise("File a new bug")}</a></li></ul></div><div id="bugzilla-body"><form name="changeform" method="post" action="process_bug.cgi"><div class="bz_short_desc_container"><b>Bug 42</b> - <span id="short_desc_nonedit_display">{b.keep("Chart freezes after zooming")}</span></div><table class="edit_form"><tr><td><table><tr><th class="field_label">Status:</th><td>{b.keep("RESOLVED FIXED")}</td></tr><tr><th class="field_label">Severity:</th><td>{b.keep("major")}</td></tr></table></td></tr></table><div id="comments">{comments}</div></form></div><div id="footer"><ul id="links-actions"><li><a href="./">{b.noise("Reports and charts menu")}</a></li></ul></div></body></html>"""
    )


def atom() -> Page:
    """A feed in Atom with markup that is not escaped."""
    b = Builder("atom", "https://log.atom.example/atom.xml")
    b.expect(checks.link("Ebb and flow", "https://log.atom.example/ebb"))
    return b.done(
        f"""<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><link rel="self" href="https://log.atom.example/atom.xml"/><entry><title>Ebb and flow</title><link rel="alternate" href="/ebb"/><updated>2025-01-02T00:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{b.keep("The tide was late by a minute.")}</p><ul><li>{b.item("wind from the east")}</li></ul></div></content></entry></feed>""",
        "application/atom+xml",
    )


def not_found() -> Page:
    """An error page: short, and the reason is what it is about."""
    b = Builder("missing")
    return b.done(
        f"""<!doctype html><html><head><title>Not found</title></head><body><nav><a href="/">{b.noise("Back to our homepage")}</a></nav><main><h1>Page not found</h1><p>{b.keep("The page that you look for was moved in March.")}</p></main><footer>{b.noise("© Missing Pages Ltd")}</footer></body></html>"""
    )


MAKERS = (law, greek, bug_report, atom, not_found)
