"""Cookies for as long as one page is fetched: some sites redirect in circles until theirs comes back."""

from __future__ import annotations

import re
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_MOST_AT_ONCE = 50
_LONGEST = 4096
"""Browsers take no longer ones either."""
_NO_AGE = re.compile(rb"max-age\s{0,9}=[\s\"]{0,9}[0-9]{16}", re.IGNORECASE)
"""Ages that the jar cannot count with."""
_LONGEST_HEADER = 8192
"""What servers usually take; with more, they refuse the request."""


class NoCookies(CookieJar):
    """A jar that stays empty, for clients that many pages share."""

    def extract_cookies(self, response: Any, request: Any) -> None:
        """Keep nothing."""

    def add_cookie_header(self, request: Any) -> None:
        """Send nothing."""


class PageCookies:
    """The cookies of one page on its way."""

    def __init__(self) -> None:
        import httpx2

        self._kept = httpx2.Cookies()

    def learn(self, response: httpx2.Response) -> None:
        """Keep what a response sets, within bounds."""
        import httpx2

        written = [(name, value) for name, value in response.headers.raw if name.lower() == b"set-cookie"]
        taken = [pair for pair in written[:_MOST_AT_ONCE] if _is_usable(pair[1])]
        if taken:
            self._kept.extract_cookies(httpx2.Response(200, headers=taken, request=response.request))

    def put_into(self, request: httpx2.Request) -> None:
        """Send what belongs to the host of a request."""
        self._kept.set_cookie_header(request)
        written = request.headers.get("cookie", "")
        if len(written) > _LONGEST_HEADER:
            request.headers["cookie"] = written[:_LONGEST_HEADER].rpartition(";")[0]


def _is_usable(written: bytes) -> bool:
    return len(written) <= _LONGEST and written.isascii() and _NO_AGE.search(written) is None
