"""Connect to the checked addresses, in sync and async code."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

import anyio
import anyio.to_thread
import httpcore2

from hermes_net.deadlines import limit_timeout
from hermes_net.proxies import Proxy
from hermes_net.routes import ClientRules, Route
from hermes_net.streams import ClosingStream, TimedStream
from hermes_net.tunnels import Handshake, TunnelError, handshake

_READ = 16 * 1024
_MIN_SHARE = 0.05
_FAILED = (httpcore2.ConnectError, httpcore2.ConnectTimeout)
_BROKEN = (TunnelError, httpcore2.NetworkError, httpcore2.TimeoutException)

Options = Iterable[Any] | None
MakeTls = Callable[[], ssl.SSLContext]


class GuardedBackend(httpcore2.NetworkBackend):
    """Opens connections for sync clients, for one URL scheme."""

    def __init__(self, rules: ClientRules, scheme: str, inner: httpcore2.NetworkBackend, tls: MakeTls) -> None:
        self._rules = rules
        self._scheme = scheme
        self._inner = inner
        self._tls = tls

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Options = None,
    ) -> httpcore2.NetworkStream:
        route = self._rules.route(self._scheme, host, port, limit_timeout(inf) or inf)
        last: Exception = httpcore2.ConnectError(f"{host} has no address.")
        for address, number, share in _endpoints(route, port, timeout):
            try:
                stream = self._inner.connect_tcp(
                    address, number, limit_timeout(share), local_address, socket_options or ()
                )
            except _FAILED as error:
                last = _proxy_failed(route.proxy, error) if route.proxy is not None else error
            else:
                return self._open_tunnel(route, TimedStream(stream), port, timeout)
        raise last

    def _open_tunnel(
        self, route: Route, stream: httpcore2.NetworkStream, port: int, timeout: float | None
    ) -> httpcore2.NetworkStream:
        if route.proxy is None:
            return stream
        try:
            if route.proxy.scheme == "https":
                stream = stream.start_tls(self._tls(), route.proxy.host, timeout)
            if route.target is not None:
                _run_handshake(handshake(route.proxy, route.target, port), stream, timeout)
        except _BROKEN as error:
            stream.close()
            raise _proxy_failed(route.proxy, error) from error
        except BaseException:
            stream.close()
            raise
        return stream


class AsyncGuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections for async clients, for one URL scheme."""

    def __init__(self, rules: ClientRules, scheme: str, inner: httpcore2.AsyncNetworkBackend, tls: MakeTls) -> None:
        self._rules = rules
        self._scheme = scheme
        self._inner = inner
        self._tls = tls

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Options = None,
    ) -> httpcore2.AsyncNetworkStream:
        # A thread of the shared limiter would make slow lookups delay all other work.
        own = anyio.CapacityLimiter(1)
        find = self._rules.route
        route = await anyio.to_thread.run_sync(find, self._scheme, host, port, abandon_on_cancel=True, limiter=own)
        last: Exception = httpcore2.ConnectError(f"{host} has no address.")
        for address, number, share in _endpoints(route, port, timeout):
            try:
                stream = await self._inner.connect_tcp(address, number, share, local_address, socket_options or ())
            except _FAILED as error:
                last = _proxy_failed(route.proxy, error) if route.proxy is not None else error
            else:
                return await self._open_tunnel(route, ClosingStream(stream), port, timeout)
        raise last

    async def _open_tunnel(
        self, route: Route, plain: ClosingStream, port: int, timeout: float | None
    ) -> httpcore2.AsyncNetworkStream:
        if route.proxy is None:
            return plain
        stream: httpcore2.AsyncNetworkStream = plain
        try:
            if route.proxy.scheme == "https":
                stream = await plain.start_tls(self._tls(), route.proxy.host, timeout)
            if route.target is not None:
                await _arun_handshake(handshake(route.proxy, route.target, port), stream, timeout)
        except _BROKEN as error:
            await plain.abort()
            raise _proxy_failed(route.proxy, error) from error
        except BaseException:
            await plain.abort()
            raise
        return stream


def _endpoints(route: Route, port: int, timeout: float | None) -> Iterator[tuple[str, int, float | None]]:
    """Yield the endpoints to try, each with its share of the remaining time."""
    if route.proxy is not None:
        yield route.proxy.host, route.proxy.port, timeout
        return
    end = time.monotonic() + (inf if timeout is None else timeout)
    for tried, address in enumerate(route.addresses):
        share = max(end - time.monotonic(), _MIN_SHARE) / (len(route.addresses) - tried)
        yield address, port, None if timeout is None else share


def _run_handshake(steps: Handshake, stream: httpcore2.NetworkStream, timeout: float | None) -> None:
    try:
        words = next(steps)
        while True:
            stream.write(words, timeout)
            words = steps.send(_require_data(stream.read(_READ, timeout)))
    except StopIteration:
        return


async def _arun_handshake(steps: Handshake, stream: httpcore2.AsyncNetworkStream, timeout: float | None) -> None:
    try:
        words = next(steps)
        while True:
            await stream.write(words, timeout)
            words = steps.send(_require_data(await stream.read(_READ, timeout)))
    except StopIteration:
        return


def _require_data(answer: bytes) -> bytes:
    if not answer:
        raise httpcore2.ReadError("it closed the connection")
    return answer


def _proxy_failed(proxy: Proxy, error: Exception) -> httpcore2.ProxyError:
    """Build the error for a failed proxy."""
    if isinstance(error, TunnelError):
        return httpcore2.ProxyError(str(error))
    made = httpcore2.ProxyError(f"The {proxy} cannot be used: {_reason(error)}.")
    made.__cause__ = error
    return made


def _reason(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused"
        if isinstance(cause, socket.gaierror):
            return "its name cannot be resolved"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore2.TimeoutException):
        return "connection timed out"
    return str(error).rstrip(".") or type(error).__name__
