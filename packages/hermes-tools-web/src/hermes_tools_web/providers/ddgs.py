"""ddgs: a library that asks search engines as a browser would; needs no key, so there is always somebody.

It brings an HTTP client of its own, which talks to the hosts of the engines that it knows and to nobody else: the guard
is not before it. A query reaches these engines; a URL that a model wrote does not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import anyio
import anyio.to_thread

from hermes_text import sanitize_error
from hermes_tools_web.providers.api_responses import text
from hermes_tools_web.providers.protocol import Access, ProviderError, SearchRow, Setup

NAME = "ddgs"
_SECONDS = 60.0
_ENGINE_SECONDS = 10
_NOTHING = "No results found."
_MAX_WORDS = 200
_ANOTHER = "ask the user to set up another provider, see 'hermes web providers'"


class DdgsProvider:
    """Lets the library search.

    Args:
        seconds: How long all its engines together may take.
    """

    setup = Setup(
        title="DDGS",
        about="DuckDuckGo and other search engines, asked as a browser would; needs no key.",
        url="https://pypi.org/project/ddgs",
    )

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds

    def missing(self, access: Access) -> str | None:  # noqa: ARG002 - others look there for their keys
        """The library, when it is not installed."""
        return None if _is_installed() else "The package ddgs is not installed."

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:  # noqa: ARG002 - as above
        """Results of the engines, in the order of the library.

        Args:
            query: What for.
            limit: How many results at most.
            access: Not needed.

        Raises:
            ProviderError: it could not.
        """
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


def make() -> DdgsProvider:
    """The provider, for the catalogue."""
    return DdgsProvider()


def _is_installed() -> bool:
    try:
        return find_spec("ddgs") is not None
    except ValueError:  # somebody put something else in its place, without a spec
        return True


def _ask(query: str, limit: int) -> Sequence[Any]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    try:
        found: object = DDGS(timeout=_ENGINE_SECONDS).text(query, max_results=limit)
    except RatelimitException as error:
        raise ProviderError(
            NAME,
            "The search engines were asked too often.",
            hint=f"Try it again in a minute, or {_ANOTHER}.",
            again=True,
        ) from error
    except TimeoutException as error:
        raise _too_late() from error
    except DDGSException as error:
        if _NOTHING in str(error):
            return []
        raise _failed(error) from error
    return found if isinstance(found, list) else []


def _too_late() -> ProviderError:
    return ProviderError(
        NAME, "The search engines did not answer in time.", hint=f"Try it again later, or {_ANOTHER}.", again=True
    )


def _failed(error: Exception) -> ProviderError:
    words = " ".join(sanitize_error(str(error)).split())
    kind = words.partition(":")[0]  # the library writes the name of what it caught first, and all its innards after it
    said = f" ({kind if kind.isidentifier() else words[:_MAX_WORDS]})" if words else ""
    hint = f"Make sure that there is a network; or {_ANOTHER}."
    return ProviderError(NAME, f"No search engine could be asked{said}{_detour()}.", hint=hint, again=True)


def _detour() -> str:
    """Name the proxy that the engines are asked through, as the end of a sentence; empty when there is none."""
    from hermes_net import NetSettingsError, Proxies

    try:
        proxy = Proxies.from_environment(os.environ).of("https", "duckduckgo.com", 443)
    except NetSettingsError:  # the library reads the variable in its own way
        return ""
    return f" through the {proxy}" if proxy else ""
