"""Collect the pages of a crawl: those read, those that failed, and how many were skipped."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from hermes_core import ToolError
from hermes_tools_web.crawler.page_urls import parse_page_url
from hermes_tools_web.crawler.report import CrawledPage, FailedPage
from hermes_tools_web.fetcher.errors import FetchError

if TYPE_CHECKING:
    from hermes_tools_web.crawler.relevance import Relevance
    from hermes_tools_web.crawler.site import SitePage
    from hermes_tools_web.documents.reader import ReadError


_LISTS = ("feed", "xml")
"""Documents that only link to pages."""
_MAX_CHARS_OF_PAGE = 100_000
"""No result can show more."""


class PageCollection:
    """The pages of a crawl."""

    def __init__(self, relevance: Relevance) -> None:
        self.failed: list[FailedPage] = []
        self.skipped: Counter[str] = Counter()  # how many pages were skipped after the request, by reason
        self.chars = 0  # the number of characters kept
        self.silent = 0  # for how many pages in a row the server did not answer
        self._relevance = relevance
        self._duplicates = DuplicateDetector()
        self._pages: dict[int, CrawledPage] = {}

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def pages(self) -> tuple[CrawledPage, ...]:
        """The pages in the order of their visits."""
        return tuple(self._pages[number] for number in sorted(self._pages))

    def has(self, key: str) -> bool:
        """Return whether the page with a key was kept."""
        return self._duplicates.has(key)

    def take(self, page: SitePage, *, number: int, depth: int) -> bool:
        """Keep a page if it qualifies; return whether its links may lead to new pages."""
        self.silent = 0
        reason = self._reason_against(page)
        if reason:
            self.skipped[reason] += 1
        else:
            self._pages[number] = made = self._make_page(page, depth)
            self.chars += len(made.content)
        return reason != "duplicate"

    def fail(self, url: str, error: ToolError | ReadError) -> None:
        """Record a page that could not be read."""
        message = error.message if isinstance(error, ToolError) else error.reason
        self.failed.append(FailedPage(url=url, error=message))
        is_silent = isinstance(error, FetchError) and error.status is None and not error.refused
        self.silent = self.silent + 1 if is_silent else 0

    def _reason_against(self, page: SitePage) -> str:
        document = page.document
        if "noindex" in page.robots:
            return "noindex"
        if document.kind in _LISTS:
            return "feed"
        if not document.markdown.strip():
            return "empty"
        canonical = parse_page_url(document.canonical)
        own = canonical.key if canonical and canonical.site == page.address.site else ""
        return "" if self._duplicates.add(page.address.key, own, document.markdown) else "duplicate"

    def _make_page(self, page: SitePage, depth: int) -> CrawledPage:
        document = page.document
        return CrawledPage(
            url=page.address.url,
            title=document.title,
            content=document.markdown[:_MAX_CHARS_OF_PAGE],
            chars=len(document.markdown),
            depth=depth,
            kind=document.kind,
            relevance_score=self._relevance.coverage(title=document.title, text=document.markdown),
            notes=document.notes,
        )


_WORD = re.compile(r"\w+")
_COMPARED_CHARS = 4000
_ALIKE = 0.6
"""The share of common words from which two pages count as the same."""


class DuplicateDetector:
    """Detects pages that were already kept, by URL, text or canonical URL."""

    def __init__(self) -> None:
        self._begins: dict[str, str] = {}
        self._texts: set[bytes] = set()
        self._claimed: dict[str, str] = {}

    def has(self, key: str) -> bool:
        """Return whether a page with a key was added."""
        return key in self._begins

    def add(self, key: str, canonical: str, text: str) -> bool:
        """Add a page by the keys of its URL and of its canonical one, which may be empty; return whether it is new.

        A canonical URL counts only if the texts are alike: too many sites give all of their pages the same one.
        """
        digest = hashlib.blake2b(" ".join(text.casefold().split()).encode("utf-8", "replace"), digest_size=16).digest()
        if key in self._begins or digest in self._texts or self._has_canonical_twin(key, canonical, text):
            return False
        self._begins[key] = text[:_COMPARED_CHARS]
        self._texts.add(digest)
        self._claimed.setdefault(canonical or key, key)
        return True

    def _has_canonical_twin(self, key: str, canonical: str, text: str) -> bool:
        """Return whether a known page and this one name each other, or name the same canonical URL."""
        named = {canonical, self._claimed.get(canonical, ""), self._claimed.get(key, "")} - {"", key}
        return any(_are_alike(self._begins[other], text) for other in named if other in self._begins)


def _are_alike(begin: str, text: str) -> bool:
    one, other = (set(_WORD.findall(part[:_COMPARED_CHARS].casefold())) for part in (begin, text))
    return len(one & other) >= _ALIKE * len(one | other)
