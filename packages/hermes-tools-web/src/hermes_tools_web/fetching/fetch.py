"""Fetches one page: through the guard, within its limits, and with every failure explained."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from hermes_tools_web.fetching.addresses import in_ascii
from hermes_tools_web.fetching.failures import too_slow
from hermes_tools_web.fetching.fetched import Fetched
from hermes_tools_web.fetching.requests import headers_of
from hermes_tools_web.fetching.trip import Trip

if TYPE_CHECKING:
    import httpx2

    from hermes_tools_web.settings import WebSettings

__all__ = ["ACCEPT", "Fetched", "fetch"]

ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.8,*/*;q=0.5"
"""What is read best comes first; some servers choose by this."""


async def fetch(
    url: str,
    *,
    client: httpx2.AsyncClient,
    settings: WebSettings,
    accept: str = ACCEPT,
    etag: str = "",
    last_modified: str = "",
) -> Fetched:
    """A page, after the redirects that lead to it.

    One that fails in a way that is often over a moment later is asked for once more. Cookies live as long as the
    fetch.

    Args:
        url: The URL, as somebody wrote it: other scripts and spaces are encoded.
        client: A guarded client with the limits of `limits_of`. It is told to keep no cookies and follow no
            redirects itself, so it is for fetching alone.
        settings: The section `web`.
        accept: The kinds of document that are wanted.
        etag: The mark of a version that is there already: if it is still the same, the status is 304.
        last_modified: The time of a version that is there already, likewise.

    Raises:
        FetchError: there is no page, or none that may be fetched.
    """
    started = time.monotonic()
    first = in_ascii(url)
    wanted = headers_of(settings, accept=accept, etag=etag, last_modified=last_modified)
    trip = Trip(client, wanted, deadline=started + settings.extract.seconds)
    try:
        with anyio.fail_after(settings.extract.seconds):
            answer = await trip.to(first)
    except TimeoutError:
        raise too_slow(urlsplit(trip.url).hostname or "The server") from None
    return Fetched(
        url=url,
        final_url=answer.url,
        status=answer.status,
        content_type=answer.headers.get("content-type", ""),
        headers=answer.headers,
        body=answer.body,
        seconds=time.monotonic() - started,
    )
