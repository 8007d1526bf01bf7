"""Keeps pages that a crawl read, for the next crawl and for whoever reads one of them alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_tools_web.crawling.addresses import WebAddress, read_address
from hermes_tools_web.extraction.images import without_images
from hermes_tools_web.extraction.keeping import keep_page, kept_with_more
from hermes_tools_web.extraction.outcome import Outcome
from hermes_tools_web.pages.document import Document, Link
from hermes_tools_web.providers.stamps import kept_under
from hermes_tools_web.results import Page

if TYPE_CHECKING:
    from hermes_tools_web.cache.store import PageCache
    from hermes_tools_web.providers.base import Access

_PROVIDER = "direct"
"""Who reads single pages as a crawl does: what it finds under its name, it need not fetch."""


class KeptPages:
    """The pages of crawls in the cache.

    Args:
        cache: Where they are.
        access: The settings that they are read with, and what may be fetched.
    """

    def __init__(self, cache: PageCache, access: Access) -> None:
        self._cache = cache
        self._access = access

    async def find(self, address: WebAddress) -> tuple[WebAddress, Document] | None:
        """A page that was crawled before, and where it was; None when there is none that may be used.

        Args:
            address: Where it is asked for.
        """
        from hermes_core.net import acheck_url

        found = await kept_with_more(self._cache, _PROVIDER, kept_under(address.url, self._access))
        if found is None:
            return None
        outcome, more = found
        where = read_address(outcome.page.final_url or address.url)
        document = _document(outcome.page, more)
        if where is None or document is None:
            return None
        # What the user forbids since then stays away, however long it was kept.
        for url in dict.fromkeys((address.url, where.url)):
            if not await acheck_url(url, policy=self._access.policy):
                return None
        return where, document

    async def keep(self, address: WebAddress, found_at: str, document: Document, robots: frozenset[str]) -> None:
        """Keep a page that was fetched just now.

        Args:
            address: Where it was asked for.
            found_at: Where it was found.
            document: What it says.
            robots: What it and its server ask of robots.
        """
        page = Page(
            url=address.url,
            content=without_images(document.markdown),
            title=document.title,
            final_url=found_at,
            kind=document.kind,
            facts=document.facts,
            notes=document.notes,
        )
        if not page.content.strip():
            return  # whoever reads it alone is told why it is empty
        links = [[link.url, link.text, sorted(link.rel)] for link in document.links]
        more = {"links": links, "canonical": document.canonical, "robots": sorted(robots)}
        outcome = Outcome(page=page, provider=_PROVIDER, fetched_at=time.time())
        await keep_page(self._cache, kept_under(address.url, self._access), outcome, more)


def _document(page: Page, more: Mapping[str, Any]) -> Document | None:
    """A page as a crawl needs it; None when somebody else read it, who did not look at its links."""
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
