"""Decompress response bodies piece by piece, within their limits."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from hermes_net.errors import ResponseLimitError
from hermes_net.policy import NetLimits

_PIECE = 64 * 1024
_RATIO_FROM = 1024 * 1024
"""Smaller bodies may have any compression ratio."""
_GZIP_START = b"\x1f\x8b"
_MAX_PARTS = 10_000
"""The limit of compressed parts in a row; more are an attack."""
_KNOWN = frozenset({"gzip", "x-gzip", "deflate"})
_OTHERS = frozenset(
    {"br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "bzip2", "lzma", "xz"}
)
_FORM_BYTES = 2
"""How many bytes identify the compression format."""
_AS_GZIP, _AS_ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class BrokenBodyError(ValueError):
    """Raised when a body contradicts its headers."""


class Body:
    """A decoder for one response body.

    Args:
        limits: The limits.
        encoding: The header `Content-Encoding`.
        length: The header `Content-Length`.
        absent: True when there is no body, whatever the headers say.

    Attributes:
        is_absent: True when there is no body.
        is_truncated: True when the compressed data ended too early. What precedes is kept, as in browsers.

    Raises:
        ResponseLimitError: the length exceeds the limit.
    """

    def __init__(self, limits: NetLimits, encoding: str = "", length: str = "", *, absent: bool = False) -> None:
        self.is_absent = absent
        self.is_truncated = False
        self._limits = limits
        self._came = self._given = 0
        self._encoding = _understood(encoding)
        self._unpacker: zlib._Decompress | None = None
        self._parts = 0
        self._held = b""
        if length.isascii() and length.isdigit() and (len(length) > 15 or int(length) > limits.bytes):
            raise self._too_large()

    @property
    def is_packed(self) -> bool:
        """True when the body is compressed."""
        return self._encoding != "identity"

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded data of some more bytes.

        Raises:
            ResponseLimitError: the body exceeds a limit.
            BrokenBodyError: the body contradicts its headers.
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
            raise BrokenBodyError(f"The body does not match its encoding: {error}.") from error

    def end(self) -> None:
        """Check the end of the body.

        Raises:
            BrokenBodyError: the body ends before anything could be decompressed.
        """
        is_open = bool(self._held) if self._unpacker is None else not self._unpacker.eof
        if is_open and not self._given:
            raise BrokenBodyError("The compressed body is incomplete.")
        # Some servers omit the checksum at the end, and raw data ends with its last block.
        self.is_truncated = is_open

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        more = bool(data)
        while more:
            if self._unpacker is None or self._unpacker.eof:
                if len(data) < _FORM_BYTES:
                    self._held = data
                    return
                if self._unpacker is not None and not self._goes_on(data):
                    return  # ignore data after the end
                self._unpacker = self._unpacker_for(data)
            piece = self._unpacker.decompress(data, _PIECE)
            data = self._unpacker.unused_data if self._unpacker.eof else self._unpacker.unconsumed_tail
            # A full piece may be incomplete even though all input was consumed.
            more = bool(data) or (len(piece) == _PIECE and not self._unpacker.eof)
            if piece:
                self._given += len(piece)
                self._require_within_limits()
                yield piece

    def _goes_on(self, data: bytes) -> bool:
        return data.startswith(_GZIP_START) and self._encoding != "deflate"

    def _unpacker_for(self, data: bytes) -> zlib._Decompress:
        if self._encoding in ("gzip", "x-gzip"):
            form = _AS_GZIP
        elif self._encoding == "deflate":  # some servers omit the zlib header
            form = _AS_ZLIB if data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0 else _RAW
        else:
            raise BrokenBodyError(f"The body has the encoding {self._encoding[:40]!r}, which was not requested.")
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise BrokenBodyError("The body is compressed in too many parts.")
        return zlib.decompressobj(form)

    def _require_within_limits(self) -> None:
        if self._given > self._limits.bytes:
            raise self._too_large()
        if self._given > _RATIO_FROM and self._given > self._came * self._limits.ratio:
            raise ResponseLimitError("ratio", "The compression ratio of the body is too high.")

    def _too_large(self) -> ResponseLimitError:
        return ResponseLimitError("bytes", f"The body is larger than {self._limits.bytes:,} bytes.")


def _understood(encoding: str) -> str:
    """Normalize an encoding as browsers do: unknown words, such as `utf-8`, are ignored."""
    words = [word for word in (part.strip() for part in encoding.lower().split(",")) if word in _KNOWN | _OTHERS]
    return ", ".join(words) or "identity"
