"""Parallel: search and extraction for agents; https://docs.parallel.ai/api-reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.api import (
    ApiProvider,
    http_status,
    items,
    match_pages,
    optional_items,
    read_facts,
    text,
    texts,
)
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 40
_QUERY_CHARS = 200
_OBJECTIVE_CHARS = 5000
_MODES = {"agentic": "advanced", "one-shot": "basic"}
"""The current names of the beta modes."""


class ParallelProvider(ApiProvider):
    """Uses `/v1/search` and `/v1/extract`."""

    name = "parallel"
    key_header = "x-api-key"
    setup = Setup(
        title="Parallel",
        about="Search with long excerpts, and extraction.",
        url="https://platform.parallel.ai",
        settings=("web.parallel_api_key",),
        variables=("PARALLEL_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. Returns up to 40 results with long excerpts."""
        mode = access.settings.parallel_search_mode
        body = {
            "objective": query[:_OBJECTIVE_CHARS],
            "search_queries": [query[:_QUERY_CHARS]],
            "mode": _MODES.get(mode, mode),
            "advanced_settings": {"max_results": min(limit, _MAX_RESULTS)},
        }
        account, answer = await self.ask(access, "/v1/search", body)
        found = [(item, " ... ".join(texts(item, "excerpts"))) for item in items(account, answer, "results")]
        return [SearchRow(url=text(item, "url"), title=text(item, "title"), description=said) for item, said in found]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract up to 20 pages; see `ExtractProvider`."""
        body = {"urls": list(urls), "advanced_settings": {"full_content": True}}
        account, answer = await self.ask(access, "/v1/extract", body)
        pages = [_read(item) for item in items(account, answer, "results")]
        pages += [_failed(account, item) for item in optional_items(answer, "errors")]
        return match_pages(account, urls, pages)


def _read(item: Mapping[str, Any]) -> Page:
    whole = text(item, "full_content")
    return Page(
        url=text(item, "url"),
        content=whole or "\n\n".join(texts(item, "excerpts")),
        title=text(item, "title"),
        facts=read_facts(item, date="publish_date"),
        notes=() if whole else ("These are excerpts: Parallel did not return the full page.",),
    )


def _failed(account: Account, item: Mapping[str, Any]) -> Page:
    reason = f"{account.error_text(item.get('error_type'))}{http_status(item, 'http_status_code')}"
    return Page(url=text(item, "url"), error=f"Parallel could not read this page{reason}.")
