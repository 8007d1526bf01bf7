"""What a crawl is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hermes_core import ToolFailedError

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
    fitting: int = 0
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


Tell = Callable[[CrawlProgress], Awaitable[None]]
"""Tells whoever watches how far a crawl is."""
