"""Connections that respect the deadline of their request, and are closed when it fails."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import httpcore2

from hermes_net.deadlines import limit_timeout

_PIECE = 16 * 1024
_CLOSING_SECONDS = 1.0
"""A failed connection is closed without waiting for the server."""

Result = TypeVar("Result")


class TimedStream(httpcore2.NetworkStream):
    """A sync connection whose reads and writes end at the deadline of the request."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, limit_timeout(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # The timeout applies to each chunk that is accepted, so send small ones.
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], limit_timeout(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            if self.get_extra_info("ssl_object") is not None:
                return TimedStream(_TlsWithinTls(self, ssl_context, server_hostname, timeout))
            return TimedStream(self._stream.start_tls(ssl_context, server_hostname, limit_timeout(timeout)))
        except BaseException:
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _TlsWithinTls(httpcore2.NetworkStream):
    """TLS with a server, through a proxy with TLS."""

    def __init__(self, outer: TimedStream, context: ssl.SSLContext, name: str | None, timeout: float | None) -> None:
        self._outer = outer
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._came, self._goes, server_hostname=name)
        try:
            self._do(self._tls.do_handshake, timeout)
        except httpcore2.TimeoutException as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except (ssl.SSLError, httpcore2.NetworkError) as error:
            raise httpcore2.ConnectError(str(error)) from error

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return self._do(lambda: self._tls.read(max_bytes), timeout)
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""
        except ssl.SSLError as error:
            raise httpcore2.ReadError(str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            while buffer:
                buffer = buffer[self._do(lambda: self._tls.write(buffer), timeout) :]  # noqa: B023 - called at once
        except ssl.SSLError as error:
            raise httpcore2.WriteError(str(error)) from error

    def close(self) -> None:
        self._outer.close()

    def get_extra_info(self, info: str) -> Any:
        return self._tls if info == "ssl_object" else self._outer.get_extra_info(info)

    def _do(self, act: Callable[[], Result], timeout: float | None) -> Result:
        """Run a TLS operation, exchanging data with the server as needed."""
        while True:
            try:
                done = act()
            except ssl.SSLWantReadError:
                self._outer.write(self._goes.read(), timeout)
                if data := self._outer.read(_PIECE, timeout):
                    self._came.write(data)
                else:
                    self._came.write_eof()
            else:
                self._outer.write(self._goes.read(), timeout)
                return done


class ClosingStream(httpcore2.AsyncNetworkStream):
    """An async connection that is closed when its setup is cancelled."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return ClosingStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except BaseException:
            await self.abort()
            raise

    async def abort(self) -> None:
        """Close the connection even after a cancellation."""
        with anyio.move_on_after(_CLOSING_SECONDS, shield=True):
            await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
