"""Find redirects in `<meta http-equiv="refresh">` and in the header `Refresh`."""

from __future__ import annotations

import html
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

_HEAD = 32 * 1024
"""How much of a page is searched: redirects are at the top."""
_MAX_WAIT = 5.0
"""Pages that are meant to be read first wait longer."""
_MARK = re.compile(
    r"<!--|<(?P<hidden>script|style|noscript|template|textarea|title|xmp|iframe|svg)\b"
    r"|<meta(?=[\s/])(?P<meta>[^>]{1,2048}+)>|</head\b",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,40})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_REFRESH = re.compile(
    r"\s{0,20}+(?P<seconds>[0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})\s{0,20}[;,\s]\s{0,20}+"
    r"(?:url\s{0,20}=|(?!url\s{0,20}=))\s{0,20}(?P<url>.+)",
    re.IGNORECASE | re.DOTALL,
)


def find_refresh(body: bytes, content_type: str, header: str = "") -> str | None:
    """Return the URL that a page refreshes to within seconds, as written; None when it does not."""
    if header:
        return _target(header)
    if not _is_html(body, content_type):
        return None
    head = body[:_HEAD].decode("utf-16" if body.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) else "utf-8", "replace")
    for attributes in _metas(head):
        if attributes.get("http-equiv", "").strip().lower() == "refresh":
            return _target(attributes.get("content", ""))
    return None


def _is_html(body: bytes, content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return "html" in kind if kind else body[:1024].lstrip().startswith(b"<")


def _metas(head: str) -> list[dict[str, str]]:
    """Return the attributes of `meta` tags outside of comments, scripts and the like."""
    found, place = [], 0
    while (mark := _MARK.search(head, place)) is not None:
        place = mark.end()
        if mark["meta"]:
            found.append(_attributes(mark["meta"]))
            continue
        end = _end_of(mark, head)
        if end is None:
            break
        place = end
    return found


def _end_of(mark: re.Match[str], head: str) -> int | None:
    """Return the end of a comment or hidden element; None when it does not end within the head."""
    if mark[0] == "<!--":
        found = head.find("-->", mark.end())
        return None if found < 0 else found
    if not mark["hidden"]:
        return None  # the end of the head
    closed = re.compile(f"</{mark['hidden']}", re.IGNORECASE).search(head, mark.end())
    return None if closed is None else closed.end()


def _attributes(written: str) -> dict[str, str]:
    pairs = [(name.lower(), one or two or bare) for name, one, two, bare in _ATTRIBUTE.findall(written)]
    return {name: html.unescape(value) for name, value in reversed(pairs)}  # the first attribute of a name counts


def _target(written: str) -> str | None:
    found = _REFRESH.fullmatch(written[:4096])
    if found is None or float(found["seconds"]) > _MAX_WAIT:
        return None
    url = found["url"].strip()
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip() or None
