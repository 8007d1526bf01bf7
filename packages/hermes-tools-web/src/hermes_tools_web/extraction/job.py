"""What an extraction works with, and how it tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.providers.protocol import Access, Page
from hermes_tools_web.providers.selection import Choice

if TYPE_CHECKING:
    from hermes_tools_web.extraction.summarizer import Summarizer, Summary


ProgressCallback = Callable[[str, int, int], Awaitable[None]]
"""Says to whoever watches what was done, and how many pages of how many are through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionJob:
    """What an extraction works with.

    Attributes:
        access: The settings and the guard.
        choice: Who reads pages.
        cache: What was read before.
        summarizer: Who shortens long pages; None when nobody does.
        folder: Where long texts are saved, for the model to read on.
        most_chars: How long the result may be.
        latest: The moment at which all has to be told, by `time.monotonic`.
        tell: Says how far it is; None when nobody watches.
        clock: Tells the time.
    """

    access: Access
    choice: Choice
    cache: WebCache
    summarizer: Summarizer | None
    folder: Path
    max_chars: float
    latest: float
    tell: ProgressCallback | None = None
    clock: Callable[[], float] = field(default=time.time)


class ProgressReporter:
    """How far an extraction is.

    Args:
        total: How many pages there are.
        tell: Who is told; None when nobody watches.
        done: How many are through already, since they are not read at all.
    """

    def __init__(self, total: int, tell: ProgressCallback | None, *, done: int = 0) -> None:
        self._total = total
        self._done = done
        self._warn_once = tell
        self._turn = anyio.Lock()  # observers may run in threads, and see the pages in the order of their numbers

    async def report_step(self, what: str, url: str) -> None:
        """Say what is being done with a page."""
        await self._report(what, url, 0)

    async def done(self, what: str, url: str) -> None:
        """Say that a page is through."""
        await self._report(what, url, 1)

    async def _report(self, what: str, url: str, pages: int) -> None:
        async with self._turn:
            self._done += pages
            if self._warn_once is not None:
                await self._warn_once(f"{what} {display_host(url)}", self._done, self._total)


def display_host(url: str) -> str:
    """Whose page it is, for a human; addresses can be long, and hold what is nobody's business."""
    try:
        return urlsplit(url).hostname or "a page"
    except ValueError:
        return "a page"


NO_CONTENT = "Content was inaccessible or not found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one URL.

    Attributes:
        page: What the page says, or why nobody knows.
        provider: Who read it; empty when nobody was asked.
        fetched_at: When, in seconds since 1970; 0 when it was not.
        from_cache: Whether it was read before, and kept.
        blocked: Which rule refused it, about which host, and why; None when none did.
        summary: What a model made of it; None when it stands as it is.
        shortened: Whether only the beginning is to be shown, since there is no summary.
        notes: What a reader should know.
    """

    page: Page
    provider: str = ""
    fetched_at: float = 0.0
    from_cache: bool = False
    blocked: Mapping[str, str] | None = None
    summary: Summary | None = None
    shortened: bool = False
    notes: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether there is something to read."""
        return not self.page.error
