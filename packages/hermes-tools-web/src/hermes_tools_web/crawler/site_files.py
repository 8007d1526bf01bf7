"""Fetch the beginning of robots.txt files and sitemaps through the network guard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hermes_tools_web.fetcher.errors import FetchError, UrlDeniedError, translate_errors

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """The response to a request for a file."""

    status: int  # the HTTP status; 0 when there was no answer
    body: bytes = b""  # the beginning of the file
    problem: str = ""  # why the file is missing or incomplete
    is_redirect_loop: bool = False  # True when there were too many redirects


async def fetch_site_file(client: httpx2.AsyncClient, url: str, *, maximum: int) -> SiteFile:
    """Fetch the beginning of a file.

    Raises:
        UrlDeniedError: the network guard refuses the host.
    """
    import httpx2

    from hermes_net import UrlRefusedError

    host = urlsplit(url).hostname or ""
    body, status = bytearray(), 0
    try:
        with translate_errors(host, redirected=False):
            async with client.stream("GET", url) as response:
                status = response.status_code
                if response.is_success:
                    async for piece in response.aiter_raw():  # already decompressed by the guarded client
                        body += piece
                        if len(body) >= maximum:
                            break
    except FetchError as error:
        guard, cause = error.__context__, error.__cause__
        if isinstance(guard, UrlRefusedError) and guard.verdict.host == host:
            raise UrlDeniedError(guard.verdict) from None
        is_redirect_loop = isinstance(cause, httpx2.TooManyRedirects)
        return SiteFile(
            status=status, body=bytes(body[:maximum]), problem=error.message, is_redirect_loop=is_redirect_loop
        )
    return SiteFile(status=status, body=bytes(body[:maximum]))
