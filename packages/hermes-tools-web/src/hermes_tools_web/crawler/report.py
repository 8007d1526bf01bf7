"""The plan of a crawl, the pages that it collects, and the tool result made from them."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from hermes_core import ToolError, ToolFailedError
from hermes_text import sanitize_error, untrusted_text
from hermes_tools_web.crawler.page_urls import parse_page_url
from hermes_tools_web.crawler.relevance import Relevance, select_relevant
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.text import clean_line, clean_note, divide_budget, json_length

if TYPE_CHECKING:
    from hermes_tools_web.crawler.site import SitePage
    from hermes_tools_web.documents.reader import ReadError


Stopped = Literal["complete", "limit", "depth", "time", "size", "requests", "errors", "rate limit"]


class CrawlError(ToolFailedError):
    """Raised when a crawl cannot start."""

    code = "crawl_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """What to crawl."""

    url: str  # the first page
    instructions: str = ""  # what the user wants to know
    depth: int = 2  # the depth limit, in links from the first page
    limit: int = 10  # the page limit


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledPage:
    """A crawled page."""

    url: str
    title: str
    content: str  # the Markdown, up to the size that a result can show
    chars: int  # the full length of the Markdown
    depth: int  # how many links it is away from the first page
    kind: str = "html"  # the kind of document; see `Document.kind`
    relevance_score: int = 0  # how well it matches the instructions; 0 when there are none
    notes: tuple[str, ...] = ()  # notes for the reader


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPage:
    """A page that could not be read."""

    url: str
    error: str  # the reason


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlReport:
    """The outcome of a crawl."""

    url: str  # the first page, after redirects
    pages: tuple[CrawledPage, ...]  # the pages, in the order of their visits
    failed: tuple[FailedPage, ...] = ()  # the pages that could not be read
    skipped: Mapping[str, int] = field(default_factory=dict)  # how many URLs were skipped, by reason
    stopped: Stopped = "complete"  # why the crawl ended; `complete` when there was nothing left
    waiting: int = 0  # how many known pages were not visited
    from_cache: int = 0  # how many pages came from the cache


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlProgress:
    """The progress of a crawl."""

    done: int  # how many pages were read
    queued: int  # how many are waiting
    url: str  # the next page


ProgressCallback = Callable[[CrawlProgress], Awaitable[None]]


MAX_CHARS = 100_000
"""The limit of a result."""
_MIN_CHARS = 300
"""What each page gets at least. If that is too much in total, the host saves the result to a file."""
_TITLE_CHARS = 200
_ERROR_CHARS = 1_000
_MAX_FAILED = 20
_MARGIN = 500
_NOTE = "Truncated: showing {shown:,} of {chars:,} characters. Use web_extract to read the whole page."
_KINDS = {"pdf": "PDF document", "json": "JSON document", "text": "text"}

_ENDED = {
    "limit": "The page limit was reached; at least {waiting} more pages were found.",
    "depth": "Pages beyond the depth limit were not visited; raise depth or start from one of these pages.",
    "time": "The time limit was reached; at least {waiting} more pages were found.",
    "size": "The size limit was reached; at least {waiting} more pages were found.",
    "requests": "Too many requests failed or found duplicates; at least {waiting} more pages were found.",
    "errors": "The site stopped responding; {waiting} known pages were not visited.",
    "rate limit": "The site limits requests; {waiting} known pages were not visited.",
}


def format_report(report: CrawlReport, plan: CrawlPlan, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Format the result of a crawl for the model. Run it in a thread: it searches long pages."""
    failed = [(page.url, clean_line(sanitize_error(page.error), _ERROR_CHARS)) for page in report.failed[:_MAX_FAILED]]
    result: dict[str, Any] = {
        "success": True,
        "url": report.url,
        "pages": [],
        "failed": [{"url": url, "error": error} for url, error in failed],
        "skipped": dict(report.skipped),
        "stopped": report.stopped,
        "from_cache": report.from_cache,
        "crawled_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "notes": [*notes, *_notes(report, plan)],
    }
    budget = MAX_CHARS - _MARGIN - len(json.dumps(result, ensure_ascii=False))
    result["pages"] = _rows(report.pages, Relevance(plan.instructions), budget)
    return {name: value for name, value in result.items() if value or name not in ("notes", "from_cache")}


def _notes(report: CrawlReport, plan: CrawlPlan) -> list[str]:
    notes = []
    if report.stopped in _ENDED:
        notes.append(_ENDED[report.stopped].format(waiting=report.waiting))
    if len(report.failed) > _MAX_FAILED:
        notes.append(f"{len(report.failed) - _MAX_FAILED} more pages failed.")
    if not report.pages:
        notes.append("No page had usable text. The site may need a browser, or forbid robots.")
    elif plan.instructions and not any(page.relevance_score for page in report.pages):
        notes.append("No page matches the instructions. Search for a better start page.")
    return notes


def _rows(pages: Sequence[CrawledPage], relevance: Relevance, budget: int) -> list[dict[str, Any]]:
    bare = [_row(page, "", is_cut=True) for page in pages]
    budget -= sum(len(json.dumps(row, ensure_ascii=False)) + len(", ") for row in bare)
    # Relevant pages are truncated last.
    weights = [1 + page.relevance_score for page in pages]
    given = divide_budget([json_length(page.content) for page in pages], max(budget, _MIN_CHARS * len(pages)), weights)
    rows = []
    for page, maximum in zip(pages, given, strict=True):
        is_whole = len(page.content) == page.chars and json_length(page.content) <= maximum
        shown = page.content if is_whole else select_relevant(page.content, relevance, maximum)
        rows.append(_row(page, shown, is_cut=not is_whole))
    return rows


def _row(page: CrawledPage, shown: str, *, is_cut: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "url": page.url,
        "title": clean_line(page.title, _TITLE_CHARS),
        "depth": page.depth,
        "content": untrusted_text(shown, source=page.url, kind=_KINDS.get(page.kind, "web page")),
    }
    notes = [*map(clean_note, page.notes), *([_NOTE.format(shown=len(shown), chars=page.chars)] if is_cut else [])]
    return {**row, "notes": notes} if notes else row


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
