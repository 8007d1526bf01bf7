"""Fetch and parse pages on this machine; needs no service and no key."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_core.errors import ConfigError
from hermes_tools_web.concurrency import run_parallel
from hermes_tools_web.documents.reader import DocumentReader, ReadError
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.fetch import fetch
from hermes_tools_web.fetcher.requests import response_limits
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, Setup, make_page

if TYPE_CHECKING:
    import httpx2


NAME = "direct"
_AT_ONCE = 5
_MIN_TO_READ = 10.0
"""The minimum time to parse a page, however long fetching it took."""
_MAX_READ = 8
"""The limit of parser threads for all calls; stuck ones count until they end."""


class DirectProvider:
    """The extract provider that is always available."""

    setup = Setup(title="Direct", about="Extraction on this machine; needs no key.")
    one_by_one = True

    def __init__(self, reader: DocumentReader | None = None, *, min_to_read: float = _MIN_TO_READ) -> None:
        self._reader = reader or DocumentReader(maximum=_MAX_READ)
        self._least_to_read = min_to_read

    def missing(self, access: Access) -> str | None:  # noqa: ARG002 - part of the protocol
        """Return None: it can always be used."""
        return None

    async def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        """Fetch and parse up to five pages at once; see `ExtractProvider`.

        Raises:
            ProviderError: no connection is possible, as with an invalid proxy.
        """
        try:
            opened = access.client(limits=response_limits(access.settings))
        except ConfigError as error:
            raise ProviderError(NAME, str(error), hint="Ask the user to fix the proxy settings.") from error
        async with opened as client:
            return await run_parallel(lambda url: self._page(url, client, access), urls, limit=_AT_ONCE)

    async def _page(self, url: str, client: httpx2.AsyncClient, access: Access) -> Page:
        latest = time.monotonic() + access.settings.extract.seconds
        try:
            fetched = await fetch(url, client=client, settings=access.settings)
            if not fetched.body.strip():
                raise ReadError("The page is empty.", "It may need a browser. Try another source.")
            seconds = max(self._least_to_read, latest - time.monotonic())
            document = await self._reader.read(fetched, seconds=seconds)
        except FetchError as error:
            return Page(url=url, error=error.message, hint=error.hint or "", refused=error.refused)
        except ReadError as error:
            return Page(url=url, final_url=fetched.final_url, error=error.reason, hint=error.hint)
        document = replace(document, notes=(*fetched.notes, *document.notes))
        return make_page(fetched.url, fetched.final_url, document)
