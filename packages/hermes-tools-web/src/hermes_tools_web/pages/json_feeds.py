"""Reads JSON: as a feed when it is one, as data when not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hermes_tools_web.pages.addresses import Addresses
from hermes_tools_web.pages.data import load_json, read_json
from hermes_tools_web.pages.document import Document
from hermes_tools_web.pages.feeds import MOST_ENTRIES, Entry, Feed, write_feed

_MARK = "jsonfeed.org/version"


def read_json_or_feed(text: str, url: str, *, links: bool = False) -> Document:
    """A JSON feed as a list of what it announces; all other JSON as it is.

    Args:
        text: The text.
        url: Where it was found.
        links: Whether the links of its entries are wanted, too.
    """
    value = load_json(text) if _MARK in text[:2000].replace("\\/", "/") else None
    if not isinstance(value, dict) or not isinstance(value.get("items"), list):
        return read_json(text)
    addresses = Addresses(url)
    items = [item for item in value["items"] if isinstance(item, dict)]
    about = Entry(title=_text(value, "title"), summary=_text(value, "description"), author=_author(value))
    entries = tuple(_entry(item, addresses) for item in items[:MOST_ENTRIES])
    return write_feed(
        Feed(about=about, language=_text(value, "language"), entries=entries, count=len(items)), url, links=links
    )


def _entry(item: Mapping[str, Any], addresses: Addresses) -> Entry:
    return Entry(
        title=_text(item, "title"),
        url=addresses.absolute(_text(item, "url") or _text(item, "external_url")),
        date=_text(item, "date_published") or _text(item, "date_modified"),
        author=_author(item),
        summary=_text(item, "content_html") or _text(item, "content_text") or _text(item, "summary"),
    )


def _author(item: Mapping[str, Any]) -> str:
    people = item.get("authors") or [item.get("author")]
    names = [_text(one, "name") for one in people if isinstance(one, dict)] if isinstance(people, list) else []
    return ", ".join(name for name in names if name)


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
