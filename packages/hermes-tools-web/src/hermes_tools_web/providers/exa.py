"""Exa: semantic search and extraction; https://docs.exa.ai/reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.api import (
    ApiProvider,
    http_status,
    items,
    match_pages,
    optional_items,
    part,
    read_facts,
    text,
    texts,
)
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 100
_REASONS = {
    "CRAWL_NOT_FOUND": "the page was not found",
    "CRAWL_TIMEOUT": "the page did not answer in time",
    "CRAWL_LIVECRAWL_TIMEOUT": "the page did not answer in time",
    "SOURCE_NOT_AVAILABLE": "the page cannot be read",
    "UNSUPPORTED_URL": "the URL is not supported",
}


class ExaProvider(ApiProvider):
    """Uses `/search` and `/contents`."""

    name = "exa"
    key_header = "x-api-key"
    setup = Setup(
        title="Exa",
        about="Semantic search and extraction.",
        url="https://dashboard.exa.ai/api-keys",
        settings=("web.exa_api_key",),
        variables=("EXA_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. Descriptions are excerpts that match the query."""
        count = min(limit, _MAX_RESULTS)
        body = {"query": query, "type": "auto", "numResults": count, "contents": {"highlights": True}}
        account, answer = await self.ask(access, "/search", body)
        return [_row(item) for item in items(account, answer, "results")]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract pages; see `ExtractProvider`."""
        account, answer = await self.ask(access, "/contents", {"urls": list(urls), "text": True})
        pages = [page for item in items(account, answer, "results") for page in _read(item)]
        pages += [_failed(item) for item in optional_items(answer, "statuses") if item.get("status") == "error"]
        return match_pages(account, urls, pages)


def _row(item: Mapping[str, Any]) -> SearchRow:
    description = " ... ".join(texts(item, "highlights")) or text(item, "summary", "text")
    return SearchRow(url=text(item, "url"), title=text(item, "title"), description=description)


def _read(item: Mapping[str, Any]) -> Iterator[Page]:
    """Yield a page under its id, which is the requested URL, and under its final URL."""
    found = text(item, "url")
    for url in dict.fromkeys(filter(None, (text(item, "id"), found))):
        yield Page(
            url=url,
            content=text(item, "text"),
            title=text(item, "title"),
            final_url=found if found != url else "",
            facts=read_facts(item, author="author", date="publishedDate"),
        )


def _failed(item: Mapping[str, Any]) -> Page:
    error = part(item, "error")
    reason = _REASONS.get(text(error, "tag"), "it gave no reason")
    status = http_status(error, "httpStatusCode")
    return Page(url=text(item, "id"), error=f"Exa could not read this page: {reason}{status}.")
