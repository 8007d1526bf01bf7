"""Firecrawl: search, and extraction with a browser; https://docs.firecrawl.dev/api-reference/v2-introduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.concurrency import run_parallel
from hermes_tools_web.providers.account import error_code
from hermes_tools_web.providers.api import ApiProvider, items, part, read_facts, text
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow, Setup

_MAX_RESULTS = 100
_SECONDS = 60.0
_AT_ONCE = 5
"""Small plans run fewer browsers at once; further requests wait there."""


class FirecrawlProvider(ApiProvider):
    """Uses `/v2/search`, and `/v2/scrape` for each page."""

    name = "firecrawl"
    setup = Setup(
        title="Firecrawl",
        about="Search, and extraction with a browser; your own server needs no key.",
        url="https://www.firecrawl.dev/app/api-keys",
        settings=("web.firecrawl_api_key",),
        variables=("FIRECRAWL_API_KEY",),
    )
    one_by_one = True

    def missing(self, access: Access) -> str | None:
        """Require a key, unless the server is the user's own."""
        account = self.account(access)
        return account.missing(key_needed=not account.own)

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`."""
        account, answer = await self.ask(access, "/v2/search", {"query": query, "limit": min(limit, _MAX_RESULTS)})
        if answer.get("success") is False:
            raise ProviderError(self.name, f"Firecrawl could not search{account.error_text(answer)}.", retryable=True)
        if isinstance(answer.get("data"), Mapping) and "web" not in answer["data"]:
            return []  # the response for no results
        return [
            SearchRow(url=_url(item), title=_title(item), description=text(item, "description"))
            for item in items(account, answer, "data", "web")
        ]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract pages, several at once; see `ExtractProvider`."""
        errors: list[ProviderError] = []

        async def scrape(url: str) -> Page:
            try:
                return await self._scrape(url, access)
            except ProviderError as error:
                errors.append(error)
                return Page(url=url, error=error.message, hint=error.hint or "")

        pages = await run_parallel(scrape, urls, limit=_AT_ONCE)
        if errors and len(errors) == len(urls):
            raise errors[0]
        return pages

    async def _scrape(self, url: str, access: Access) -> Page:
        body = {"url": url, "formats": ["markdown"], "onlyMainContent": True, "timeout": int(_SECONDS * 1000)}
        account, answer = await self.ask(
            access,
            "/v2/scrape",
            body,
            seconds=_SECONDS + 10,  # it reports its own timeout
            is_answer=_is_about_the_page,
        )
        if answer.get("success") is not True:
            return Page(url=url, error=f"Firecrawl could not read this page{account.error_text(answer)}.")
        if not isinstance(answer.get("data"), Mapping):
            raise account.response_error("there is no object 'data'")
        return _read(url, part(answer, "data"))


def _is_about_the_page(status: int, answer: object) -> bool:
    """Return whether the error is about the page: by its code, or by a status for unsupported sites."""
    failed = isinstance(answer, Mapping) and answer.get("success") is False
    return failed and (error_code(answer).startswith("SCRAPE_") or status in (403, 408))


def _read(url: str, data: Mapping[str, Any]) -> Page:
    about = part(data, "metadata")
    final_url = text(about, "url", "sourceURL")
    status = about.get("statusCode")
    if isinstance(status, int) and status >= 400:
        return Page(url=url, final_url=final_url, error=f"The site did not return the page (HTTP {status}).")
    return Page(
        url=url,
        content=text(data, "markdown"),
        title=_title(data),
        final_url=final_url,
        facts=read_facts(about, author="author", date="publishedTime", language="language", description="description"),
    )


def _url(item: Mapping[str, Any]) -> str:
    return text(item, "url") or text(part(item, "metadata"), "sourceURL", "url")


def _title(item: Mapping[str, Any]) -> str:
    return text(item, "title") or text(part(item, "metadata"), "title", "ogTitle")
