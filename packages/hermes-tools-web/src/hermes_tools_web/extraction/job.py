"""What an extraction needs, its progress, and the outcome for each URL."""

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
"""Called with a message, the number of finished pages and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionJob:
    """The inputs of an extraction.

    Attributes:
        access: The settings and the network policy.
        choice: The extract providers.
        cache: The page cache.
        summarizer: Summarizes long pages; None when summaries are off.
        folder: The directory for full texts.
        max_chars: The size limit of the result.
        latest: When the result must be ready, by `time.monotonic`.
        tell: Called with the progress; None when nothing observes it.
        clock: Returns the time.
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
    """Reports the progress of an extraction.

    Args:
        total: The number of pages.
        tell: Called with the progress; None when nothing observes it.
        done: The number of pages that are finished already.
    """

    def __init__(self, total: int, tell: ProgressCallback | None, *, done: int = 0) -> None:
        self._total = total
        self._done = done
        self._warn_once = tell
        self._turn = anyio.Lock()  # observers may run in threads, and must see the reports in order

    async def report_step(self, what: str, url: str) -> None:
        """Report what is being done with a page."""
        await self._report(what, url, 0)

    async def done(self, what: str, url: str) -> None:
        """Report that a page is finished."""
        await self._report(what, url, 1)

    async def _report(self, what: str, url: str, pages: int) -> None:
        async with self._turn:
            self._done += pages
            if self._warn_once is not None:
                await self._warn_once(f"{what} {display_host(url)}", self._done, self._total)


def display_host(url: str) -> str:
    """Return the host of a URL for progress messages: URLs can be long and contain secrets."""
    try:
        return urlsplit(url).hostname or "a page"
    except ValueError:
        return "a page"


NO_CONTENT = "Content was inaccessible or not found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome for one URL.

    Attributes:
        page: The page or the error.
        provider: The provider that read it; empty when none was used.
        fetched_at: When it was fetched, in seconds since 1970; 0 when it was not.
        from_cache: True when it came from the cache.
        blocked: The rule, host and reason of a refusal; None when there was none.
        summary: The summary, if there is one.
        shortened: True when only the beginning is shown because there is no summary.
        notes: Notes for the reader.
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
        """True when there is no error."""
        return not self.page.error
