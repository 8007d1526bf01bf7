"""Brave Search: https://api-dashboard.search.brave.com/documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account, AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_responses import items, part, read_rows
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

_PER_PAGE = 20
_MAX_PAGES = 10
_SECONDS = 15.0
_MEANINGS = {
    "SUBSCRIPTION_TOKEN_INVALID": 401,
    "SUBSCRIPTION_NOT_FOUND": 403,
    "QUOTA_LIMITED": 402,
}
"""Its statuses 422, 404 and 429 for these codes mean something else in general."""


class BraveProvider(AccountProvider):
    """Uses `/res/v1/web/search`, page by page."""

    name = "brave"
    setup = Setup(
        title="Brave Search",
        about="Search with an independent index.",
        url="https://api-dashboard.search.brave.com",
        settings=("web.brave_api_key",),
        variables=("BRAVE_SEARCH_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. A page has 20 results, so more take several requests."""
        account = self.account(access)
        rows: list[SearchRow] = []
        for page in range(_MAX_PAGES):
            try:
                answer = await call_api(account, _request(account, query, limit, page), access)
            except ProviderError:
                if not rows:
                    raise
                break  # a partial result is better than none
            rows += _rows(account, answer)
            if len(rows) >= limit or part(answer, "query").get("more_results_available") is not True:
                break
        return rows


def _request(account: Account, query: str, limit: int, page: int) -> ApiRequest:
    params = {"q": query, "count": str(min(limit, _PER_PAGE)), "result_filter": "web", "text_decorations": "false"}
    if page:
        params["offset"] = str(page)
    return ApiRequest(
        path="/res/v1/web/search",
        headers={"X-Subscription-Token": account.key},
        params=params,
        seconds=_SECONDS,
        meanings=_MEANINGS,
    )


def _rows(account: Account, answer: Mapping[str, Any]) -> list[SearchRow]:
    if "web" not in answer and "query" in answer:
        return []  # the response for no results
    return read_rows(items(account, answer, "web", "results"), "description")
