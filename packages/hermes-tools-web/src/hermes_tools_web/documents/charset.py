"""Decode the bytes of a text, even when its charset label is wrong or missing."""

from __future__ import annotations

import codecs
import re

from hermes_tools_web.documents.content_type import detect_wide_charset

_GENERAL = ("", "cp1252", "utf-8")
"""Default labels of servers; a declaration in the page is more reliable."""
_DECLARATIONS = (
    re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']", re.IGNORECASE),
    re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE),
    re.compile(rb"^@charset \"([\w.:-]{2,40})\""),
)
_LATIN = re.compile(r"cp125[02478]|iso8859-(?:1|2|3|4|10|13|14|15|16)\Z")
"""Latin charsets are hard to distinguish: a label counts more than a guess."""
_MAX_GUESSED = 1024 * 1024
_CHECKED = 200_000
_ODD = re.compile(r"[\x80-\x9f\ue000-\uf8ff]")
_FEW = 6
"""Up to this many non-ASCII bytes can be valid UTF-8 by accident."""
_ESCAPED = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "replace").replace("\ufffd", "\u2022") for byte in range(128, 256)
}


def decode(body: bytes, label: str = "") -> str:
    """Decode a text.

    The byte order mark has priority, then the server's label, then the declaration in the text, each only if the bytes
    are valid. Otherwise the charset is guessed.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if body.startswith(mark):
            return _tidy(body[len(mark) :].decode(name, "replace"))
    wide = detect_wide_charset(body)
    return _tidy(body.decode(wide, "replace") if wide else _decode_narrow(body, label))


def _decode_narrow(body: bytes, label: str) -> str:
    if body.isascii() and b"\x1b$" not in body:
        return body.decode("ascii")
    told = _codec_of(label)
    found = (pattern.search(body[:8192]) for pattern in _DECLARATIONS)
    declared = next((_codec_of(match[1].decode("ascii")) for match in found if match), "")
    labels = [declared, told] if told in _GENERAL else [told, declared]
    as_utf8 = _strict(body, "utf-8")
    if as_utf8 is not None and (not any(labels) or _count_foreign(as_utf8) >= _FEW):
        return as_utf8
    for name in labels:
        text = _strict(body, name) if name not in ("", "cp1252") else None
        if text is not None and _is_plausible(text):
            return text
    if as_utf8 is not None:
        return as_utf8
    escaped = body.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= char <= "\udcff" for char in escaped)
    if _count_foreign(escaped) - wrong >= wrong * 2:  # UTF-8 mixed with some Windows-1252 bytes
        return escaped.translate(_ESCAPED)
    guessed = _guess(body)
    if guessed == "cp1252" or ("cp1252" in labels and _LATIN.match(guessed)):
        return body.decode("ascii", "surrogateescape").translate(_ESCAPED)
    return body.decode(guessed, "replace")


def _codec_of(label: str) -> str:
    """Return the codec that browsers use for a label; empty when it is not one for such bytes."""
    from webencodings import lookup  # type: ignore[import-untyped]

    encoding = lookup(label)
    name = "" if encoding is None else encoding.codec_info.name
    return "" if name.startswith("utf-16") or name in ("replacement", "x-user-defined") else name


def _guess(body: bytes) -> str:
    """Guess the charset with the detector of Firefox."""
    from chardetng_py import EncodingDetector  # type: ignore[import-untyped]

    detector = EncodingDetector()
    detector.feed(body[:_MAX_GUESSED], last=len(body) <= _MAX_GUESSED)
    return _codec_of(detector.guess(tld=None, allow_utf8=False)) or "cp1252"


def _strict(body: bytes, name: str) -> str | None:
    """Decode strictly; a truncated character at the end is allowed."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        is_at_end = error.start >= len(body) - 4 and len(body) >= 64
        return body[: error.start].decode(name, "replace") if is_at_end else None


def _count_foreign(text: str) -> int:
    start = text[:_CHECKED]
    return len(start) - len(start.encode("ascii", "ignore"))


def _is_plausible(text: str) -> bool:
    """Return whether there are few characters that occur when the charset is wrong."""
    start = text[:_CHECKED]
    return len(_ODD.findall(start)) <= len(start) * 0.001


def _tidy(text: str) -> str:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "") if "\x00" in text else text
