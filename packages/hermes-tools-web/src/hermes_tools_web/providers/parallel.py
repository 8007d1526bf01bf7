"""Parallel: search and extraction for agents; https://docs.parallel.ai/api-reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account, AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_errors import error_text
from hermes_tools_web.providers.api_responses import items, match_pages, optional_items, read_facts, text, texts
from hermes_tools_web.providers.protocol import Access, Page, SearchRow, Setup

_MAX_RESULTS = 40
_QUERY_CHARS = 200
_OBJECTIVE_CHARS = 5000
_MODES = {"agentic": "advanced", "one-shot": "basic"}
"""The current names of the beta modes."""


class ParallelProvider(AccountProvider):
    """Uses `/v1/search` and `/v1/extract`."""

    name = "parallel"
    setup = Setup(
        title="Parallel",
        about="Search with long excerpts, and extraction.",
        url="https://platform.parallel.ai",
        settings=("web.parallel_api_key",),
        variables=("PARALLEL_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. Returns up to 40 results with long excerpts."""
        account = self.account(access)
        mode = access.settings.parallel_search_mode
        body = {
            "objective": query[:_OBJECTIVE_CHARS],
            "search_queries": [query[:_QUERY_CHARS]],
            "mode": _MODES.get(mode, mode),
            "advanced_settings": {"max_results": min(limit, _MAX_RESULTS)},
        }
        answer = await call_api(
            account, ApiRequest(path="/v1/search", headers={"x-api-key": account.key}, body=body), access
        )
        return [
            SearchRow(
                url=text(item, "url"), title=text(item, "title"), description=" ... ".join(texts(item, "excerpts"))
            )
            for item in items(account, answer, "results")
        ]

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Extract up to 20 pages; see `ExtractProvider`."""
        account = self.account(access)
        body = {"urls": list(urls), "advanced_settings": {"full_content": True}}
        answer = await call_api(
            account, ApiRequest(path="/v1/extract", headers={"x-api-key": account.key}, body=body), access
        )
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
    status = item.get("http_status_code")
    http = f" (HTTP {status})" if isinstance(status, int) and not isinstance(status, bool) else ""
    reason = error_text(account, item.get("error_type"))
    return Page(url=text(item, "url"), error=f"Parallel could not read this page{reason}{http}.")
