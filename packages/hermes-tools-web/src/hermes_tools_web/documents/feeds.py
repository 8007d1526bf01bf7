"""Parse feeds: RSS, Atom and JSON Feed."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_tools_web.documents.document import Document, Link
from hermes_tools_web.documents.links import LinkResolver, escape_url
from hermes_tools_web.documents.markdown.escaping import escape, escape_starts
from hermes_tools_web.documents.text_formats import parse_json, read_json, read_xml
from hermes_tools_web.text import one_line, strip_invisible

MAX_ENTRIES = 500
_MAX_SUMMARY = 2000
_XML_DECLARATION = re.compile(r"\A<\?xml[^>]*\?>")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a feed, or the feed itself."""

    title: str = ""
    url: str = ""
    date: str = ""  # the publication date, as written
    author: str = ""
    summary: str = ""  # the content: markup or text


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed with its entries."""

    about: Entry = field(default_factory=Entry)
    language: str = ""
    entries: tuple[Entry, ...] = ()
    count: int = 0


def read_feed(text: str, url: str, *, links: bool = False) -> Document:
    """Parse an RSS or Atom feed into headings with links, dates and summaries."""
    import feedparser  # type: ignore[import-untyped]

    # Text is passed as a stream: feedparser would open a string that looks like a URL or a path.
    source = io.BytesIO(strip_invisible(_XML_DECLARATION.sub("", text.lstrip(), count=1)).encode("utf-8", "replace"))
    try:
        found = feedparser.parse(
            source,
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,  # it is converted to Markdown
            resolve_relative_uris=False,
        )
    except Exception:  # third-party parsers raise anything on broken input
        return read_xml(text)
    if not found.version and not found.entries:
        return read_xml(text)
    addresses = LinkResolver(url)
    feed = Feed(
        about=_entry(found.feed, addresses),
        language=found.feed.get("language") or "",
        entries=tuple(_entry(entry, addresses) for entry in found.entries[:MAX_ENTRIES]),
        count=len(found.entries),
    )
    return write_feed(feed, url, links=links)


def _entry(item: Mapping[str, Any], addresses: LinkResolver) -> Entry:
    """Read an entry, or the feed itself, which has a subtitle instead of a summary."""
    contents = [each.get("value") or "" for each in item.get("content") or ()]
    links = {each.get("rel"): each.get("href") or "" for each in reversed(item.get("links") or ())}
    named = item.get("id") or ""
    link = links.get("alternate") or (named if named.startswith("http") else links.get("enclosure", ""))
    return Entry(
        title=item.get("title") or "",
        url=addresses.absolute(link),
        date=item.get("published") or item.get("updated") or "",
        author=item.get("author") or "",
        summary=next(filter(None, contents), "") or item.get("summary") or item.get("subtitle") or "",
    )


def write_feed(feed: Feed, url: str, *, links: bool) -> Document:
    """Write a feed as a document."""
    parts = [_summary(feed.about.summary, url)] if feed.about.summary else []
    parts.extend(_write_entry(entry, url) for entry in feed.entries)
    facts = {
        "entries": str(feed.count),
        "author": feed.about.author,
        "date": feed.about.date,
        "language": feed.language,
    }
    notes = [f"The first {MAX_ENTRIES} of {feed.count} entries are shown."] if feed.count > len(feed.entries) else []
    if not feed.count:
        notes.append("The feed has no entries.")
    return Document(
        kind="feed",
        title=_strip_markup(feed.about.title),
        markdown="\n\n".join(part for part in parts if part),
        facts={name: one_line(value) for name, value in facts.items() if one_line(value)},
        links=tuple(Link(url=one.url, text=_strip_markup(one.title)) for one in feed.entries if one.url)
        if links
        else (),
        notes=tuple(notes),
        canonical=feed.about.url if feed.about.url == url else "",
    )


def _write_entry(entry: Entry, url: str) -> str:
    title = escape(_strip_markup(entry.title) or one_line(_summary(entry.summary, url), 80) or "Untitled")
    title = title.replace("[", "\\[").replace("]", "\\]") if entry.url else title
    heading = f"## [{title}]({escape_url(entry.url)})" if entry.url else f"## {title}"
    about = " · ".join(escape(one_line(part, 100)) for part in (entry.date, entry.author) if part.strip())
    return "\n\n".join(part for part in (heading, escape_starts(about), _summary(entry.summary, url)) if part)


def _strip_markup(title: str) -> str:
    if _MARKUP.search(title):
        from hermes_tools_web.documents.html_tree import get_text, parse_html

        root = parse_html(title)
        title = get_text(root) if root is not None else title
    return one_line(title)


def _summary(text: str, url: str) -> str:
    if _MARKUP.search(text):
        from hermes_tools_web.documents.html import markdown_of_fragment

        text = markdown_of_fragment(text[: _MAX_SUMMARY * 10], url)
    else:
        text = escape_starts(escape(strip_invisible(" ".join(text.split()))))
    if len(text) <= _MAX_SUMMARY:
        return text
    from hermes_tools_web.documents.document import cut

    return cut(text, _MAX_SUMMARY).rstrip() + "\n\n…"


_MARK = "jsonfeed.org/version"


def read_json_or_feed(text: str, url: str, *, links: bool = False) -> Document:
    """Parse JSON: a JSON Feed as a feed, anything else as data."""
    value = parse_json(text) if _MARK in text[:2000].replace("\\/", "/") else None
    if not isinstance(value, dict) or not isinstance(value.get("items"), list):
        return read_json(text)
    addresses = LinkResolver(url)
    items = [item for item in value["items"] if isinstance(item, dict)]
    feed = Feed(
        about=_json_entry({**value, "url": ""}, addresses),
        language=_first_text(value, "language"),
        entries=tuple(_json_entry(item, addresses) for item in items[:MAX_ENTRIES]),
        count=len(items),
    )
    return write_feed(feed, url, links=links)


def _json_entry(item: Mapping[str, Any], addresses: LinkResolver) -> Entry:
    people = item.get("authors") or [item.get("author")]
    names = [_first_text(one, "name") for one in people if isinstance(one, dict)] if isinstance(people, list) else []
    return Entry(
        title=_first_text(item, "title"),
        url=addresses.absolute(_first_text(item, "url", "external_url")),
        date=_first_text(item, "date_published", "date_modified"),
        author=", ".join(filter(None, names)),
        summary=_first_text(item, "content_html", "content_text", "summary", "description"),
    )


def _first_text(item: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := item.get(key), str) and value), "")
