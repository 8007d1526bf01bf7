"""Measures and unpacks bodies as they come: none grows beyond its limits before that is noticed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from hermes_net.errors import ResponseLimitError
from hermes_net.policy import NetLimits

_PIECE = 64 * 1024
_RATIO_FROM = 1024 * 1024
"""Below this, a body may be packed as tightly as it likes."""
_GZIP_START = b"\x1f\x8b"
_MOST_PARTS = 10_000
"""More packed parts one behind the other are there to keep us busy."""
_KNOWN = frozenset({"gzip", "x-gzip", "deflate"})
_OTHERS = frozenset(
    {"br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "bzip2", "lzma", "xz"}
)
_FORM_BYTES = 2
"""So many tell how a body is packed."""
_AS_GZIP, _AS_ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class BrokenBodyError(ValueError):
    """Raised when a body is not what its headers say."""


class Body:
    """One body on its way: what comes is fed, and what it holds is given.

    Args:
        limits: What it may cost.
        encoding: What the header `Content-Encoding` says.
        length: What the header `Content-Length` says.
        absent: Whether none comes, whatever the headers say.

    Raises:
        ResponseLimitError: the length alone is too much.
    """

    def __init__(self, limits: NetLimits, encoding: str = "", length: str = "", *, absent: bool = False) -> None:
        self.is_absent = absent
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
        if self._unpacker is None and self._held:
            raise BrokenBodyError("The packed body ends before it begins.")
        if self._unpacker is not None and not self._unpacker.eof:
            raise BrokenBodyError("The packed body ends before its end.")

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        more = bool(data)
        while more:
            if self._unpacker is None or self._unpacker.eof:
                if len(data) < _FORM_BYTES:
                    self._held = data
                    return
                if self._unpacker is not None and not self._goes_on(data):
                    return  # what follows the end of a body is nobody's
                self._unpacker = self._unpacker_for(data)
            piece = self._unpacker.decompress(data, _PIECE)
            data = self._unpacker.unused_data if self._unpacker.eof else self._unpacker.unconsumed_tail
            # A piece that is full may have been cut off, though everything that came was read.
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
        elif self._encoding == "deflate":  # some servers leave out the header that the name stands for
            form = _AS_ZLIB if data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0 else _RAW
        else:
            raise BrokenBodyError(f"The body is packed as {self._encoding[:40]!r}, which nobody asked for.")
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise BrokenBodyError("The body is packed in too many parts.")
        return zlib.decompressobj(form)

    def _require_within_limits(self) -> None:
        if self._given > self._limits.bytes:
            raise self._too_large()
        if self._given > _RATIO_FROM and self._given > self._came * self._limits.ratio:
            raise ResponseLimitError("ratio", "The body grows too much when it is unpacked.")

    def _too_large(self) -> ResponseLimitError:
        return ResponseLimitError("bytes", f"The body is larger than {self._limits.bytes:,} bytes.")


def _understood(encoding: str) -> str:
    """How a body is packed, as browsers understand it: a word that is none, such as `utf-8`, says nothing."""
    words = [word for word in (part.strip() for part in encoding.lower().split(",")) if word in _KNOWN | _OTHERS]
    return ", ".join(words) or "identity"
