"""Tavily: search and extraction; https://docs.tavily.com/documentation/api-reference."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tools_web.providers.api import ApiProvider, items, match_pages, optional_items, read_rows, text
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 20


class TavilyProvider(ApiProvider):
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
        body = {"query": query, "max_results": min(limit, _MAX_RESULTS), "search_depth": "basic"}
        return read_rows(items(*await self.ask(access, "/search", body), "results"), "content")

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract up to 20 pages; see `ExtractProvider`."""
        body = {"urls": list(urls), "format": "markdown", "extract_depth": "basic"}
        account, answer = await self.ask(access, "/extract", body)
        pages = [
            Page(url=text(item, "url"), content=text(item, "raw_content"), title=text(item, "title"))
            for item in items(account, answer, "results")
        ]
        for item in optional_items(answer, "failed_results"):
            reason = account.error_text(item.get("error"))
            pages.append(Page(url=text(item, "url"), error=f"Tavily could not read this page{reason}."))
        return match_pages(account, urls, pages)
