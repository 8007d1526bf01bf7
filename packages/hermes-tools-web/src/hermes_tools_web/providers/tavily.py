"""Tavily: search and extraction; https://docs.tavily.com/documentation/api-reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account, AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_errors import error_text
from hermes_tools_web.providers.api_responses import items, match_pages, optional_items, read_rows, text
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 20


class TavilyProvider(AccountProvider):
    """Uses `/search` and `/extract`."""

    name = "tavily"
    setup = Setup(
        title="Tavily",
        about="Search and extraction for agents; has a free plan.",
        url="https://app.tavily.com",
        settings=("web.tavily_api_key",),
        variables=("TAVILY_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. Returns up to 20 results."""
        account = self.account(access)
        body = {"query": query, "max_results": min(limit, _MAX_RESULTS), "search_depth": "basic"}
        answer = await call_api(account, ApiRequest(path="/search", headers=account.bearer, body=body), access)
        return read_rows(items(account, answer, "results"), "content")

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract up to 20 pages; see `ExtractProvider`."""
        account = self.account(access)
        body = {"urls": list(urls), "format": "markdown", "extract_depth": "basic"}
        answer = await call_api(account, ApiRequest(path="/extract", headers=account.bearer, body=body), access)
        pages = [_read(item) for item in items(account, answer, "results")]
        pages += [_failed(account, item) for item in optional_items(answer, "failed_results")]
        return match_pages(account, urls, pages)


def _read(item: Mapping[str, Any]) -> Page:
    return Page(url=text(item, "url"), content=text(item, "raw_content"), title=text(item, "title"))


def _failed(account: Account, item: Mapping[str, Any]) -> Page:
    reason = error_text(account, item.get("error"))
    return Page(url=text(item, "url"), error=f"Tavily could not read this page{reason}.")
