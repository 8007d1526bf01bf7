"""Detect the format and size of an image from its first bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

Kind = Literal["PNG", "JPEG", "GIF", "WebP", "BMP", "TIFF", "ICO"]
Size = tuple[int, int]


class Image(NamedTuple):
    """The format of an image, and its size in pixels where that is known."""

    kind: Kind
    width: int | None = None
    height: int | None = None


def detect_image(head: bytes) -> Image | None:
    """Detect an image from its first bytes; None if the file is not an image. Never raises."""
    for beginning, further, kind, size in _FORMATS:
        if head.startswith(beginning) and head.startswith(further, 8):
            try:
                found = size(head)
            except (struct.error, IndexError):  # too few bytes
                found = None
            return Image(kind, *found) if found else Image(kind)
    return None


def _png(head: bytes) -> Size | None:
    return _two(">II", head, 16) if head[12:16] == b"IHDR" else None


def _jpeg(head: bytes) -> Size | None:
    """Follow the segments to the first frame header."""
    place = 2
    while place + 4 <= len(head):
        if head[place] != 0xFF:
            return None
        marker = head[place + 1]
        if marker == 0xFF:  # a fill byte
            place += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # a segment without content
            place += 2
        elif 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack_from(">HH", head, place + 5)
            return width, height
        else:
            place += 2 + max(2, struct.unpack_from(">H", head, place + 2)[0])
    return None


def _gif(head: bytes) -> Size:
    return _two("<HH", head, 6)


def _webp(head: bytes) -> Size | None:
    form = head[12:16]
    if form == b"VP8X":
        return 1 + int.from_bytes(_bytes(head, 24, 3), "little"), 1 + int.from_bytes(_bytes(head, 27, 3), "little")
    if form == b"VP8L":
        bits = int.from_bytes(_bytes(head, 21, 4), "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = _two("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _bmp(head: bytes) -> Size:
    if struct.unpack_from("<I", head, 14)[0] == 12:
        return _two("<HH", head, 18)
    width, height = _two("<ii", head, 18)
    return abs(width), abs(height)  # a negative height means top-down rows


def _tiff(head: bytes) -> Size | None:
    """Find the tags 256 and 257 in the first directory, which may be anywhere."""
    order = "<" if head.startswith(b"II") else ">"
    place = struct.unpack_from(f"{order}I", head, 4)[0]
    found: dict[int, int] = {}
    for index in range(struct.unpack_from(f"{order}H", head, place)[0]):
        entry = place + 2 + 12 * index
        tag, form = struct.unpack_from(f"{order}HH", head, entry)
        if tag in {256, 257} and form in {3, 4}:
            found[tag] = struct.unpack_from(f"{order}{'H' if form == 3 else 'I'}", head, entry + 8)[0]
    return (found[256], found[257]) if len(found) == 2 else None


def _ico(head: bytes) -> Size | None:
    """Return the size of the largest image; 0 means 256."""
    count = min(struct.unpack_from("<H", head, 4)[0], 64)
    sizes = [(head[6 + 16 * index] or 256, head[7 + 16 * index] or 256) for index in range(count)]
    return max(sizes, default=None)


def _two(form: str, head: bytes, place: int) -> Size:
    width, height = struct.unpack_from(form, head, place)
    return width, height


def _bytes(head: bytes, place: int, count: int) -> bytes:
    if len(head) < place + count:
        raise IndexError(place)
    return head[place : place + count]


_FORMATS: Final[tuple[tuple[bytes | tuple[bytes, ...], bytes, Kind, Callable[[bytes], Size | None]], ...]] = (
    (b"\x89PNG\r\n\x1a\n", b"", "PNG", _png),
    (b"\xff\xd8\xff", b"", "JPEG", _jpeg),
    ((b"GIF87a", b"GIF89a"), b"", "GIF", _gif),
    (b"RIFF", b"WEBP", "WebP", _webp),
    (b"BM", b"\0\0", "BMP", _bmp),
    ((b"II*\0", b"MM\0*"), b"", "TIFF", _tiff),
    (b"\0\0\1\0", b"", "ICO", _ico),
)
"""The first bytes, the bytes from the ninth on, the format, and the function that finds the size."""
