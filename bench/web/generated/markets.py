"""Offers and people: a job, an event, a hotel, a profile, a review with points."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page


def job() -> Page:
    """A job offer with facts in a definition list and a button to apply."""
    b = Builder("jobs", "https://jobs.jobs.example/4711")
    return b.done(
        f"""<!doctype html><html><head><title>Boat builder (m/f/d)</title></head><body><div class="app-header"><div class="app-nav"><a href="/">JobPort</a><a href="/post">{b.noise("Post a job for free")}</a></div></div><div class="job-page"><div class="job-main"><h1>Boat builder (m/f/d)</h1><dl class="facts"><div><dt>Company</dt><dd>{b.keep("Holm Boatyard")}</dd></div><div><dt>Location</dt><dd>{b.keep("Ornby")}</dd></div><div><dt>Pay</dt><dd>{b.keep("€3,400 per month")}</dd></div></dl><h3>Your tasks</h3>{b.items("Repair wooden hulls", "Teach two apprentices")}<h3>What we offer</h3>{b.items("Thirty days of holiday", "A workshop with a view of the sea")}<p>{b.keep("We look forward to hearing from you before the end of May.")}</p><a class="apply-button btn" href="/apply">Apply now</a></div><div class="job-aside similar-jobs"><h4>{b.noise("Similar jobs near you")}</h4><ul><li><a href="/4712">{b.noise("Sailmaker in Sornby")}</a></li><li><a href="/4713">{b.noise("Crane driver, harbour")}</a></li></ul></div></div><div class="page-bottom footer-links"><a href="/t">{b.noise("Terms for employers")}</a></div></body></html>"""
    )


def event() -> Page:
    """An event with a programme in a table over days."""
    b = Builder("festival")
    b.expect(
        checks.row("Friday", "18:00", "Opening"),
        checks.row("Friday", "20:30", "Choir of Ornby"),
        checks.row("Saturday", "11:00", "Regatta"),
    )
    return b.done(
        f"""<!doctype html><html><head><title>Harbour festival</title></head><body><nav id="topnav"><a href="/">{b.noise("Festival news feed")}</a></nav><div class="hero"><h1>Harbour festival</h1><p class="when">{b.keep("6 to 8 June, old harbour")}</p></div><div class="wrap"><p>{b.keep(b.prose.paragraph(3))}</p><h2>Programme</h2><table class="programme"><tr><th>Day</th><th>Time</th><th>What</th></tr><tr><td rowspan="2">Friday</td><td>18:00</td><td>Opening</td></tr><tr><td>20:30</td><td>Choir of Ornby</td></tr><tr><td>Saturday</td><td>11:00</td><td>Regatta</td></tr></table><h2>Tickets</h2><p>{b.keep("Entry is free; the boat trip costs 12 euros.")}</p></div><div class="sponsors sponsored"><p>{b.noise("With kind support of Orn Bank")}</p></div><footer><p>{b.noise("Photos may be taken at the event")}</p></footer></body></html>"""
    )


def profile() -> Page:
    """A short page about a person: little text, all of it wanted."""
    b = Builder("profile")
    return b.done(
        f"""<!doctype html><html><head><title>Prof. Ada Holm</title></head><body><header role="banner"><div class="uni-nav"><a href="/">{b.noise("University portal")}</a></div></header><div role="main"><h1>Prof. Ada Holm</h1><p>{b.keep("Chair of coastal engineering")}</p><p>Office: {b.keep("Building 4, room 212")}<br>Phone: {b.keep("+49 30 1234-56")}</p><p>{b.keep("Office hours on Tuesdays, 14:00 to 15:00.")}</p></div><footer role="contentinfo">{b.noise("Accessibility statement of the university")}</footer></body></html>"""
    )


def review() -> Page:
    """A review with points for and against, a score and a sticky bar to buy."""
    b = Builder("review")
    return b.done(
        f"""<!doctype html><html><head><title>Headlamp review</title></head><body class="single-review"><div class="sticky-buy-bar promo"><span>{b.noise("Best price today: €31 at LampWorld")}</span></div><header class="site-header"><nav><a href="/best">{b.noise("Best of lists hub")}</a></nav></header><main class="review-main"><article><h1>Headlamp X2 review</h1><p class="dek">{b.keep("Bright, light, and the strap finally fits.")}</p><div class="score-box"><span class="score">{b.keep("8.5/10")}</span></div><div class="pros"><h3>Pros</h3>{b.items("Runs for twenty hours", "Charges by USB-C")}</div><div class="cons"><h3>Cons</h3>{b.items("No red light")}</div>{b.paragraphs(4)}<p><em>{b.keep("We bought the lamp ourselves.")}</em></p></article><div class="comments-promo newsletter-box"><p>{b.noise("Never miss a review again, join our list")}</p></div></main><section class="more-reviews recirculation"><h2>{b.noise("More from our test lab")}</h2><a href="/r2">{b.noise("Lantern L9 review")}</a></section><footer class="site-footer">{b.noise("We may earn a commission from links")}</footer></body></html>"""
    )


MAKERS = (job, event, profile, review)
