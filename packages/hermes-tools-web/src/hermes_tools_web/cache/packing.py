"""How texts lie in the cache: short ones as they are, long ones compressed, each with a seal."""

from __future__ import annotations

import hashlib
import json

_SEAL = 16
_COMPRESSED, _PLAIN = b"z", b"p"
_SHORT = 512
"""A text of so many bytes gains little from compression."""
_LEVEL = 3
"""Pages shrink to nearly the same as with the highest level, in a third of the time."""


class SealError(ValueError):
    """Raised when what lies in the cache is not what was put there."""


def digest_of(kind: str, provider: str, key: str) -> bytes:
    """What stands for a key in the file: what people asked for cannot be read off it."""
    return hashlib.sha256(json.dumps([kind, provider, key]).encode()).digest()


def pack(digest: bytes, text: str) -> bytes:
    """A text as it lies in the file."""
    import zlib

    plain = text.encode("utf-8", "surrogatepass")
    form, body = _PLAIN, plain
    if len(plain) > _SHORT:
        compressed = zlib.compress(plain, _LEVEL)
        if len(compressed) < len(plain):
            form, body = _COMPRESSED, compressed
    return _seal(digest, form, body) + form + body


def unpack(digest: bytes, packed: bytes) -> str:
    """The text again.

    Raises:
        SealError: it is another's, or damaged.
    """
    import zlib

    form, body = packed[_SEAL : _SEAL + 1], packed[_SEAL + 1 :]
    if packed[:_SEAL] != _seal(digest, form, body):
        raise SealError("the seal does not fit")
    return (zlib.decompress(body) if form == _COMPRESSED else body).decode("utf-8", "surrogatepass")


def _seal(digest: bytes, form: bytes, body: bytes) -> bytes:
    made = hashlib.sha256(digest + form)
    made.update(body)
    return made.digest()[:_SEAL]
