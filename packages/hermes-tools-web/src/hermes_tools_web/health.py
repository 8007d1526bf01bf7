"""Health checks of the web family: parsers, a local site, the cache and the search provider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hermes_core.health import HealthCheck, HealthContext, HealthProblem
from hermes_tools_web.demo import serve_site

_WORD = "xylograph"
_ARTICLE = f"""<!doctype html><html><head><title>A sample page</title></head><body><nav><a href="/second">More</a></nav>
<article><h1>The {_WORD}</h1><p>A {_WORD} is an engraving on wood. This paragraph is long enough to be taken for what
the page is about, because it consists of whole sentences and of hardly any links at all.</p><p>A second paragraph
follows, so that the page looks like an article that a person wrote and another person wants to read.</p></article>
</body></html>"""
_SAMPLES = {
    "an HTML page": ("text/html", _ARTICLE),
    "an RSS feed": (
        "application/rss+xml",
        f"<rss version='2.0'><channel><title>News</title><item><title>The {_WORD}</title></item></channel></rss>",
    ),
    "an Atom feed": (
        "application/atom+xml",
        f"<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><entry><title>{_WORD}</title></entry></feed>",
    ),
    "a JSON document": ("application/json", json.dumps({"word": _WORD})),
    "an XML document": ("application/xml", f"<?xml version='1.0'?><words><word>{_WORD}</word></words>"),
    "a plain text": ("text/plain", f"A {_WORD}."),
}
_REINSTALL = "Reinstall hermes-tools-web with its dependencies."


def health_checks() -> list[HealthCheck]:
    """Return the health checks of the family."""
    pages, all_tools = ("web_extract", "web_crawl"), ("web_extract", "web_crawl", "web_search")
    return [
        HealthCheck(name="parse samples of every kind of document", run=parse_samples, tools=pages),
        HealthCheck(name="find the main text with trafilatura", run=find_main_text, tools=pages),
        HealthCheck(name="search and read a site on loopback", run=read_site, tools=all_tools),
        HealthCheck(name="page cache", run=inspect_cache, tools=all_tools),
        HealthCheck(name="search the web", run=search_web, tools=("web_search",), online=True),
    ]


def parse_samples(_ctx: HealthContext) -> Iterator[HealthProblem]:
    """Parse one document of each kind and report those that fail."""
    from hermes_tools_web.documents.reader import read_document

    samples = {name: (kind, text.encode()) for name, (kind, text) in _SAMPLES.items()}
    samples["a PDF"] = ("application/pdf", sample_pdf(_WORD))
    for name, (kind, body) in samples.items():
        try:
            document = read_document(body, content_type=kind, url="http://localhost/sample")
        except Exception as error:  # parsers are foreign code; one that fails says nothing about the others
            yield HealthProblem(message=f"{name} cannot be read: {type(error).__name__}: {error}", remedy=_REINSTALL)
        else:
            if _WORD not in document.markdown:
                yield HealthProblem(message=f"{name} is read without its text", remedy=_REINSTALL)


def find_main_text(_ctx: HealthContext) -> HealthProblem | None:
    """Extract a sample with trafilatura; without it, pages are extracted less precisely."""
    from trafilatura import bare_extraction

    found = bare_extraction(_ARTICLE, include_comments=True, include_tables=True, include_links=False, fast=True)
    if _WORD in (getattr(found, "text", None) or ""):
        return None
    return HealthProblem(message="trafilatura finds no text in a sample page", remedy=_REINSTALL)


def read_site(ctx: HealthContext) -> Iterator[HealthProblem]:
    """Search, extract and crawl a small loopback site through the whole pipeline."""
    with serve_site(_respond) as address:
        settings: dict[str, dict[str, Any]] = {
            "security": {"allow_private_urls": True},
            "web": {
                "search_backend": "searxng",
                "extract_backend": "direct",
                "searxng_url": address,
                "cache": {"enabled": False},
                "crawl": {"delay_seconds": 0},
            },
        }
        calls: dict[str, dict[str, Any]] = {
            "web_extract": {"urls": [f"{address}/"]},
            "web_crawl": {"url": f"{address}/", "limit": 2},
            "web_search": {"query": _WORD},
        }
        for tool, args in calls.items():
            answer = json.dumps(ctx.call(tool, args, settings))
            if _WORD not in answer:
                yield HealthProblem(message=f"{tool} fails on a site on this machine: {answer[:300]}")


def inspect_cache(ctx: HealthContext) -> HealthProblem | None:
    """Look at the cache without changing it."""
    from hermes_tools_web.cache.web_cache import FOLDER, WebCache
    from hermes_tools_web.settings import CacheSettings

    stats = WebCache(ctx.home / FOLDER, CacheSettings()).stats()
    if not stats.problem:
        return None
    remedy = f"Remove {stats.path}; pages are fetched again."
    return HealthProblem(message=f"the page cache cannot be used: {stats.problem}", remedy=remedy, level="warning")


def search_web(ctx: HealthContext) -> HealthProblem | None:
    """Send a simple query to the configured search provider."""
    answer = ctx.call("web_search", {"query": "python programming language", "limit": 1})
    if isinstance(answer, dict) and not answer.get("error"):
        return None
    message = answer.get("error") if isinstance(answer, dict) else str(answer)
    return HealthProblem(message=f"the search provider fails: {message}", remedy="Run 'hermes web providers'.")


def _respond(path: str) -> tuple[str, str]:
    """Return a page, or the answer of a search engine."""
    if path.startswith("/search"):
        results = [{"url": "http://localhost/", "title": _WORD, "content": _WORD}]
        return "application/json", json.dumps({"results": results})
    return ("text/plain", "User-agent: *\nAllow: /\n") if path == "/robots.txt" else ("text/html", _ARTICLE)


def sample_pdf(word: str) -> bytes:
    """Build a PDF with one page that contains one word."""
    stream = f"BT /F1 24 Tf 72 700 Td ({word}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj%sendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return made + end % (len(objects) + 1, table, len(objects) + 1, len(made))
