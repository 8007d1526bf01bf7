"""SearXNG: a metasearch engine on a server of the user; https://docs.searxng.org/dev/search_api.html."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account, AccountProvider
from hermes_tools_web.providers.api_client import ApiRequest, call_api
from hermes_tools_web.providers.api_errors import error_text
from hermes_tools_web.providers.api_responses import items, read_rows
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

NAME = "searxng"
_SECONDS = 15.0
_MAX_PAGES = 10
_MAX_NAMED = 5
_HIGHEST_SCORE = 1e9


class SearxngProvider(AccountProvider):
    """Uses `/search`, page by page."""

    name = NAME
    key_needed = False
    setup = Setup(
        title="SearXNG",
        about="Metasearch on your own server; needs no key.",
        url="https://docs.searxng.org",
        settings=("web.searxng_url",),
        variables=("SEARXNG_URL",),
    )

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        """Search; see `SearchProvider`. More results than one page take several requests."""
        account = self.account(access)
        rows: dict[str, SearchRow] = {}
        for page in range(1, _MAX_PAGES + 1):
            try:
                answer = await _ask(account, query, page, access)
            except ProviderError:
                if not rows:
                    raise
                break  # a partial result is better than none
            before = len(rows)
            for row in _rows(account, answer):
                rows.setdefault(row.url, row)
            if len(rows) >= limit or len(rows) == before:
                break
        return list(rows.values())


async def _ask(account: Account, query: str, page: int, access: Access) -> Mapping[str, Any]:
    params = {"q": query, "format": "json", "pageno": str(page)}
    try:
        return await call_api(account, ApiRequest(path="/search", headers={}, params=params, seconds=_SECONDS), access)
    except ProviderError as error:
        if error.status != 403:
            raise
        raise ProviderError(
            NAME,
            "SearXNG does not return JSON.",
            hint="Ask the user to add json to search.formats in settings.yml of the server; it is off by default.",
            status=403,
        ) from error


def _rows(account: Account, answer: Mapping[str, Any]) -> list[SearchRow]:
    found = sorted(items(account, answer, "results"), key=_score, reverse=True)
    if not found:
        _require_some_engine(account, answer)
    return read_rows(found, "content")


def _score(item: Mapping[str, Any]) -> float:
    score = item.get("score")
    # NaN is not comparable, and huge integers do not fit into a float.
    return float(score) if isinstance(score, int | float) and abs(score) < _HIGHEST_SCORE else 0.0


def _require_some_engine(account: Account, answer: Mapping[str, Any]) -> None:
    """Distinguish no results from unreachable engines."""
    silent = answer.get("unresponsive_engines")
    if not isinstance(silent, list) or not silent:
        return
    pairs = [each for each in silent if isinstance(each, list) and len(each) == 2]
    named = ", ".join(f"{engine} ({why})" for engine, why in pairs[:_MAX_NAMED])
    raise ProviderError(
        NAME,
        f"SearXNG found nothing, because its search engines did not answer{error_text(account, named)}.",
        hint="Try again later, or ask the user to check the engines of the server.",
        retryable=True,
    )
