"""Request headers, response limits and cookies."""

from __future__ import annotations

import re
from functools import cache
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

    from hermes_net import NetLimits
    from hermes_tools_web.settings import WebSettings


_OUR_NAME = "hermes-tools-web"
_NOT_IN_HEADERS = re.compile(r"[^\x20-\x7e]+")
_MAX_VALUE = 500


def request_headers(settings: WebSettings, *, accept: str) -> dict[str, str]:
    """Build the headers of a request."""
    headers = {
        "User-Agent": _plain(settings.user_agent) or _our_name(),
        "Accept": _plain(accept) or "*/*",
        "Accept-Language": "en,*;q=0.5",
    }
    return {name: value for name, value in headers.items() if value}


@cache
def _our_name() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{_OUR_NAME}/{version(_OUR_NAME)}"
    except PackageNotFoundError:
        return _OUR_NAME  # not installed, only on the path


def _plain(text: str) -> str:
    """Clean a header value: a line break would start another header."""
    return _NOT_IN_HEADERS.sub(" ", text)[:_MAX_VALUE].strip()


_MB = 1024 * 1024
_CONNECT_SECONDS = 10.0
"""A server that takes longer seldom answers, and it may have another address."""
_CONNECT_PART = 0.5
"""The share of the total time that connecting may take."""


def response_limits(settings: WebSettings) -> NetLimits:
    """Return the limits of a page."""
    from hermes_net import NetLimits

    seconds = settings.extract.seconds
    return NetLimits(
        bytes=settings.extract.max_mb * _MB,
        seconds=seconds,
        connect_seconds=min(_CONNECT_SECONDS, seconds * _CONNECT_PART),
        silent_seconds=seconds,  # some pages are generated slowly; the total time limits them
    )


_MAX_AT_ONCE = 50
_MAX_COOKIE = 4096
"""Browsers reject longer cookies, too."""
_NO_AGE = re.compile(rb"max-age\s{0,9}=[\s\"]{0,9}[0-9]{16}", re.IGNORECASE)
"""Ages that overflow the cookie jar."""
_MAX_HEADER = 8192
"""Servers usually reject longer headers."""


class NoCookies(CookieJar):
    """A cookie jar that stays empty, for clients that many pages share."""

    def extract_cookies(self, response: Any, request: Any) -> None:
        """Store nothing."""

    def add_cookie_header(self, request: Any) -> None:
        """Send nothing."""


class PageCookies:
    """The cookies of one fetch: some sites redirect in a loop until theirs are sent back."""

    def __init__(self) -> None:
        import httpx2

        self._kept = httpx2.Cookies()

    def store(self, response: httpx2.Response) -> None:
        """Store the cookies of a response, within limits."""
        import httpx2

        written = [(name, value) for name, value in response.headers.raw if name.lower() == b"set-cookie"]
        taken = [pair for pair in written[:_MAX_AT_ONCE] if _is_usable(pair[1])]
        if taken:
            self._kept.extract_cookies(httpx2.Response(200, headers=taken, request=response.request))

    def add_to(self, request: httpx2.Request) -> None:
        """Add the cookies for the host of a request."""
        self._kept.set_cookie_header(request)
        written = request.headers.get("cookie", "")
        if len(written) > _MAX_HEADER:
            request.headers["cookie"] = written[:_MAX_HEADER].rpartition(";")[0]


def _is_usable(written: bytes) -> bool:
    return len(written) <= _MAX_COOKIE and written.isascii() and _NO_AGE.search(written) is None
