"""Makes the result of a crawl: all of its pages in the room of one result, and in words why it ended."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from hermes_text import sanitize_error, untrusted_text
from hermes_tools_web.crawling.relevance import Relevance
from hermes_tools_web.crawling.report import CrawledPage, CrawlPlan, CrawlReport
from hermes_tools_web.crawling.sharing import fitting_parts
from hermes_tools_web.outside import plain_line, plain_note
from hermes_tools_web.room import shares, size_of

MOST_CHARS = 100_000
"""What a result may have."""
_LEAST_CHARS = 300
"""What each page gets at least. When even that is too much, the host puts the result into a file."""
_TITLE_CHARS = 200
_ERROR_CHARS = 1_000
_MOST_FAILED = 20
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


def told(report: CrawlReport, plan: CrawlPlan, notes: Sequence[str] = ()) -> dict[str, Any]:
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
            {"url": page.url, "error": plain_line(sanitize_error(page.error), _ERROR_CHARS)}
            for page in report.failed[:_MOST_FAILED]
        ],
        "skipped": dict(report.skipped),
        "stopped": report.stopped,
        "from_cache": report.from_cache,
        "crawled_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "notes": [*notes, *_notes(report, plan)],
    }
    room = MOST_CHARS - _MARGIN - len(json.dumps(result, ensure_ascii=False))
    result["pages"] = _rows(report.pages, Relevance(plan.instructions), room)
    return {name: value for name, value in result.items() if value or name not in ("notes", "from_cache")}


def _notes(report: CrawlReport, plan: CrawlPlan) -> list[str]:
    notes = []
    if report.stopped in _ENDED:
        notes.append(_ENDED[report.stopped].format(waiting=report.waiting))
    if len(report.failed) > _MOST_FAILED:
        notes.append(f"{len(report.failed) - _MOST_FAILED} more pages failed.")
    if not report.pages:
        notes.append("No page had text that may be used. The site may need a browser, or ask robots not to use it.")
    elif plan.instructions and not any(page.fitting for page in report.pages):
        notes.append("No page has a word of the instructions. Search for another place to begin.")
    return notes


def _rows(pages: Sequence[CrawledPage], relevance: Relevance, room: int) -> list[dict[str, Any]]:
    bare = [_row(page, "", is_cut=True) for page in pages]
    room -= sum(len(json.dumps(row, ensure_ascii=False)) + len(", ") for row in bare)
    # What fits to the instructions is shortened last.
    weights = [1 + page.fitting for page in pages]
    given = shares([size_of(page.content) for page in pages], max(room, _LEAST_CHARS * len(pages)), weights)
    return [_fitted(page, relevance, most) for page, most in zip(pages, given, strict=True)]


def _fitted(page: CrawledPage, relevance: Relevance, most: int) -> dict[str, Any]:
    is_whole = len(page.content) == page.chars and size_of(page.content) <= most
    shown = page.content if is_whole else fitting_parts(page.content, relevance, most)
    return _row(page, shown, is_cut=not is_whole)


def _row(page: CrawledPage, shown: str, *, is_cut: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "url": page.url,
        "title": plain_line(page.title, _TITLE_CHARS),
        "depth": page.depth,
        "content": untrusted_text(shown, source=page.url, kind=_KINDS.get(page.kind, "web page")),
    }
    notes = [*map(plain_note, page.notes), *([_NOTE.format(shown=len(shown), chars=page.chars)] if is_cut else [])]
    return {**row, "notes": notes} if notes else row
