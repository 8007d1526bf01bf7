"""Detect the kind of a document from its bytes, because servers are often wrong."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from hermes_tools_web.documents.document import UnreadableError

Kind = Literal["html", "pdf", "feed", "json", "xml", "text"]

_MAX_UNPACKED = 64 * 1024 * 1024
"""The limit for decompressing a document that is a gzip file."""
_LAYERS = 3
_MAX_HEAD = 65_536

_HTML_TAGS = (
    rb"!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|h[1-6]|table|ul|ol|dl|br|a|b|i|em|span|strong|"
    rb"font|center|frameset|iframe|main|article|section|nav|header|footer|form|img|pre|blockquote|noscript|hr"
)
_HTML = re.compile(rb"<(?:" + _HTML_TAGS + rb")(?=[\s/>])", re.IGNORECASE)
_FEED = re.compile(rb"<(?:[\w.-]+:)?(rss|feed|rdf)(?=[\s>])", re.IGNORECASE)
_COMMENT = re.compile(rb"\s*<!--.*?-->", re.DOTALL)
_PROLOGUE = re.compile(
    rb"\s*<\?xml[^>]*\?>|\s*<\?[\w-]+[^>]*\?>|\s*<!DOCTYPE[^>\[]*(\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(rb"\s*<([A-Za-z_][\w.:-]*)")


_MEDIA_TYPE = re.compile(r"(?:application|audio|font|image|model|video)/[a-z0-9.+-]{1,40}")
"""The only part of a server's answer that is repeated: it cannot form a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedContent:
    """A document that can be parsed."""

    kind: Kind
    body: bytes  # the decompressed bytes
    charset: str = ""  # the charset from the header; empty when there is none


def detect_content(body: bytes, content_type: str, url: str) -> DetectedContent:
    """Detect the kind of a document.

    Raises:
        UnreadableError: it is not text, such as an image or an archive.
    """
    size = len(body)
    body = _unpacked(body)
    media, charset = _split(content_type)
    if not body.strip():
        return DetectedContent(kind="text", body=b"", charset=charset)
    if b"%PDF-" in body[:1024]:
        return DetectedContent(kind="pdf", body=body)
    wide = detect_wide_charset(body)
    if not wide:
        name = _binary_name(body, media)
        if name:
            raise UnreadableError(
                f"This is {name} of {_size(size)}, not a text.",
                "Use a tool for such files, or find a page about it.",
            )
    head = _narrow(body[:_MAX_HEAD]) if wide else body[:_MAX_HEAD]
    return DetectedContent(kind=_text_kind(head, media, url), body=body, charset=charset)


def _split(content_type: str) -> tuple[str, str]:
    media, *parameters = content_type.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return media.strip().lower(), value.strip().strip("\"'").lower()
    return media.strip().lower(), ""


def _unpacked(body: bytes) -> bytes:
    for _ in range(_LAYERS):
        if not body.startswith(b"\x1f\x8b\x08"):
            return body
        unpacker = zlib.decompressobj(wbits=31)
        try:
            grown = unpacker.decompress(body, _MAX_UNPACKED)
        except zlib.error as error:
            raise UnreadableError("This is a gzip archive that is damaged.", "Request the page again.") from error
        if unpacker.unconsumed_tail:
            raise UnreadableError(
                f"This is a gzip archive that unpacks to more than {_size(_MAX_UNPACKED)}.", "Try another source."
            )
        body = grown
    return body


def _binary_name(body: bytes, media: str) -> str:
    """Name the type of binary data; empty for text."""
    if not _is_binary(body):
        return ""
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_name(body)
    import puremagic

    try:
        found = puremagic.magic_string(body[:_MAX_HEAD])[0]
    except (puremagic.PureError, ValueError):
        return f"a binary file ({media})" if _MEDIA_TYPE.fullmatch(media) else "a binary file"
    return f"a binary file ({' '.join([found.extension.strip('.').upper(), found.name]).strip()})"


def _zip_name(body: bytes) -> str:
    head = body[:4096]
    for mark, name in (
        (b"word/", "a Word document"),
        (b"xl/", "an Excel workbook"),
        (b"ppt/", "a PowerPoint presentation"),
        (b"application/epub+zip", "an EPUB book"),
        (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
        (b"META-INF/", "a Java archive"),
    ):
        if mark in head:
            return name
    return "a Microsoft Office document" if b"[Content_Types].xml" in head else "a ZIP archive"


def _is_binary(body: bytes) -> bool:
    """Return whether control characters are too frequent for text."""
    head = body[:4096]
    odd = sum(head.count(bytes([code])) for code in (*range(9), *range(14, 27), 28, 29, 30, 31))
    return odd > len(head) * 0.1 or (odd > 8 and _looks_random(head))


def _looks_random(head: bytes) -> bool:
    high = sum(byte >= 0x80 for byte in head)
    letters = sum(byte in b" etaoinETAOIN<>/=\n" for byte in head)
    return high > len(head) * 0.3 and letters < len(head) * 0.15


def detect_wide_charset(body: bytes) -> str:
    """Return the charset of UTF-16 or UTF-32 bytes, with or without a BOM; empty for others."""
    if body.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = body[:2048]
    if len(head) < 4 or b"\x00\x00" in head[:64]:
        return ""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < len(head) * 0.15 or min(even, odd) > len(head) * 0.02:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _narrow(head: bytes) -> bytes:
    return head.replace(b"\x00", b"").lstrip(b"\xff\xfe")


def _text_kind(head: bytes, media: str, url: str) -> Kind:
    start = head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip()
    plain = media in ("text/plain", "text/markdown", "text/csv", "text/x-markdown", "application/x-tex")
    markup = _markup_kind(start)
    if start[:1] in b"{[" and _begins_json(start):
        return "json"
    if markup == "xml" and media in ("text/html", "application/xhtml+xml") and not start.startswith(b"<?xml"):
        markup = "html"  # an HTML fragment
    if start[:1] == b"<" and markup:
        # Plain text may start with a tag, as source code and Markdown do.
        begins = re.match(rb"(<!doctype|<html|<head|<body|<\?xml)", start, re.IGNORECASE)
        return "text" if plain and markup == "html" and not begins and not _is_whole_page(start) else markup
    if plain or media.startswith("text/x-"):
        return "html" if _is_whole_page(start) else "text"
    if media in ("text/html", "application/xhtml+xml"):
        return "html"
    if "json" in media:
        return "json"
    if media.endswith(("/xml", "+xml")) and start[:1] == b"<":
        return "xml"
    if not media or media.startswith(("application/octet", "binary/", "unknown/")):
        return "html" if _is_whole_page(start) or (_named_html(url) and _HTML.search(start)) else "text"
    return "text"


def _markup_kind(start: bytes) -> Kind | None:
    """Return the kind of a text that starts with a tag."""
    place = 0
    while match := _COMMENT.match(start, place) or _PROLOGUE.match(start, place):
        if re.match(rb"\s*<!DOCTYPE\s+html", match.group(), re.IGNORECASE):
            return "html"
        place = match.end()
    if _FEED.match(start[place : place + 200].lstrip()):
        return "feed"
    if _HTML.match(start[place : place + 200].lstrip()):
        return "html"
    root = _ROOT.match(start, place)
    if root and (place or b"xmlns" in start[:2000]):
        return "xml"
    return "xml" if root and re.search(rb"</" + re.escape(root.group(1)) + rb"\s*>\s*\Z", start) else None


def _begins_json(start: bytes) -> bool:
    return bool(re.match(rb'\{\s*("|\}\s*\Z)|\[\s*("|\{|\[|-?\d|true|false|null|\]\s*\Z)', start))


def _is_whole_page(start: bytes) -> bool:
    return bool(
        re.match(rb"(?:<!--.{0,2000}?-->\s*)?(?:<!doctype\s+html|<html[\s>])", start, re.IGNORECASE | re.DOTALL)
    ) or (len(re.findall(rb"</?(?:html|head|body|title)(?=[\s>])", start[:8192], re.IGNORECASE)) >= 3)


def _named_html(url: str) -> bool:
    return urlsplit(url).path.lower().endswith((".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp"))


def _size(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
