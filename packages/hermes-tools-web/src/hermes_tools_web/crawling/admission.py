"""Which URL a crawl may begin with: judged by its text, before even a name is looked up."""

from __future__ import annotations

from hermes_tools_web.crawling.addresses import WebAddress, read_address
from hermes_tools_web.crawling.report import CrawlError
from hermes_tools_web.fetching.addresses import in_ascii
from hermes_tools_web.fetching.errors import UrlDeniedError
from hermes_tools_web.fetching.keys import key_in


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
