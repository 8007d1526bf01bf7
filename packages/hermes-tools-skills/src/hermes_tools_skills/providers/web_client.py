"""Sends the requests of all sources: guarded, within limits, and with one set of errors."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit

from hermes_tools_skills.providers.protocol import SourceError, rate_limit_error

if TYPE_CHECKING:
    import httpx2

    from hermes_net import NetPolicy

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MAX_REDIRECTS = 5
_RETRIED = frozenset((500, 502, 503, 504))
_PAUSE = 0.5
_MAX_JSON = 32 * 1024 * 1024
_NOT_FOUND = frozenset((404, 410))
_MAX_RESET = 86_400.0
"""A limit that ends later is not believed, but still reported as a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response whose status is 2xx.

    Attributes:
        url: The URL after redirects.
        headers: The headers, with lower-case names.
        body: The decoded body.
    """

    url: str
    headers: Mapping[str, str]
    body: bytes

    def parse_json(self) -> Any:
        """Parse the JSON. Raises `SourceError` if it is malformed or too large."""
        if len(self.body) > _MAX_JSON:
            raise SourceError(f"{_host(self.url)} sent {len(self.body):,} bytes of JSON.", kind="invalid")
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{_host(self.url)} sent malformed JSON ({_path(self.url)}).") from error


class WebClient:
    """Sends requests, and follows redirects only to addresses that may be reached.

    Args:
        policy: Which addresses may be reached.
        own_servers: The servers that the user configured, as `https://host:port`, which may be in private networks.
        max_bytes: The maximum size of a response.
        seconds: The time limit of a request.
    """

    def __init__(
        self, policy: NetPolicy, *, own_servers: Iterable[str] = (), max_bytes: int = 64 << 20, seconds: float = 60.0
    ) -> None:
        # Sources write URLs, and their signed links contain keys.
        self._policy = replace(policy, keys_in_urls=True)
        self._own = frozenset(map(_origin, own_servers))
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._clients: dict[bool, httpx2.Client] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for client in self._clients.values():
            client.close()

    def is_own(self, url: str) -> bool:
        """Return whether a URL is on a server that the user configured."""
        return _origin(url) in self._own

    def get_json(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Return the JSON at a URL. Raises `SourceError`."""
        found = self.get(url, params=params, headers={"Accept": "application/json", **(headers or {})})
        return found.parse_json()

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Return the response to a GET request.

        Args:
            url: The URL.
            params: The query.
            headers: More headers. `Authorization` is sent to this server only, not to one it redirects to.

        Raises:
            SourceError: The URL may not be reached, or there is no complete response with status 2xx.
        """
        return self._request("GET", url, params=params, headers=headers or {})

    def send_json(self, method: str, url: str, body: Any, *, headers: Mapping[str, str]) -> Any:
        """Send JSON, and return the JSON of the response; it is sent once. Raises `SourceError`."""
        more = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        found = self._request(method, url, content=json.dumps(body).encode(), headers=more)
        return found.parse_json() if found.body else None

    def _request(self, method: str, url: str, *, headers: Mapping[str, str], **options: Any) -> Response:
        for attempt in (0, 1):
            response = self._follow(method, url, headers=headers, **options)
            if response.status_code not in _RETRIED or attempt or method != "GET":
                break
            time.sleep(_PAUSE)
        if not 200 <= response.status_code < 300:
            raise _status_error(response)
        return Response(url=str(response.url), headers=dict(response.headers), body=response.content)

    def _follow(self, method: str, url: str, *, headers: Mapping[str, str], **options: Any) -> httpx2.Response:
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._send(method, url, headers=headers, **options)
            if response.status_code not in _REDIRECTS or "location" not in response.headers:
                return response
            target = urljoin(str(response.url), response.headers["location"])
            if _origin(target) != _origin(url):
                headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
            if method != "GET":
                raise SourceError(f"{_host(url)} redirected a {method} request.", kind="refused")
            url, options = target, {**options, "params": None}
        raise SourceError(f"{_host(url)} redirects too often.", kind="network")

    def _send(self, method: str, url: str, **options: Any) -> httpx2.Response:
        import httpx2

        from hermes_net import NetError, ResponseLimitError, UrlRefusedError

        is_own = self.is_own(url)
        if not is_own and not self._policy.allow_private and urlsplit(url).scheme != "https":
            raise SourceError(f"Skills are downloaded with https only, not from {url[:200]}.", kind="refused")
        try:
            return self._client(is_own).request(method, url, **options)
        except UrlRefusedError as error:
            raise SourceError(f"{url[:200]} may not be reached: {error.message}", kind="refused") from error
        except ResponseLimitError as error:
            timed_out = error.limit == "seconds"
            raise SourceError(f"{_host(url)}: {error.message}", kind="network" if timed_out else "refused") from error
        except httpx2.TimeoutException as error:
            raise SourceError(f"{_host(url)} does not respond.", kind="network") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            detail = str(error) or type(error).__name__
            raise SourceError(f"The request to {_host(url)} failed: {detail}.", kind="network") from error
        except NetError as error:
            raise SourceError(f"{_host(url)}: {error.message}", kind="network") from error

    def _client(self, is_own: bool) -> httpx2.Client:
        from hermes_net import NetLimits, guarded_client

        if is_own not in self._clients:
            policy = replace(self._policy, allow_private=self._policy.allow_private or is_own)
            limits = NetLimits(bytes=self._max_bytes, seconds=self._seconds, redirects=0)
            client = guarded_client(
                policy=policy, limits=limits, follow_redirects=False, headers={"User-Agent": "hermes-tools-skills"}
            )
            if self._clients.setdefault(is_own, client) is not client:  # another thread was quicker
                client.close()
        return self._clients[is_own]


def _status_error(response: httpx2.Response) -> SourceError:
    host, status = _host(str(response.url)), response.status_code
    reset = _reset_time(response.headers)
    if status == 429 or (status == 403 and _is_used_up(response)):
        return rate_limit_error(host, reset)
    if status in _NOT_FOUND:
        return SourceError(f"{host} has no {_path(str(response.url))}.", kind="not_found")
    if status in (401, 403):
        return SourceError(f"{host} refuses {_path(str(response.url))} (status {status}).", kind="refused")
    return SourceError(f"{host} responds with status {status} to {_path(str(response.url))}.", kind="network")


def _is_used_up(response: httpx2.Response) -> bool:
    headers = response.headers
    left = headers.get("x-ratelimit-remaining", headers.get("ratelimit-remaining"))
    return left == "0" or "retry-after" in headers or b"rate limit" in response.content[:2_000].lower()


def _reset_time(headers: Mapping[str, str]) -> float | None:
    """Return when a limit ends: `Retry-After` in seconds or as a date, a delay, or seconds since the epoch."""
    now = time.time()
    after = headers.get("retry-after", "")
    if not after.isdecimal() and after:
        try:
            return parsedate_to_datetime(after).timestamp()
        except (ValueError, OverflowError):
            pass
    for text, base in (
        (after, now),
        (headers.get("ratelimit-reset", ""), now),
        (headers.get("x-ratelimit-reset", ""), 0.0),
    ):
        if text.isascii() and text.isdecimal() and len(text) <= 12:
            at = base + int(text)
            return at if now - _MAX_RESET < at < now + _MAX_RESET else None
    return None


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return ""
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}"


def _host(url: str) -> str:
    return urlsplit(url).netloc[:100] or url[:100]


def _path(url: str) -> str:
    return urlsplit(url).path[:200]
