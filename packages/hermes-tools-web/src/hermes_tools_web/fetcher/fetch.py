"""Fetch one page: requests, redirects, cookies, and one retry."""

from __future__ import annotations

import html
import re
import time
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

from hermes_tools_web.fetcher.errors import FetchError, status_error, timeout_error, translate_errors
from hermes_tools_web.fetcher.requests import NoCookies, PageCookies, encode_url, join_url, request_headers

if TYPE_CHECKING:
    import httpx2

    from hermes_tools_web.settings import WebSettings


_MAX_REDIRECTS = 10
_MAX_REFRESHES = 2
_REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
_EMPTY = frozenset({204, 205})
_KEPT = (
    *("cache-control", "content-disposition", "content-language", "content-type", "date", "etag", "expires"),
    *("last-modified", "link", "location", "refresh", "retry-after", "x-robots-tag"),
)
_NO_PAGES = frozenset({"", "not_a_url", "scheme", "spelling"})
"""Refusals of URLs that open an app or lead nowhere: a page that refreshes to one is read as it is."""
_LISTS = frozenset({"cache-control", "content-language", "link", "x-robots-tag"})
"""All values of these headers count; of the others the last one, as in browsers."""
_MAX_HEADER = 8192
_OURS = "hermes_page"
"""Marks requests whose redirects are followed here: the client may have other users."""
_LOCATION = "hermes_location"
_TRUNCATED = "The server's data ended early, so the end may be missing."


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page or other document, as its server sent it."""

    url: str  # the requested URL
    final_url: str  # the URL after redirects, in ASCII and without a fragment
    status: int  # the HTTP status: 2xx
    content_type: str = ""  # the header `Content-Type`
    headers: Mapping[str, str] = field(default_factory=dict)  # the relevant headers, in lower case
    body: bytes = b""  # the decompressed body
    notes: tuple[str, ...] = ()  # notes for the reader


class _Navigation:
    """The way to one page, including redirects: the client leaves cookies and redirects to this object."""

    def __init__(self, client: httpx2.AsyncClient, wanted: Mapping[str, str], *, deadline: float) -> None:
        self.url = self._start = ""
        self._client = _take_over(client)
        self._wanted = wanted
        self._deadline = deadline
        self._cookies = PageCookies()
        self._first: httpx2.Request | None = None
        self._steps = self._refreshes = 0
        self._is_retried = False

    async def to(self, url: str, *, requested: str) -> FetchedPage:
        """Return the page that a URL leads to.

        Raises:
            FetchError: there is none.
        """
        onward: str | None = url
        self._start = requested
        while True:
            assert onward is not None
            self.url = onward
            answer = await self._ask_with_retry()
            onward = self._next_url(answer)
            if onward is None:
                return answer
            self._steps += 1

    async def _ask_with_retry(self) -> FetchedPage:
        try:
            return await self._ask()
        except FetchError as error:
            wait = error.again_after
            if self._is_retried or wait is None or time.monotonic() + wait >= self._deadline:
                raise
            self._is_retried = True
        await anyio.sleep(wait)
        return await self._ask()

    async def _ask(self) -> FetchedPage:
        with translate_errors(urlsplit(self.url).hostname or "", redirected=self._steps > 0):
            # The guard groups requests by their extensions, and recognizes the first by its identity.
            extensions: dict[str, Any] = {_OURS: True} if self._first is None else dict(self._first.extensions)
            request = self._client.build_request("GET", self.url, headers=self._wanted, extensions=extensions)
            self._first = self._first or request
            self._cookies.add_to(request)
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                self._cookies.store(response)
                return await self._receive(response)
            finally:
                await response.aclose()

    async def _receive(self, response: httpx2.Response) -> FetchedPage:
        status, body = response.status_code, bytearray()
        headers = _select_headers(response.headers)
        if _LOCATION in response.extensions:
            headers["location"] = response.extensions[_LOCATION]
        if status // 100 != 2 and not (status in _REDIRECTS and "location" in headers):
            raise status_error(status, headers.get("retry-after", ""))
        if status // 100 == 2 and status not in _EMPTY:
            async for part in response.aiter_raw():  # already decompressed and measured by the guarded client
                body += part
        is_truncated = getattr(response.extensions.get("guarded_body"), "is_truncated", False)
        return FetchedPage(
            url=self._start,
            final_url=str(response.request.url),
            status=status,
            content_type=headers.get("content-type", ""),
            headers=headers,
            body=bytes(body),
            notes=(_TRUNCATED,) if is_truncated else (),
        )

    def _next_url(self, answer: FetchedPage) -> str | None:
        """Return the next URL; None when this is the page."""
        if answer.status not in _REDIRECTS:
            return self._refresh_url(answer)
        if self._steps >= _MAX_REDIRECTS + self._refreshes:
            message = f"The page redirects more than {_MAX_REDIRECTS} times."
            hint = "It may need a browser or a login. Try another source."
            raise FetchError(message, code="too_many_redirects", hint=hint)
        return join_url(answer.final_url, answer.headers["location"])

    def _refresh_url(self, answer: FetchedPage) -> str | None:
        """Return the URL that a page refreshes to; None when it does not, or reloads itself."""
        target = find_refresh(answer.body, answer.content_type, answer.headers.get("refresh", ""))
        if target is None or self._refreshes >= _MAX_REFRESHES:
            return None
        try:
            onward = join_url(answer.final_url, target)
        except FetchError as error:
            if error.refused in _NO_PAGES:
                return None
            raise
        if onward == answer.final_url:
            return None
        self._refreshes += 1
        return onward


def _select_headers(headers: httpx2.Headers) -> dict[str, str]:
    found = {name: headers.get_list(name) for name in _KEPT if name in headers}
    written = {name: ", ".join(values) if name in _LISTS else values[-1] for name, values in found.items()}
    return {name: value[:_MAX_HEADER] for name, value in written.items()}


def _take_over(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """Stop a client from storing cookies and following redirects."""
    if not isinstance(client.cookies.jar, NoCookies):
        client.cookies = NoCookies()
    hooks = client.event_hooks
    if _store_location not in hooks["response"]:
        client.event_hooks = {**hooks, "response": [*hooks["response"], _store_location]}
    return client


async def _store_location(response: httpx2.Response) -> None:
    """Move the target of a redirect away from the client, which fails on invalid URLs."""
    raw = next((value for name, value in response.headers.raw if name.lower() == b"location"), None)
    if raw is None or _OURS not in response.request.extensions:
        return
    del response.headers["location"]
    try:
        response.extensions[_LOCATION] = raw.decode("utf-8")
    except UnicodeDecodeError:
        response.extensions[_LOCATION] = raw.decode("latin-1")


ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.8,*/*;q=0.5"
"""The preferred formats come first; some servers choose by this header."""


async def fetch(url: str, *, client: httpx2.AsyncClient, settings: WebSettings) -> FetchedPage:
    """Fetch a page and follow its redirects.

    An error that is often temporary is retried once. Cookies last as long as the fetch. The client, which has the
    limits of `response_limits`, is set up to store no cookies and follow no redirects, so do not use it for others.

    Raises:
        FetchError: there is no page, or it must not be fetched.
    """
    started = time.monotonic()
    first = encode_url(url)
    wanted = request_headers(settings, accept=ACCEPT)
    navigation = _Navigation(client, wanted, deadline=started + settings.extract.seconds)
    try:
        with anyio.fail_after(settings.extract.seconds):
            return await navigation.to(first, requested=url)
    except TimeoutError:
        raise timeout_error(urlsplit(navigation.url).hostname or "The server") from None


_HEAD = 32 * 1024
"""How much of a page is searched: redirects are at the top."""
_MAX_WAIT = 5.0
"""Pages that are meant to be read first wait longer."""
_MARK = re.compile(
    r"<!--|<(?P<hidden>script|style|noscript|template|textarea|title|xmp|iframe|svg)\b"
    r"|<meta(?=[\s/])(?P<meta>[^>]{1,2048}+)>|</head\b",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,40})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_REFRESH = re.compile(
    r"\s{0,20}+(?P<seconds>[0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})\s{0,20}[;,\s]\s{0,20}+"
    r"(?:url\s{0,20}=|(?!url\s{0,20}=))\s{0,20}(?P<url>.+)",
    re.IGNORECASE | re.DOTALL,
)


def find_refresh(body: bytes, content_type: str, header: str = "") -> str | None:
    """Return the URL that a page refreshes to within seconds, as written; None when it does not."""
    if header:
        return _target(header)
    if not _is_html(body, content_type):
        return None
    head = body[:_HEAD].decode("utf-16" if body.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) else "utf-8", "replace")
    for attributes in _metas(head):
        if attributes.get("http-equiv", "").strip().lower() == "refresh":
            return _target(attributes.get("content", ""))
    return None


def _is_html(body: bytes, content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return "html" in kind if kind else body[:1024].lstrip().startswith(b"<")


def _metas(head: str) -> list[dict[str, str]]:
    """Return the attributes of `meta` tags outside of comments, scripts and the like."""
    found, place = [], 0
    while (mark := _MARK.search(head, place)) is not None:
        place = mark.end()
        if mark["meta"]:
            found.append(_attributes(mark["meta"]))
            continue
        end = _end_of(mark, head)
        if end is None:
            break
        place = end
    return found


def _end_of(mark: re.Match[str], head: str) -> int | None:
    """Return the end of a comment or hidden element; None when it does not end within the head."""
    if mark[0] == "<!--":
        found = head.find("-->", mark.end())
        return None if found < 0 else found
    if not mark["hidden"]:
        return None  # the end of the head
    closed = re.compile(f"</{mark['hidden']}", re.IGNORECASE).search(head, mark.end())
    return None if closed is None else closed.end()


def _attributes(written: str) -> dict[str, str]:
    pairs = [(name.lower(), one or two or bare) for name, one, two, bare in _ATTRIBUTE.findall(written)]
    return {name: html.unescape(value) for name, value in reversed(pairs)}  # the first attribute of a name counts


def _target(written: str) -> str | None:
    found = _REFRESH.fullmatch(written[:4096])
    if found is None or float(found["seconds"]) > _MAX_WAIT:
        return None
    url = found["url"].strip()
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip() or None
