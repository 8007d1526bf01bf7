"""Brave Search: https://api-dashboard.search.brave.com/documentation."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tools_web.providers.api import ApiProvider, items, part, read_rows
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

_PER_PAGE = 20
_MAX_PAGES = 10
_SECONDS = 15.0
_MEANINGS = {"SUBSCRIPTION_TOKEN_INVALID": 401, "SUBSCRIPTION_NOT_FOUND": 403, "QUOTA_LIMITED": 402}
"""Its statuses 422, 404 and 429 for these codes mean something else in general."""


class BraveProvider(ApiProvider):
    """Uses `/res/v1/web/search`, page by page."""

    name = "brave"
    key_header = "X-Subscription-Token"
    setup = Setup(
        title="Brave Search",
        about="Search with an independent index.",
        url="https://api-dashboard.search.brave.com",
        settings=("web.brave_api_key",),
        variables=("BRAVE_SEARCH_API_KEY",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. A page has 20 results, so more take several requests."""
        params = {"q": query, "count": str(min(limit, _PER_PAGE)), "result_filter": "web", "text_decorations": "false"}
        rows: list[SearchRow] = []
        for page in range(_MAX_PAGES):
            asked = {**params, "offset": str(page)} if page else params
            try:
                account, answer = await self.ask(
                    access, "/res/v1/web/search", params=asked, seconds=_SECONDS, meanings=_MEANINGS
                )
            except ProviderError:
                if not rows:
                    raise
                break  # a partial result is better than none
            if "web" not in answer and "query" in answer:
                break  # the response for no results
            rows += read_rows(items(account, answer, "web", "results"), "description")
            if len(rows) >= limit or part(answer, "query").get("more_results_available") is not True:
                break
        return rows
