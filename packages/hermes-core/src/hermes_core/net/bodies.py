"""Measures and unpacks bodies as they come: none grows beyond its limits before that is noticed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from hermes_core.net.limits import NetLimits
from hermes_core.net.verdict import ResponseLimitError

_PIECE = 64 * 1024
_RATIO_FROM = 1024 * 1024
"""Below this, a body may be packed as tightly as it likes."""
_GZIP_START = b"\x1f\x8b"
_AS_GZIP, _AS_ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class BrokenBodyError(ValueError):
    """Raised when a body is not what its headers say."""


class Body:
    """One body on its way: what comes is fed, and what it holds is given.

    Args:
        limits: What it may cost.
        encoding: What the header `Content-Encoding` says.
        length: What the header `Content-Length` says.

    Raises:
        ResponseLimitError: the length alone is too much.
    """

    def __init__(self, limits: NetLimits, encoding: str = "", length: str = "") -> None:
        self._limits = limits
        self._came = self._given = 0
        self._encoding = encoding.strip().lower() or "identity"
        self._unpacker: zlib._Decompress | None = None
        if length.isascii() and length.isdigit() and (len(length) > 15 or int(length) > limits.bytes):
            raise self._too_large()

    @property
    def is_packed(self) -> bool:
        """Whether what is given differs from what is fed."""
        return self._encoding != "identity"

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What some more bytes hold.

        Raises:
            ResponseLimitError: it is too much.
            BrokenBodyError: it is not what the headers say.
        """
        self._came += len(data)
        if self._came > self._limits.bytes:
            raise self._too_large()
        if not self.is_packed:
            yield data
            return
        try:
            yield from self._unpacked(data)
        except zlib.error as error:
            raise BrokenBodyError(f"The body is not what its encoding says: {error}.") from error

    def end(self) -> None:
        """Say that there are no more bytes.

        Raises:
            BrokenBodyError: there should be.
        """
        if self._unpacker is not None and not self._unpacker.eof:
            raise BrokenBodyError("The packed body ends before its end.")

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        while data:
            unpacker = self._unpacker_for(data)
            if unpacker.eof:
                return  # what follows the end of a body is nobody's
            piece = unpacker.decompress(data, _PIECE)
            data = unpacker.unconsumed_tail
            if unpacker.eof and unpacker.unused_data.startswith(_GZIP_START) and self._encoding != "deflate":
                data, self._unpacker = unpacker.unused_data, None
            if piece:
                self._given += len(piece)
                self._require_within_limits()
                yield piece

    def _unpacker_for(self, data: bytes) -> zlib._Decompress:
        if self._unpacker is None:
            if self._encoding in ("gzip", "x-gzip"):
                form = _AS_GZIP
            elif self._encoding == "deflate":  # some servers leave out the header that the name stands for
                form = _AS_ZLIB if data[0] & 15 == 8 and int.from_bytes((data + b"\0")[:2], "big") % 31 == 0 else _RAW
            else:
                raise BrokenBodyError(f"The body is packed as {self._encoding[:40]!r}, which nobody asked for.")
            self._unpacker = zlib.decompressobj(form)
        return self._unpacker

    def _require_within_limits(self) -> None:
        if self._given > self._limits.bytes:
            raise self._too_large()
        if self._given > _RATIO_FROM and self._given > self._came * self._limits.ratio:
            raise ResponseLimitError("ratio", "The body grows too much when it is unpacked.")

    def _too_large(self) -> ResponseLimitError:
        return ResponseLimitError("bytes", f"The body is larger than {self._limits.bytes:,} bytes.")
