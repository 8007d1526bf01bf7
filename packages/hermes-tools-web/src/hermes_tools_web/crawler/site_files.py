"""Files beside the pages of a site, such as robots.txt: fetched through the guard, and only their beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hermes_tools_web.fetcher.errors import FetchError, UrlDeniedError, translate_errors

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """What a server said when it was asked for a file.

    Attributes:
        status: Its HTTP status; 0 when it did not answer.
        body: The beginning of the file, as far as it came.
        problem: Why it did not come, or not to its end.
        circles: Whether it led from one place to the next without an end.
    """

    status: int
    body: bytes = b""
    problem: str = ""
    is_redirect_loop: bool = False


async def fetch_site_file(client: httpx2.AsyncClient, url: str, *, maximum: int) -> SiteFile:
    """The beginning of a file.

    Args:
        client: A guarded one that follows redirects.
        url: Where it is.
        most: How many bytes are read.

    Raises:
        UrlDeniedError: the guard does not let its host be asked at all.
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
                    async for piece in response.aiter_raw():  # the guard has unpacked it
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
