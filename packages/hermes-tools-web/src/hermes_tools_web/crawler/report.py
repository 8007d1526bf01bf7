"""What a crawl is asked for, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hermes_core import ToolFailedError
from hermes_text import sanitize_error, untrusted_text
from hermes_tools_web.crawler.relevance import Relevance, select_relevant
from hermes_tools_web.text import clean_line, clean_note, divide_budget, json_length

Stopped = Literal["complete", "limit", "depth", "time", "size", "requests", "errors", "rate limit"]


class CrawlError(ToolFailedError):
    """Raised when a crawl finds nothing, because it could not even begin."""

    code = "crawl_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """What is to be crawled.

    Attributes:
        url: The first page.
        instructions: What the user wants to know.
        depth: How many links away from the first page it may go.
        limit: How many pages are wanted.
    """

    url: str
    instructions: str = ""
    depth: int = 2
    limit: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledPage:
    """A page of the site.

    Attributes:
        url: Where it is.
        title: What it is called.
        content: What it says, as Markdown; no more than any result can show.
        chars: How many characters it has.
        depth: How many links it is away from the first page.
        kind: What it is, as `Document.kind` has it.
        fitting: How well it fits to the instructions; 0 when there are none.
        notes: What a reader should know.
    """

    url: str
    title: str
    content: str
    chars: int
    depth: int
    kind: str = "html"
    relevance_score: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPage:
    """A page that could not be read.

    Attributes:
        url: Where it is.
        error: Why.
    """

    url: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlReport:
    """What came of a crawl.

    Attributes:
        url: The first page, where it was found.
        pages: The pages, in the order in which they were visited.
        failed: Those that could not be read.
        skipped: How many URLs were left out, by reason.
        stopped: Why it ended: `complete` when there was nothing more.
        waiting: How many pages were found and not visited.
        from_cache: How many of those that were visited were read before, and kept.
    """

    url: str
    pages: tuple[CrawledPage, ...]
    failed: tuple[FailedPage, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    stopped: Stopped = "complete"
    waiting: int = 0
    from_cache: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlProgress:
    """How far a crawl is.

    Attributes:
        done: How many pages were read.
        queued: How many wait.
        url: The page that is next.
    """

    done: int
    queued: int
    url: str


ProgressCallback = Callable[[CrawlProgress], Awaitable[None]]
"""Tells whoever watches how far a crawl is."""


MAX_CHARS = 100_000
"""What a result may have."""
_MIN_CHARS = 300
"""What each page gets at least. When even that is too much, the host puts the result into a file."""
_TITLE_CHARS = 200
_ERROR_CHARS = 1_000
_MAX_FAILED = 20
_MARGIN = 500
_NOTE = "Shortened: {shown:,} of {chars:,} characters are shown. web_extract reads the page itself."
_KINDS = {"pdf": "PDF document", "json": "JSON document", "text": "text"}

_ENDED = {
    "limit": "The limit of pages was reached; at least {waiting} more were found.",
    "depth": "The pages that are farther away were not visited: ask for more depth, or begin at one of these.",
    "time": "The time for a crawl was over; at least {waiting} more pages were found.",
    "size": "The pages are too long to hold more of them; at least {waiting} more were found.",
    "requests": "Too many pages were the same, failed or were no pages; at least {waiting} more were found.",
    "errors": "The site does not answer any more; {waiting} pages that were found could not be visited.",
    "rate limit": "The site was asked too often, and wants to be left alone; {waiting} pages were not visited.",
}


def format_report(report: CrawlReport, plan: CrawlPlan, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The result for a model. Long pages are looked through for what fits, so it belongs into a thread.

    Args:
        report: What came of the crawl.
        plan: What it was asked for.
        notes: What else a reader should know.
    """
    result: dict[str, Any] = {
        "success": True,
        "url": report.url,
        "pages": [],
        "failed": [
            {"url": page.url, "error": clean_line(sanitize_error(page.error), _ERROR_CHARS)}
            for page in report.failed[:_MAX_FAILED]
        ],
        "skipped": dict(report.skipped),
        "stopped": report.stopped,
        "from_cache": report.from_cache,
        "crawled_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "notes": [*notes, *_notes(report, plan)],
    }
    room = MAX_CHARS - _MARGIN - len(json.dumps(result, ensure_ascii=False))
    result["pages"] = _rows(report.pages, Relevance(plan.instructions), room)
    return {name: value for name, value in result.items() if value or name not in ("notes", "from_cache")}


def _notes(report: CrawlReport, plan: CrawlPlan) -> list[str]:
    notes = []
    if report.stopped in _ENDED:
        notes.append(_ENDED[report.stopped].format(waiting=report.waiting))
    if len(report.failed) > _MAX_FAILED:
        notes.append(f"{len(report.failed) - _MAX_FAILED} more pages failed.")
    if not report.pages:
        notes.append("No page had text that may be used. The site may need a browser, or ask robots not to use it.")
    elif plan.instructions and not any(page.relevance_score for page in report.pages):
        notes.append("No page has a word of the instructions. Search for another place to begin.")
    return notes


def _rows(pages: Sequence[CrawledPage], relevance: Relevance, room: int) -> list[dict[str, Any]]:
    bare = [_row(page, "", is_cut=True) for page in pages]
    room -= sum(len(json.dumps(row, ensure_ascii=False)) + len(", ") for row in bare)
    # What fits to the instructions is shortened last.
    weights = [1 + page.relevance_score for page in pages]
    given = divide_budget([json_length(page.content) for page in pages], max(room, _MIN_CHARS * len(pages)), weights)
    return [_fitted(page, relevance, maximum) for page, maximum in zip(pages, given, strict=True)]


def _fitted(page: CrawledPage, relevance: Relevance, maximum: int) -> dict[str, Any]:
    is_whole = len(page.content) == page.chars and json_length(page.content) <= maximum
    shown = page.content if is_whole else select_relevant(page.content, relevance, maximum)
    return _row(page, shown, is_cut=not is_whole)


def _row(page: CrawledPage, shown: str, *, is_cut: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "url": page.url,
        "title": clean_line(page.title, _TITLE_CHARS),
        "depth": page.depth,
        "content": untrusted_text(shown, source=page.url, kind=_KINDS.get(page.kind, "web page")),
    }
    notes = [*map(clean_note, page.notes), *([_NOTE.format(shown=len(shown), chars=page.chars)] if is_cut else [])]
    return {**row, "notes": notes} if notes else row
