"""The first page of a crawl: wherever it has moved to, there is the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tools_web.crawling.addresses import WebAddress, read_address
from hermes_tools_web.crawling.report import CrawlError
from hermes_tools_web.crawling.site import BusyError, ReadPage, Site, StrayedError
from hermes_tools_web.outside import plain_line
from hermes_tools_web.providers.reading import ReadingError

if TYPE_CHECKING:
    from hermes_tools_web.crawling.pace import Pace

_MOST_MOVES = 3
"""How often the first page may lead to another site: short links do so, and sites that moved."""
_MOST_CHARS = 3_000
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
            said = plain_line(f"{address.url} cannot be read. {error.reason}", _MOST_CHARS)
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
