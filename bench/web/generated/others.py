"""What is no HTML: a PDF, feeds, JSON, a plain text."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

import json

from bench.web import checks
from bench.web.building import Builder, Page
from bench.web.pdf import pdf


def report() -> Page:
    """A PDF of two pages."""
    b = Builder("pdf", "https://files.pdf.example/report.pdf")
    said = [
        "The gauge was replaced in March 2024.",
        "No readings were lost during the work.",
        "Levels rose by 12 cm (see page 2).",
    ]
    b.expect(*map(checks.text, [*said, "Appendix A: daily readings"]))
    return b.done(pdf(said, ["Appendix A: daily readings", "01 March: 212 cm"]), "application/pdf")


def rss() -> Page:
    """A feed in RSS 2.0 with markup in its descriptions."""
    b = Builder("rss", "https://blog.rss.example/feed")
    items = "".join(
        f"<item><title>{said}</title><link>https://blog.rss.example/{n}</link><pubDate>Mon, 0{n} Mar 2025 08:00:00 GMT</pubDate><description><![CDATA[<p>{b.keep(b.prose.sentence())}</p>]]></description></item>"
        for n, said in enumerate(("Low water", "New buoys"), 1)
    )
    b.expect(
        checks.link("Low water", "https://blog.rss.example/1"), checks.link("New buoys", "https://blog.rss.example/2")
    )
    return b.done(
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>Pilot blog</title><link>https://blog.rss.example/</link>{items}</channel></rss>',
        "application/rss+xml",
    )


def answer_of_service() -> Page:
    """JSON without line ends."""
    b = Builder("json", "https://api.json.example/v1")
    b.expect(checks.code('"name": "Orn",'), checks.code('"depth": 88'))
    return b.done(json.dumps({"lake": {"name": "Orn", "depth": 88}}), "application/json")


def plain_text() -> Page:
    """A plain text whose columns stand below each other."""
    b = Builder("text", "https://files.text.example/readme.txt")
    b.expect(checks.code("usage: tide [-v]\n    -v   say more"))
    return b.done(f"{b.prose.paragraph()}\n\nusage: tide [-v]\n    -v   say more\n", "text/plain")


MAKERS = (report, rss, answer_of_service, plain_text)
