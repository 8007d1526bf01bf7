"""Which encoding a file's bytes are in, so that every byte of it comes back, and whether they are text at all."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

UTF_8_BOM: Final = codecs.BOM_UTF8

_MARKED: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer marks first: one begins with another."""

_BINARY_BEGINNINGS: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ", b"(\xb5/\xfd", b"\x7fELF")
"""Formats whose first bytes may well look like text."""

_BZIP: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

_HEAD: Final = 4096
"""How many bytes tell whether something is UTF-16 without a mark."""

_FEWEST_UNITS: Final = 8
"""How many characters it takes to tell: a few letters with zero bytes between them may be anything."""

_MOST_CONTROLS: Final = 0.30
_FEWEST_BYTES: Final = 512
"""How many bytes it takes to call UTF-8 no text for that: a short one may well be a few control characters."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {127})
"""Bytes that text does not have; logs have colours, bells and backspaces."""

_ESCAPED: Final = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text and text becomes bytes again.

    Attributes:
        name: Python's name for it.
        bom: The mark that the bytes begin with; none for most.
        errors: What happens to bytes that are no text.
    """

    name: str
    bom: bytes = b""
    errors: str = "strict"


def encoding_of(data: bytes) -> Encoding:
    """The encoding in which all the bytes of a file become text that turns into the same bytes again."""
    if data.startswith(UTF_8_BOM):
        return Encoding("utf-8", UTF_8_BOM, "surrogateescape")
    for bom, name in _MARKED:
        if data.startswith(bom) and _decodes(data[len(bom) :], name, "surrogatepass"):
            return Encoding(name, bom, "surrogatepass")
    unmarked = _unmarked_utf_16(data[:_HEAD])
    if unmarked and _decodes(data, unmarked, "strict"):
        return Encoding(unmarked)
    return _by_bytes(data)


def encoding_of_head(head: bytes, *, whole: bool) -> Encoding:
    """The encoding that a file's first bytes tell; a character cut in two at their end does not matter.

    Args:
        head: The first bytes.
        whole: Whether they are all of the file.
    """
    if whole:
        return encoding_of(head)
    for bom, name in _MARKED:
        if head.startswith(bom):
            return Encoding(name, bom, "surrogatepass")
    unmarked = _unmarked_utf_16(head[:_HEAD])
    return Encoding(unmarked) if unmarked else encoding_of(whole_characters(head))


def encoding_of_part(data: bytes) -> Encoding:
    """The encoding of bytes from the middle of a file, where no marks are."""
    return _by_bytes(data)


def whole_characters(data: bytes) -> bytes:
    """Bytes that were cut off somewhere, without the beginning of a UTF-8 character at their end."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if size > back else data
        if byte < 0x80:
            break
    return data


def is_binary(head: bytes) -> bool:
    """Whether a file's first bytes are no text; a character cut in two at their end does not matter."""
    if head.startswith(_BINARY_BEGINNINGS) or _BZIP.match(head):
        return True
    for bom, name in _MARKED:
        if head.startswith(bom):
            return _mostly_controls(codecs.getincrementaldecoder(name)("replace").decode(head[len(bom) :]))
    if _unmarked_utf_16(head[:_HEAD]):
        return False
    if b"\0" in head:
        return True
    if len(head) < _FEWEST_BYTES and _decodes(head, "utf-8", "strict"):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(head)


def _by_bytes(data: bytes) -> Encoding:
    if _decodes(data, "utf-8", "strict"):
        return Encoding("utf-8", errors="surrogateescape")
    text = data.decode("utf-8", "surrogateescape")
    special = len(text) - len(text.encode("ascii", "ignore"))
    broken = len(_ESCAPED.findall(text))
    if special > 2 * broken:  # more characters of UTF-8 than bytes that are none
        return Encoding("utf-8", errors="surrogateescape")
    return Encoding("cp1252") if _decodes(data, "cp1252", "strict") else Encoding("latin-1")


def _unmarked_utf_16(head: bytes) -> str | None:
    """Most characters of most languages' files are ASCII, so every other byte is zero and the others are not."""
    units = len(head) // 2
    first, second = head[0 : 2 * units : 2], head[1 : 2 * units : 2]
    for name, zeros, letters in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        if units >= _FEWEST_UNITS and 2 * zeros.count(0) >= units and 0 not in letters:
            plain = bytes(letter for letter, zero in zip(letters, zeros, strict=True) if not zero)
            return name if len(plain) == len(plain.translate(None, _CONTROLS)) else None
    return None


def _mostly_controls(text: str) -> bool:
    controls = sum(character < " " and character not in "\a\b\t\n\v\f\r\x1b" for character in text)
    return controls > _MOST_CONTROLS * len(text)


def _decodes(data: bytes, name: str, errors: str) -> bool:
    try:
        data.decode(name, errors)
    except UnicodeDecodeError:
        return False
    return True
