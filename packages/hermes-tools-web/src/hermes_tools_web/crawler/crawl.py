"""Crawl a site, nearest pages first, until it is complete or a limit is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from hermes_core import ToolError
from hermes_core.errors import ConfigError
from hermes_tools_web.crawler.frontier import FoundLink, Frontier, Visit
from hermes_tools_web.crawler.page_urls import PageUrl, parse_page_url
from hermes_tools_web.crawler.relevance import Relevance
from hermes_tools_web.crawler.report import (
    CrawlError,
    CrawlPlan,
    CrawlProgress,
    CrawlReport,
    FailedPage,
    PageCollection,
    ProgressCallback,
    Stopped,
)
from hermes_tools_web.crawler.site import BusyError, OffLimitsError, Site, SitePage, open_site
from hermes_tools_web.crawler.throttle import Throttle
from hermes_tools_web.documents.reader import ReadError
from hermes_tools_web.fetcher.requests import encode_url
from hermes_tools_web.text import clean_line

if TYPE_CHECKING:
    from hermes_tools_web.cache.web_cache import WebCache
    from hermes_tools_web.providers.protocol import Access


_SITEMAP_SECONDS = 20.0
_MAX_CHARS = 20_000_000
"""The limit of text in memory."""
_REQUESTS_PER_PAGE, _REQUESTS_MORE = 4, 50
_MAX_SILENT = 5
"""After this many pages in a row without any answer, the server is considered gone."""


async def crawl(
    plan: CrawlPlan,
    access: Access,
    *,
    tell: ProgressCallback,
    seconds: float | None = None,
    cache: WebCache | None = None,
) -> CrawlReport:
    """Crawl a site. When the time is over, return the pages crawled so far.

    `tell` is called with the progress before each page, and `seconds` is the time limit of the caller.

    Raises:
        CrawlError: there is no first page.
        FetchError: the first page could not be fetched.
        UrlDeniedError: the network guard refuses the first page.
    """
    start = check_start_url(plan.url)
    settings = access.settings.crawl
    throttle = Throttle(settings.delay_seconds)
    run = _Crawl(plan, throttle, tell)
    with anyio.move_on_after(settings.seconds if seconds is None else min(seconds, settings.seconds)) as within:
        try:
            async with open_site(access, throttle, cache) as site:
                await run.through(site, start, settings.concurrency)
        except ConfigError as error:
            raise CrawlError(str(error), hint="Ask the user to fix the proxy settings.") from error
    return run.report(in_time=not within.cancelled_caught)


class _Crawl:
    """The state of a running crawl."""

    def __init__(self, plan: CrawlPlan, throttle: Throttle, tell: ProgressCallback) -> None:
        self._plan = plan
        self._throttle = throttle
        self._tell = tell
        self._relevance = Relevance(plan.instructions)
        self._collection = PageCollection(self._relevance)
        self._frontier: Frontier | None = None
        self._stopped: Stopped | None = None
        self._url = plan.url
        self._visits = self._requests = self._under_way = self._from_cache = 0
        self._changed = anyio.Event()

    async def through(self, site: Site, start: PageUrl, workers: int) -> None:
        """Visit the pages of a site."""
        await self._tell(CrawlProgress(done=0, queued=1, url=start.url))
        first = await read_first_page(site, start, self._throttle)
        plan = self._plan
        frontier = Frontier(first.address, depth=plan.depth, pages=plan.limit, relevance=self._relevance)
        visit = frontier.take()
        assert visit is not None  # a frontier starts with its first page
        self._url, self._frontier, self._requests = first.address.url, frontier, 1
        self._take(frontier, visit, first, number=0)
        frontier.done(visit)
        # Linked pages come first, so a page from a sitemap may never be visited.
        if plan.depth > 0 and plan.limit > 1 and (plan.instructions or len(frontier) < 2 * plan.limit):
            with anyio.move_on_after(_SITEMAP_SECONDS):
                await site.list_pages(
                    first.address,
                    lambda urls: frontier.add_links((FoundLink(url=url, listed=True) for url in urls), depth=1),
                )
        async with anyio.create_task_group() as tasks:
            for _ in range(workers):
                tasks.start_soon(self._work, site, frontier)

    def report(self, *, in_time: bool) -> CrawlReport:
        """Return the report.

        Raises:
            CrawlError: the time was over before the first page arrived.
        """
        frontier, collection = self._frontier, self._collection
        if frontier is None:
            raise CrawlError(
                f"{self._url} did not arrive within the time limit of a crawl.",
                hint="Try again later. The user can raise web.crawl.seconds.",
            )
        return CrawlReport(
            url=self._url,
            pages=collection.pages,
            failed=tuple(collection.failed),
            skipped=dict((collection.skipped + frontier.skipped).most_common()),
            stopped=self._why_it_ended(frontier) if in_time else "time",
            waiting=len(frontier) + self._under_way,
            from_cache=self._from_cache,
        )

    async def _work(self, site: Site, frontier: Frontier) -> None:
        while (visit := await self._next(frontier)) is not None:
            self._visits += 1
            await self._visit(site, frontier, visit, self._visits)
            self._under_way -= 1
            self._changed.set()
            self._changed = anyio.Event()

    async def _next(self, frontier: Frontier) -> Visit | None:
        """Return the next page; None when there will be none."""
        while not self._is_enough(frontier):
            # Pages in progress count: all of them may be kept.
            visit = frontier.take() if len(self._collection) + self._under_way < self._plan.limit else None
            if visit is not None and self._collection.has(visit.address.key):
                frontier.done(visit)  # already visited through a redirect
            elif visit is not None:
                self._under_way += 1
                return visit
            elif not self._under_way:
                return None
            else:
                await self._changed.wait()
        return None

    def _is_enough(self, frontier: Frontier) -> bool:
        if len(frontier) and self._stopped is None:
            if self._requests >= _REQUESTS_PER_PAGE * self._plan.limit + _REQUESTS_MORE:
                self._stopped = "requests"
            elif self._collection.chars >= _MAX_CHARS:
                self._stopped = "size"
            elif self._collection.silent >= _MAX_SILENT:
                self._stopped = "errors"
        return self._stopped is not None or len(self._collection) >= self._plan.limit

    def _why_it_ended(self, frontier: Frontier) -> Stopped:
        if self._stopped is not None:
            return self._stopped
        if len(self._collection) >= self._plan.limit and (len(frontier) or frontier.deeper):
            return "limit"
        return "depth" if frontier.deeper else "complete"

    async def _visit(self, site: Site, frontier: Frontier, visit: Visit, number: int) -> None:
        url = visit.address.url
        await self._tell(CrawlProgress(done=len(self._collection), queued=len(frontier), url=url))
        self._requests += 1
        try:
            page = await site.read(visit.address)
        except OffLimitsError as off_limits:
            self._collection.skipped[off_limits.reason] += 1
            self._requests -= off_limits.reason == "robots.txt"  # not requested
        except BusyError as busy:
            if busy.slow_down(self._throttle):
                self._stopped = "rate limit"
            if not visit.is_retry and self._stopped is None:
                frontier.retry(visit)
                return
            self._collection.failed.append(FailedPage(url=url, error=str(busy)))
        except (ReadError, ToolError) as error:
            self._collection.fail(url, error)
        else:
            self._take(frontier, visit, page, number=number)
        frontier.done(visit)

    def _take(self, frontier: Frontier, visit: Visit, page: SitePage, *, number: int) -> None:
        frontier.mark_known(page.address)
        self._from_cache += page.from_cache
        self._requests -= page.from_cache  # not requested
        if not self._collection.take(page, number=number, depth=visit.depth):
            return
        nofollow = "nofollow" in page.robots
        links = (
            FoundLink(url=link.url, text=link.text, nofollow=nofollow or "nofollow" in link.rel)
            for link in page.document.links
        )
        frontier.add_links(links, depth=visit.depth + 1, title=page.document.title)


_MAX_MOVES = 3
"""How often the first page may redirect to another site: short links do, and sites that moved."""
_MAX_ERROR_CHARS = 3_000
_ELSEWHERE = "Do not crawl this site. Read single pages with web_extract if the user names them, or try another source."


async def read_first_page(site: Site, start: PageUrl, throttle: Throttle) -> SitePage:
    """Read the first page. If it redirects to another site, that site is crawled instead.

    Raises:
        CrawlError: the page must not be crawled or cannot be read.
        FetchError: the page could not be fetched.
        UrlDeniedError: the network guard refuses the page.
    """
    address = start
    for _ in range(_MAX_MOVES + 1):
        site.name = address.site
        try:
            while True:
                try:
                    return await site.read(address)
                except BusyError as busy:
                    if busy.slow_down(throttle):
                        message = f"{address.url} is unavailable. {busy}"
                        raise CrawlError(message, hint="Try again later.") from None
        except OffLimitsError as off_limits:
            moved = parse_page_url(off_limits.url)
            if off_limits.reason != "other site" or moved is None:
                raise _no_start(off_limits) from None
            address = moved
        except ReadError as error:
            message = clean_line(f"{address.url} cannot be read. {error.reason}", _MAX_ERROR_CHARS)
            raise CrawlError(message, hint=error.hint) from None
    raise CrawlError(f"{start.url} redirects from site to site.", hint="Pass the URL of the final page.")


def _no_start(off_limits: OffLimitsError) -> CrawlError:
    url, other = off_limits.url, "Start with another page."
    what, hint = {
        "robots.txt": (f"{url} must not be crawled. {off_limits}", _ELSEWHERE),
        "file": (f"{url} is a file, not a page.", "Start with a page of the site."),
        "action": (f"{url} would trigger an action.", "Start with a page to read."),
    }.get(off_limits.reason, (f"The first page redirects to an invalid URL: {url[:200]}", other))
    return CrawlError(what, hint=hint)


def check_start_url(url: str) -> PageUrl:
    """Check a start URL without a request: a DNS lookup or a request for robots.txt could leak a key in it.

    Raises:
        FetchError: it is not a URL that may be fetched.
        CrawlError: it is too long or not a plain URL.
    """
    address = parse_page_url(encode_url(url))
    if address is None:
        raise CrawlError("This is not the URL of a page.", hint="Pass a plain URL, such as https://example.org/docs/.")
    return address
