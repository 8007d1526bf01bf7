"""Encode the URLs of requests, and set their headers, limits and cookies."""

from __future__ import annotations

import re
from functools import cache
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any
from unicodedata import normalize
from urllib.parse import quote, quote_plus, urljoin

from hermes_net import NetPolicy, check_url
from hermes_tools_web.fetcher.errors import FetchError, refusal_error

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


_PARTS = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_PORT = re.compile(r":([0-9]+)\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=-._~|[]"
_IN_QUERIES = _IN_PATHS + "?{}^`"
_LOOSE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_AROUND = " \t\r\n\f\v"

_WRITTEN = NetPolicy(allow_private=True)
_REDIRECTED = NetPolicy(allow_private=True, keys_in_urls=True)
"""Only the text of a URL is checked here. The guarded client checks the address when it connects."""


def encode_url(url: str, *, redirected: bool = False) -> str:
    """Encode the host of a URL in IDNA and the rest in percent-encoding, without the fragment.

    If a server wrote it, `redirected` is True: the server already knows a key in it.

    Raises:
        FetchError: it is not a URL that may be fetched.
    """
    text = url.strip(_AROUND) if isinstance(url, str) else url
    verdict = check_url(text, resolve=False, policy=_REDIRECTED if redirected else _WRITTEN)
    if not verdict:
        raise refusal_error(verdict, redirected=redirected)
    parts = _PARTS.match(text)
    assert parts is not None  # otherwise it would have been refused
    host = f"[{verdict.host}]" if ":" in verdict.host else verdict.host
    path = quote(_whole_escapes(parts["path"]), safe=_IN_PATHS) or "/"
    query = "" if parts["query"] is None else "?" + quote(_whole_escapes(parts["query"]), safe=_IN_QUERIES)
    scheme = parts["scheme"].lower()
    return f"{scheme}://{host}{_port(scheme, parts['authority'])}{path}{query}"


def join_url(base: str, reference: str) -> str:
    """Resolve a reference on a page or in a redirect.

    Raises:
        FetchError: it is invalid or must not be fetched.
    """
    try:
        whole = urljoin(base, reference.strip(_AROUND))
    except ValueError:
        hint = "The site is broken. Try another source."
        raise FetchError("The page redirects to an invalid URL.", code="bad_redirect", hint=hint) from None
    return encode_url(whole, redirected=True)


def _port(scheme: str, authority: str) -> str:
    found = _PORT.search(authority)
    return "" if found is None or int(found[1]) == _DEFAULT_PORTS[scheme] else f":{int(found[1])}"


def _whole_escapes(text: str) -> str:
    return _LOOSE_PERCENT.sub("%25", text)


def has_key_in_query(query: str) -> bool:
    """Return whether a search query contains a key: it would be sent as a URL parameter."""
    asked = f"https://search.invalid/?q={quote_plus(normalize('NFKC', query))}"
    return check_url(asked, resolve=False, policy=_WRITTEN).code == "api_key"
