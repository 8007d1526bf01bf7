"""Send requests over guarded connections, and return responses within their limits."""

from __future__ import annotations

import codecs
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager

import anyio
import anyio.to_thread
import httpcore2
import httpx2

from hermes_net.backends import AsyncGuardedBackend, GuardedBackend, MakeTls
from hermes_net.body import Body, BrokenBodyError
from hermes_net.deadlines import deadline_scope, seconds_left, start_deadline, timeout_error
from hermes_net.routes import ClientRules
from hermes_net.tunnels import proxy_authorization
from hermes_net.urls import Target

BODY_EXTENSION = "guarded_body"
"""The response extension with the decoder, which knows in the end whether the body was truncated."""
_SIZES = (b"content-encoding", b"content-length")
_MAX_TYPE = 1000
"""Parsers of this header take quadratic time."""
_PROXY_LOGIN = 407
_NO_CHARSETS = frozenset(
    """
    base64 bz2 hex idna mbcs oem punycode quopri rawunicodeescape rot13 undefined unicodeescape utf32 utf7 uu zlib
    """.split()  # noqa: SIM905 - shorter than a list
)
"""Python codecs that are not charsets: decompressors, escapes, and some with quadratic time."""
_CONNECTIONS, _IDLE, _IDLE_SECONDS = 50, 10, 15.0


class GuardedTransport(httpx2.BaseTransport):
    """The transport of sync clients."""

    def __init__(self, rules: ClientRules, tls: MakeTls, inner: httpcore2.NetworkBackend | None = None) -> None:
        self._rules = rules
        self._tls = tls
        self._inner = inner or httpcore2.SyncBackend()
        self._pools: dict[str, httpcore2.ConnectionPool] = {}

    def _pool(self, scheme: str) -> httpcore2.ConnectionPool:
        """Return the connection pool of a scheme, created on first use: plain HTTP needs no certificates."""
        if scheme not in self._pools:
            made = httpcore2.ConnectionPool(
                ssl_context=self._tls() if scheme == "https" else None,
                max_connections=_CONNECTIONS,
                max_keepalive_connections=_IDLE,
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=GuardedBackend(self._rules, scheme, self._inner, self._tls),
            )
            self._pools.setdefault(scheme, made)
        return self._pools[scheme]

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        deadline, redirected = start_deadline(request, self._rules.limits.seconds)
        target = self._rules.check(str(request.url), redirected=redirected)
        with _translate_errors(deadline), deadline_scope(deadline):
            response = self._pool(request.url.scheme).handle_request(_sent(request, self._rules, target))
        try:
            _require_admission(response, self._rules, target)
            body = _body(request, response, self._rules)
        except BaseException:
            response.close()
            raise
        return _received(response, body, _Stream(response, body, deadline))

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()


class AsyncGuardedTransport(httpx2.AsyncBaseTransport):
    """The transport of async clients."""

    def __init__(self, rules: ClientRules, tls: MakeTls, inner: httpcore2.AsyncNetworkBackend | None = None) -> None:
        self._rules = rules
        self._tls = tls
        self._inner = inner or httpcore2.AnyIOBackend()
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}

    def _pool(self, scheme: str) -> httpcore2.AsyncConnectionPool:
        """Return the connection pool of a scheme, created on first use."""
        if scheme not in self._pools:
            made = httpcore2.AsyncConnectionPool(
                ssl_context=self._tls() if scheme == "https" else None,
                max_connections=_CONNECTIONS,
                max_keepalive_connections=_IDLE,
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=AsyncGuardedBackend(self._rules, scheme, self._inner, self._tls),
            )
            self._pools.setdefault(scheme, made)
        return self._pools[scheme]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        deadline, redirected = start_deadline(request, self._rules.limits.seconds)
        target = await self._check(str(request.url), redirected)
        with _translate_errors(deadline), anyio.fail_after(seconds_left(deadline)):
            response = await self._pool(request.url.scheme).handle_async_request(_sent(request, self._rules, target))
        try:
            _require_admission(response, self._rules, target)
            body = _body(request, response, self._rules)
        except BaseException:
            await response.aclose()
            raise
        return _received(response, body, _AsyncStream(response, body, deadline))

    async def _check(self, url: str, redirected: bool) -> Target:
        if self._rules.policy.blocklist is None:
            return self._rules.check(url, redirected=redirected)
        # The block list may have to read files.
        return await anyio.to_thread.run_sync(lambda: self._rules.check(url, redirected=redirected))

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()


# Requests and responses


def _sent(request: httpx2.Request, rules: ClientRules, target: Target) -> httpcore2.Request:
    url = request.url
    headers, extensions = list(request.headers.raw), dict(request.extensions)
    proxy = rules.forwards(target.scheme, target.host, target.port)
    if proxy is not None:
        extensions["target"] = str(url.copy_with(fragment=None)).encode("ascii")
        if who := proxy_authorization(proxy):
            headers.append((b"Proxy-Authorization", who.encode("ascii")))
    return httpcore2.Request(
        method=request.method,
        url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=headers,
        content=request.stream,
        extensions=extensions,
    )


def _require_admission(response: httpcore2.Response, rules: ClientRules, target: Target) -> None:
    """Raise `ProxyError` when a forwarding proxy requires a login."""
    if response.status != _PROXY_LOGIN:
        return
    proxy = rules.forwards(target.scheme, target.host, target.port)
    if proxy is not None:
        raise httpx2.ProxyError(f"The {proxy} requires a user and a password (407).")


def _body(request: httpx2.Request, response: httpcore2.Response, rules: ClientRules) -> Body:
    if request.method == "HEAD":  # the headers describe a body that is not sent
        return Body(rules.limits, absent=True)
    headers = httpx2.Headers(response.headers)
    return Body(rules.limits, headers.get("content-encoding", ""), headers.get("content-length", ""))


def _received(
    response: httpcore2.Response, body: Body, stream: httpx2.SyncByteStream | httpx2.AsyncByteStream
) -> httpx2.Response:
    # The body is decompressed here; keeping the header would make the client try it again.
    gone = () if body.is_absent else _SIZES if body.is_packed else _SIZES[:1]
    headers = [_bounded(name, value) for name, value in response.headers if name.lower() not in gone]
    extensions = {**response.extensions, BODY_EXTENSION: body}
    made = httpx2.Response(response.status, headers=headers, stream=stream, extensions=extensions)
    _require_known_charset(made)
    return made


def _require_known_charset(response: httpx2.Response) -> None:
    """Decode a response as UTF-8 when it names a codec that is not a charset."""
    try:
        name = response.charset_encoding
        is_charset = name is None or codecs.lookup(name).name.replace("_", "").replace("-", "") not in _NO_CHARSETS
    except LookupError:
        return  # the client guesses
    except ValueError:  # an invalid codec name
        is_charset = False
    if not is_charset:
        response.encoding = "utf-8"


def _bounded(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    return name, value[:_MAX_TYPE] if name.lower() == b"content-type" else value


class _Stream(httpx2.SyncByteStream):
    """The body of a sync response."""

    def __init__(self, response: httpcore2.Response, body: Body, deadline: float) -> None:
        self._response = response
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        parts = self._response.iter_stream()
        with _translate_errors(self._deadline):
            while (part := self._next(parts)) is not None:
                yield from self._body.feed(part)
                seconds_left(self._deadline)
            self._body.end()

    def _next(self, parts: Iterator[bytes]) -> bytes | None:
        with deadline_scope(self._deadline):
            return next(parts, None)

    def close(self) -> None:
        self._response.close()


class _AsyncStream(httpx2.AsyncByteStream):
    """The body of an async response."""

    def __init__(self, response: httpcore2.Response, body: Body, deadline: float) -> None:
        self._response = response
        self._body = body
        self._deadline = deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translate_errors(self._deadline):
            async with aclosing(self._response.aiter_stream()) as parts:
                while (part := await self._next(parts)) is not None:
                    for piece in self._body.feed(part):
                        yield piece
                self._body.end()

    async def _next(self, parts: AsyncIterator[bytes]) -> bytes | None:
        with anyio.fail_after(seconds_left(self._deadline)):
            return await anext(parts, None)

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _translate_errors(deadline: float) -> Iterator[None]:
    """Translate exceptions to those of httpx2, and to our own after the deadline."""
    try:
        yield
    except (httpcore2.TimeoutException, TimeoutError) as error:
        if time.monotonic() >= deadline or isinstance(error, TimeoutError):
            raise timeout_error() from None
        raise _httpx_error(error) from error
    except BrokenBodyError as error:
        raise httpx2.DecodingError(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        if isinstance(error, httpcore2.ProxyError) and time.monotonic() >= deadline:
            raise timeout_error() from None
        raise _httpx_error(error) from error
    except httpcore2.UnsupportedProtocol as error:
        raise _httpx_error(error) from error


def _httpx_error(error: Exception) -> httpx2.TransportError:
    """Return the httpx2 error with the name of an httpcore2 error."""
    for kind in type(error).__mro__:
        found = getattr(httpx2, kind.__name__, None)
        if isinstance(found, type) and issubclass(found, httpx2.TransportError):
            return found(str(error))
    return httpx2.TransportError(str(error))
