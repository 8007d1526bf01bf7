"""What a crawl has so far: the pages that count, those that failed, and how many others were left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hermes_core import ToolError
from hermes_tools_web.crawling.addresses import read_address
from hermes_tools_web.crawling.duplicates import Duplicates
from hermes_tools_web.crawling.report import CrawledPage, FailedPage
from hermes_tools_web.fetching.errors import FetchError

if TYPE_CHECKING:
    from hermes_tools_web.crawling.relevance import Relevance
    from hermes_tools_web.crawling.site import ReadPage
    from hermes_tools_web.providers.reading import ReadingError

_LISTS = ("feed", "xml")
"""Kinds of documents that only tell of pages."""
_MOST_CHARS_OF_PAGE = 100_000
"""No result can show more."""


class Harvest:
    """The pages of a crawl.

    Args:
        relevance: What the user wants to know.

    Attributes:
        failed: The pages that could not be read.
        skipped: How many pages were left out after they were asked for, by reason.
        chars: How many characters the pages have that are kept.
        silent: For how many pages in a row the server did not even answer.
    """

    def __init__(self, relevance: Relevance) -> None:
        self.failed: list[FailedPage] = []
        self.skipped: Counter[str] = Counter()
        self.chars = self.silent = 0
        self._relevance = relevance
        self._duplicates = Duplicates()
        self._pages: dict[int, CrawledPage] = {}

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def pages(self) -> tuple[CrawledPage, ...]:
        """The pages in the order of their visits, whichever came first."""
        return tuple(self._pages[number] for number in sorted(self._pages))

    def has(self, key: str) -> bool:
        """Whether the page with the key of an address is there."""
        return self._duplicates.has(key)

    def take(self, page: ReadPage, *, number: int, depth: int) -> bool:
        """Keep a page, if it is one; whether its links may lead to something new.

        Args:
            page: The page.
            number: Which visit it is from.
            depth: How many links it is away from the first page.
        """
        self.silent = 0
        reason = self._reason_against(page)
        if reason:
            self.skipped[reason] += 1
        else:
            self._pages[number] = kept = self._kept(page, depth)
            self.chars += len(kept.content)
        return reason != "duplicate"

    def fail(self, url: str, error: ToolError | ReadingError) -> None:
        """Take note of a page that could not be read."""
        message = error.message if isinstance(error, ToolError) else error.reason
        self.failed.append(FailedPage(url=url, error=message))
        is_silent = isinstance(error, FetchError) and error.status is None and not error.refused
        self.silent = self.silent + 1 if is_silent else 0

    def _reason_against(self, page: ReadPage) -> str:
        document = page.document
        if "noindex" in page.robots:
            return "noindex"
        if document.kind in _LISTS:
            return "feed"
        if not document.markdown.strip():
            return "empty"
        canonical = read_address(document.canonical)
        own = canonical.key if canonical and canonical.site == page.address.site else ""
        return "" if self._duplicates.add(page.address.key, own, document.markdown) else "duplicate"

    def _kept(self, page: ReadPage, depth: int) -> CrawledPage:
        document = page.document
        return CrawledPage(
            url=page.address.url,
            title=document.title,
            content=document.markdown[:_MOST_CHARS_OF_PAGE],
            chars=len(document.markdown),
            depth=depth,
            kind=document.kind,
            fitting=self._relevance.coverage(title=document.title, text=document.markdown),
            notes=document.notes,
        )
