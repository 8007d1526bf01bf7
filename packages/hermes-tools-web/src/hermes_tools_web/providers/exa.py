"""Exa: semantic search and extraction; https://docs.exa.ai/reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_responses import items, match_pages, optional_items, part, read_facts, text, texts
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 100
_REASONS = {
    "CRAWL_NOT_FOUND": "the page was not found",
    "CRAWL_TIMEOUT": "the page did not answer in time",
    "CRAWL_LIVECRAWL_TIMEOUT": "the page did not answer in time",
    "SOURCE_NOT_AVAILABLE": "the page cannot be read",
    "UNSUPPORTED_URL": "the URL is not supported",
}


class ExaProvider(AccountProvider):
    """Uses `/search` and `/contents`."""

    name = "exa"
    setup = Setup(
        title="Exa",
        about="Semantic search and extraction.",
        url="https://dashboard.exa.ai/api-keys",
        settings=("web.exa_api_key",),
        variables=("EXA_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. Descriptions are excerpts that match the query."""
        account = self.account(access)
        body = {
            "query": query,
            "type": "auto",
            "numResults": min(limit, _MAX_RESULTS),
            "contents": {"highlights": True},
        }
        answer = await call_api(
            account, ApiRequest(path="/search", headers={"x-api-key": account.key}, body=body), access
        )
        return [_row(item) for item in items(account, answer, "results")]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract pages; see `ExtractProvider`."""
        account = self.account(access)
        body = {"urls": list(urls), "text": True}
        answer = await call_api(
            account, ApiRequest(path="/contents", headers={"x-api-key": account.key}, body=body), access
        )
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
    status = error.get("httpStatusCode")
    reason = _REASONS.get(text(error, "tag"), "it gave no reason")
    http = f" (HTTP {status})" if isinstance(status, int) and not isinstance(status, bool) else ""
    return Page(url=text(item, "id"), error=f"Exa could not read this page: {reason}{http}.")
