"""Crawls a site: page after page, nearest first, until there is nothing more or it is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from hermes_core import ToolError
from hermes_core.errors import ConfigError
from hermes_tools_web.crawler.cached_pages import KeptPages
from hermes_tools_web.crawler.collection import Harvest
from hermes_tools_web.crawler.frontier import Frontier, Offer, Visit
from hermes_tools_web.crawler.page_urls import WebAddress, read_address
from hermes_tools_web.crawler.relevance import Relevance
from hermes_tools_web.crawler.report import CrawlError, CrawlPlan, CrawlProgress, CrawlReport, FailedPage, Stopped, Tell
from hermes_tools_web.crawler.site import BusyError, ReadPage, Site, StrayedError, visiting
from hermes_tools_web.crawler.throttle import Pace
from hermes_tools_web.documents.reader import ReadingError
from hermes_tools_web.fetcher.errors import UrlDeniedError
from hermes_tools_web.fetcher.urls import in_ascii, key_in
from hermes_tools_web.text import plain_line

if TYPE_CHECKING:
    from hermes_tools_web.cache.web_cache import PageCache
    from hermes_tools_web.providers.protocol import Access


_SITEMAP_SECONDS = 20.0
_MOST_CHARS = 20_000_000
"""What a crawl holds in memory."""
_REQUESTS_PER_PAGE, _REQUESTS_MORE = 4, 50
"""How many requests a crawl may take for the pages that it wants: some fail, and some are the same."""
_MOST_SILENT = 5
"""After so many pages in a row for which the server did not even answer, it is gone."""


async def crawl(
    plan: CrawlPlan,
    access: Access,
    *,
    tell: Tell,
    seconds: float | None = None,
    cache: PageCache | None = None,
) -> CrawlReport:
    """Crawl a site.

    When its time is over, it returns what was read until then.

    Args:
        plan: What is to be crawled.
        access: The user's settings, and what may be fetched.
        tell: Told how far it is before each page.
        seconds: What the caller gives it, when that is less than the user does.
        cache: Where pages are that were read before, and are kept; None when none are.

    Raises:
        CrawlError: there is no first page.
        FetchError: the first page could not be fetched.
        UrlDeniedError: the guard does not let it be fetched, or its URL carries a key.
    """
    start = first_address(plan.url)
    settings = access.settings.crawl
    pace = Pace(settings.delay_seconds)
    run = _Crawl(plan, pace, tell)
    with anyio.move_on_after(settings.seconds if seconds is None else min(seconds, settings.seconds)) as within:
        try:
            async with visiting(access, pace, KeptPages(cache, access) if cache else None) as site:
                await run.through(site, start, settings.concurrency)
        except ConfigError as error:
            raise CrawlError(str(error), hint="Ask the user to mend the proxy's settings.") from error
    return run.report(in_time=not within.cancelled_caught)


class _Crawl:
    """One crawl under way."""

    def __init__(self, plan: CrawlPlan, pace: Pace, tell: Tell) -> None:
        self._plan = plan
        self._pace = pace
        self._tell = tell
        self._relevance = Relevance(plan.instructions)
        self._harvest = Harvest(self._relevance)
        self._frontier: Frontier | None = None
        self._stopped: Stopped | None = None
        self._url = plan.url
        self._visits = self._requests = self._under_way = self._from_cache = 0
        self._changed = anyio.Event()

    async def through(self, site: Site, start: WebAddress, workers: int) -> None:
        """Visit the pages of a site, beginning with one."""
        await self._tell(CrawlProgress(done=0, queued=1, url=start.url))
        first = await open_site(site, start, self._pace)
        plan = self._plan
        frontier = Frontier(first.address, depth=plan.depth, pages=plan.limit, relevance=self._relevance)
        visit = frontier.take()
        assert visit is not None  # a frontier begins with its first page
        self._url, self._frontier, self._requests = first.address.url, frontier, 1
        self._take(frontier, visit, first, number=0)
        frontier.done(visit)
        if self._wants_sitemaps(frontier):
            with anyio.move_on_after(_SITEMAP_SECONDS):
                await site.list_pages(first.address, lambda urls: frontier.offer(map(_listed, urls), depth=1))
        async with anyio.create_task_group() as tasks:
            for _ in range(workers):
                tasks.start_soon(self._work, site, frontier)

    def report(self, *, in_time: bool) -> CrawlReport:
        """What came of it.

        Raises:
            CrawlError: it took too long to even begin.
        """
        frontier, harvest = self._frontier, self._harvest
        if frontier is None:
            raise CrawlError(
                f"{self._url} did not come in the time that a crawl may take.",
                hint="Try it again later. The user can allow more with web.crawl.seconds.",
            )
        return CrawlReport(
            url=self._url,
            pages=harvest.pages,
            failed=tuple(harvest.failed),
            skipped=dict((harvest.skipped + frontier.skipped).most_common()),
            stopped=self._why_it_ended(frontier) if in_time else "time",
            waiting=len(frontier) + self._under_way,
            from_cache=self._from_cache,
        )

    # -- the order of work -----------------------------------------------------------------------------------------

    async def _work(self, site: Site, frontier: Frontier) -> None:
        while (visit := await self._next(frontier)) is not None:
            self._visits += 1
            await self._visit(site, frontier, visit, self._visits)
            self._under_way -= 1
            self._announce()

    async def _next(self, frontier: Frontier) -> Visit | None:
        """The next page; None when there will be none."""
        while not self._is_enough(frontier):
            # Those under way count: all of them may be wanted.
            visit = frontier.take() if len(self._harvest) + self._under_way < self._plan.limit else None
            if visit is not None and self._harvest.has(visit.address.key):
                frontier.done(visit)  # a redirect led there before
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
            elif self._harvest.chars >= _MOST_CHARS:
                self._stopped = "size"
            elif self._harvest.silent >= _MOST_SILENT:
                self._stopped = "errors"
        return self._stopped is not None or len(self._harvest) >= self._plan.limit

    def _announce(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    def _why_it_ended(self, frontier: Frontier) -> Stopped:
        if self._stopped is not None:
            return self._stopped
        if len(self._harvest) >= self._plan.limit and (len(frontier) or frontier.deeper):
            return "limit"
        return "depth" if frontier.deeper else "complete"

    def _wants_sitemaps(self, frontier: Frontier) -> bool:
        """Whether a page from a sitemap could be visited: those that pages link to come first."""
        plan = self._plan
        return plan.depth > 0 and plan.limit > 1 and (bool(plan.instructions) or len(frontier) < 2 * plan.limit)

    # -- one page --------------------------------------------------------------------------------------------------

    async def _visit(self, site: Site, frontier: Frontier, visit: Visit, number: int) -> None:
        url = visit.address.url
        await self._tell(CrawlProgress(done=len(self._harvest), queued=len(frontier), url=url))
        self._requests += 1
        try:
            page = await site.read(visit.address)
        except StrayedError as strayed:
            self._harvest.skipped[strayed.reason] += 1
            self._requests -= strayed.reason == "robots.txt"  # it was not asked for
        except BusyError as busy:
            if self._is_put_off(frontier, visit, busy):
                return
        except (ReadingError, ToolError) as error:
            self._harvest.fail(url, error)
        else:
            self._take(frontier, visit, page, number=number)
        frontier.done(visit)

    def _is_put_off(self, frontier: Frontier, visit: Visit, busy: BusyError) -> bool:
        """Whether a page that was refused will be asked for again."""
        if busy.slow_down(self._pace):
            self._stopped = "rate limit"
        if visit.again or self._stopped is not None:
            self._harvest.failed.append(FailedPage(url=visit.address.url, error=str(busy)))
            return False
        frontier.retry(visit)
        return True

    def _take(self, frontier: Frontier, visit: Visit, page: ReadPage, *, number: int) -> None:
        frontier.know(page.address)
        self._from_cache += page.from_cache
        self._requests -= page.from_cache  # it was not asked for
        if not self._harvest.take(page, number=number, depth=visit.depth):
            return
        nofollow = "nofollow" in page.robots
        links = (
            Offer(url=link.url, text=link.text, nofollow=nofollow or "nofollow" in link.rel)
            for link in page.document.links
        )
        frontier.offer(links, depth=visit.depth + 1, title=page.document.title)


def _listed(url: str) -> Offer:
    return Offer(url=url, listed=True)


_MOST_MOVES = 3
"""How often the first page may lead to another site: short links do so, and sites that moved."""
_MAX_ERROR_CHARS = 3_000
_ELSEWHERE = "Do not crawl the site. Read single pages with web_extract if the user names them, or look elsewhere."


async def open_site(site: Site, start: WebAddress, pace: Pace) -> ReadPage:
    """The first page, which may redirect to another site: that is the one that is crawled then.

    Args:
        site: The site, which learns its name.
        start: Where the first page is said to be.
        pace: How fast it is asked.

    Raises:
        CrawlError: it may not be crawled, or not be read.
        FetchError: it could not be fetched.
        UrlDeniedError: the guard does not let it be fetched.
    """
    address = start
    for _ in range(_MOST_MOVES + 1):
        site.name = address.site
        try:
            return await _patiently_read(site, address, pace)
        except StrayedError as strayed:
            moved = read_address(strayed.url)
            if strayed.reason != "other site" or moved is None:
                raise _no_start(strayed) from None
            address = moved
        except ReadingError as error:
            said = plain_line(f"{address.url} cannot be read. {error.reason}", _MAX_ERROR_CHARS)
            raise CrawlError(said, hint=error.hint) from None
    raise CrawlError(f"{start.url} leads from one site to the next.", hint="Give the URL of the page where it ends.")


async def _patiently_read(site: Site, address: WebAddress, pace: Pace) -> ReadPage:
    while True:
        try:
            return await site.read(address)
        except BusyError as busy:
            if busy.slow_down(pace):
                raise CrawlError(f"{address.url} is not to be had. {busy}", hint="Try it again later.") from None


def _no_start(strayed: StrayedError) -> CrawlError:
    if strayed.reason == "robots.txt":
        return CrawlError(f"{strayed.url} may not be crawled. {strayed}", hint=_ELSEWHERE)
    if strayed.reason == "file":
        return CrawlError(f"{strayed.url} is a file and no page.", hint="Begin with a page of the site.")
    if strayed.reason == "action":
        return CrawlError(f"{strayed.url} would do something on the site.", hint="Begin with a page that only tells.")
    return CrawlError(f"The first page leads to {strayed.url[:200]}, which is no URL.", hint="Begin with another page.")


def first_address(url: str) -> WebAddress:
    """Where a crawl begins.

    A URL that carries a key is refused here: to look its host up, or to ask for its robots.txt, may already tell it.

    Args:
        url: The first page, as it was written.

    Raises:
        FetchError: it is no URL that may be fetched.
        UrlDeniedError: it carries a key.
        CrawlError: it is too long, or has what no plain URL has.
    """
    written = in_ascii(url)
    key = key_in(url)
    if key is not None:
        raise UrlDeniedError(key)
    address = read_address(written)
    if address is None:
        raise CrawlError("That is no URL of a page.", hint="Give a plain one, such as https://example.org/docs/.")
    return address
