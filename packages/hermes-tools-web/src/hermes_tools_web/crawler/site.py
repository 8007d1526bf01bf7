"""Read the pages and files of one site, and nothing beyond it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from hermes_tools_web.cache.pages import CachedPage, load_page, save_page
from hermes_tools_web.cache.web_cache import cache_key
from hermes_tools_web.crawler import sitemaps
from hermes_tools_web.crawler.page_urls import PageUrl, is_action, is_page_type, parse_page_url
from hermes_tools_web.crawler.robots import SiteRobots, fetch_site_file, parse_directives
from hermes_tools_web.documents.document import Document, Link
from hermes_tools_web.documents.reader import DocumentReader
from hermes_tools_web.fetcher.errors import UrlDeniedError, parse_retry_after, status_error
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.fetcher.requests import request_headers, response_limits
from hermes_tools_web.providers.protocol import make_page

if TYPE_CHECKING:
    import httpx2

    from hermes_tools_web.cache.web_cache import WebCache
    from hermes_tools_web.crawler.throttle import Throttle
    from hermes_tools_web.fetcher.fetch import FetchedPage
    from hermes_tools_web.providers.protocol import Access


_SIDE_SECONDS = 15.0
_SIDE_BYTES = 1 << 40
"""No client limit: reading stops earlier, at the limit of the reader."""
_SIDE_REDIRECTS = 5
"""As many redirects as RFC 9309 requires for robots.txt."""
_MIN_TO_READ = 10.0
"""The minimum time to parse a page, however long fetching it took."""
_TOO_MANY = 429
_BUSY = (_TOO_MANY, 503)
_BEGUN = "hermes_crawl_begun"
"""The request extension with the start time; the requests of one page share it."""
_PROVIDER = "direct"
"""The extract provider that reads pages as a crawl does, so that both share cached pages."""
_PICTURE = "data:image/"


class OffLimitsError(Exception):
    """Raised when a page is outside of the crawl.

    Attributes:
        url: The URL.
        reason: The reason in a word: `other site`, `robots.txt`, `action` or `file`.
    """

    def __init__(self, url: str, reason: str, why: str = "") -> None:
        self.url = url
        self.reason = reason
        super().__init__(why or f"{url}: {reason}")


class BusyError(Exception):
    """Raised when a site refuses requests for now."""

    def __init__(self, status: int, retry_after: float | None, begun: float) -> None:
        self._status = status
        self._retry_after = retry_after
        self._begun = begun
        super().__init__(status_error(status).message)

    def slow_down(self, throttle: Throttle) -> bool:
        """Slow the throttle down; return whether to leave the site alone."""
        too_often = self._status == _TOO_MANY or self._retry_after is not None
        return throttle.refused(self._retry_after, begun=self._begun, is_asked_too_often=too_often)


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """A page that was fetched and parsed."""

    address: PageUrl  # the URL after redirects
    document: Document
    robots: frozenset[str]  # the robots directives
    from_cache: bool = False  # True when it came from the cache


class Site:
    """The site of a crawl; `name` is the site as in `PageUrl.site`, and `pages` the client that calls the hooks."""

    pages: httpx2.AsyncClient

    def __init__(self, access: Access, throttle: Throttle, side: httpx2.AsyncClient, cache: WebCache | None) -> None:
        self.name = ""
        self._access = access
        self._settings = access.settings
        self._rules = SiteRobots(side, throttle, access.settings)
        self._throttle = throttle
        self._side = side
        self._cache = cache

    async def read(self, address: PageUrl) -> SitePage:
        """Read a page.

        Raises:
            OffLimitsError: the page must not be crawled, or redirects out of the crawl.
            BusyError: the site refuses requests for now.
            FetchError: the page could not be fetched.
            ReadError: the page could not be parsed.
            UrlDeniedError: the network guard refuses the site.
        """
        await self._require_allowed(address, address.url)
        cached = await self._load(address)
        if cached is not None:
            return cached
        await self._throttle.wait_turn()
        latest = time.monotonic() + self._settings.extract.seconds
        fetched = await fetch(address.url, client=self.pages, settings=self._settings)
        self._throttle.accepted()
        document = await _READER.read(fetched, seconds=max(_MIN_TO_READ, latest - time.monotonic()))
        robots = parse_directives(fetched.headers.get("x-robots-tag", ""), document.robots)
        document = replace(document, notes=(*fetched.notes, *document.notes), robots=robots)
        await self._save(address, fetched.final_url, document)
        return self._made(parse_page_url(fetched.final_url) or address, document)

    def _made(self, address: PageUrl, document: Document, *, from_cache: bool = False) -> SitePage:
        robots = document.robots if self._settings.crawl.obey_robots else frozenset()
        return SitePage(address=address, document=document, robots=robots, from_cache=from_cache)

    async def _load(self, address: PageUrl) -> SitePage | None:
        """Return a cached page; None when there is none or it is no longer allowed."""
        from hermes_net import acheck_url

        if self._cache is None:
            return None
        cached = await load_page(self._cache, _PROVIDER, cache_key(address.url, self._access))
        where = parse_page_url(cached.page.final_url or address.url) if cached else None
        document = _restore_document(cached) if cached else None
        if where is None or document is None or where.site != self.name or is_action(where):
            return None
        # The policy may have changed since the page was stored.
        for url in dict.fromkeys((address.url, where.url)):
            if not await acheck_url(url, policy=self._access.policy):
                return None
        await self._require_allowed(where, where.url)
        return self._made(where, document, from_cache=True)

    async def _save(self, address: PageUrl, final_url: str, document: Document) -> None:
        page = make_page(address.url, final_url, document)
        if self._cache is None or not page.content.strip() or _PICTURE in page.content:
            return  # an extraction explains empty pages and strips inline images
        links = [[link.url, link.text, sorted(link.rel)] for link in document.links]
        more = {"links": links, "canonical": document.canonical, "robots": sorted(document.robots)}
        cached = CachedPage(page=page, fetched_at=time.time(), more=more)
        await save_page(self._cache, _PROVIDER, cache_key(address.url, self._access), cached)

    async def list_pages(self, first: PageUrl, found: Callable[[Sequence[str]], None]) -> None:
        """Read the sitemaps of the site."""
        named = [_joined(first.root, url) for url in [*await self._rules.sitemaps(first), "/sitemap.xml"]]
        await sitemaps.collect_pages(named, self.name, self._fetch_sitemap, found)

    async def _fetch_sitemap(self, url: str) -> bytes:
        address = parse_page_url(url)
        try:
            # The rules of its own host apply.
            if address is None or is_action(address) or await self._rules.denial_reason(address):
                return b""
            await self._throttle.wait_turn()
            return (await fetch_site_file(self._side, address.url, maximum=sitemaps.MAX_BYTES)).body
        except UrlDeniedError:
            return b""  # robots.txt may name any URL

    async def before_request(self, request: httpx2.Request) -> None:
        """Check a URL before each request for a page, including redirects."""
        url = str(request.url)
        address = parse_page_url(url)
        if address is None or address.site != self.name:
            raise OffLimitsError(url, "other site")
        if is_action(address):
            raise OffLimitsError(url, "action")
        await self._require_allowed(address, url)
        if _BEGUN in request.extensions:  # a redirect: it does not wait, but the next page waits longer
            self._throttle.begun()
        request.extensions[_BEGUN] = self._throttle.now()

    async def after_response(self, response: httpx2.Response) -> None:
        """Reject overloaded servers and files that are not pages, before reading the body."""
        if response.status_code in _BUSY:
            begun = response.request.extensions[_BEGUN]
            raise BusyError(response.status_code, parse_retry_after(response.headers.get("retry-after", "")), begun)
        if response.is_success and not is_page_type(response.headers.get("content-type", "")):
            raise OffLimitsError(str(response.request.url), "file")

    async def _require_allowed(self, address: PageUrl, url: str) -> None:
        denial_reason = await self._rules.denial_reason(address, url)
        if denial_reason:
            raise OffLimitsError(url, "robots.txt", denial_reason)


@asynccontextmanager
async def open_site(access: Access, throttle: Throttle, cache: WebCache | None = None) -> AsyncIterator[Site]:
    """Open a site with its clients, and close them afterwards.

    Raises:
        ConfigError: the environment names an invalid proxy.
    """
    from hermes_net import NetLimits
    from hermes_tools_web.fetcher.requests import NoCookies

    limits = NetLimits(bytes=_SIDE_BYTES, seconds=_SIDE_SECONDS, redirects=_SIDE_REDIRECTS)
    headers = request_headers(access.settings, accept="text/plain,application/xml,*/*;q=0.5")
    async with AsyncExitStack() as clients:
        side = await clients.enter_async_context(access.client(cookies=NoCookies(), limits=limits, headers=headers))
        site = Site(access, throttle, side, cache)
        hooks = {"request": [site.before_request], "response": [site.after_response]}
        limits = response_limits(access.settings)
        site.pages = await clients.enter_async_context(
            access.client(cookies=NoCookies(), limits=limits, event_hooks=hooks)
        )
        yield site


def _joined(root: str, url: str) -> str:
    """Resolve a sitemap URL; in robots.txt it should be absolute, but often is not."""
    try:
        return urljoin(f"{root}/", url)
    except ValueError:
        return ""


def _restore_document(cached: CachedPage) -> Document | None:
    """Restore a document; None when an extraction stored the page without its links."""
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


def _read(fetched: FetchedPage) -> Document:
    from hermes_tools_web.documents.reader import read_document

    return read_document(fetched.body, content_type=fetched.content_type, url=fetched.final_url, links=True)


_READER = DocumentReader(maximum=8, read=_read)
"""Shared by all crawls, so that stuck parser threads do not add up."""
