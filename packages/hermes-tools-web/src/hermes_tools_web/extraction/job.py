"""What an extraction needs, its progress, the checks of its URLs, and the outcome for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from hermes_net import NetPolicy, UrlVerdict, acheck_url
from hermes_text.secrets import redact
from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.fetcher.errors import FetchError, refusal_error
from hermes_tools_web.fetcher.requests import encode_url
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


class ProgressReporter:
    """Reports the progress of an extraction."""

    def __init__(self, total: int, tell: ProgressCallback | None, *, done: int = 0) -> None:
        self._total = total
        self._done = done
        self._tell = tell
        self._turn = anyio.Lock()  # observers may run in threads, and must see the reports in order

    async def report(self, what: str, url: str, *, is_done: bool) -> None:
        """Report what is being done with a page, or that it is finished."""
        async with self._turn:
            self._done += is_done
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


_NOT_POLICY = frozenset({"not_a_url", "spelling", "unresolved", "timeout"})
"""Refusals of URLs that lead nowhere; no rule forbids them."""
_SECRET = frozenset({"api_key", "credentials"})
_PASSING = frozenset({"unresolved", "timeout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUrl:
    """A URL whose text may be requested."""

    url: str  # the URL as passed
    address: str  # the URL in ASCII


def check_text(url: str) -> CheckedUrl | Outcome:
    """Encode a URL in ASCII, or return why it is refused. No DNS lookup is made: that alone could leak a key."""
    try:
        address = encode_url(url)
    except FetchError as error:
        return _refused(url, error.message, error.hint, error.refused)
    return CheckedUrl(url=url, address=address)


async def check_host(checked: CheckedUrl, policy: NetPolicy) -> Outcome | None:
    """Return why the network guard refuses a URL; None when it is allowed."""
    verdict = await acheck_url(checked.address, policy=policy)
    return None if verdict else refusal(checked.url, verdict)


async def check_redirect(page: Page, policy: NetPolicy) -> UrlVerdict | None:
    """Return why a redirect of a page is refused; None when it is allowed.

    A DNS failure is not a reason: the provider has already been there.
    """
    if not page.final_url or page.final_url == page.url:
        return None
    # The server wrote this URL, so a key in it is no leak.
    verdict = await acheck_url(page.final_url, policy=replace(policy, keys_in_urls=True))
    return None if verdict or verdict.code in _PASSING else verdict


def refusal(url: str, verdict: UrlVerdict, *, redirected: bool = False) -> Outcome:
    """Build the outcome of a refused URL."""
    error = refusal_error(verdict, redirected=redirected)
    return _refused(url, error.message, error.hint, verdict.code, verdict.host)


def policy_block(code: str, message: str, host: str = "") -> dict[str, str] | None:
    """Describe the rule that forbids a URL in a machine-readable way; None when there is none."""
    if not code or code in _NOT_POLICY:
        return None
    return {"rule": code, **({"host": host} if host else {}), "message": message}


def _refused(url: str, message: str, hint: str | None, code: str, host: str = "") -> Outcome:
    # Do not repeat a key in the result.
    shown = redact(url) if code in _SECRET else url
    page = Page(url=shown, error=message, hint=hint or "", refused=code)
    return Outcome(page=page, blocked=policy_block(code, message, host))
