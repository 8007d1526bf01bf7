"""Firecrawl: searches and reads pages with a browser; https://docs.firecrawl.dev/api-reference/v2-introduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from hermes_tools_web.providers.account import Account, AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_errors import error_code, error_text
from hermes_tools_web.providers.api_responses import items, part, read_facts, response_error, text
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow, Setup

NAME = "firecrawl"
_MAX_RESULTS = 100
_SECONDS = 60.0
_AT_ONCE = 5
"""The smallest plans let fewer browsers work at once; what comes above that waits there."""


class FirecrawlProvider(AccountProvider):
    """Asks `/v2/search`, and `/v2/scrape` for each page."""

    name = NAME
    setup = Setup(
        title="Firecrawl",
        about="Search, and pages by a browser; one of your own needs no key.",
        url="https://www.firecrawl.dev/app/api-keys",
        settings=("web.firecrawl_api_key",),
        variables=("FIRECRAWL_API_KEY",),
    )
    one_by_one = True

    def missing(self, access: Access) -> str | None:
        """The key, when there is none and the server is not the user's own."""
        account = self.account(access)
        return account.missing(key_needed=not account.own)

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Results from the web.

        Args:
            query: What for.
            limit: How many results at most.
            access: The settings and the guard.

        Raises:
            ProviderError: it could not.
        """
        account = self.account(access)
        body = {"query": query, "limit": min(limit, _MAX_RESULTS)}
        answer = await call_api(account, ApiRequest(path="/v2/search", headers=_headers(account), body=body), access)
        _require_success(account, answer)
        if isinstance(answer.get("data"), Mapping) and "web" not in answer["data"]:
            return []  # so it is when nothing was found
        return [
            SearchRow(url=_url(item), title=_title(item), description=text(item, "description"))
            for item in items(account, answer, "data", "web")
        ]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """One page for each URL, in their order; some are asked for at once.

        Args:
            urls: The URLs.
            access: The settings and the guard.

        Raises:
            ProviderError: it could do nothing at all.
        """
        account = self.account(access)
        pages: dict[int, Page] = {}
        errors: list[ProviderError] = []
        slots = anyio.CapacityLimiter(_AT_ONCE)

        async def take(place: int, url: str) -> None:
            async with slots:
                try:
                    pages[place] = await _scrape(account, url, access)
                except ProviderError as error:
                    errors.append(error)
                    pages[place] = Page(url=url, error=error.message, hint=error.hint or "")

        async with anyio.create_task_group() as tasks:
            for place, url in enumerate(urls):
                tasks.start_soon(take, place, url)
        if errors and len(errors) == len(urls):
            raise errors[0]
        return [pages[place] for place in range(len(urls))]


def make() -> FirecrawlProvider:
    """The provider, for the catalogue."""
    return FirecrawlProvider()


def _headers(account: Account) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {account.key}"} if account.key else {}


async def _scrape(account: Account, url: str, access: Access) -> Page:
    body = {"url": url, "formats": ["markdown"], "onlyMainContent": True, "timeout": int(_SECONDS * 1000)}
    request = ApiRequest(
        path="/v2/scrape",
        headers=_headers(account),
        body=body,
        seconds=_SECONDS + 10,  # it says itself that a page took too long
        is_answer=_is_about_the_page,
    )
    answer = await call_api(account, request, access)
    if answer.get("success") is not True:
        return Page(url=url, error=f"Firecrawl could not read this page{error_text(account, answer)}.")
    return _read(account, url, answer)


def _is_about_the_page(status: int, said: object) -> bool:
    """Whether the problem is the page's: a code that begins so, or 403, which is for sites that are not supported."""
    failed = isinstance(said, Mapping) and said.get("success") is False
    return failed and (error_code(said).startswith("SCRAPE_") or status in (403, 408))


def _read(account: Account, url: str, answer: Mapping[str, Any]) -> Page:
    if not isinstance(answer.get("data"), Mapping):
        raise response_error(account, "there is no object 'data'")
    data = part(answer, "data")
    about = part(data, "metadata")
    final_url = text(about, "url", "sourceURL")
    status = about.get("statusCode")
    if isinstance(status, int) and status >= 400:
        return Page(url=url, final_url=final_url, error=f"The site did not give the page (HTTP {status}).")
    return Page(
        url=url,
        content=text(data, "markdown"),
        title=_title(data),
        final_url=final_url,
        facts=read_facts(about, author="author", date="publishedTime", language="language", description="description"),
    )


def _require_success(account: Account, answer: Mapping[str, Any]) -> None:
    if answer.get("success") is False:
        raise ProviderError(NAME, f"Firecrawl could not search{error_text(account, answer)}.", again=True)


def _url(item: Mapping[str, Any]) -> str:
    return text(item, "url") or text(part(item, "metadata"), "sourceURL", "url")


def _title(item: Mapping[str, Any]) -> str:
    return text(item, "title") or text(part(item, "metadata"), "title", "ogTitle")
