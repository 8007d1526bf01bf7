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
    """The inputs of an extraction."""

    access: Access  # the settings and the network policy
    choice: Choice  # the extract providers
    cache: WebCache  # the page cache
    summarizer: Summarizer | None  # summarizes long pages; None when summaries are off
    folder: Path  # the directory for full texts
    max_chars: float  # the size limit of the result
    latest: float  # when the result must be ready, by `time.monotonic`
    tell: ProgressCallback | None = None  # called with the progress; None when nothing observes it
    clock: Callable[[], float] = field(default=time.time)  # returns the time


class ProgressReporter:
    """Reports the progress of an extraction."""

    def __init__(self, total: int, tell: ProgressCallback | None, *, done: int = 0) -> None:
        self._total = total
        self._done = done
        self._tell = tell
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
            if self._tell is not None:
                await self._tell(f"{what} {display_host(url)}", self._done, self._total)


def display_host(url: str) -> str:
    """Return the host of a URL for progress messages: URLs can be long and contain secrets."""
    try:
        return urlsplit(url).hostname or "a page"
    except ValueError:
        return "a page"


NO_CONTENT = "Content was inaccessible or not found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome for one URL."""

    page: Page  # the page or the error
    provider: str = ""  # the provider that read it; empty when none was used
    fetched_at: float = 0.0  # when it was fetched, in seconds since 1970; 0 when it was not
    from_cache: bool = False  # True when it came from the cache
    blocked: Mapping[str, str] | None = None  # the rule, host and reason of a refusal; None when there was none
    summary: Summary | None = None
    shortened: bool = False  # True when only the beginning is shown because there is no summary
    notes: tuple[str, ...] = ()  # notes for the reader

    @property
    def readable(self) -> bool:
        """True when there is no error."""
        return not self.page.error
