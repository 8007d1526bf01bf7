"""Connects to the very addresses that were checked, in sync and in async code."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

import anyio.to_thread
import httpcore2

from hermes_net.deadlines import at_most
from hermes_net.proxies import Proxy
from hermes_net.routes import Gate, Way
from hermes_net.streams import ClosingStream, TimedStream
from hermes_net.tunnels import Talk, TunnelError, talk_with

_READ = 16 * 1024
_LEAST_SHARE = 0.05
_FAILED = (httpcore2.ConnectError, httpcore2.ConnectTimeout)
_BROKEN = (TunnelError, httpcore2.NetworkError, httpcore2.TimeoutException)

Options = Iterable[Any] | None
MakeTls = Callable[[], ssl.SSLContext]


class GuardedBackend(httpcore2.NetworkBackend):
    """Opens connections for sync clients, for the URLs of one scheme."""

    def __init__(self, gate: Gate, scheme: str, inner: httpcore2.NetworkBackend, tls: MakeTls) -> None:
        self._gate = gate
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
        way = self._gate.way(self._scheme, host, port, at_most(inf) or inf)
        last: Exception = httpcore2.ConnectError(f"{host} has no address.")
        for address, number, share in _doors(way, port, timeout):
            try:
                stream = self._inner.connect_tcp(address, number, at_most(share), local_address, socket_options or ())
            except _FAILED as error:
                last = _proxy_failed(way.proxy, error) if way.proxy is not None else error
            else:
                return self._through(way, TimedStream(stream), port, timeout)
        raise last

    def _through(
        self, way: Way, stream: httpcore2.NetworkStream, port: int, timeout: float | None
    ) -> httpcore2.NetworkStream:
        if way.proxy is None:
            return stream
        try:
            if way.proxy.scheme == "https":
                stream = stream.start_tls(self._tls(), way.proxy.host, timeout)
            if way.target is not None:
                _say(talk_with(way.proxy, way.target, port), stream, timeout)
        except _BROKEN as error:
            stream.close()
            raise _proxy_failed(way.proxy, error) from error
        except BaseException:
            stream.close()
            raise
        return stream


class AsyncGuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections for async clients, for the URLs of one scheme."""

    def __init__(self, gate: Gate, scheme: str, inner: httpcore2.AsyncNetworkBackend, tls: MakeTls) -> None:
        self._gate = gate
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
        way = await anyio.to_thread.run_sync(self._gate.way, self._scheme, host, port, abandon_on_cancel=True)
        last: Exception = httpcore2.ConnectError(f"{host} has no address.")
        for address, number, share in _doors(way, port, timeout):
            try:
                stream = await self._inner.connect_tcp(address, number, share, local_address, socket_options or ())
            except _FAILED as error:
                last = _proxy_failed(way.proxy, error) if way.proxy is not None else error
            else:
                return await self._through(way, ClosingStream(stream), port, timeout)
        raise last

    async def _through(
        self, way: Way, plain: ClosingStream, port: int, timeout: float | None
    ) -> httpcore2.AsyncNetworkStream:
        if way.proxy is None:
            return plain
        stream: httpcore2.AsyncNetworkStream = plain
        try:
            if way.proxy.scheme == "https":
                stream = await plain.start_tls(self._tls(), way.proxy.host, timeout)
            if way.target is not None:
                await _asay(talk_with(way.proxy, way.target, port), stream, timeout)
        except _BROKEN as error:
            await plain.give_up()
            raise _proxy_failed(way.proxy, error) from error
        except BaseException:
            await plain.give_up()
            raise
        return stream


def _doors(way: Way, port: int, timeout: float | None) -> Iterator[tuple[str, int, float | None]]:
    """Where to knock, one after the other, and for how long: each gets its share of the time that is left."""
    if way.proxy is not None:
        yield way.proxy.host, way.proxy.port, timeout
        return
    end = time.monotonic() + (inf if timeout is None else timeout)
    for tried, address in enumerate(way.addresses):
        share = max(end - time.monotonic(), _LEAST_SHARE) / (len(way.addresses) - tried)
        yield address, port, None if timeout is None else share


def _say(talk: Talk, stream: httpcore2.NetworkStream, timeout: float | None) -> None:
    try:
        words = next(talk)
        while True:
            stream.write(words, timeout)
            words = talk.send(_heard(stream.read(_READ, timeout)))
    except StopIteration:
        return


async def _asay(talk: Talk, stream: httpcore2.AsyncNetworkStream, timeout: float | None) -> None:
    try:
        words = next(talk)
        while True:
            await stream.write(words, timeout)
            words = talk.send(_heard(await stream.read(_READ, timeout)))
    except StopIteration:
        return


def _heard(answer: bytes) -> bytes:
    if not answer:
        raise httpcore2.ReadError("it closed the connection")
    return answer


def _proxy_failed(proxy: Proxy, error: Exception) -> httpcore2.ProxyError:
    """The error that names the proxy which did not open the way."""
    if isinstance(error, TunnelError):
        return httpcore2.ProxyError(str(error))
    made = httpcore2.ProxyError(f"The {proxy} cannot be used: {_reason(error)}.")
    made.__cause__ = error
    return made


def _reason(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "it refuses connections"
        if isinstance(cause, socket.gaierror):
            return "its name cannot be resolved"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore2.TimeoutException):
        return "it does not answer"
    return str(error).rstrip(".") or type(error).__name__
