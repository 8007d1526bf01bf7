"""SearXNG: a metasearch engine on a server of the user; https://docs.searxng.org/dev/search_api.html."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.api import ApiProvider, items, read_rows
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

_SECONDS = 15.0
_MAX_PAGES = 10
_MAX_NAMED = 5
_HIGHEST_SCORE = 1e9


class SearxngProvider(ApiProvider):
    """Uses `/search`, page by page."""

    name = "searxng"
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
        rows: dict[str, SearchRow] = {}
        for page in range(1, _MAX_PAGES + 1):
            params = {"q": query, "format": "json", "pageno": str(page)}
            try:
                account, answer = await self.ask(access, "/search", params=params, seconds=_SECONDS)
                found = _rows(account, answer)
            except ProviderError as error:
                if rows:
                    break  # a partial result is better than none
                if error.status == 403:
                    raise _without_json(error) from error
                raise
            before = len(rows)
            for row in found:
                rows.setdefault(row.url, row)
            if len(rows) >= limit or len(rows) == before:
                break
        return list(rows.values())


def _without_json(error: ProviderError) -> ProviderError:
    hint = "Ask the user to add json to search.formats in settings.yml of the server; it is off by default."
    return ProviderError(error.provider, "SearXNG does not return JSON.", hint=hint, status=403)


def _rows(account: Account, answer: Mapping[str, Any]) -> list[SearchRow]:
    found = sorted(items(account, answer, "results"), key=_score, reverse=True)
    silent = answer.get("unresponsive_engines")
    if not found and isinstance(silent, list) and silent:  # no results differ from unreachable engines
        pairs = [each for each in silent if isinstance(each, list) and len(each) == 2]
        named = account.error_text(", ".join(f"{engine} ({why})" for engine, why in pairs[:_MAX_NAMED]))
        what = f"found nothing, because its search engines did not answer{named}."
        hint = "Try again later, or ask the user to check the engines of the server."
        raise account.error(what, hint, retryable=True)
    return read_rows(found, "content")


def _score(item: Mapping[str, Any]) -> float:
    score = item.get("score")
    # NaN is not comparable, and huge integers do not fit into a float.
    return float(score) if isinstance(score, int | float) and abs(score) < _HIGHEST_SCORE else 0.0
