"""What an image is and how big, from its first bytes."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.documents.image_info import Image, detect_image

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 640, 480, 8, 2, 0, 0, 0)
EXIF = b"\xff\xe1" + struct.pack(">H", 5000) + bytes(4998)
FRAME = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, 480, 640, 3)
JPEG = b"\xff\xd8" + b"\xff\xff\xe0" + struct.pack(">H", 4) + b"JF" + EXIF + FRAME
TIFF = b"II*\0" + struct.pack("<IHHHIIHHIIHHII", 8, 3, 256, 3, 1, 640, 257, 4, 1, 480, 258, 3, 1, 8)
BIG_ENDIAN_TIFF = b"MM\0*" + struct.pack(">IHHHIHHHHIHH", 8, 2, 256, 3, 1, 640, 0, 257, 3, 1, 480, 0)
WEBP = b"RIFF" + bytes(4) + b"WEBP"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (PNG, "PNG"),
        (JPEG, "JPEG"),
        (b"GIF89a" + struct.pack("<HH", 640, 480), "GIF"),
        (b"GIF87a" + struct.pack("<HH", 640, 480), "GIF"),
        (WEBP + b"VP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little"), "WebP"),
        (WEBP + b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 639 | 479 << 14), "WebP"),
        (WEBP + b"VP8 " + bytes(7) + b"\x9d\x01\x2a" + struct.pack("<HH", 640 | 1 << 14, 480), "WebP"),
        (b"BM" + struct.pack("<IHHIIii", 99, 0, 0, 54, 40, 640, -480), "BMP"),
        (b"BM" + struct.pack("<IHHIIHH", 99, 0, 0, 26, 12, 640, 480), "BMP"),
        (TIFF, "TIFF"),
        (BIG_ENDIAN_TIFF, "TIFF"),
    ],
)
def test_kind_and_size_are_told(head: bytes, kind: str) -> None:
    found = detect_image(head)
    assert found is not None
    assert (found.kind, found.width, found.height) == (kind, 640, 480)


def test_the_biggest_picture_of_an_icon_counts() -> None:
    entries = bytes([16, 16]) + bytes(14) + bytes([0, 0]) + bytes(14) + bytes([32, 32]) + bytes(14)
    assert detect_image(b"\0\0\1\0\3\0" + entries) == Image("ICO", 256, 256)


def test_a_size_that_comes_later_is_not_known() -> None:
    assert detect_image(JPEG[:3000]) == Image("JPEG")
    assert detect_image(TIFF[:20]) == Image("TIFF")
    assert detect_image(PNG[:10]) == Image("PNG")


@pytest.mark.parametrize("head", [b"", b"BMW is a car", b"<svg>", b"RIFF1234WAVE", b"GIF", zlib.compress(b"a")])
def test_other_files_are_no_images(head: bytes) -> None:
    assert detect_image(head) is None


BEGINNINGS = [PNG[:8], JPEG[:3], b"GIF89a", WEBP, b"BM", b"II*\0", b"MM\0*", b"\0\0\1\0", b""]


@given(begin=st.sampled_from(BEGINNINGS), rest=st.binary(max_size=60))
@settings(deadline=None)
@example(begin=b"II*\0", rest=b"\xff" * 60)
@example(begin=b"\xff\xd8\xff", rest=b"\xd8\xff" * 20)
def test_no_bytes_whatsoever_raise(begin: bytes, rest: bytes) -> None:
    found = detect_image(begin + rest)
    assert found is None or (found.width is None) == (found.height is None)
