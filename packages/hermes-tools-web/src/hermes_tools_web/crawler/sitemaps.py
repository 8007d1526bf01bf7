"""Read sitemaps: XML, feeds or plain text, optionally compressed."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_tools_web.crawler.page_urls import parse_page_url

MAX_BYTES = 10_000_000
_MAX_PAGES = 5_000
_MAX_FILES = 5
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
_FEED_ENTRIES = ("item", "entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """The contents of a sitemap."""

    pages: tuple[str, ...] = ()  # URLs of pages
    sitemaps: tuple[str, ...] = ()  # URLs of further sitemaps


async def collect_pages(
    named: Iterable[str],
    site: str,
    fetch: Callable[[str], Awaitable[bytes]],
    found: Callable[[Sequence[str]], None],
    *,
    max_files: int = _MAX_FILES,
) -> None:
    """Read sitemaps and those they refer to; those of other sites are followed only if they are named first.

    `fetch` returns an empty text when it fails, and `found` is called with the pages of each sitemap.
    """
    from anyio.to_thread import run_sync

    waiting = deque(dict.fromkeys(named))
    seen: set[str] = set()
    pages = 0
    while waiting and len(seen) < max_files and pages < _MAX_PAGES:
        url = waiting.popleft()
        if url in seen:
            continue
        seen.add(url)
        body = await fetch(url)
        listed = await run_sync(parse_sitemap, body, abandon_on_cancel=True)
        found(listed.pages[: _MAX_PAGES - pages])
        pages += len(listed.pages)
        waiting.extend(each for each in listed.sitemaps if (at := parse_page_url(each)) and at.site == site)


def parse_sitemap(body: bytes) -> Sitemap:
    """Parse a sitemap, as far as it is valid."""
    plain = _unpacked(body)
    if plain[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_xml(plain)
    lines = plain.decode("utf-8-sig", "replace").splitlines()
    urls = (line.strip() for line in lines[:_MAX_PAGES])
    return Sitemap(pages=tuple(url for url in urls if url.startswith(("http://", "https://"))))


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body[:MAX_BYTES]
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(body, MAX_BYTES)
    except zlib.error:
        return b""


def _read_xml(body: bytes) -> Sitemap:
    try:
        from lxml import etree  # type: ignore[import-untyped]
    except ImportError:  # the crawl continues without sitemaps
        return Sitemap()
    # Do not expand entities, load nothing, and keep what precedes an error.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return Sitemap()
    return Sitemap() if root is None else _listed(root)


def _listed(root: Any) -> Sitemap:
    pages: list[str] = []
    sitemaps: list[str] = []
    for element in root.iter("{*}loc", "{*}link"):
        parent = element.getparent()
        if parent is None or len(pages) >= _MAX_PAGES or len(sitemaps) >= _MAX_PAGES:
            continue
        kind, owner = _local_name(element), _local_name(parent)
        url = (element.text or "").strip() or (element.get("href") or "").strip()
        if kind == "loc" and owner == "sitemap":
            sitemaps.append(url)
        elif (kind == "loc" and owner == "url") or (kind == "link" and owner in _FEED_ENTRIES):
            pages.append(url)
    return Sitemap(pages=tuple(filter(None, pages)), sitemaps=tuple(filter(None, sitemaps)))


def _local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].lower()
