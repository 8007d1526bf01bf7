"""Cache crawled pages for the next crawl and for extractions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync

from hermes_tools_web.cache.pages import CachedPage, decode_page, encode_page
from hermes_tools_web.cache.web_cache import cache_key
from hermes_tools_web.crawler.page_urls import PageUrl, parse_page_url
from hermes_tools_web.documents.document import Document, Link
from hermes_tools_web.providers.protocol import make_page

if TYPE_CHECKING:
    from hermes_tools_web.cache.web_cache import WebCache
    from hermes_tools_web.providers.protocol import Access


_PROVIDER = "direct"
"""The extract provider that reads pages as a crawl does, so that both share entries."""
_PICTURE = "data:image/"


class CrawlCache:
    """The cached pages of crawls."""

    def __init__(self, cache: WebCache, access: Access) -> None:
        self._cache = cache
        self._access = access

    async def find(self, address: PageUrl) -> tuple[PageUrl, Document] | None:
        """Return a cached page with its URL; None when there is none or it is no longer allowed."""
        from hermes_net import acheck_url

        key = cache_key(address.url, self._access)
        text = await run_sync(self._cache.get, "page", _PROVIDER, key, abandon_on_cancel=True)
        cached = None if text is None else decode_page(text)
        if cached is None:
            return None
        where = parse_page_url(cached.page.final_url or address.url)
        document = _document(cached)
        if where is None or document is None:
            return None
        # The policy may have changed since the page was stored.
        for url in dict.fromkeys((address.url, where.url)):
            if not await acheck_url(url, policy=self._access.policy):
                return None
        return where, document

    async def store(self, address: PageUrl, final_url: str, document: Document, robots: frozenset[str]) -> None:
        """Store a page that was just fetched."""
        page = make_page(address.url, final_url, document)
        if not page.content.strip() or _PICTURE in page.content:
            return  # an extraction explains empty pages and strips inline images
        links = [[link.url, link.text, sorted(link.rel)] for link in document.links]
        more = {"links": links, "canonical": document.canonical, "robots": sorted(robots)}
        text = encode_page(CachedPage(page=page, fetched_at=time.time(), more=more))
        key = cache_key(address.url, self._access)
        await run_sync(self._cache.put, "page", _PROVIDER, key, text, abandon_on_cancel=True)


def _document(cached: CachedPage) -> Document | None:
    """Rebuild the document; None when an extraction stored the page without its links."""
    page, more = cached.page, cached.more
    try:
        return Document(
            kind=page.kind,
            title=page.title,
            markdown=page.content,
            facts=page.facts,
            links=tuple(Link(url=url, text=text, rel=frozenset(rel)) for url, text, rel in more["links"]),
            notes=page.notes,
            canonical=str(more["canonical"]),
            robots=frozenset(more["robots"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
