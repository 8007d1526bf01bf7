"""A site on the network: its pages and its sitemaps, asked for in turn, and nothing that belongs to somebody else."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from hermes_tools_web.crawler import sitemaps
from hermes_tools_web.crawler.page_urls import PageUrl, is_action, is_page_type, parse_page_url
from hermes_tools_web.crawler.robots import SiteRobots, parse_directives
from hermes_tools_web.crawler.site_files import fetch_site_file
from hermes_tools_web.documents.reader import DocumentReader
from hermes_tools_web.fetcher.errors import UrlDeniedError, failure, parse_retry_after
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.fetcher.requests import request_headers, response_limits

if TYPE_CHECKING:
    import httpx2

    from hermes_tools_web.crawler.cached_pages import CrawlCache
    from hermes_tools_web.crawler.throttle import Throttle
    from hermes_tools_web.documents.document import Document
    from hermes_tools_web.fetcher.fetch import FetchedPage
    from hermes_tools_web.providers.protocol import Access


_SIDE_SECONDS = 15.0
_SIDE_BYTES = 1 << 40
"""Nobody reads so much: reading ends earlier, where it suits whoever reads."""
_SIDE_REDIRECTS = 5
"""As many as RFC 9309 wants to be followed for a robots.txt."""
_MIN_TO_READ = 10.0
"""The seconds for making sense of a page, however long fetching it took: that is our own work, not the server's."""
_TOO_MANY = 429
_BUSY = (_TOO_MANY, 503)
_BEGUN = "hermes_crawl_begun"
"""Where a request says when it began: the requests of one page share what is there."""


class OffLimitsError(Exception):
    """Raised when a page leads to where the crawl does not go.

    Attributes:
        url: Where it leads.
        reason: Why the crawl does not go there, in a word: `other site`, `robots.txt`, `action` or `file`.
    """

    def __init__(self, url: str, reason: str, why: str = "") -> None:
        self.url = url
        self.reason = reason
        super().__init__(why or f"{url}: {reason}")


class BusyError(Exception):
    """Raised when a site says that it can take no more requests."""

    def __init__(self, status: int, retry_after: float | None, begun: float) -> None:
        self._status = status
        self._retry_after = retry_after
        self._begun = begun
        super().__init__(failure(status).message)

    def slow_down(self, throttle: Throttle) -> bool:
        """Let the pace know; whether the site is to be left alone."""
        too_often = self._status == _TOO_MANY or self._retry_after is not None
        return throttle.refused(self._retry_after, begun=self._begun, is_asked_too_often=too_often)


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """A page that was fetched and read.

    Attributes:
        address: Where it was found.
        document: What it says.
        robots: What it asks of robots.
        from_cache: Whether it was read before, and kept.
    """

    address: PageUrl
    document: Document
    robots: frozenset[str]
    from_cache: bool = False


class Site:
    """The site that is crawled.

    Args:
        access: The user's settings, and what may be fetched.
        pace: How fast it is asked.
        side: The client for files beside the pages.
        kept: The pages that were read before; None when none are kept.

    Attributes:
        name: Whose pages are asked for, as `WebAddress.site` has it.
        pages: The client for pages; it has the hooks of this object.
        rules: What its owners allow.
    """

    pages: httpx2.AsyncClient

    def __init__(
        self, access: Access, throttle: Throttle, side: httpx2.AsyncClient, kept: CrawlCache | None = None
    ) -> None:
        self.name = ""
        self.rules = SiteRobots(side, throttle, access.settings)
        self._settings = access.settings
        self._throttle = throttle
        self._side = side
        self._kept = kept

    async def read(self, address: PageUrl) -> SitePage:
        """A page of the site.

        Raises:
            StrayedError: it may not be crawled, or redirects to where the crawl does not go.
            BusyError: the site is asked too much.
            FetchError: it could not be fetched.
            ReadingError: it could not be read.
            UrlDeniedError: the guard does not let the site be asked.
        """
        await self._require_allowed(address, address.url)
        kept = await self._read_before(address)
        if kept is not None:
            return kept
        await self._throttle.wait_turn()
        latest = time.monotonic() + self._settings.extract.seconds
        fetched = await fetch(address.url, client=self.pages, settings=self._settings)
        self._throttle.accepted()
        document = await _READER.read(fetched, seconds=max(_MIN_TO_READ, latest - time.monotonic()))
        asked = parse_directives(fetched.headers.get("x-robots-tag", ""), document.robots)
        if self._kept is not None:
            await self._kept.keep(address, fetched.final_url, document, asked)
        return SitePage(
            address=parse_page_url(fetched.final_url) or address, document=document, robots=self._obeyed(asked)
        )

    async def _read_before(self, address: PageUrl) -> SitePage | None:
        found = await self._kept.find(address) if self._kept is not None else None
        if found is None or found[0].site != self.name or is_action(found[0]):
            return None
        where, document = found
        await self._require_allowed(where, where.url)
        return SitePage(address=where, document=document, robots=self._obeyed(document.robots), from_cache=True)

    async def list_pages(self, first: PageUrl, found: Callable[[Sequence[str]], None]) -> None:
        """Look through the site's sitemaps.

        Args:
            first: A page of the site.
            found: Called with the URLs of pages that one lists.
        """
        named = [_joined(first.root, url) for url in [*await self.rules.sitemaps(first), "/sitemap.xml"]]
        await sitemaps.collect_pages(named, self.name, self._sitemap, found)

    async def before_request(self, request: httpx2.Request) -> None:
        """Keep within the site: called before each request for a page, so also before a redirect is followed."""
        url = str(request.url)
        address = parse_page_url(url)
        if address is None or address.site != self.name:
            raise OffLimitsError(url, "other site")
        if is_action(address):
            raise OffLimitsError(url, "action")
        await self._require_allowed(address, url)
        if _BEGUN in request.extensions:  # it goes on: it does not wait, so that the next page waits longer
            self._throttle.begun()
        request.extensions[_BEGUN] = self._throttle.now()

    async def after_response(self, response: httpx2.Response) -> None:
        """Leave what is no page, and a server that is asked too much: called before a body is read."""
        if response.status_code in _BUSY:
            begun = response.request.extensions[_BEGUN]
            raise BusyError(response.status_code, parse_retry_after(response.headers.get("retry-after", "")), begun)
        if response.is_success and not is_page_type(response.headers.get("content-type", "")):
            raise OffLimitsError(str(response.request.url), "file")

    async def _require_allowed(self, address: PageUrl, url: str) -> None:
        denial_reason = await self.rules.denial_reason(address, url)
        if denial_reason:
            raise OffLimitsError(url, "robots.txt", denial_reason)

    def _obeyed(self, asked: frozenset[str]) -> frozenset[str]:
        return asked if self._settings.crawl.obey_robots else frozenset()

    async def _sitemap(self, url: str) -> bytes:
        address = parse_page_url(url)
        try:
            if address is None or is_action(address):
                return b""
            if await self.rules.denial_reason(address):  # its own rules hold where it is, also on another site
                return b""
            await self._throttle.wait_turn()
            return (await fetch_site_file(self._side, address.url, maximum=sitemaps.MAX_BYTES)).body
        except UrlDeniedError:
            return b""  # a robots.txt may name whatever it likes


@asynccontextmanager
async def open_site(access: Access, throttle: Throttle, kept: CrawlCache | None = None) -> AsyncIterator[Site]:
    """A site with the clients that it is asked with, which are closed afterwards.

    Raises:
        ConfigError: the environment names a proxy that cannot be.
    """
    from hermes_net import NetLimits
    from hermes_tools_web.fetcher.requests import NoCookies

    limits = NetLimits(bytes=_SIDE_BYTES, seconds=_SIDE_SECONDS, redirects=_SIDE_REDIRECTS)
    headers = request_headers(access.settings, accept="text/plain,application/xml,*/*;q=0.5")
    async with AsyncExitStack() as open_clients:

        async def client(**options: Any) -> httpx2.AsyncClient:
            made: httpx2.AsyncClient = await open_clients.enter_async_context(
                access.client(cookies=NoCookies(), **options)
            )
            return made

        site = Site(access, throttle, await client(limits=limits, headers=headers), kept)
        hooks = {"request": [site.before_request], "response": [site.after_response]}
        site.pages = await client(limits=response_limits(access.settings), event_hooks=hooks)
        yield site


def _joined(root: str, url: str) -> str:
    """Where a sitemap is; robots.txt should name it whole, and often does not."""
    try:
        return urljoin(f"{root}/", url)
    except ValueError:
        return ""


def _read(fetched: FetchedPage) -> Document:
    from hermes_tools_web.documents.reader import read_document

    return read_document(fetched.body, content_type=fetched.content_type, url=fetched.final_url, links=True)


_READER = DocumentReader(maximum=8, read=_read)
"""Shared by all crawls, so that pages nobody can read in time do not add up."""
