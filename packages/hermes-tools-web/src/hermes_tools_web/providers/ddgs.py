"""ddgs: a library that queries search engines like a browser, without a key.

It has its own HTTP client, which contacts only the search engines it knows, without the network guard. It sends them
queries, but never URLs of a model.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import anyio
import anyio.to_thread

from hermes_text import sanitize_error
from hermes_tools_web.providers.api import text
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

NAME = "ddgs"
_SECONDS = 60.0
_ENGINE_SECONDS = 10
_NOTHING = "No results found."
_MAX_WORDS = 200


class DdgsProvider:
    """Searches with the library."""

    setup = Setup(
        title="DDGS",
        about="Search with DuckDuckGo and other engines; needs no key.",
        url="https://pypi.org/project/ddgs",
    )

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds

    def missing(self, access: Access) -> str | None:  # noqa: ARG002 - part of the protocol
        """Check that the library is installed."""
        try:
            is_installed = find_spec("ddgs") is not None
        except ValueError:  # a replacement module without a spec
            is_installed = True
        return None if is_installed else "The package ddgs is not installed."

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:  # noqa: ARG002 - as above
        """Search; see `SearchProvider`."""
        try:
            with anyio.fail_after(self._seconds):
                found = await anyio.to_thread.run_sync(_ask, query, limit, abandon_on_cancel=True)
        except TimeoutError as error:
            raise _too_late() from error
        return [
            SearchRow(url=text(item, "href", "url"), title=text(item, "title"), description=text(item, "body"))
            for item in found
            if isinstance(item, Mapping)
        ]


def _ask(query: str, limit: int) -> Sequence[Any]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    try:
        found: object = DDGS(timeout=_ENGINE_SECONDS).text(query, max_results=limit)
    except RatelimitException as error:
        raise _error("The search engines limit requests.", "Try again in a minute") from error
    except TimeoutException as error:
        raise _too_late() from error
    except DDGSException as error:
        if _NOTHING in str(error):
            return []
        words = " ".join(sanitize_error(str(error)).split())
        kind = words.partition(":")[0]  # the library puts the exception's name before the details
        details = f" ({kind if kind.isidentifier() else words[:_MAX_WORDS]})" if words else ""
        raise _error(f"No search engine could be reached{details}{_detour()}.", "Check the network") from error
    return found if isinstance(found, list) else []


def _too_late() -> ProviderError:
    return _error("The search engines did not answer in time.", "Try again later")


def _error(message: str, hint: str) -> ProviderError:
    another = "or ask the user to set up another provider, see 'hermes web providers'."
    return ProviderError(NAME, message, hint=f"{hint}, {another}", retryable=True)


def _detour() -> str:
    """Name the proxy for the engines, as part of a sentence; empty when there is none."""
    from hermes_net import NetSettingsError, Proxies

    try:
        proxy = Proxies.from_environment(os.environ).proxy_for("https", "duckduckgo.com", 443)
    except NetSettingsError:  # the library parses the variable in its own way
        return ""
    return f" through the {proxy}" if proxy else ""
